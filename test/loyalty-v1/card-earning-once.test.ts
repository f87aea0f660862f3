import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { vouchersOf } from "../../src/resources/promotions/vouchers/state-store.ts";
import { assertHolds, FIXED, PAID } from "../support/card-clubs.ts";
import { clubOf } from "../support/clubs.ts";
import { testDatabase, testProject } from "../support/engine.ts";
import { okOf } from "../support/shop.ts";
import { inParallel, type Reply, sender, twoServers } from "../support/two-servers.ts";

const database = await testDatabase();
// Before the first test: what is awaited between tests may come after the end of those before it, which ends the pools.
const servers = await twoServers(database);
const { db } = database;
// ONCE_RUNS raises the number of sequences, ONCE_SEED repeats one.
const RUNS = Number(process.env.ONCE_RUNS ?? 3);
const SEED = process.env.ONCE_SEED === undefined ? {} : { seed: Number(process.env.ONCE_SEED) };

// For any sequence of events, orders and retries.

type Step =
  | { kind: "visit"; who: "ann" | "bob"; key: string }
  | { kind: "order"; who: "ann" | "bob"; order: string; status: "CREATED" | "PAID" | "CANCELED" | "FULFILLED" }
  | { kind: "redeem"; who: "ann" | "bob"; order: string; code: string }
  | { kind: "rollback"; code: string };
const who = fc.constantFrom("ann" as const, "bob" as const);
const order = fc.constantFrom("o-1", "o-2", "o-3");
const code = fc.constantFrom("A", "B", "C");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("visit" as const), who, key: fc.constantFrom("k1", "k2", "k3", "k4") }),
  fc.record({
    kind: fc.constant("order" as const),
    who,
    order,
    status: fc.constantFrom(
      "CREATED" as const,
      "PAID" as const,
      "PAID" as const,
      "CANCELED" as const,
      "FULFILLED" as const,
    ),
  }),
  fc.record({ kind: fc.constant("redeem" as const), who, order, code }),
  fc.record({ kind: fc.constant("rollback" as const), code }),
);

/** A program of each kind, with the same rules: 10 for a visit, 7 for a paid order, and on cards 5 more that wait. */
async function openBoth() {
  const club = await clubOf(db);
  const visit = await club.define("visit");
  const { enrol } = await club.open([
    {
      trigger: { event: "customer.custom_event", custom_event: { schema_id: visit.id } },
      earnings: [{ effects: [club.points(10)] }],
    },
    { trigger: { event: "customer.order.paid" }, earnings: [{ effects: [club.points(7)] }] },
  ]);
  const campaign = await club.ok("POST /v1/loyalties", {
    name: "Cards",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
  });
  const pending_points = { period_type: "DAY", period_value: 3 };
  await club.ok(`POST /v1/loyalties/${campaign.id}/earning-rules`, [
    { event: "visit", custom_event: { schema_id: visit.id }, loyalty: FIXED(10) },
    PAID(7),
    PAID(5, { pending_points }),
  ]);
  const members = { ann: await enrol("ann"), bob: await enrol("bob") };
  const codes: Record<string, string> = {};
  for (const source_id of ["ann", "bob"]) {
    const sent = { campaign: { name: "Cards" }, customer: { source_id } };
    codes[source_id] = (await club.ok("POST /v1/publications", sent)).voucher.code;
  }
  for (const name of ["A", "B", "C"])
    await club.ok(`POST /v1/vouchers/${name}`, {
      discount: { type: "AMOUNT", amount_off: 10 },
      redemption: { quantity: null },
    });
  const held = async (name: "ann" | "bob") => {
    const [row] = await db<[{ account: { available: number; pending: number } | null }]>`
      select account from ${vouchersOf(db, club.project.id)} as v where code = ${codes[name]!}`;
    return [row.account?.available ?? 0, row.account?.pending ?? 0];
  };
  return { club, members, held };
}

/** What is known of an order: who had it when it was paid first, and who has earned by it and not given it back. */
type Replies = { status: string; owner: string; earner: string | null; keeper: string | null };

test("for any sequence of events, orders, redemptions and retries each effect happens once, on cards of both kinds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const { club, members, held } = await openBoth();
      const visits = new Map<string, "ann" | "bob">();
      const orders = new Map<string, Replies>();
      const redeemed = new Map<string, { id: string; order: string }>();
      const move = (name: string, owner: string, status: string) => {
        const known = orders.get(name) ?? { status: "NONE", owner, earner: null, keeper: null };
        const next = { ...known, owner, status };
        if (status === "PAID" && known.status !== "PAID") {
          next.earner ??= owner;
          next.keeper ??= owner;
        }
        if (status === "CANCELED" && known.status !== "CANCELED") next.keeper = null;
        orders.set(name, next);
      };
      for (const one of steps) {
        if (one.kind === "visit") {
          const owner = visits.get(one.key) ?? one.who;
          visits.set(one.key, owner);
          await club.track("visit", owner, {}, { "idempotency-key": one.key });
        } else if (one.kind === "order") {
          const { order: source_id, status } = one;
          await club.ok("POST /v1/orders", { source_id, status, amount: 1000, customer: { source_id: one.who } });
          move(source_id, one.who, status);
        } else if (one.kind === "redeem") {
          const reply = await club.call("POST /v1/redemptions", {
            redeemables: [{ object: "voucher", id: one.code }],
            customer: { source_id: one.who },
            order: { source_id: one.order, amount: 1000 },
          });
          if (reply.status !== 200) continue;
          redeemed.set(one.code, { id: reply.body.redemptions[0].id, order: one.order });
          const [row] = await db<[{ status: string; source: string }]>`
            select o.status, c.source_id as source from orders o join customers c on c.project_id = o.project_id and c.id = o.customer_id
            where o.project_id = ${club.project.id} and o.source_id = ${one.order}`;
          move(one.order, row.source, row.status);
        } else {
          const known = redeemed.get(one.code);
          if (!known) continue;
          redeemed.delete(one.code);
          await club.ok(`POST /v1/redemptions/${known.id}/rollback`, {});
          const { owner } = orders.get(known.order)!;
          move(known.order, owner, "CANCELED");
          orders.set(known.order, { ...orders.get(known.order)!, keeper: null });
        }
      }
      for (const name of ["ann", "bob"] as const) {
        const visited = [...visits.values()].filter((owner) => owner === name).length;
        const paid = [...orders.values()].filter(({ earner }) => earner === name);
        const kept = [...orders.values()].filter(({ keeper }) => keeper === name).length;
        assert.deepEqual(await held(name), [10 * visited + 7 * kept, 5 * kept], name);
        assert.equal((await members[name].balance()).points, 10 * visited + 7 * paid.length, `${name}, as a member`);
      }
    }),
    { numRuns: RUNS, ...SEED },
  );
  await assertHolds(db);
});

// Two processes at once.

/** A program in a project of its own, whose calls go to both servers in turn. */
async function program(rules: (visit: { id: string }) => readonly object[], more: object = {}) {
  const project = await testProject(db);
  const send = sender(servers, project);
  const ok = okOf((line, body) => send({ line, body }));
  const schemas = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  const visit = await ok(schemas, { name: "visit", schema: { properties: {} } });
  const campaign = await ok("POST /v1/loyalties", {
    name: "Cards",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
    ...more,
  });
  await ok(`POST /v1/loyalties/${campaign.id}/earning-rules`, rules(visit));
  const cards = () => db<{ account: { available: number; received: number }; holder_id: string }[]>`
    select account, holder_id from ${vouchersOf(db, project.id)} as v where holder_id is not null order by id`;
  const join = async (source_id: string) => {
    await ok("POST /v1/customers", { source_id });
    return (await ok("POST /v1/publications", { campaign: { name: "Cards" }, customer: { source_id } })).voucher;
  };
  return { project, send, ok, campaign, cards, join };
}
const onVisit = (points: number) => (visit: { id: string }) => [
  { event: "visit", custom_event: { schema_id: visit.id }, loyalty: FIXED(points) },
];
const none = (replies: readonly Reply[]) => replies.filter(({ status }) => status !== 200).map(({ text }) => text);

test("parallel events on one card are all earned, and each retry is none", async () => {
  const it = await program(onVisit(10));
  await it.join("ann");
  const replies = await inParallel(96, (n) =>
    it.send({
      line: "POST /v1/events",
      body: { event: "visit", customer: { source_id: "ann" } },
      headers: { "idempotency-key": `visit ${n % 48}` },
    }),
  );
  assert.deepEqual(none(replies), []);
  const [card] = await it.cards();
  assert.deepEqual([card!.account.available, card!.account.received], [480, 480]);
  const balances = await db<{ balance: number }[]>`
    select balance from ledger_entries where project_id = ${it.project.id} and kind = 'accrual' order by balance`;
  assert.deepEqual(
    balances.map(({ balance }) => balance),
    Array.from({ length: 48 }, (_, n) => 10 * (n + 1)),
    "each sees what the one before left",
  );
  const [{ count }] = await db<[{ count: number }]>`
    select count(*) from events where project_id = ${it.project.id} and kind = 'customer.rewarded.loyalty_points'`;
  assert.equal(count, 48);
});

test("one order that is paid by many at once earns once, and is taken back once", async () => {
  const it = await program(() => [PAID(10)]);
  await it.join("ann");
  const pay = (status: string) =>
    inParallel(32, () =>
      it.send({
        line: "POST /v1/orders",
        body: { source_id: "o-1", status, amount: 100, customer: { source_id: "ann" } },
      }),
    );
  assert.deepEqual(none(await pay("PAID")), []);
  assert.equal((await it.cards())[0]!.account.available, 10);
  assert.deepEqual(none(await pay("CANCELED")), []);
  const [card] = await it.cards();
  assert.deepEqual([card!.account.available, card!.account.received], [0, 10]);
});

test("who joins by what they earn gets one card, though many events come at once", async () => {
  const it = await program(onVisit(10), { auto_join: true });
  const replies = await inParallel(60, (n) =>
    it.send({ line: "POST /v1/events", body: { event: "visit", customer: { source_id: `c${n % 4}` } } }),
  );
  assert.deepEqual(none(replies), []);
  const cards = await it.cards();
  assert.equal(new Set(cards.map(({ holder_id }) => holder_id)).size, 4);
  assert.deepEqual(
    cards.map(({ account }) => account.available),
    [150, 150, 150, 150],
  );
});

test("events, redemptions with orders and transfers on the same cards at once lose nothing and wait in no circle", async () => {
  const it = await program((visit) => [...onVisit(10)(visit), PAID(7)]);
  const codes = [(await it.join("ann")).code, (await it.join("bob")).code];
  for (const name of ["A", "B"])
    await it.ok(`POST /v1/vouchers/${name}`, { discount: { type: "AMOUNT", amount_off: 10 } });
  const people = ["ann", "bob"];
  const replies = await inParallel(120, (n) => {
    const [mine, other] = [n % 2, (n + 1) % 2];
    const customer = { source_id: people[mine]! };
    switch (n % 4) {
      case 0:
      case 1:
        return it.send({ line: "POST /v1/events", body: { event: "visit", customer } });
      case 2:
        // A code of one is redeemed by the other, who earns on a card of their own.
        return it.send({
          line: "POST /v1/redemptions",
          body: {
            redeemables: [{ object: "voucher", id: ["A", "B"][mine] }],
            customer,
            order: { source_id: `o-${n}`, amount: 1000 },
          },
        });
      default: {
        const body = [{ code: codes[other], points: 1, source_id: `t${n}` }];
        return it.send({ line: `POST /v1/loyalties/${it.campaign.id}/members/${codes[mine]}/transfers`, body });
      }
    }
  });
  const failed = replies.filter(({ status, body }) => status !== 200 && body.key !== "loyalty_card_points_exceeded");
  assert.deepEqual(none(failed), []);
  const cards = await it.cards();
  const inAll = cards.reduce((sum, { account }) => sum + account.available, 0);
  assert.equal(inAll, 60 * 10 + 30 * 7);
  await assertHolds(db);
});
