import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Tx } from "../../src/db/db.ts";
import { renumberEvents } from "../../src/db/migrate.ts";
import { record } from "../../src/events/events.ts";
import {
  FEED_START,
  type FeedFilters,
  type FeedPosition,
  readFeed,
} from "../../src/resources/platform/event-feed/store.ts";
import { newId } from "../../src/sources.ts";
import { NOW, testDatabase, testProject } from "../support/engine.ts";
import { allShown } from "../support/events.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();

type Recorded = { kind: "customer.created" | "customer.order.created" | "customer.redemption.succeeded"; n: number };
const recordIn = (tx: Tx, projectId: string, events: readonly Recorded[]) =>
  record(
    { db: tx, project: { id: projectId }, request_id: "req", now: NOW, newId },
    events.map(({ kind, n }) => ({ kind, customer_id: "cust_1", payload: { n } })),
  );

/** Reads on from a position until nothing is left. */
async function drain(
  projectId: string,
  from: FeedPosition,
  { own = db, ...filters }: FeedFilters & { limit: number; own?: typeof db },
) {
  const seen: number[] = [];
  let [position, has_more] = [from, true];
  while (has_more) {
    const page = await readFeed(own, projectId, position, filters);
    seen.push(...page.rows.map(({ payload }) => Number(payload.n)));
    [position, has_more] = [page.position, page.has_more];
  }
  return { seen, position };
}

test("a transaction that commits late is not skipped, and nothing is shown before it", async () => {
  const { id } = await testProject(db);
  const pool = open({ max: 3 });
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = pool.begin(async (tx) => {
    await recordIn(tx as Tx, id, [{ kind: "customer.created", n: 1 }]);
    begun.resolve();
    await release.promise;
  });
  await begun.promise;
  await pool.begin((tx) => recordIn(tx as Tx, id, [{ kind: "customer.created", n: 2 }]));
  const before = await drain(id, FEED_START, { limit: 10 });
  assert.deepEqual(before.seen, []);
  release.resolve();
  await late;
  await allShown(db, id);
  const after = await drain(id, before.position, { limit: 10 });
  assert.deepEqual(after.seen, [1, 2]);
  assert.deepEqual((await drain(id, after.position, { limit: 10 })).seen, []);
});

test("law: a reader that follows the cursor sees every event of 8 writers exactly once", async () => {
  const { id } = await testProject(db);
  const [WRITERS, EACH] = [8, 60];
  // Two processes have two pools; each transaction stays open for some turns of the others.
  const pools = [open({ max: 4 }), open({ max: 4 })];
  const written: number[] = [];
  let running = WRITERS;
  const writer = async (w: number) => {
    for (let i = 0; i < EACH; i += 1) {
      const n = w * 1_000 + i * 10;
      await pools[w % 2]!.begin(async (tx) => {
        // A row that holds two events, or one of each.
        const kind = i % 3 === 0 ? "customer.created" : "customer.redemption.succeeded";
        const events: Recorded[] = [
          { kind, n },
          { kind: "customer.order.created", n: n + 1 },
        ];
        await recordIn(tx as Tx, id, events);
        for (let held = 0; held < (w * 7 + i) % 11; held += 1) await tx`select 1`;
        // Some are undone.
        if (i % 10 === 9) throw new Error("undone");
        written.push(n, n + 1);
      }).catch((error) => assert.equal(error.message, "undone"));
    }
    running -= 1;
  };
  const seen: number[] = [];
  let position = FEED_START;
  const reader = async () => {
    for (let isLast = false; !isLast; ) {
      isLast = running === 0;
      if (isLast) await allShown(db, id);
      const page = await drain(id, position, { limit: 7 });
      seen.push(...page.seen);
      position = page.position;
      await turn();
    }
  };
  await Promise.all([...Array.from({ length: WRITERS }, (_, w) => writer(w)), reader()]);
  assert.equal(seen.length, new Set(seen).size, "none comes twice");
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    written.toSorted((a, b) => a - b),
  );
  assert.equal(seen.length, WRITERS * EACH * 2 * 0.9);
  assert.deepEqual(
    (await drain(id, FEED_START, { limit: 100 })).seen,
    seen,
    "whoever reads it again gets the same order",
  );
});

test("a single transaction with many events is read in pages, and a wide span that holds too many is narrowed", async () => {
  const { id } = await testProject(db);
  await db.begin(async (tx) => {
    const events = Array.from({ length: 21_000 }, (_, n) => ({ kind: "customer.created" as const, n }));
    await recordIn(tx as Tx, id, events);
  });
  await allShown(db, id);
  const { seen } = await drain(id, FEED_START, { limit: 3_000 });
  assert.equal(seen.length, 21_000);
  assert.equal(new Set(seen).size, 21_000);
});

test("a span that takes longer than a statement may is read in smaller ones", async () => {
  const { id } = await testProject(db);
  const LAST = 40;
  await db`
    insert into events (project_id, id, kind, group_id, payload, created_at, transaction_id)
    select ${id}, 'ev_' || lpad(to_hex(n), 24, '0'), 'customer.created', 'req', jsonb_build_object('n', n), now(), n
    from generate_series(1, ${LAST}) n`;
  await allShown(db, id);
  let [isWide, slow] = [false, 0];
  // Whoever reads more than eight of these transactions at once is stopped, as the server stops what takes too long.
  const stopping = ((text: TemplateStringsArray, ...values: unknown[]) => {
    const sql = text.join("");
    if (sql.includes("and r.transaction_id < ")) {
      const [, from, until] = values as [string, string, string];
      isWide = Number(from) <= LAST && Number(until) - Number(from) > 8;
    }
    if (!isWide || !sql.includes("found as materialized")) return db(text, ...(values as never[]));
    slow += 1;
    return Promise.reject(Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" }));
  }) as unknown as typeof db;
  const { seen } = await drain(id, FEED_START, { limit: 500, own: stopping });
  assert.deepEqual(
    seen,
    Array.from({ length: LAST }, (_, n) => n + 1),
  );
  assert.ok(slow > 0, "a span was too slow");
});

test("a large transaction is read in the order of the primary key, and none of its pages sorts it", async () => {
  const { id } = await testProject(db);
  await db.begin(async (tx) => {
    const events = Array.from({ length: 21_000 }, (_, n) => ({ kind: "customer.created" as const, n }));
    await recordIn(tx as Tx, id, events);
  });
  await db`analyze events`;
  const [{ transaction_id, from }] = await db<[{ transaction_id: string; from: string }]>`
    select min(transaction_id)::text as transaction_id, min(id) as from from events where project_id = ${id}`;
  const plan = await db`
    explain select r.id, place from events r cross join lateral (select generate_series(0, coalesce(cardinality(r.also), 0)) as place) p
    where r.id >= ${from} and r.project_id = ${id} and r.transaction_id = ${transaction_id} order by r.id, place limit 101`;
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
  assert.match(text, /Incremental Sort/);
  assert.match(text, /Index Scan using events_pkey/);
});

test("what another cluster of databases has written, with numbers of transactions from there, is numbered again", async () => {
  const { id } = await testProject(db);
  const { id: other } = await testProject(db);
  for (const project of [id, other])
    await db.begin((tx) => recordIn(tx as Tx, project, [{ kind: "customer.created", n: 1 }]));
  // As a dump of the database carries them over.
  await db`update events set transaction_id = 4000000000 where project_id = ${id}`;
  await allShown(db, other);
  assert.deepEqual((await drain(id, FEED_START, { limit: 10 })).seen, []);
  assert.equal(await renumberEvents(db), 1);
  await allShown(db, id);
  assert.deepEqual((await drain(id, FEED_START, { limit: 10 })).seen, [1]);
  assert.equal(await renumberEvents(db), 0);
});

test("GET /v1/events: types, customer, campaign, code, time, pages", async () => {
  const { call, ok, project } = await testShop(db);
  await ok("POST /v1/campaigns", {
    name: "Feed",
    voucher: { discount: { type: "AMOUNT", amount_off: 100 } },
    vouchers_count: 0,
  });
  await ok("POST /v1/campaigns/Feed/vouchers/FEED-1");
  const redeemed = await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "FEED-1" }],
    customer: { source_id: "ada" },
    order: { amount: 1000, source_id: "o-1" },
  });
  const customer_id = redeemed.redemptions[0].customer_id;
  const voucher = await ok("GET /v1/vouchers/FEED-1");
  const read = async (query: string): Promise<string[]> => {
    const types: string[] = [];
    for (let cursor = ""; ; ) {
      const { body, text } = await call(`GET /v1/events?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
      assert.ok(body.events, text);
      types.push(...body.events.map(({ type }: { type: string }) => type));
      cursor = body.cursor;
      if (!body.has_more) return types;
    }
  };
  await allShown(db, project.id);
  const all = await read("");
  for (const type of [
    "campaign.created",
    "voucher.created",
    "customer.created",
    "customer.redemption.succeeded",
    "customer.order.created",
  ])
    assert.equal(all.filter((one) => one === type).length, 1, `${type} is in ${all}`);
  // It stands behind the redemption, in the same row.
  assert.deepEqual(await read("type=customer.order.created"), ["customer.order.created"]);
  assert.deepEqual(await read("type[0]=campaign.created&type[1]=customer.redemption.succeeded"), [
    "campaign.created",
    "customer.redemption.succeeded",
  ]);
  const ofCustomer = await read(`customer_id=${customer_id}`);
  assert.ok(ofCustomer.includes("customer.order.created") && !ofCustomer.includes("campaign.created"), `${ofCustomer}`);
  const ofVoucher = await read(`voucher_id=${voucher.id}`);
  assert.ok(ofVoucher.includes("customer.redemption.succeeded") && !ofVoucher.includes("customer.order.created"));
  assert.ok((await read(`campaign_id=${voucher.campaign_id}`)).includes("voucher.created"));
  assert.deepEqual(await read("created_at[after]=2099-01-01T00:00:00Z"), []);
  assert.deepEqual(await read("created_at[before]=2099-01-01T00:00:00Z"), all);
  const { body: last } = await call("GET /v1/events?limit=100");
  assert.equal(last.has_more, false);
  const { body: none } = await call(`GET /v1/events?cursor=${last.cursor}`);
  assert.deepEqual(none.events, []);
  await ok("POST /v1/customers", { source_id: "bob" });
  await allShown(db, project.id);
  const { body: next } = await call(`GET /v1/events?cursor=${none.cursor}`);
  assert.deepEqual(
    next.events.map(({ type }: any) => type),
    ["customer.created"],
  );
  assertRefused(
    await call("GET /v1/events?type=customer.flew"),
    "invalid_query_params",
    /no events of the type customer.flew/,
  );
  assertRefused(await call("GET /v1/events?cursor=abc"), "invalid_query_params", /cursor is not one/);
  assertRefused(
    await call("GET /v1/events?cursor=evcur__99999999999999_1_0_"),
    "invalid_query_params",
    /another database/,
  );
  assertRefused(await call("GET /v1/events?cursor=evcur_abc_1_1_0_"), "invalid_query_params", /another database/);
});

test("another project reads none of it", async () => {
  const [a, b] = [await testShop(db), await testShop(db)];
  await a.ok("POST /v1/customers", { source_id: "ada" });
  await allShown(db, a.project.id);
  const { body } = await a.call("GET /v1/events?limit=1");
  assert.equal(body.events.length, 1);
  assert.deepEqual((await b.call("GET /v1/events?limit=100")).body.events, []);
  assert.deepEqual((await b.call(`GET /v1/events?limit=100&cursor=${body.cursor}`)).body.events, []);
});

test("the index of the feed is used, also for one kind", async () => {
  const { id } = await testProject(db);
  await db`
    insert into events (project_id, id, kind, group_id, payload, created_at, transaction_id)
    select ${id}, 'ev_' || lpad(to_hex(n), 24, '0'), 'customer.created', 'req', '{}', now(), n from generate_series(1, 30000) n`;
  await db`analyze events`;
  await db`select brin_summarize_new_values('laurel.events_by_transaction')`;
  const plan = await db`
    explain select * from events r where r.project_id = ${id} and r.transaction_id >= 20000 and r.transaction_id < 20100
      and (r.kind = any(${["customer.deleted"]}) or r.also && ${["customer.deleted"]})`;
  assert.match(plan.map((row) => row["QUERY PLAN"]).join("\n"), /events_by_transaction/);
});
