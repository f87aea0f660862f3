import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { wipeProject } from "../../src/demo/wipe.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import type { JobCtx } from "../../src/jobs/job.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { FORM, form, NOW, newId, type Reply, testDatabase, type testProject } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { yearlyClub } from "../support/loyalty-year.ts";
import { cardWorld } from "../support/point-cards.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
/** What jobs are given: the time of the server, whatever project they work for. */
const jobs = (given: Partial<JobCtx> = {}): JobCtx => ({ db, now: () => NOW, newId, random: randomBytes, ...given });
const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};
const HOUR_MS = 3_600_000;
/** The moments in which a year is swept: by the day, or by the hour for as long as hours matter. */
const DAYS = Array.from({ length: 364 }, (_, n) => 24 * (n + 1));
const HOURS = [...Array.from({ length: 24 * 16 }, (_, n) => n + 1), ...DAYS.slice(16)];
const after = (hours: number): string => new Date(Date.parse(NOW) + hours * HOUR_MS).toISOString();

async function sandbox(given: Parameters<typeof testProject>[1] = {}) {
  const { call, project } = await testShop(db, given);
  const path = `/management/v1/projects/${project.id}/test-clock`;
  const ok = okOf(call);
  const move = (now: unknown) => call(`POST ${path}`, { now });
  return { project, call, ok, move, path };
}

test("the clock is moved forward, by at most two years a call, and says what time it is", async () => {
  const { move, ok, path } = await sandbox();
  assert.deepEqual(await ok(`GET ${path}`), { now: NOW, offset_ms: 0, object: "test_clock" });
  const moved = await move("2026-01-02T12:00:00.000Z");
  assert.equal(moved.status, 202);
  assert.deepEqual(Object.keys(moved.body), ["async_action_id"]);
  assert.deepEqual(await ok(`GET ${path}`), {
    now: "2026-01-02T12:00:00.000Z",
    offset_ms: 86_400_000,
    object: "test_clock",
  });
  assert.equal((await move("2028-01-02T14:00:00+02:00")).status, 202, "two years to the millisecond");
  assert.equal((await ok(`GET ${path}`)).now, "2028-01-02T12:00:00.000Z");
});

test("what is no time to move to is refused, and nothing changes", async () => {
  const { move, call, ok, path } = await sandbox();
  await move("2026-03-01T00:00:00.000Z");
  const before = await ok(`GET ${path}`);
  refused(await move("2026-03-01T00:00:00.000Z"), 400, "invalid_payload", /must be after 2026-03-01/);
  refused(await move("2026-02-28T23:59:59.999Z"), 400, "invalid_payload", /must be after/);
  refused(await move("2028-03-01T00:00:00.001Z"), 400, "invalid_payload", /at most 2 years/);
  for (const bad of [
    "tomorrow",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "+012026-01-01T00:00:00Z",
    1,
    null,
    "",
    {},
  ])
    refused(await move(bad), 400, "invalid_payload");
  refused(await call(`POST ${path}`, {}), 400, "invalid_payload");
  refused(await call(`POST ${path}`, { now: "2026-04-01T00:00:00Z", by: "P1D" }), 400, "invalid_payload", /by/);
  assert.deepEqual(await ok(`GET ${path}`), before);
});

test("only a sandbox project has a test clock, only a management key moves it, and an unknown project has none", async () => {
  const { move, call, ok, path } = await sandbox({ is_sandbox: false });
  refused(await move("2026-02-01T00:00:00.000Z"), 403, "forbidden", /sandbox/);
  assert.equal((await ok(`GET ${path}`)).offset_ms, 0);
  const none = "/management/v1/projects/proj_none/test-clock";
  refused(await call(`POST ${none}`, { now: "2026-02-01T00:00:00.000Z" }), 404, "not_found");
  refused(await call(`GET ${none}`), 404, "not_found");
  const stranger = { "x-management-token": "wrong" };
  refused(await call(`POST ${path}`, { now: "2026-02-01T00:00:00.000Z" }, stranger), 401, "unauthorized");
});

for (const [name, sweeps, structure] of [
  ["days", DAYS, {}],
  [
    "hours",
    HOURS,
    {
      type: "POINT_EARNED",
      point_earned: { period: { value: 8, unit: "HOUR" }, type: "NEXT_TRACKING_PERIOD" },
      expiration: { type: "NO_EXPIRATION" },
      downgrade: { type: "MULTI_LEVEL" },
    },
  ],
] as const)
  test(`a year in one move leaves what the sweeps of all its ${name} leave`, async () => {
    const stories: unknown[] = [];
    for (const isMoved of [true, false]) {
      const { project, call, ok, members, earnPoints, story, dueAt } = await yearlyClub(db, {
        timezone: "America/Sao_Paulo",
        structure,
      });
      const cards = await members(2);
      await earnPoints(cards, 250);
      await earnPoints(cards.slice(1), 90, "2026-01-02T23:30:00.000Z");
      if (isMoved) {
        const path = `POST /management/v1/projects/${project.id}/test-clock`;
        const { body } = await call(path, { now: "2026-12-31T12:00:00.000Z" });
        await runAsyncActions.run(jobs());
        const action = await ok(`GET /v1/async-actions/${body.async_action_id}`);
        const { type, status, progress, result, created_at } = action;
        assert.deepEqual([type, status, progress], ["PROJECT.CLOCK_ADVANCE", "DONE", 100]);
        assert.deepEqual(result, { message: "Advanced 2 cards to 2026-12-31T12:00:00.000Z.", done_count: 2 });
        assert.equal(created_at, "2026-12-31T12:00:00.000Z");
      } else for (const hours of sweeps) await advanceCards.run(jobs({ now: () => after(hours) }));
      stories.push([await story(cards), await Promise.all(cards.map(dueAt))]);
    }
    assert.deepEqual(stories[0], stories[1]);
    const [[one]] = stories[0] as [[{ points: string[]; tiers: string[] }]];
    assert.equal(one.points.length, 3, "earned, available, expired");
  });

test("the sweep of every minute sees the time of each project", async () => {
  const [moved, other] = [await yearlyClub(db), await yearlyClub(db)];
  const mine = await moved.members(1);
  const theirs = await other.members(1);
  await moved.earnPoints(mine, 250);
  await other.earnPoints(theirs, 250);
  await moved.ok(`POST /management/v1/projects/${moved.project.id}/test-clock`, { now: "2026-01-15T00:00:00.000Z" });
  await advanceCards.run(jobs());
  assert.equal((await moved.story(mine))[0]!.points.length, 2);
  assert.equal((await other.story(theirs))[0]!.points.length, 1);
});

test("a move whose sweep dies is gone on with, and tells how far it is", async () => {
  const { project, ok, members, earnPoints, story } = await yearlyClub(db, {
    wallet: { pending_points: { type: "IMMEDIATE" } },
  });
  await runAsyncActions.run(jobs());
  const cards = await members(450);
  await earnPoints(cards, 150);
  const to = "2026-04-02T00:00:00.000Z";
  const { async_action_id } = await ok(`POST /management/v1/projects/${project.id}/test-clock`, { now: to });
  const progress = async () => {
    const { status, progress } = await ok(`GET /v1/async-actions/${async_action_id}`);
    return [status, progress];
  };
  const ending = new AbortController();
  let turns = 0;
  const now = () => {
    turns += 1;
    if (turns === 2) ending.abort();
    return NOW;
  };
  await runAsyncActions.run(jobs({ now, signal: ending.signal }));
  assert.deepEqual(await progress(), ["IN_PROGRESS", 44]);
  let left = 100;
  const dying = (prefix: string) => {
    left -= 1;
    if (left < 0) throw new Error("planted");
    return newId(prefix);
  };
  await assert.rejects(runAsyncActions.run(jobs({ newId: dying })), /planted/);
  assert.deepEqual(await progress(), ["IN_PROGRESS", 44]);
  await runAsyncActions.run(jobs());
  assert.deepEqual(await progress(), ["DONE", 100]);
  for (const { points } of await story(cards))
    assert.deepEqual(points.slice(1), ["2026-04-02T00:00:00.000Z expiration -150 0"]);
});

test("requests see the new time at once: what is created, points that expired, windows of campaigns and vouchers", async () => {
  const { project, ok, members, earnPoints, program } = await yearlyClub(db, {
    wallet: { pending_points: { type: "IMMEDIATE" } },
  });
  const cards = await members(1);
  await earnPoints(cards, 150);
  const discount = { type: "AMOUNT", amount_off: 100 };
  const voucher = { type: "DISCOUNT_VOUCHER", discount };
  await ok("POST /v1/vouchers/OLD", { ...voucher, expiration_date: "2026-02-01T00:00:00.000Z" });
  const campaign = { campaign_type: "DISCOUNT_COUPONS", type: "AUTO_UPDATE", voucher };
  const later = await ok("POST /v1/campaigns", { name: "Later", ...campaign, start_date: "2026-03-01T00:00:00.000Z" });
  await ok(`POST /v1/campaigns/${later.id}/vouchers/NEW`, {});
  const valid = async (id: string) =>
    (await ok("POST /v1/validations", { redeemables: [{ object: "voucher", id }], order: { amount: 1000 } })).valid;
  assert.deepEqual([await valid("OLD"), await valid("NEW")], [true, false]);
  await ok(`POST /management/v1/projects/${project.id}/test-clock`, { now: "2026-04-02T00:00:00.000Z" });
  assert.deepEqual([await valid("OLD"), await valid("NEW")], [false, true]);
  assert.equal((await ok("POST /v1/categories", { name: "A", hierarchy: 1 })).created_at, "2026-04-02T00:00:00.000Z");
  const { data } = await ok(`GET /v2/loyalties/programs/${program.id}/members`);
  const { card } = (await ok(`GET /v2/loyalties/programs/${program.id}/members/${data[0].id}`)).cards[0];
  assert.deepEqual([card.balance.points, card.lifetime_bucket.points.expired], [0, 150], "no sweep was there yet");
});

test("a session that holds a code ends with the time of the project, and is purged then", async () => {
  const { project, ok, move } = await sandbox();
  await ok("POST /v1/vouchers/ONCE", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "AMOUNT", amount_off: 100 },
    redemption: { quantity: 1 },
  });
  const ask = async (key: string) => {
    const session = { type: "LOCK", key, ttl: 7, ttl_unit: "DAYS" };
    const redeemables = [{ object: "voucher", id: "ONCE" }];
    return (await ok("POST /v1/validations", { redeemables, order: { amount: 1000 }, session })).valid;
  };
  assert.deepEqual([await ask("first"), await ask("second")], [true, false]);
  await move("2026-01-08T11:59:59.000Z");
  assert.equal(await ask("second"), false);
  await move("2026-01-08T12:00:01.000Z");
  const held = () => db`select session_key from session_locks where project_id = ${project.id}`;
  await purgeExpired.run(jobs());
  assert.deepEqual([...(await held())], []);
  assert.equal(await ask("second"), true);
});

test("tokens, idempotency keys and cursors live in the time of the server", async () => {
  const { call, ok, move } = await sandbox();
  const granted = form({ grant_type: "client_credentials", scope: "api" });
  const { access_token, expires_at } = await ok("POST /v1/oauth/token", granted, FORM);
  const key = { "idempotency-key": "once" };
  const first = await ok("POST /v1/categories", { name: "A", hierarchy: 1 }, key);
  for (const name of ["B", "C"]) await ok("POST /v2/loyalties/card-definitions", { name, type: "INDIVIDUAL" });
  const page = await ok("GET /v2/loyalties/card-definitions?limit=1");
  await move("2027-12-01T00:00:00.000Z");
  const bearer = { "x-app-id": "", "x-app-token": "", authorization: `Bearer ${access_token}` };
  assert.equal((await call("GET /v1/categories", undefined, bearer)).status, 200);
  const said = await ok("POST /v1/oauth/introspect", form({ access_token }), FORM);
  assert.deepEqual([said.active, said.expires_in, said.expires_at], [true, 900, expires_at]);
  assert.equal((await ok("POST /v1/oauth/token", granted, FORM)).expires_at, expires_at);
  await purgeExpired.run(jobs());
  const again = await call("POST /v1/categories", { name: "A", hierarchy: 1 }, key);
  assert.deepEqual([again.body, again.headers["idempotent-replayed"]], [first, "true"]);
  const next = await ok(`GET /v2/loyalties/card-definitions?cursor=${page.cursor.next}`);
  assert.equal(next.data.length, 1);
  assert.equal(page.cursor.expires_at, "2026-01-01T12:10:00.000Z");
});

test("an idempotent move moves once", async () => {
  const { call, ok, path } = await sandbox();
  const key = { "idempotency-key": "move" };
  const first = await call(`POST ${path}`, { now: "2026-02-01T00:00:00.000Z" }, key);
  const second = await call(`POST ${path}`, { now: "2026-02-01T00:00:00.000Z" }, key);
  assert.deepEqual([second.status, second.body], [first.status, first.body]);
  assert.equal((await ok(`GET ${path}`)).now, "2026-02-01T00:00:00.000Z");
});

test("a project whose clock was moved shows nothing of it, and others have theirs", async () => {
  const { project, ok, move } = await sandbox();
  const other = await sandbox();
  const before = await ok(`GET /management/v1/projects/${project.id}`);
  await move("2026-02-01T00:00:00.000Z");
  assert.deepEqual(await ok(`GET /management/v1/projects/${project.id}`), before);
  assert.equal((await other.ok("POST /v1/categories", { name: "A", hierarchy: 1 })).created_at, NOW);
});

test("a project that is wiped has the time of the server again", async () => {
  const { project, ok, move, path } = await sandbox();
  await move("2026-02-01T00:00:00.000Z");
  await wipeProject(db, project.id);
  assert.equal((await ok(`GET ${path}`)).offset_ms, 0);
  const { created_at } = await ok("POST /v1/vouchers/NEW", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "AMOUNT", amount_off: 100 },
  });
  assert.equal(created_at, NOW);
});

test("of two moves at once the clock shows the later time", async () => {
  const { move, ok, path } = await sandbox();
  const times = ["2026-02-01T00:00:00.000Z", "2026-05-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"];
  const replies = await Promise.all(times.map(move));
  assert.equal(replies[1]!.status, 202);
  for (const { status } of replies) assert.ok(status === 202 || status === 400);
  assert.equal((await ok(`GET ${path}`)).now, times[1]);
});

test("segments that look at the time are entered at the midnight that brings it, also in the middle of a move", async () => {
  const { project, ok, move } = await sandbox();
  const filter = { junction: "and", created_at: { conditions: { $more_than: 10 } } };
  await ok("POST /v1/customers", { source_id: "ann" });
  const { id } = await ok("POST /v1/segments", { name: "Old", filter });
  const campaign = await ok("POST /v1/loyalties", {
    name: "Club",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
  });
  const rule = { event: "customer.segment.entered", segment: { id }, loyalty: { type: "FIXED", points: 5 } };
  await ok(`POST /v1/loyalties/${campaign.id}/earning-rules`, [rule]);
  await ok(`POST /v1/loyalties/${campaign.id}/members`, { customer: { source_id: "ann" } });
  const count = async () => (await ok(`GET /v1/customers?segment_id=${id}`)).total;
  await advanceCards.run(jobs());
  const [before] = [await count()];
  await move("2026-01-20T12:00:00.000Z");
  await runAsyncActions.run(jobs());
  const members = await db`select entered_at from segment_members where project_id = ${project.id}`;
  assert.deepEqual([before, members.map(({ entered_at }) => entered_at)], [0, ["2026-01-12T00:00:00.000Z"]]);
  const dates = async (table: string, kind: string) =>
    (await db`select created_at from ${db(table)} where project_id = ${project.id} and kind = ${kind}`).map(
      ({ created_at }) => created_at,
    );
  for (const [table, kind] of [
    ["events", "customer.segment.entered"],
    ["events", "customer.rewarded.loyalty_points"],
    ["ledger_entries", "accrual"],
  ] as const)
    assert.deepEqual(await dates(table, kind), ["2026-01-12T00:00:00.000Z"], kind);
});

const tiersOf = (rules: readonly object[]) => rules.map((points, n) => ({ name: `Tier ${n}`, points }));

test("what a move between tiers earns is dated at the move, and can expire before the new time", async () => {
  const { ok, program, join, add, card, move, transactions } = await cardWorld(db);
  const { id } = await program("Club", { points: 0, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  const path = `/v1/loyalties/${id}`;
  const [low] = await ok(`POST ${path}/tiers`, tiersOf([{ from: 1, to: 49 }, { from: 50 }]));
  await ok(`POST ${path}/earning-rules`, [
    {
      event: "customer.loyalty.tier.downgraded",
      loyalty_tier: { id: low.id },
      loyalty: { type: "FIXED", points: 7 },
      expiration_rules: { period_type: "MONTH", period_value: 0 },
    },
  ]);
  const { code } = await join("Club", "ann");
  await add(code, 60);
  await add(code, 20, { expiration_type: "NON_EXPIRING" });
  await move("2026-03-15T12:00:00.000Z");
  assert.equal((await card(code)).balance, 20);
  const told = (await transactions(code)).map(
    (one: any) => `${one.created_at} ${one.type} ${one.details.balance.points}`,
  );
  assert.deepEqual(told.toReversed().slice(2), [
    "2026-02-02T00:00:00.000Z POINTS_EXPIRATION -60",
    "2026-02-02T00:00:00.000Z POINTS_ACCRUAL 7",
    "2026-02-03T00:00:00.000Z POINTS_EXPIRATION -7",
  ]);
});

test("tiers that have to be looked at again are looked at as of the moment in which settings changed", async () => {
  const { project, ok, program, join, add, move } = await cardWorld(db);
  const { id } = await program("Club");
  const { code } = await join("Club", "ann");
  await add(code, 60);
  await move("2026-01-05T00:00:00.000Z");
  await ok(`POST /v1/loyalties/${id}/tiers`, tiersOf([{ from: 1 }]));
  await move("2026-03-15T12:00:00.000Z");
  const moves = await db`
    select type, created_at from loyalty_transactions where project_id = ${project.id} and kind = 'tier'`;
  assert.deepEqual([...moves], [{ type: "JOINED", created_at: "2026-01-05T00:00:00.000Z" }]);
});
