import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { NOW, newId, type Reply, testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const V2 = "/v2/loyalties";
const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};
const runJobs = () => runAsyncActions.run({ db, now: () => NOW, newId, random: randomBytes });

/** A project with an active program of two wallets; the first of them has tiers. */
async function club(given: { wallet?: object; second?: object; tier?: object } = {}) {
  const it = await loyaltyProject(db);
  const wallet = await it.wallet({ code_config: { prefix: "CLUB-", length: 10 }, ...given.wallet });
  const second = await it.wallet({ name: "Stars", ...given.second });
  const rule = await it.rule({
    name: "Order",
    status: "ACTIVE",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ points: { value: 10, card_definition_id: wallet.id } }] }],
  });
  const { structure, tiers } = await it.tiers(wallet.id, "Bronze", "Silver");
  const ok = okOf(it.call);
  await ok(`POST ${V2}/tier-structures/${structure.id}/activate`);
  const program = await it.program(wallet.id, [rule.id], {
    card_definitions: [{ id: wallet.id }, { id: second.id }],
    tier_structures: [{ id: structure.id }],
  });
  const customer = (source_id: string): Promise<{ id: string }> => ok("POST /v1/customers", { source_id });
  const path = `${V2}/programs/${program.id}/members`;
  const enrol = async (customer_id: string, more: object = {}) => ok(`POST ${path}`, { customer_id, ...more });
  return { ...it, ok, wallet, second, rule, structure, tiers, program, customer, path, enrol };
}

const NO_POINTS = {
  lifetime_bucket: {
    points: {
      ...{ total: 0, earned: 0, added: 0, purchased: 0, purchased_reversed: 0, subtracted: 0 },
      ...{ expired: 0, spent: 0, refunded: 0, returned: 0, locked: 0, unlocked: 0 },
    },
    pending_points: { total: 0, activated: 0, canceled: 0 },
  },
  balance: { points: 0, pending_points: 0 },
  next_expiration: null,
  next_activation: null,
  object: "card",
};

test("a customer who is enrolled gets a card of each wallet with a code of its own", async () => {
  const { ok, customer, enrol, path, program, wallet, second } = await club();
  const ann = await customer("ann");
  const made = await enrol(ann.id, { metadata: { source: "crm" } });
  const { cards, ...member } = made;
  assert.deepEqual(member, {
    id: made.id,
    customer_id: ann.id,
    program_id: program.id,
    status: "ACTIVE",
    metadata: { source: "crm" },
    created_at: NOW,
    updated_at: null,
    object: "member",
  });
  assert.match(made.id, /^lmbr_/);
  assert.deepEqual(
    cards.map(({ card }: { card: { card_definition_id: string } }) => card.card_definition_id),
    [wallet.id, second.id],
  );
  const { id, code, ...card } = cards[0].card;
  assert.match(id, /^lcrd_/);
  assert.match(code, /^CLUB-[0-9a-zA-Z]{10}$/);
  assert.match(cards[1].card.code, /^[0-9a-zA-Z]{10}$/);
  assert.deepEqual(card, { card_definition_id: wallet.id, card_type: "INDIVIDUAL", ...NO_POINTS });
  assert.deepEqual(
    { ...cards[0], card: null },
    { member_role: "OWNER", created_at: NOW, card: null, object: "member_card" },
  );
  assert.deepEqual(await ok(`GET ${path}/${made.id}`), made);
  assert.deepEqual((await ok(`GET ${path}`)).data, [member]);
});

test("a customer is named by id or by source id, and by both only when both say the same", async () => {
  const { call, ok, customer, path } = await club();
  const [ann, bob, eve] = [await customer("ann"), await customer("bob"), await customer("eve")];
  const by = (identification: object, more: object = {}) =>
    call(`POST ${path}`, { customer_identification: identification, ...more });
  assert.equal((await by({ type: "customer_source_id", customer_source_id: "ann" })).body.customer_id, ann.id);
  assert.equal((await by({ type: "customer_id", customer_id: bob.id })).body.customer_id, bob.id);
  assert.equal((await by({ type: "customer_id", customer_id: eve.id }, { customer_id: eve.id })).status, 200);
  refused(await by({ type: "customer_id", customer_id: eve.id }, { customer_id: ann.id }), 400, "invalid_payload");
  refused(await by({ type: "customer_id", customer_source_id: "ann" }), 400, "invalid_payload", /customer_id/);
  refused(await by({ type: "email" }), 400, "invalid_payload", /customer_id, customer_source_id/);
  refused(await call(`POST ${path}`, {}), 400, "invalid_payload", /customer_id/);
  refused(await call(`POST ${path}`, { customer_id: ann.id, colour: 1 }), 400, "invalid_payload", /colour/);
  refused(await call(`POST ${path}`, { customer_id: ann.id, status: "DELETED" }), 400, "invalid_payload", /status/);
  refused(await call(`POST ${path}`, { customer_id: "cust_1" }), 404, "not_found", /customer/);
  refused(await by({ type: "customer_source_id", customer_source_id: "nobody" }), 404, "not_found");
  assert.equal((await ok(`GET ${path}`)).data.length, 3);
});

test("only an active program takes members, each customer once, and again after they were deleted", async () => {
  const { call, ok, customer, enrol, path, program, wallet } = await club();
  const ann = await customer("ann");
  const first = await enrol(ann.id);
  const again = await call(`POST ${path}`, { customer_id: ann.id });
  refused(
    again,
    409,
    "member_already_exists",
    new RegExp(`'${ann.id}' already is a member of program '${program.id}'`),
  );
  assert.equal((await ok(`DELETE ${path}/${first.id}`)).status, "DELETED");
  refused(await call(`GET ${path}/${first.id}`), 404, "not_found", /member/);
  const second = await enrol(ann.id, { status: "INACTIVE" });
  assert.notEqual(second.id, first.id);
  assert.equal(second.status, "INACTIVE");
  await ok(`POST ${V2}/programs/${program.id}/deactivate`);
  const bob = await customer("bob");
  const late = await call(`POST ${path}`, { customer_id: bob.id });
  refused(late, 423, "non_active_program", /Cannot create member when program status is not ACTIVE/);
  refused(await call(`POST ${path}/batch`, [{ customer_id: bob.id }]), 423, "non_active_program");
  assert.equal((await ok(`GET ${path}/${second.id}`)).id, second.id, "reads work");
  const draft = await ok(`POST ${V2}/programs`, { name: "Draft", card_definitions: [{ id: wallet.id }] });
  refused(await call(`POST ${V2}/programs/${draft.id}/members`, { customer_id: bob.id }), 423, "non_active_program");
  refused(await call(`POST ${V2}/programs/lprg_1/members`, { customer_id: bob.id }), 404, "not_found", /program/);
});

test("a customer who is enrolled many times at once is one member", async () => {
  const { call, ok, customer, path } = await club();
  const ann = await customer("ann");
  const replies = await Promise.all(Array.from({ length: 6 }, () => call(`POST ${path}`, { customer_id: ann.id })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
  const { data } = await ok(`GET ${path}`);
  assert.equal(data.length, 1);
  const [{ cards }] = await db<[{ cards: number }]>`
    select count(*) as cards from loyalty_cards where member_id = ${data[0].id}`;
  assert.equal(cards, 2);
});

test("a tier that asks for nothing is joined with the enrolment, and left with the member", async () => {
  const { ok, customer, enrol, path, program, tiers, structure, wallet } = await club();
  const ann = await customer("ann");
  const member = await enrol(ann.id);
  const { data } = await ok(`GET ${path}/${member.id}/tiers/transactions`);
  assert.match(data[0].id, /^lttx_/);
  assert.deepEqual(data, [
    {
      id: data[0].id,
      card_id: member.cards[0].card.id,
      program_id: program.id,
      member_id: member.id,
      card_definition_id: wallet.id,
      tier_structure_id: structure.id,
      tier_id: tiers[0].id,
      type: "JOINED",
      details: {
        points: 0,
        tier_from: null,
        tier_to: tiers[0].id,
        origin: { type: "member_card_created", card_transaction_ids: [] },
        rejection: null,
        start_at: NOW,
        expires_at: null,
      },
      status: "APPROVED",
      created_at: NOW,
      updated_at: null,
      object: "tier_transaction",
    },
  ]);
  const filtered = (id: string) =>
    ok(`GET ${path}/${member.id}/tiers/transactions?filters[card_id][conditions][$is]=${id}`);
  assert.equal((await filtered(member.cards[0].card.id)).data.length, 1);
  assert.equal((await filtered(member.cards[1].card.id)).data.length, 0);
  await ok(`DELETE ${path}/${member.id}`);
  const [left] = await db`
    select type, subject_id, details from loyalty_transactions where member_id = ${member.id} order by id desc limit 1`;
  assert.deepEqual(
    [left!.type, left!.subject_id, left!.details.tier_from, left!.details.origin.type],
    ["LEFT", null, tiers[0].id, "member_card_deleted"],
  );
  const cards = await db`select deleted_at, due_at from loyalty_cards where member_id = ${member.id}`;
  assert.ok(cards.every(({ deleted_at, due_at }) => deleted_at === NOW && due_at === null));
});

test("a tier of a segment is joined by those who are in the segment", async () => {
  const it = await loyaltyProject(db);
  const ok = okOf(it.call);
  const wallet = await it.wallet();
  const [ann, bob] = [await ok("POST /v1/customers", { name: "Ann" }), await ok("POST /v1/customers", { name: "Bob" })];
  const segment = await ok("POST /v1/segments", { name: "Friends", customers: [ann.id] });
  const { structure } = await it.tiers(wallet.id);
  const rules = { type: "POINTS_AND_SEGMENT", points: { min_value: 0 }, segment: { id: segment.id } };
  await ok(`POST ${V2}/tier-structures/${structure.id}/tiers`, { name: "Friends", qualification_rules: rules });
  await ok(`POST ${V2}/tier-structures/${structure.id}/activate`, {});
  const effects = [{ points: { value: 1, card_definition_id: wallet.id } }];
  const trigger = { event: "customer.order.paid" };
  const rule = await it.rule({ name: "Order", status: "ACTIVE", trigger, earnings: [{ effects }] });
  const program = await it.program(wallet.id, [rule.id], { tier_structures: [{ id: structure.id }] });
  const path = `${V2}/programs/${program.id}`;
  const tierOf = async (customer_id: string) => {
    await ok(`POST ${path}/members`, { customer_id });
    const { body } = await it.call(`GET ${path}/memberships/${customer_id}`);
    return body.cards[0].tier_progress.current?.tier.name ?? null;
  };
  assert.deepEqual([await tierOf(ann.id), await tierOf(bob.id)], ["Friends", null]);
});

test("the memberships of a customer are read by id, source id or the id of a member", async () => {
  const { call, ok, customer, enrol, path, program, tiers, structure } = await club();
  const ann = await customer("ann");
  const { cards, ...member } = await enrol(ann.id);
  const shownProgram = { id: program.id, name: "Club", status: "ACTIVE", metadata: {}, object: "program" };
  const all = {
    customer: { id: ann.id, source_id: "ann", object: "customer" },
    memberships: [{ member, program: shownProgram, cards, object: "membership" }],
    object: "memberships_result",
  };
  for (const query of [
    ann.id,
    "ann?identification_type=customer_source_id",
    `${member.id}?identification_type=member_id`,
  ]) {
    assert.deepEqual(await ok(`GET ${V2}/memberships/${query}`), all);
    const one = await ok(`GET ${V2}/programs/${program.id}/memberships/${query}`);
    assert.deepEqual({ ...one, cards: null }, { member, program: shownProgram, cards: null, object: "membership" });
    const [first, second] = one.cards;
    assert.equal("tier_progress" in second, false, "no structure watches the second card");
    assert.deepEqual(first.tier_progress, {
      current: {
        tier: { id: tiers[0].id, name: "Bronze" },
        start_at: NOW,
        expires_at: null,
        points: { current: 0, min: 0, max: 99 },
      },
      tier_structure: { id: structure.id, object: "tier_structure" },
      deferred: [],
      risks: [],
      opportunities: [{ valid_until: null, tier: { id: tiers[1].id, name: "Silver" }, points: 100 }],
      object: "member_tier_progress",
    });
  }
  const bob = await customer("bob");
  assert.deepEqual((await ok(`GET ${V2}/memberships/${bob.id}`)).memberships, []);
  const none = await call(`GET ${V2}/programs/${program.id}/memberships/${bob.id}`);
  refused(none, 404, "not_found");
  assert.deepEqual([none.body.resource_type, none.body.resource_id], ["member", bob.id]);
  refused(await call(`GET ${V2}/memberships/cust_1`), 404, "not_found");
  refused(await call(`GET ${V2}/memberships/lmbr_1?identification_type=member_id`), 404, "not_found");
  refused(await call(`GET ${V2}/memberships/${ann.id}?identification_type=email`), 400, "invalid_query_params");
  refused(await call(`GET ${V2}/programs/lprg_1/memberships/${ann.id}`), 404, "not_found", /program/);
  await ok(`DELETE ${path}/${member.id}`);
  assert.deepEqual((await ok(`GET ${V2}/memberships/${ann.id}`)).memberships, []);
});

test("metadata of a member is merged, and null takes it away", async () => {
  const { call, ok, customer, enrol, path } = await club();
  const member = await enrol((await customer("ann")).id, { metadata: { source: "crm" } });
  const own = `${path}/${member.id}`;
  const merged = await ok(`PUT ${own}`, { metadata: { tier_note: "gold" } });
  assert.deepEqual([merged.metadata, merged.updated_at], [{ source: "crm", tier_note: "gold" }, NOW]);
  assert.equal("cards" in merged, false);
  assert.deepEqual((await ok(`PUT ${own}`, { metadata: null })).metadata, {});
  refused(await call(`PUT ${own}`, {}), 400, "invalid_payload", /metadata/);
  refused(await call(`PUT ${own}`, { metadata: {}, status: "ACTIVE" }), 400, "invalid_payload", /status/);
  refused(await call(`PUT ${path}/lmbr_1`, { metadata: {} }), 404, "not_found", /member/);
});

test("metadata is checked with the schema vl_member", async () => {
  const { call, customer, enrol, path, project } = await club();
  const ann = await enrol((await customer("ann")).id);
  const schema = {
    related_object: "vl_member",
    properties: { level: { type: "number", optional: true, array: false } },
  };
  assert.equal((await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, schema)).status, 200);
  const bob = await customer("bob");
  const metadata = { level: "high" };
  refused(await call(`POST ${path}`, { customer_id: bob.id, metadata }), 400, "metadata_validation_failed");
  refused(await call(`PUT ${path}/${ann.id}`, { metadata }), 400, "metadata_validation_failed");
});

test("a member is deactivated and activated, and nothing else", async () => {
  const { call, ok, customer, enrol, path } = await club();
  const { id } = await enrol((await customer("ann")).id);
  refused(
    await call(`POST ${path}/${id}/activate`),
    400,
    "invalid_state_transition",
    /Cannot activate member from current state: 'ACTIVE'/,
  );
  assert.deepEqual([(await ok(`POST ${path}/${id}/deactivate`)).status], ["INACTIVE"]);
  refused(await call(`POST ${path}/${id}/deactivate`), 400, "invalid_state_transition");
  assert.equal((await ok(`POST ${path}/${id}/activate`)).status, "ACTIVE");
  await ok(`DELETE ${path}/${id}`);
  for (const line of [`DELETE ${path}/${id}`, `POST ${path}/${id}/activate`, `GET ${path}/${id}/activities`])
    refused(await call(line), 404, "not_found");
});

test("what happens to a member and to a card is told", async () => {
  const { ok, customer, enrol, path } = await club();
  const member = await enrol((await customer("ann")).id);
  await ok(`POST ${path}/${member.id}/deactivate`);
  await ok(`PUT ${path}/${member.id}`, { metadata: { a: 1 } });
  const typesOf = async (line: string) =>
    (await ok(`GET ${line}/activities?order=created_at`)).data.map(({ type }: { type: string }) => type);
  assert.deepEqual(await typesOf(`${path}/${member.id}`), [
    "vl.member.created",
    "vl.member.card.assigned",
    "vl.member.card.assigned",
    "vl.member.deactivated",
    "vl.member.updated",
  ]);
  const card = `${path}/${member.id}/cards/${member.cards[0].card.id}`;
  assert.deepEqual(await typesOf(card), ["vl.card.created", "vl.card.code_generation.succeeded", "vl.card.assigned"]);
  const [last] = (await ok(`GET ${card}/activities?limit=1`)).data;
  assert.match(last.id, /^lacrd_/);
  assert.deepEqual([last.card_id, last.data.member.id], [member.cards[0].card.id, member.id]);
  const filter = "filters[type][conditions][$is]=vl.member.updated";
  assert.equal((await ok(`GET ${path}/${member.id}/activities?${filter}`)).data.length, 1);
});

test("members are listed in pages, filtered and ordered", async () => {
  const { call, ok, customer, enrol, path } = await club();
  const ids: string[] = [];
  for (const name of ["a", "b", "c", "d"]) ids.push((await customer(name)).id);
  for (const [n, id] of ids.entries()) await enrol(id, { status: n === 3 ? "INACTIVE" : "ACTIVE" });
  const customers = (body: { data: { customer_id: string }[] }) => body.data.map(({ customer_id }) => customer_id);
  assert.deepEqual(customers(await ok(`GET ${path}`)), ids.toReversed());
  assert.deepEqual(customers(await ok(`GET ${path}?order=customer_id`)), ids);
  const first = await ok(`GET ${path}?order=customer_id&limit=3`);
  assert.match(first.cursor.next, /^lcrsmbr_/);
  const second = await ok(`GET ${path}?cursor=${first.cursor.next}`);
  assert.deepEqual([customers(second), second.cursor], [[ids[3]], null]);
  assert.deepEqual(customers(await ok(`GET ${path}?filters[status][conditions][$is]=INACTIVE`)), [ids[3]]);
  assert.deepEqual(customers(await ok(`GET ${path}?filters[customer_id][conditions][$in][]=${ids[0]}`)), [ids[0]]);
  refused(await call(`GET ${path}?filters[metadata][conditions][$is]=1`), 400, "invalid_query_params");
  refused(await call(`GET ${path}?order=metadata`), 400, "invalid_query_params");
  refused(await call(`GET ${V2}/programs/lprg_1/members`), 404, "not_found", /program/);
});

test("many are enrolled in the background, each entry for itself", async () => {
  const { call, ok, customer, enrol, path } = await club();
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push((await customer(`c${n}`)).id);
  await enrol(ids[0]!);
  const others = Array.from({ length: 120 }, () => ({ customer_id: "cust_1" }));
  const entries: unknown[] = [
    { customer_id: ids[0] },
    { customer_id: ids[1], status: "INACTIVE", metadata: { a: 1 } },
    { customer_identification: { type: "customer_source_id", customer_source_id: "c2" } },
    { customer_id: ids[1] },
    { customer_id: ids[3], status: "GONE" },
    {},
    "nobody",
    null,
    ...others,
    { customer_id: ids[4] },
  ];
  const reply = await call(`POST ${path}/batch`, entries);
  assert.equal(reply.status, 202, reply.text);
  const action = `GET /v1/async-actions/${reply.body.async_action_id}`;
  assert.equal((await call(action)).body.status, "ENQUEUED");
  await runJobs();
  const done = (await call(action)).body;
  assert.deepEqual(
    [done.type, done.status, done.operation_status, done.progress, done.result.done_count, done.result.failed_count],
    ["PROGRAM.MEMBERS_CREATE", "DONE", "SUCCESS", 100, 3, 126],
  );
  assert.deepEqual(done.result.failed.slice(0, 7), [
    { index: 0, reason: "member_already_exists" },
    { index: 3, reason: "member_already_exists" },
    { index: 4, reason: "invalid_payload" },
    { index: 5, reason: "invalid_payload" },
    { index: 6, reason: "invalid_payload" },
    { index: 7, reason: "invalid_payload" },
    { index: 8, reason: "not_found" },
  ]);
  const { data } = await ok(`GET ${path}?order=customer_id`);
  assert.deepEqual(
    data.map(({ customer_id, status }: { customer_id: string; status: string }) => [customer_id, status]),
    [
      [ids[0], "ACTIVE"],
      [ids[1], "INACTIVE"],
      [ids[2], "ACTIVE"],
      [ids[4], "ACTIVE"],
    ],
  );
  assert.equal((await ok(`GET ${path}/${data[1].id}`)).cards.length, 2);
  assert.equal((await db`select 1 from loyalty_enrolments where async_action_id = ${done.id}`).length, 0);
  refused(await call(`POST ${path}/batch`, { customer_id: ids[0] }), 400, "invalid_payload");
  refused(await call(`POST ${path}/batch`, []), 400, "invalid_payload");
  const nul = '[{"customer_id":"cust_1","metadata":{"a":"\\u0000"}}]';
  assert.equal((await call(`POST ${path}/batch`, nul)).status, 400);
  refused(await call(`POST ${V2}/programs/lprg_1/members/batch`, [{}]), 404, "not_found", /program/);
});

test("a batch of a program that is not active any more ends, and says so", async () => {
  const { call, ok, customer, path, program } = await club();
  const ann = await customer("ann");
  const { body } = await call(`POST ${path}/batch`, [{ customer_id: ann.id }]);
  await ok(`POST ${V2}/programs/${program.id}/deactivate`);
  await runJobs();
  const done = (await call(`GET /v1/async-actions/${body.async_action_id}`)).body;
  assert.deepEqual([done.status, done.operation_status, done.result.done_count], ["FAILED", "FAILED", 0]);
  assert.match(done.result.message, /not active/);
});

test("the members of a deleted program are deleted with it", async () => {
  const { call, ok, customer, enrol, path, program } = await club();
  const ann = await customer("ann");
  const member = await enrol(ann.id);
  await ok(`DELETE ${V2}/programs/${program.id}`);
  refused(await call(`GET ${path}/${member.id}`), 404, "not_found", /program/);
  assert.deepEqual((await ok(`GET ${V2}/memberships/${ann.id}`)).memberships, [], "at once");
  await runJobs();
  const [row] = await db`select status from loyalty_members where id = ${member.id}`;
  assert.equal(row!.status, "DELETED");
  const cards = await db`select deleted_at from loyalty_cards where member_id = ${member.id}`;
  assert.deepEqual(
    cards.map(({ deleted_at }) => deleted_at),
    [NOW, NOW],
  );
});

test("who is erased is no member any more, and nothing of them is left in the program", async () => {
  const { call, ok, customer, enrol, path } = await club();
  for (const [source_id, lineOf, status] of [
    ["ann", (id: string) => `POST /v1/customers/${id}/permanent-deletion`, 200],
    ["bob", (id: string) => `DELETE /v1/customers/${id}`, 204],
  ] as const) {
    const { id } = await customer(source_id);
    const member = await enrol(id, { metadata: { secret: source_id } });
    assert.equal((await call(lineOf(id))).status, status);
    const [row] = await db`select customer_id, status, metadata from loyalty_members where id = ${member.id}`;
    assert.deepEqual({ ...row }, { customer_id: null, status: "DELETED", metadata: {} });
    const told =
      await db`select kind from events where subject_id = ${member.id} or subject_id = ${member.cards[0].card.id}`;
    assert.deepEqual([...told], []);
  }
  assert.deepEqual((await ok(`GET ${path}`)).data, []);
});

test("codes of cards are not given twice, and none is given when there is none left", async () => {
  const { call, customer, enrol, path } = await club({ wallet: { code_config: { pattern: "#", charset: "AB" } } });
  const codes = new Set<string>();
  for (const name of ["a", "b"]) codes.add((await enrol((await customer(name)).id)).cards[0].card.code);
  assert.deepEqual([...codes].sort(), ["A", "B"]);
  const late = await customer("c");
  refused(await call(`POST ${path}`, { customer_id: late.id }), 400, "invalid_code_config");
  assert.deepEqual((await db`select 1 from loyalty_members where customer_id = ${late.id}`).length, 0);
});

test("a card's lists begin empty, and show what the ledger has", async () => {
  const { call, ok, customer, enrol, path, wallet } = await club({
    wallet: {
      points_expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "MONTH" } } },
    },
  });
  const ann = await customer("ann");
  const member = await enrol(ann.id);
  const card = member.cards[0].card.id;
  const own = `${path}/${member.id}/cards/${card}`;
  const LISTS = ["transactions", "pending-points", "expiring-points"];
  for (const list of LISTS)
    assert.deepEqual(await ok(`GET ${own}/${list}`), { object: "list", data: [], cursor: null });
  const [{ project_id }] = await db<[{ project_id: string }]>`select project_id from loyalty_cards where id = ${card}`;
  const lot = { project_id, account_id: card, amount: 10, created_at: NOW };
  const lots = [
    {
      id: "lopb_1",
      pot: "available",
      remaining: 4,
      bucket_id: "lcpeb_1",
      bucket_date: "2026-01-01",
      bucket_type: "ROLLING_EXPIRATION",
    },
    {
      id: "lopb_2",
      pot: "available",
      remaining: 5,
      bucket_id: "lcpeb_2",
      bucket_date: "2026-02-01",
      bucket_type: "ROLLING_EXPIRATION",
    },
    {
      id: "lopb_3",
      pot: "available",
      remaining: 2,
      bucket_id: "lcpeb_2",
      bucket_date: "2026-02-01",
      bucket_type: "ROLLING_EXPIRATION",
    },
    {
      id: "lopb_4",
      pot: "available",
      remaining: 3,
      bucket_id: "lcpeb_3",
      bucket_date: "2025-12-31",
      bucket_type: "ROLLING_EXPIRATION",
    },
    {
      id: "lopb_5",
      pot: "pending",
      remaining: 6,
      bucket_id: "lcppb_1",
      bucket_date: "2026-03-01",
      bucket_type: "PERIOD_BASED",
    },
    {
      id: "lopb_6",
      pot: "pending",
      remaining: 7,
      bucket_id: "lcppb_2",
      bucket_date: "2026-01-01",
      bucket_type: "PERIOD_BASED",
    },
  ];
  await db`insert into ledger_lots ${db(lots.map((one) => ({ ...lot, ...one })) as never)}`;
  const entry = {
    project_id,
    account_id: card,
    pot: "available",
    amount: 1,
    balance: 1,
    total: 1,
    lots: [],
    created_at: NOW,
  };
  const entries = [
    { id: "lctx_1", kind: "accrual", reason: "Club / Order", details: { points: { total: 1, expiration_date: null } } },
    { id: "lctx_2", kind: "activation_out", reason: null, details: {} },
    { id: "lctx_3", kind: "removal", reason: "Mistake", details: { rejection: { reason: "NOT_ENOUGH_BALANCE" } } },
  ];
  await db`insert into ledger_entries ${db(entries.map((one) => ({ ...entry, ...one })) as never)}`;

  const expiring = (await ok(`GET ${own}/expiring-points`)).data;
  assert.deepEqual(
    expiring.map((one: any) => [one.id, one.points.total, one.expiration_date]),
    [
      ["lcpeb_1", 4, "2026-01-01"],
      ["lcpeb_2", 7, "2026-02-01"],
    ],
  );
  assert.deepEqual([expiring[0].customer_id, expiring[0].status], [ann.id, "ACTIVE"]);
  const backwards = await ok(`GET ${own}/expiring-points?order=-expiration_date&limit=1`);
  assert.deepEqual([backwards.data[0].id, backwards.cursor.next.slice(0, 8)], ["lcpeb_2", "lcrspeb_"]);
  assert.equal((await ok(`GET ${own}/expiring-points?cursor=${backwards.cursor.next}`)).data[0].id, "lcpeb_1");
  const pending = (await ok(`GET ${own}/pending-points`)).data;
  assert.deepEqual(
    pending.map((one: any) => [one.id, one.points.total, one.date, one.type, one.status]),
    [["lcppb_1", 6, "2026-03-01", "PERIOD_BASED", "PENDING"]],
  );
  const [taken, earned] = (await ok(`GET ${own}/transactions`)).data;
  assert.deepEqual(
    [earned.id, earned.type, earned.status, earned.details, earned.card_definition_id],
    [
      "lctx_1",
      "POINTS_EARNED",
      "APPROVED",
      { reason: "Club / Order", rejection: null, metadata: {}, points: { total: 1, expiration_date: null } },
      wallet.id,
    ],
  );
  assert.deepEqual(
    [taken.type, taken.status, taken.details.rejection.reason],
    ["ADMIN_DEBIT", "REJECTED", "NOT_ENOUGH_BALANCE"],
  );
  const byId = await ok(`GET ${own}/transactions?filters[id][conditions][$is]=lctx_1`);
  assert.equal(byId.data.length, 1);
  for (const list of [...LISTS, "activities"]) {
    refused(await call(`GET ${path}/${member.id}/cards/lcrd_1/${list}`), 404, "not_found", /card/);
    refused(await call(`GET ${path}/lmbr_1/cards/${card}/${list}`), 404, "not_found", /member/);
    refused(
      await call(`GET ${V2}/programs/lprg_1/members/${member.id}/cards/${card}/${list}`),
      404,
      "not_found",
      /program/,
    );
  }
});

test("purchases, payments and benefits of a member are listed by kind", async () => {
  const { call, ok, customer, enrol, path, project, program } = await club();
  const member = await enrol((await customer("ann")).id);
  const common = {
    project_id: project.id,
    program_id: program.id,
    member_id: member.id,
    status: "APPROVED",
    created_at: NOW,
  };
  const card = { card_id: member.cards[0].card.id, card_definition_id: member.cards[0].card.card_definition_id };
  const details = {
    reason: "because",
    rejection: null,
    metadata: {},
    card_transaction_id: "lctx_1",
    earning_rule_id: "lern_1",
  };
  const rows = [
    { id: "lrtx_1", kind: "reward", type: "PURCHASE", subject_id: "lrew_1", ...card },
    { id: "lrtx_2", kind: "reward", type: "PURCHASE", subject_id: "lrew_2", ...card },
    { id: "lrtx_3", kind: "reward", type: "REFUND", subject_id: "lrew_2", ...card },
    { id: "lotx_1", kind: "order", type: "PAY_WITH_POINTS", subject_id: "ord_1", ...card },
    {
      id: "lbtx_1",
      kind: "benefit",
      type: "FULFILLMENT",
      subject_id: "lben_1",
      card_id: null,
      card_definition_id: null,
    },
  ];
  await db`insert into loyalty_transactions ${db(rows.map((row) => ({ ...common, ...row, details })) as never)}`;
  const own = `${path}/${member.id}`;
  const ids = async (list: string) => (await ok(`GET ${own}/${list}`)).data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids("rewards/purchases"), ["lrtx_2", "lrtx_1"]);
  assert.deepEqual(await ids("rewards/purchases?filters[reward_id][conditions][$is]=lrew_1"), ["lrtx_1"]);
  assert.deepEqual(await ids("orders/payments"), ["lotx_1"]);
  assert.deepEqual(await ids("benefits/transactions?filters[benefit_id][conditions][$is]=lben_1"), ["lbtx_1"]);
  const [purchase] = (await ok(`GET ${own}/rewards/purchases?order=created_at&limit=1`)).data;
  assert.deepEqual(purchase, {
    id: "lrtx_1",
    card_id: card.card_id,
    card_transaction_id: "lctx_1",
    program_id: program.id,
    member_id: member.id,
    reward_id: "lrew_1",
    status: "APPROVED",
    type: "PURCHASE",
    details: { reason: "because", rejection: null, metadata: {} },
    created_at: NOW,
    updated_at: null,
    object: "reward_transaction",
  });
  const [benefit] = (await ok(`GET ${own}/benefits/transactions`)).data;
  assert.deepEqual([benefit.benefit_id, benefit.earning_rule_id], ["lben_1", "lern_1"]);
  refused(await call(`GET ${own}/orders/payments?filters[order_id][conditions][$is]=1`), 400, "invalid_query_params");
  for (const list of ["rewards/purchases", "orders/payments", "benefits/transactions", "tiers/transactions"])
    refused(await call(`GET ${path}/lmbr_1/${list}`), 404, "not_found", /member/);
});

test("another project finds no member", async () => {
  const { customer, enrol, program } = await club();
  const ann = await customer("ann");
  const member = await enrol(ann.id);
  const { call } = await testShop(db);
  refused(await call(`GET ${V2}/programs/${program.id}/members/${member.id}`), 404, "not_found");
  refused(await call(`GET ${V2}/memberships/${ann.id}`), 404, "not_found");
  refused(await call(`DELETE ${V2}/programs/${program.id}/members/${member.id}`), 404, "not_found");
});
