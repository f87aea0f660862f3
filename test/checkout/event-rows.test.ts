import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type NewEvent, recordAll } from "../../src/events/events.ts";
import { EVENTS, type EventKind } from "../../src/events/kinds.ts";
import { NOW, newId, type TestProject, testDatabase, testProject } from "../support/engine.ts";
import { eventsOf } from "../support/events.ts";
import { type Ok, testShop } from "../support/shop.ts";

// A redemption is one row of events. Whatever is read of them is the same as if each event had a row of its own.
const { db } = await testDatabase();
const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
const percent = (percent_off: number) => ({ type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off } });
const rowsOf = async ({ id }: TestProject): Promise<any[]> => [
  ...(await db`select * from events where project_id = ${id} order by id`),
];

/** Codes without and with a campaign, a gift card, and a loyalty card of Anna with two rewards. */
async function world() {
  let now = NOW;
  const shop = await testShop(db, {}, { now: () => now });
  const { ok, project } = shop;
  const anna = await ok("POST /v1/customers", { source_id: "anna" });
  await ok("POST /v1/customers", { source_id: "ben" });
  await ok("POST /v1/vouchers/TEN", percent(10));
  const codes = await ok("POST /v1/campaigns", { name: "Codes", type: "STATIC", voucher: percent(5) });
  await ok(`POST /v1/campaigns/${codes.id}/vouchers/FIVE`, {});
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 100_000, balance: 100_000 } });
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 500 } },
  });
  await ok(`POST /v1/campaigns/${club.id}/vouchers/LOYAL`, {});
  await ok("POST /v1/publications", { voucher: "LOYAL", customer: { source_id: "anna" } });
  await ok(`POST /v1/loyalties/${club.id}/earning-rules`, [
    { event: "order.paid", loyalty: { type: "FIXED", points: 7 } },
  ]);
  const coin = await ok("POST /v1/rewards", {
    name: "Coin",
    parameters: { coin: { exchange_ratio: 1, points_ratio: 1 } },
  });
  await ok(`POST /v1/rewards/${coin.id}/assignments`, { campaign: club.id });
  const goTo = (moment: string) => {
    now = moment;
  };
  const redeemables = {
    TEN: voucher("TEN"),
    FIVE: voucher("FIVE"),
    GIFT: voucher("GIFT", { gift: { credits: 10 } }),
    LOYAL: voucher("LOYAL", { reward: { id: coin.id, points: 3 } }),
    NONE: voucher("GIFT", { gift: { credits: 10_000_000 } }),
  };
  return { ...shop, project, anna, codes, club, redeemables, goTo };
}
type World = Awaited<ReturnType<typeof world>>;

test("a redemption writes one row of events, and so do its rollback and an order", async () => {
  const { ok, project, redeemables } = await world();
  // Who has no card, so that nothing is earned.
  const customer = { source_id: "ben" };
  let seen = (await rowsOf(project)).length;
  const written = async () => {
    const rows = (await rowsOf(project)).slice(seen);
    seen += rows.length;
    return rows.map(({ kind, also }) => [kind, ...(also ?? [])].map((one: string) => one.replace("customer.", "")));
  };
  const redeem = (names: (keyof typeof redeemables)[], more: object) =>
    ok("POST /v1/redemptions", { redeemables: names.map((name) => redeemables[name]), customer, ...more });
  const order = { amount: 1000 };
  const first = await redeem(["TEN"], { order });
  const [ordered] = [["redemption.succeeded", "order.created", "order.paid"]];
  assert.deepEqual(await written(), [ordered]);
  await ok(`POST /v1/redemptions/${first.redemptions[0].id}/rollback`);
  assert.deepEqual(await written(), [["redemption.rollback.succeeded", "order.canceled"]]);
  await redeem(["GIFT"], { order });
  await redeem(["FIVE"], {});
  assert.deepEqual(await written(), [ordered, ["redemption.succeeded"]]);
  await ok("POST /v1/orders", { status: "PAID", amount: 1 });
  assert.deepEqual(await written(), [["order.created", "order.paid"]]);
  // Of a stack each code has its row; the last is that of the stack.
  const stack = await redeem(["TEN", "GIFT"], { order });
  assert.deepEqual(await written(), [["redemption.succeeded"], ["redemption.succeeded"], ordered]);
  await ok(`POST /v1/redemptions/${stack.parent_redemption.id}/rollbacks`);
  const [undone] = [["redemption.rollback.succeeded"]];
  assert.deepEqual(await written(), [undone, undone, [...undone!, "order.canceled"]]);
  // Who is new is another row.
  await redeem(["TEN"], { order, customer: { source_id: "new" } });
  assert.deepEqual(await written(), [["created"], ordered]);
  await redeem(["LOYAL"], { order, customer: { source_id: "anna" } });
  const [rewarded] = (await written()).filter(([kind]) => kind === "redemption.succeeded");
  assert.deepEqual(rewarded, [
    "redemption.succeeded",
    ...["rewarded", "reward_redemptions.created", "reward_redemptions.completed"],
    ...["order.created", "order.paid"],
  ]);
});

type Step =
  | { does: "redeem"; names: (keyof World["redeemables"])[]; who: string | null; order: boolean }
  | { does: "undo"; which: number }
  | { does: "order"; which: number; status: string; who: string }
  | { does: "rename"; name: string };
const who = fc.constantFrom("anna", "anna", "anna", "ben");
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("redeem" as const),
        names: fc.uniqueArray(fc.constantFrom("TEN", "FIVE", "GIFT", "LOYAL", "NONE"), { minLength: 1, maxLength: 3 }),
        who: fc.option(who, { freq: 5 }),
        order: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("undo" as const), which: fc.nat(9) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        does: fc.constant("order" as const),
        which: fc.nat(2),
        status: fc.constantFrom("CREATED", "PAID", "FULFILLED", "CANCELED"),
        who,
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("rename" as const), name: fc.constantFrom("Ann", "Anna") }) },
  ),
  { minLength: 4, maxLength: 10 },
);

/** Does what is asked, also what is refused: a failure is told too. */
async function run({ call, redeemables, goTo }: World, asked: readonly Step[]): Promise<void> {
  const done: string[] = [];
  for (const [n, step] of asked.entries()) {
    if (n % 3 === 0) goTo(`2026-01-0${2 + n / 3}T12:00:00.000Z`);
    if (step.does === "redeem") {
      const { names, who: source_id, order } = step;
      const { status, body } = await call("POST /v1/redemptions", {
        redeemables: names.map((name) => redeemables[name]),
        ...(source_id && { customer: { source_id } }),
        ...(order && { order: { amount: 1000 } }),
      });
      if (status === 200) done.push((body.parent_redemption ?? body.redemptions[0]).id);
    } else if (step.does === "undo") {
      const id = done[step.which % Math.max(1, done.length)];
      if (id) await call(`POST /v1/redemptions/${id}/rollbacks`);
    } else if (step.does === "order") {
      const { status, who: source_id } = step;
      await call("POST /v1/orders", { source_id: `o-${step.which}`, status, amount: 5, customer: { source_id } });
    } else await call("PUT /v1/customers/anna", { name: step.name });
  }
}

const PAGES = 60;
/** All entries of a list, a page after the other. */
async function pagesOf(ok: Ok, path: string, limit: number): Promise<any[]> {
  const found: any[] = [];
  let after = "";
  for (let page = 0; page < PAGES; page += 1) {
    const { data, has_more, more_starting_after } = await ok(`GET ${path}limit=${limit}${after}`);
    assert.ok(data.length === limit || !has_more, "a page has as many as were asked for");
    found.push(...data);
    if (!has_more) return found;
    after = `&starting_after_id=${more_starting_after}`;
  }
  throw new Error(`${path} does not end`);
}

/** What every list shows, by its path. */
async function listsOf({ ok, codes, club }: World): Promise<Record<string, unknown>> {
  const lists = new Map<string, unknown>();
  for (const name of ["anna", "ben"]) {
    const path = `/v1/customers/${name}/activity?`;
    for (const order of ["created_at", "-created_at"])
      for (const limit of [7, 100])
        lists.set(`${path} ${order} ${limit}`, await pagesOf(ok, `${path}order=${order}&`, limit));
    for (const filter of [
      "type=customer.order.paid",
      "type=customer.redemption.succeeded",
      "category=EFFECT",
      `campaign_id=${codes.id}`,
      `campaign_id=${club.id}`,
      "campaign_type=LOYALTY_PROGRAM",
      "start_date=2026-01-02T12:00:00.000Z&end_date=2026-01-03T12:00:00.000Z",
    ])
      lists.set(`${path}${filter}`, await pagesOf(ok, `${path}${filter}&`, 3));
    const older = `GET /v1/customers/${name}/activities?limit=100&`;
    for (const filter of ["", `campaign_id=${codes.id}`, "starting_after=2026-01-03T12:00:00.000Z"])
      lists.set(older + filter, await ok(older + filter));
    const { summary } = await ok(`GET /v1/customers/${name}`);
    lists.set(`summary of ${name}`, summary);
  }
  const member = "/v1/loyalties/members/LOYAL/activity?";
  for (const order of ["created_at", "-created_at"])
    for (const limit of [1, 4, 100])
      lists.set(`${member} ${order} ${limit}`, await pagesOf(ok, `${member}order=${order}&`, limit));
  return asSeparate(Object.fromEntries(lists));
}

/** Of events in one row: ids as if they had been made one after the other. */
const idAt = (rowId: string, place: number): string =>
  `ev_${(BigInt(`0x${rowId.slice(3)}`) + BigInt(place)).toString(16).padStart(24, "0")}`;
const asSeparate = (lists: unknown) =>
  JSON.parse(
    JSON.stringify(lists).replace(/\b(ev|evcus)_([0-9a-f]{24})([0-9a-f]{2})\b/g, (_, prefix, row, place) =>
      idAt(`ev_${row}`, Number.parseInt(place, 16)).replace("ev_", `${prefix}_`),
    ),
  );

/** Gives each event a row of its own, as before rows were folded, in the rows that are chosen. */
async function separate(project: TestProject, isChosen: (n: number) => boolean): Promise<number> {
  const folded = (await rowsOf(project)).filter(({ also }, n) => also !== null && isChosen(n));
  for (const { also, also_payloads, ...first } of folded) {
    const others = also.map((kind: string, n: number) => ({
      ...first,
      ...(kind.startsWith("customer.order.") && { voucher_id: null, campaign_id: null }),
      id: idAt(first.id, n + 1),
      kind,
      payload: also_payloads[Math.min(n, also_payloads.length - 1)],
    }));
    await db`update events set also = null, also_payloads = null where project_id = ${project.id} and id = ${first.id}`;
    for (const row of others) await db`insert into events ${db({ ...row, payload: db.json(row.payload) })}`;
  }
  return folded.length;
}

test("every list shows the same as with a row for each event, and with some of both", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (asked) => {
      const it = await world();
      await run(it, asked);
      await it.ok("POST /v1/redemptions", {
        redeemables: [it.redeemables.TEN],
        customer: { source_id: "anna" },
        order: { amount: 1 },
      });
      const folded = await listsOf(it);
      const before = (await rowsOf(it.project)).filter(({ also }) => also !== null).length;
      const some = await separate(it.project, (n) => n % 2 === 0);
      assert.deepEqual(await listsOf(it), folded, "some rows of both");
      assert.equal(some + (await separate(it.project, () => true)), before);
      assert.deepEqual(await listsOf(it), folded, "a row for each event");
    }),
    { numRuns: 4 },
  );
});

const KINDS = Object.keys(EVENTS).filter((kind) =>
  /order|redemption|rewarded|customer\.created/.test(kind),
) as EventKind[];
const happened: fc.Arbitrary<NewEvent[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    customer_id: fc.constantFrom("cust_1", "cust_1", "cust_2", null),
    voucher_id: fc.constantFrom("v_1", "v_2", null),
    campaign_id: fc.constantFrom("camp_1", null),
    payload: fc.constantFrom({}, { order_id: "ord_1", text: "ü \" ' , {}" }, { list: [1, { of: null }] }),
  }),
  { minLength: 1, maxLength: 9 },
);

test("what is recorded in shared rows is read as what is recorded in rows of its own", async () => {
  const [shared, own] = [await testProject(db), await testProject(db)];
  await fc.assert(
    fc.asyncProperty(fc.array(happened, { minLength: 1, maxLength: 4 }), async (requests) => {
      const recorded = async ({ id }: TestProject, isNamed: boolean) => {
        const group = newId("ev");
        const of = { now: NOW, newId, request_id: group };
        // An event that has a name of its own shares no row.
        const named = (event: NewEvent) => ({ ...event, ...(isNamed && { id: newId("ev") }) });
        await recordAll(
          db,
          id,
          requests.map((events) => ({ of, happened: events.map(named) })),
        );
        const found = (await eventsOf(db, id)).filter(({ group_id }) => group_id === group);
        return found.map(({ id: _, group_id: __, ...event }) => event);
      };
      const separately = await recorded(own, true);
      assert.equal(separately.length, requests.flat().length);
      assert.deepEqual(await recorded(shared, false), separately);
    }),
    { numRuns: 40 },
  );
  const [{ count }] = await db<[{ count: number }]>`
    select count(*) from events where project_id = ${shared.id} and also is not null`;
  assert.ok(count > 0);
});

test("a list is read on from an event in the middle of a row; of another list it is no entry", async () => {
  const { ok, call, redeemables, project } = await world();
  await ok("POST /v1/redemptions", {
    redeemables: [redeemables.LOYAL],
    customer: { source_id: "anna" },
    order: { amount: 1000 },
  });
  const row = (await rowsOf(project)).find(({ kind }) => kind === "customer.redemption.succeeded");
  assert.equal(row.also.length, 5);
  const shown = (place: number) => `${row.id.replace("ev_", "evcus_")}${place === 0 ? "" : `0${place}`}`;
  const activity = (query: string) => ok(`GET /v1/customers/anna/activity?${query}`);
  const { data: all } = await activity("limit=100&order=created_at");
  const first = all.findIndex(({ id }: { id: string }) => id === shown(0));
  const kinds = all.slice(first, first + 6).map(({ id, type }: { id: string; type: string }) => [id, type]);
  assert.deepEqual(
    kinds,
    [row.kind, ...row.also].map((kind, place) => [shown(place), kind]),
  );
  for (const place of [0, 2, 4, 5]) {
    const at = first + place;
    const behind = await activity(`limit=100&order=created_at&starting_after_id=${shown(place)}`);
    assert.deepEqual(behind.data, all.slice(at + 1));
    const before = await activity(`limit=2&starting_after_id=${shown(place)}`);
    assert.deepEqual(before.data, all.slice(Math.max(0, at - 2), at).reverse());
    assert.equal(before.has_more, true);
  }
  // What the order tells is not told of the card.
  const member = (id: string) => call(`GET /v1/loyalties/members/LOYAL/activity?limit=100&starting_after_id=${id}`);
  assert.equal((await member(shown(3))).status, 200);
  for (const id of [shown(4), shown(5), shown(6), `${shown(3)}0`])
    assert.deepEqual([(await member(id)).status, id], [400, id]);
  assert.equal((await call(`GET /v1/customers/anna/activity?starting_after_id=${shown(6)}`)).status, 400);
});

test("who is erased leaves no event, and each is counted", async () => {
  const counts = [];
  for (const isFolded of [true, false]) {
    const { ok, redeemables, project, anna } = await world();
    const customer = { source_id: "anna" };
    for (const name of ["TEN", "LOYAL"] as const)
      await ok("POST /v1/redemptions", { redeemables: [redeemables[name]], customer, order: { amount: 1000 } });
    await ok("POST /v1/orders", { status: "PAID", amount: 1, customer });
    if (!isFolded) await separate(project, () => true);
    const told = (await eventsOf(db, project.id)).filter(({ customer_id }) => customer_id === anna.id);
    const ofOrders = told.filter(({ kind }) => kind.startsWith("customer.order."));
    const { data_json } = await ok("POST /v1/customers/anna/permanent-deletion");
    assert.deepEqual(
      [data_json.order_events, data_json.customer_events],
      [ofOrders.length, told.length - ofOrders.length],
    );
    assert.equal(ofOrders.length, 6);
    const left = JSON.stringify((await rowsOf(project)).filter(({ kind }) => kind !== "customer.deleted"));
    assert.ok(!left.includes(anna.id), left);
    counts.push(data_json);
  }
  assert.deepEqual(counts[0], counts[1]);
});
