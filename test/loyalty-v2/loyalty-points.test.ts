import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertInvariants, counted, ROLLING, refused, testClub } from "../support/loyalty-club.ts";

const { db } = await testDatabase();

const PENDING = { type: "PERIOD_BASED", period_based: { period: { value: 10, unit: "DAY" } } };
const NO_EXPIRATION = { type: "NO_EXPIRATION" };

test("points are credited by hand, and can be spent at once", async () => {
  const { ok, member, wallet, program, cardOf, moves } = await testClub(db, { wallet: { points_expiration: ROLLING } });
  const made = await ok(`POST ${member.cardPath}/points`, { points: 100, reason: "Sorry" });
  const transaction = {
    id: made.transaction.id,
    card_id: member.card,
    program_id: program.id,
    member_id: member.id,
    card_definition_id: wallet.id,
    card_type: "INDIVIDUAL",
    type: "ADMIN_CREDIT",
    details: {
      reason: "Sorry",
      rejection: null,
      metadata: {},
      points: { total: 100, expiration_date: "2026-02-01" },
    },
    status: "PENDING",
    created_at: NOW,
    updated_at: null,
    object: "card_transaction",
  };
  assert.match(made.transaction.id, /^lctx_/);
  assert.deepEqual(made, {
    transaction,
    status: "TRANSACTION_CREATED",
    message: "Points addition transaction created",
  });
  assert.deepEqual(await moves(), [{ ...transaction, status: "APPROVED", updated_at: NOW }]);
  const card = await cardOf();
  assert.deepEqual(card.balance, { points: 100, pending_points: 0 });
  assert.deepEqual(counted(card), { total: 100, added: 100 });
  assert.deepEqual(card.next_expiration, { points: 100, date: "2026-02-01" });
  const [bucket] = (await ok(`GET ${member.cardPath}/expiring-points`)).data;
  assert.deepEqual([bucket.points.total, bucket.expiration_date, bucket.status], [100, "2026-02-01", "ACTIVE"]);
});

test("points are taken away by hand, those that expire first before others", async () => {
  const { ok, member, adjust, cardOf, clock } = await testClub(db, { wallet: { points_expiration: ROLLING } });
  await adjust(30);
  clock.now = "2026-01-05T12:00:00.000Z";
  await adjust(40);
  const made = await ok(`POST ${member.cardPath}/points`, { points: -50, reason: "Mistake" });
  assert.deepEqual(
    [made.transaction.type, made.transaction.details.points, made.transaction.details.reason, made.message],
    ["ADMIN_DEBIT", { total: -50 }, "Mistake", "Points subtraction transaction created"],
  );
  assert.deepEqual(counted(await cardOf()), { total: 70, added: 70, subtracted: 50 });
  const left = (await ok(`GET ${member.cardPath}/expiring-points`)).data;
  assert.deepEqual(
    left.map((one: any) => [one.expiration_date, one.points.total]),
    [["2026-02-05", 20]],
  );
});

test("zero points are no transaction", async () => {
  const { ok, member, moves } = await testClub(db);
  assert.deepEqual(await ok(`POST ${member.cardPath}/points`, { points: 0 }), {
    transaction: null,
    status: "NO_CHANGE",
    message: "Provided amount is zero, transaction was not created",
  });
  assert.deepEqual(await moves(), []);
});

test("more than there is cannot be taken away: the transaction is rejected, and nothing moves", async () => {
  const { adjust, cardOf, moves } = await testClub(db);
  await adjust(10);
  const made = await adjust(-11);
  assert.deepEqual([made.status, made.transaction.status], ["TRANSACTION_CREATED", "PENDING"]);
  const last = (await moves()).at(-1);
  assert.deepEqual(
    [last.id, last.status, last.details.rejection, last.details.points],
    [made.transaction.id, "REJECTED", { reason: "NOT_ENOUGH_BALANCE", details: null }, { total: -11 }],
  );
  const card = await cardOf();
  assert.deepEqual([card.balance.points, counted(card)], [10, { total: 10, added: 10 }]);
});

test("a card that may go below zero owes points, and what comes fills the hole first", async () => {
  const { adjust, cardOf } = await testClub(db, { wallet: { balance_settings: { allow_negative: true } } });
  await adjust(-25);
  assert.equal((await cardOf()).balance.points, -25);
  await adjust(40);
  const card = await cardOf();
  assert.deepEqual([card.balance.points, counted(card)], [15, { total: 40, added: 40, subtracted: 25 }]);
});

test("a card takes no more points than can be counted", async () => {
  const { adjust, cardOf, moves } = await testClub(db);
  await adjust(Number.MAX_SAFE_INTEGER);
  await adjust(1);
  const last = (await moves()).at(-1);
  assert.deepEqual([last.status, last.details.rejection.reason], ["REJECTED", "CARD_POINTS_LIMIT_EXCEEDED"]);
  assert.equal((await cardOf()).balance.points, Number.MAX_SAFE_INTEGER);
});

test("points of what is not there, or not active, are not changed", async () => {
  const club = await testClub(db);
  const { call, ok, member, path, moves, cardOf, clock } = club;
  const url = `POST ${member.cardPath}/points`;
  refused(await call(url, {}), 400, "invalid_payload", /^Payload must have required property 'points'$/);
  for (const body of [
    { points: 1.5 },
    { points: "1" },
    { points: 2 ** 53 },
    { points: -(2 ** 53) },
    { points: 1, colour: 1 },
    { points: 1, reason: "x".repeat(256) },
    { points: 1, reason: "a\u0000b" },
    [],
  ])
    refused(await call(url, body), 400, "invalid_payload");
  const body = { points: 1 };
  const of = (line: string) => `POST ${line}/points`;
  refused(
    await call(of(`/v2/loyalties/programs/lprg_1/members/${member.id}/cards/${member.card}`), body),
    404,
    "not_found",
    /program/,
  );
  refused(await call(of(`${path}/members/lmbr_1/cards/${member.card}`), body), 404, "not_found", /member/);
  refused(await call(of(`${member.path}/cards/lcrd_1`), body), 404, "not_found", /card/);
  const other = await club.enrol("bob");
  refused(await call(of(`${member.path}/cards/${other.card}`), body), 404, "not_found", /card/);
  const strange = await testClub(db);
  refused(await call(of(strange.member.cardPath), body), 404, "not_found", /program/);
  await ok(`POST ${member.path}/deactivate`);
  refused(await call(url, body), 423, "non_active_member");
  await ok(`POST ${member.path}/activate`);
  await ok(`POST ${path}/deactivate`);
  refused(await call(url, body), 423, "non_active_program");
  await ok(`PUT ${path}`, { end_date: "2026-01-02T00:00:00.000Z" });
  await ok(`POST ${path}/activate`);
  assert.equal((await call(url, body)).status, 200);
  clock.now = "2026-01-02T00:00:00.000Z";
  refused(await call(url, body), 423, "program_outside_validity_window");
  assert.equal((await moves()).length, 1);
  assert.equal((await cardOf()).balance.points, 1);
});

const pendingOf = async ({ ok, member }: Awaited<ReturnType<typeof testClub>>) =>
  (await ok(`GET ${member.cardPath}/pending-points`)).data;

test("points that wait are made available by hand, and expire from then on", async () => {
  const club = await testClub(db, { wallet: { pending_points: PENDING, points_expiration: ROLLING } });
  const { ok, call, member, cardOf, moves, earnPoints } = club;
  await earnPoints(160);
  const [bucket] = await pendingOf(club);
  assert.deepEqual([bucket.points.total, bucket.date], [160, "2026-01-11"]);
  const url = `POST ${member.cardPath}/pending-points/${bucket.id}/activate`;
  const made = await ok(url);
  const { id, details, ...rest } = made.transaction;
  assert.deepEqual(details, {
    reason: "Manual points activation",
    rejection: null,
    metadata: {},
    points: { total: 160, date: "2026-01-11", type: "PERIOD_BASED" },
  });
  assert.deepEqual([rest.type, rest.status, rest.updated_at], ["PENDING_POINTS_ACTIVATED", "PENDING", null]);
  assert.deepEqual([made.status, made.message], ["TRANSACTION_CREATED", "Points activation transaction created"]);
  const card = await cardOf();
  assert.deepEqual(card.balance, { points: 160, pending_points: 0 });
  assert.deepEqual(counted(card), { total: 160, earned: 160, pending_total: 160, pending_activated: 160 });
  assert.deepEqual(card.next_expiration, { points: 160, date: "2026-02-01" });
  assert.deepEqual(await pendingOf(club), []);
  const all = await moves();
  assert.deepEqual(
    all.map((one: any) => [one.type, one.status]),
    [
      ["PENDING_POINTS_ADDED", "APPROVED"],
      ["PENDING_POINTS_ACTIVATED", "APPROVED"],
    ],
  );
  assert.equal(all[1].id, id);
  refused(await call(url), 423, "invalid_pending_points_bucket_status");
  assert.deepEqual((await cardOf()).balance, { points: 160, pending_points: 0 });
});

test("points that wait are cancelled by hand", async () => {
  const club = await testClub(db, { wallet: { pending_points: PENDING } });
  const { ok, call, member, cardOf, earnPoints } = club;
  await earnPoints(50);
  const [bucket] = await pendingOf(club);
  const made = await ok(`POST ${member.cardPath}/pending-points/${bucket.id}/cancel`);
  assert.deepEqual(
    [made.transaction.type, made.transaction.details.reason, made.transaction.details.points, made.message],
    [
      "PENDING_POINTS_CANCELED",
      "Manual points cancellation",
      { total: 50, date: "2026-01-11", type: "PERIOD_BASED" },
      "Points cancellation transaction created",
    ],
  );
  const card = await cardOf();
  assert.deepEqual(
    [card.balance, counted(card)],
    [
      { points: 0, pending_points: 0 },
      { pending_total: 50, pending_canceled: 50 },
    ],
  );
  refused(
    await call(`POST ${member.cardPath}/pending-points/${bucket.id}/cancel`),
    423,
    "invalid_pending_points_bucket_status",
  );
});

test("a bucket that is not there, is over, or whose wallet has none is left alone", async () => {
  const club = await testClub(db, { wallet: { pending_points: PENDING } });
  const { call, ok, member, path, earnPoints, cardOf, clock } = club;
  await earnPoints(50);
  const [bucket] = await pendingOf(club);
  const url = (id: string, how: string) => `POST ${member.cardPath}/pending-points/${id}/${how}`;
  for (const how of ["activate", "cancel"]) {
    refused(await call(url("lcppb_1", how)), 404, "not_found", /card_pending_points_bucket/);
    await ok(`POST ${member.path}/deactivate`);
    refused(await call(url(bucket.id, how)), 423, "non_active_member");
    await ok(`POST ${member.path}/activate`);
    await ok(`POST ${path}/deactivate`);
    refused(await call(url(bucket.id, how)), 423, "non_active_program");
    await ok(`POST ${path}/activate`);
  }
  refused(
    await call(`POST ${member.cardPath}/expiring-points/${bucket.id}/expire`),
    404,
    "not_found",
    /card_points_bucket/,
  );
  refused(
    await call(`POST ${member.path}/cards/${member.other}/pending-points/${bucket.id}/activate`),
    404,
    "not_found",
  );
  assert.deepEqual((await cardOf()).balance, { points: 0, pending_points: 50 });
  clock.now = "2026-01-11T08:00:00.000Z";
  refused(await call(url(bucket.id, "cancel")), 423, "invalid_pending_points_bucket_status");
  assert.deepEqual((await cardOf()).balance, { points: 50, pending_points: 0 }, "time has made them available");
});

test("points that wait for an event are not moved on the last day by hand", async () => {
  const probe = await testClub(db);
  const event = await probe.ok(`POST /management/v1/projects/${probe.project.id}/custom-event-schemas`, {
    name: "visit",
    schema: { properties: {} },
  });
  const event_based = { cancel_period: { value: 5, unit: "DAY" }, event_types: [event.id] };
  const wallet = { pending_points: { type: "EVENT_BASED", event_based } };
  const club = await testClub(db, { wallet, project: probe.project, customer: "eve" });
  await club.earnPoints(5);
  const [bucket] = await pendingOf(club);
  club.clock.now = "2026-01-06T08:00:00.000Z";
  const url = `POST ${club.member.cardPath}/pending-points/${bucket.id}/activate`;
  refused(await club.call(url), 423, "invalid_pending_points_bucket_date");
  assert.equal((await club.cardOf()).balance.pending_points, 5);
});

test("a bucket of points is expired by hand", async () => {
  const club = await testClub(db, { wallet: { points_expiration: ROLLING } });
  const { call, ok, member, adjust, cardOf, clock } = club;
  await adjust(30);
  clock.now = "2026-01-05T12:00:00.000Z";
  await adjust(40);
  const [first] = (await ok(`GET ${member.cardPath}/expiring-points`)).data;
  const url = `POST ${member.cardPath}/expiring-points/${first.id}/expire`;
  const made = await ok(url);
  assert.deepEqual(made.transaction.details, {
    reason: null,
    rejection: null,
    metadata: {},
    bucket: {
      id: first.id,
      points: { total: 30 },
      expiration_date: "2026-02-01",
      expiration_type: "ROLLING_EXPIRATION",
    },
  });
  assert.deepEqual(
    [made.transaction.type, made.transaction.status, made.status, made.message],
    ["ADMIN_POINTS_EXPIRATION", "PENDING", "TRANSACTION_CREATED", "Points expiration transaction created"],
  );
  const card = await cardOf();
  assert.deepEqual([card.balance.points, counted(card)], [40, { total: 70, added: 70, expired: 30 }]);
  refused(await call(url), 423, "invalid_points_bucket_status");
  refused(await call(`POST ${member.cardPath}/expiring-points/lcpeb_1/expire`), 404, "not_found", /card_points_bucket/);
  const [second] = (await ok(`GET ${member.cardPath}/expiring-points`)).data;
  clock.now = "2026-02-06T00:00:00.000Z";
  refused(
    await call(`POST ${member.cardPath}/expiring-points/${second.id}/expire`),
    423,
    "invalid_points_bucket_status",
  );
  assert.equal((await cardOf()).balance.points, 0, "time has let them expire");
});

test("what time has brought comes before what is done by hand", async () => {
  const { adjust, moves, cardOf, clock } = await testClub(db, { wallet: { points_expiration: ROLLING } });
  await adjust(30);
  clock.now = "2026-03-01T12:00:00.000Z";
  await adjust(-10);
  assert.deepEqual(
    (await moves()).map((one: any) => [one.type, one.status]),
    [
      ["ADMIN_CREDIT", "APPROVED"],
      ["POINTS_EXPIRED", "APPROVED"],
      ["ADMIN_DEBIT", "REJECTED"],
    ],
  );
  assert.deepEqual(counted(await cardOf()), { total: 30, added: 30, expired: 30 });
});

test("points that are credited lead to a tier, and taken away again out of it", async () => {
  const club = await testClub(db);
  const { ok, wallet, rule, enrol } = club;
  const V2 = "/v2/loyalties";
  const structure = await ok(`POST ${V2}/tier-structures`, {
    name: "Levels",
    type: "POINT_BALANCE",
    card_definition_id: wallet.id,
    downgrade: { type: "MULTI_LEVEL" },
  });
  const tier = (name: string, min_value: number, more: object = {}) =>
    ok(`POST ${V2}/tier-structures/${structure.id}/tiers`, {
      name,
      qualification_rules: { type: "POINTS", points: { min_value, ...more } },
    });
  const silver = await tier("Silver", 100, { max_value: 199 });
  const gold = await tier("Gold", 200);
  await ok(`POST ${V2}/tier-structures/${structure.id}/activate`);
  const program = await ok(`POST ${V2}/programs`, {
    name: "Tiers",
    status: "ACTIVE",
    card_definitions: [{ id: wallet.id }],
    earning_rules: [{ id: rule.id }],
    tier_structures: [{ id: structure.id }],
  });
  const path = `${V2}/programs/${program.id}/members`;
  const { customer } = await enrol("cid");
  const made = await ok(`POST ${path}`, { customer_id: customer.id });
  const points = (n: number) => ok(`POST ${path}/${made.id}/cards/${made.cards[0].card.id}/points`, { points: n });
  const { transaction } = await points(250);
  await points(-100);
  await points(-100);
  const tiers = (await ok(`GET ${path}/${made.id}/tiers/transactions?order=created_at`)).data;
  assert.deepEqual(
    tiers.map((one: any) => [one.type, one.tier_id, one.status]),
    [
      ["JOINED", gold.id, "APPROVED"],
      ["DOWNGRADED", silver.id, "APPROVED"],
      ["LEFT", null, "APPROVED"],
    ],
  );
  assert.deepEqual(tiers[0].details.origin, { type: "card_operations", card_transaction_ids: [transaction.id] });
});

test("points that never expire have no bucket that could be expired", async () => {
  const { adjust, ok, member } = await testClub(db, { wallet: { points_expiration: NO_EXPIRATION } });
  await adjust(10);
  assert.deepEqual((await ok(`GET ${member.cardPath}/expiring-points`)).data, []);
});

test("what was written when points were changed by hand goes with the customer", async () => {
  const { ok, call, member } = await testClub(db);
  await ok(`POST ${member.cardPath}/points`, { points: 5, reason: "for Ann from the corner" });
  const reply = await call(`POST /v1/customers/${member.customer.id}/permanent-deletion`);
  assert.ok(reply.status < 300, reply.text);
  const entries = await db`select reason, amount from ledger_entries where account_id = ${member.card}`;
  assert.deepEqual(
    entries.map(({ reason, amount }) => [reason, amount]),
    [[null, 5]],
  );
});

test("what must always hold, holds after all of this", () => assertInvariants(db));
