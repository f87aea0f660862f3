import assert from "node:assert/strict";
import { test } from "node:test";
import { requireNoNewLimit } from "../../src/catalog/changes.ts";
import { createLanes } from "../../src/db/batches/batch.ts";
import { createBehind } from "../../src/db/batches/behind.ts";
import { OldConfiguration } from "../../src/db/batches/commit.ts";
import { RowGone, updateEach } from "../../src/db/each-row.ts";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { clubOf } from "../support/clubs.ts";
import { type TestProject, testDatabase, testEngine } from "../support/engine.ts";
import { friends } from "../support/friends.ts";
import { skipOnCitus } from "../support/nodes.ts";
import { type Ok, okOf, testShop } from "../support/shop.ts";

// The COMMIT of a hot flow is in the message of its last statements. So where a row that must be written is gone, the statement
// itself has to fail.
const { db, open } = await testDatabase();

test("an update that must find each of its rows fails where one is gone, or the row of the project is", async () => {
  const { ok, project } = await testShop(db);
  const ids = [];
  for (const name of ["a", "b"]) ids.push((await ok("POST /v1/categories", { name, hierarchy: 1 })).id);
  const rename = (count: number, some: readonly string[]) =>
    db.begin((tx) => {
      const update = tx`
        update categories set name = name || '+' where project_id = ${project.id} and id = any(${some})`;
      return updateEach(tx, project.id, count, update);
    });
  const names = async () =>
    (await db`select name from categories where project_id = ${project.id} order by name`).map(({ name }) => name);
  await rename(2, ids);
  assert.deepEqual(await names(), ["a+", "b+"]);
  await assert.rejects(rename(2, ids.slice(1)), RowGone, "one is not there");
  await assert.rejects(rename(1, ids), RowGone, "one is there that nobody decided on");
  assert.deepEqual(await names(), ["a+", "b+"], "nothing of it was stored");
  const broken = db.begin((tx) => {
    const update = tx`update categories set name = null where project_id = ${project.id}`;
    return updateEach(tx, project.id, 2, update);
  });
  await assert.rejects(broken, { name: "PostgresError", code: "23502" }, "what fails for another reason says so");
  await db`delete from tenants where project_id = ${project.id}`;
  await assert.rejects(rename(2, ids), RowGone, "inserts of this project would insert nothing");
});

test("what was decided for a project whose row is gone is decided anew", async () => {
  const { project } = await testShop(db);
  await db.begin((tx) => requireNoNewLimit(tx, project.id, 0));
  await assert.rejects(
    db.begin((tx) => requireNoNewLimit(tx, project.id, -1)),
    OldConfiguration,
  );
  await assert.rejects(
    db.begin((tx) => requireNoNewLimit(tx, "proj_none", 0)),
    OldConfiguration,
  );
});

const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
const discount = { type: "PERCENT", percent_off: 10 };
const order = { amount: 10_000 };

type Shop = { ok: Ok; project: TestProject };
/** A request that can be sent again and again, by who sends it. */
type Request = (send: Ok) => Promise<unknown>;
type Club = Awaited<ReturnType<typeof clubOf>>;
type Write = {
  name: string;
  /** The rows that it must find. */
  table: string;
  /** What is sent last: COMMIT where the writes are in one message with it; elsewhere an answer is waited for before. */
  ends: "commit" | "rollback";
  /** Where the project comes from, when not from `testShop`. */
  shop?(): Promise<Shop>;
  setUp(shop: Shop): Promise<Request>;
};

/** A code of a campaign whose counts decide, so that they are locked and added to. */
async function countedCode({ ok }: Shop): Promise<string> {
  const rules = {
    1: { name: "campaign.orders.amount_discounted", conditions: { $less_than_or_equal: [1e9] } },
    logic: "1",
  };
  const rule = await ok("POST /v1/validation-rules", { name: "r", rules });
  const campaign = await ok("POST /v1/campaigns", {
    name: "C",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: null } },
    validation_rules: [rule.id],
  });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/COUNTED`, {});
  return "COUNTED";
}

/** A card that buys a mug of a hundred. */
async function cardWithReward({ ok }: Shop) {
  const customer = { source_id: "holder" };
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 1000 } },
  });
  await ok(`POST /v1/campaigns/${club.id}/vouchers/CARD`, {});
  await ok("POST /v1/publications", { voucher: "CARD", customer });
  const product = await ok("POST /v1/products", { name: "Mug" });
  const { id } = await ok("POST /v1/rewards", {
    name: "Mug",
    parameters: { product: { id: product.id } },
    stock: 100,
  });
  await ok(`POST /v1/rewards/${id}/assignments`, { campaign: club.id, parameters: { loyalty: { points: 10 } } });
  return { redeemables: [voucher("CARD", { reward: { id } })], customer, order };
}

/** Rolls back another redemption each time. */
async function undoing({ ok }: Shop, body: object): Promise<Request> {
  const ids: string[] = [];
  for (let n = 0; n < 8; n += 1) ids.push((await ok("POST /v1/redemptions", body)).redemptions[0].id);
  return async (send) => {
    await send(`POST /v1/redemptions/${ids[0]}/rollback`, {});
    ids.shift();
  };
}

/** Visits of a member of a program, which bring the effects. */
async function visiting(club: Club, effects: readonly object[]): Promise<Request> {
  const visit = await club.define("visit");
  const trigger = { event: "customer.custom_event", custom_event: { schema_id: visit.id } };
  const { enrol } = await club.open([{ trigger, earnings: [{ effects }] }]);
  await enrol("ann");
  return (send) => send("POST /v1/events", { event: "visit", customer: { source_id: "ann" } });
}

const WRITES: Write[] = [
  {
    name: "a redemption adds to counters that decide",
    table: "counters",
    ends: "commit",
    setUp: async (shop) => {
      const body = { redeemables: [voucher(await countedCode(shop))], order };
      return (send) => send("POST /v1/redemptions", body);
    },
  },
  {
    name: "a redemption takes a reward",
    table: "rewards",
    ends: "commit",
    setUp: async (shop) => {
      const body = await cardWithReward(shop);
      return (send) => send("POST /v1/redemptions", body);
    },
  },
  {
    name: "a rollback takes from counters",
    table: "counters",
    ends: "commit",
    setUp: async (shop) => undoing(shop, { redeemables: [voucher(await countedCode(shop))], order }),
  },
  {
    name: "a rollback marks its redemption",
    table: "redemptions",
    ends: "commit",
    setUp: async (shop) => {
      await shop.ok("POST /v1/vouchers/CODE", { type: "DISCOUNT_VOUCHER", discount });
      return undoing(shop, { redeemables: [voucher("CODE")], order });
    },
  },
  {
    name: "a rollback gives a reward back",
    table: "rewards",
    ends: "rollback",
    setUp: async (shop) => undoing(shop, await cardWithReward(shop)),
  },
  {
    name: "a friend brings a reward of a referral program",
    table: "rewards",
    ends: "rollback",
    shop: () => friends(db),
    setUp: async ({ ok }) => {
      const club = await ok("POST /v1/campaigns", { name: "Club", voucher: { loyalty_card: { points: 0 } } });
      const coupons = await ok("POST /v1/campaigns", { name: "Codes", voucher: { discount } });
      const { id } = await ok("POST /v1/rewards", {
        name: "Coupon",
        parameters: { campaign: { id: coupons.id } },
        stock: 100,
      });
      const { id: assignment_id } = await ok(`POST /v1/rewards/${id}/assignments`, {
        campaign: club.id,
        parameters: { loyalty: { points: 1 } },
      });
      const tiers = [{ parameters: { type: "EACH" }, reward: { assignment_id } }];
      await ok("PUT /v1/campaigns/Friends", { referral_program: { tiers } });
      const ids: string[] = [];
      for (let n = 0; n < 8; n += 1) ids.push((await ok("POST /v1/customers", { source_id: `friend ${n}` })).id);
      return async (send) => {
        await send("POST /v1/redemptions", { redeemables: [voucher("ANN")], customer: { id: ids[0] }, order });
        ids.shift();
      };
    },
  },
  {
    name: "an event takes a benefit of a program",
    table: "loyalty_benefits",
    ends: "commit",
    shop: () => clubOf(db),
    setUp: async (shop) => {
      const club = shop as Club;
      const product = await club.product("cup");
      const cup = await club.benefit({
        ...{ name: "cup", status: "ACTIVE", type: "MATERIAL", material: { product: { id: product.id } } },
        stock: { limited: { quantity: 100 } },
      });
      return visiting(club, [{ incentive: { id: cup.id } }]);
    },
  },
  {
    name: "an event brings points to a card of a program",
    table: "loyalty_cards",
    ends: "commit",
    shop: () => clubOf(db),
    setUp: (shop) => visiting(shop as Club, [(shop as Club).points(1)]),
  },
  {
    name: "an event counts for a member of a program",
    table: "loyalty_members",
    ends: "commit",
    shop: () => clubOf(db),
    setUp: (shop) => visiting(shop as Club, [(shop as Club).points(1)]),
  },
  {
    name: "a publication gives a code away",
    table: "vouchers",
    ends: "rollback",
    setUp: async ({ ok }) => {
      await ok("POST /v1/campaigns", {
        name: "Codes",
        campaign_type: "DISCOUNT_COUPONS",
        vouchers_count: 20,
        voucher: { type: "DISCOUNT_VOUCHER", discount },
      });
      await ok("POST /v1/customers", { source_id: "anna" });
      return (send) => send("POST /v1/publications", { customer: { source_id: "anna" }, campaign: { name: "Codes" } });
    },
  },
];

/** Everything that is stored. */
async function stored(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const table of [...(await tenantTables(db)), "tenants"]) {
    const [row] = await db<{ rows: string }[]>`
      select coalesce(string_agg(t::text, ' ' order by t::text), '') as rows from ${db(table)} t`;
    all[table] = row!.rows;
  }
  return all;
}

await db.unsafe("create function leave_out() returns trigger language plpgsql as 'begin return null; end'");

for (const { name, table, ends, shop = () => testShop(db), setUp } of WRITES)
  test(`where a row is gone, nothing is stored: ${name}`, skipOnCitus("it has no triggers"), async () => {
    const world = await shop();
    const request = await setUp(world);
    const texts: string[] = [];
    const reported: unknown[] = [];
    const report = (error: unknown) => void reported.push(error);
    const hot = open({ max: 1, onQuery: (text) => void texts.push(text) });
    const behind = createBehind(hot, { waitingMax: 0, report });
    const { call } = await testEngine(db, world.project, { submit: createLanes(hot, { behind, report }), behind });
    // A statement that is new to its connection is described first, and COMMIT waits for that.
    for (let n = 0; n < 3; n += 1) await request(okOf(call));
    assert.deepEqual([...reported], []);
    const before = await stored();
    texts.length = 0;
    // As if another connection had taken the rows away between their lock and their update.
    await db`create trigger gone before update on ${db(table)} for each row execute function leave_out()`;
    try {
      const failed = async (line: string, body: unknown) => {
        const reply = await call(line, body);
        assert.deepEqual([reply.status, reply.body.key], [500, "internal_server_error"], reply.text);
        throw new Error("refused");
      };
      await assert.rejects(request(failed), /^Error: refused$/);
    } finally {
      await db`drop trigger gone on ${db(table)}`;
    }
    assert.deepEqual(await stored(), before);
    assert.equal(reported.length, 1);
    assert.ok(reported[0] instanceof RowGone, `${reported[0]}`);
    assert.equal(texts.at(-1), ends);
    await request(okOf(call));
  });
