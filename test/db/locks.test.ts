import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderRow } from "../../src/core/rows/order.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import type { Tx } from "../../src/db/db.ts";
import { saveOrders } from "../../src/resources/orders/orders/store.ts";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { lockWaits } from "../support/nodes.ts";
import { okOf, testShop } from "../support/shop.ts";
import { until } from "../support/storage.ts";

// Customers before orders, new rows in the order of what makes them unique: otherwise two requests wait for each other.
const { db, open } = await testDatabase();

async function world() {
  const project = await testProject(db);
  const { call } = await testEngine(open({ max: 4 }), project);
  const ok = okOf(call);
  const filter = { junction: "and", "summary.orders.total_amount": { conditions: { $more_than: [1_000] } } };
  const segment = await ok("POST /v1/segments", { name: "Big spenders", type: "auto-update", filter });
  const [ann, bob] = [(await ok("POST /v1/customers", { source_id: "ann" })).id, "bob"];
  await ok("POST /v1/customers", { source_id: bob });
  await ok("POST /v1/vouchers/CODE", { discount: { type: "AMOUNT", amount_off: 1 } });
  await ok("POST /v1/orders", { source_id: "o-1", amount: 5_000, status: "PAID", customer: { source_id: "ann" } });
  const members = async () =>
    (await ok(`GET /v1/customers?segment_id=${segment.id}&order=source_id`)).customers.map(
      ({ source_id }: { source_id: string }) => source_id,
    );
  return { project, ok, ann, members };
}

const waits = async () => (await lockWaits(db)) > 0;

const redeemables = [{ object: "voucher", id: "CODE" }];
const WRITES: [what: string, line: string, body: object, owner: string][] = [
  [
    "an order that changes its customer",
    "POST /v1/orders",
    { source_id: "o-1", customer: { source_id: "bob" } },
    "bob",
  ],
  ["an order that keeps its customer", "PUT /v1/orders/o-1", { amount: 6_000 }, "ann"],
  [
    "a redemption that gives an order to another customer",
    "POST /v1/redemptions",
    { redeemables, order: { source_id: "o-1", amount: 5_000 }, customer: { source_id: "bob" } },
    "bob",
  ],
];
for (const [what, line, body, owner] of WRITES)
  test(`${what} locks who had it until now before the order, and refreshes their segments`, async () => {
    const { project, ok, ann, members } = await world();
    assert.deepEqual(await members(), ["ann"]);
    const done = await transaction(db, async (tx) => {
      await tx`select id from customers where project_id = ${project.id} and id = ${ann} for no key update`;
      const writing = ok(line, body);
      writing.catch(() => {});
      await until("it waits for the customer", waits);
      await tx`select id from orders where project_id = ${project.id} for no key update nowait`;
      return { writing };
    });
    await done.writing;
    assert.deepEqual(await members(), [owner]);
  });

test("orders that two batches make are inserted in the order of their source ids", async () => {
  const project = await testProject(db);
  const row = (id: string, source_id: string) => {
    const amounts = { amount: 1, initial_amount: 1, discount_amount: 0, items_discount_amount: 0 };
    const applied = { applied_discount_amount: 0, items_applied_discount_amount: 0 };
    const rest = { status: "CREATED", customer_id: null, referrer_id: null, items: [], metadata: {}, redemptions: {} };
    return { id, source_id, ...amounts, ...applied, ...rest, created_at: NOW, updated_at: null } as unknown as OrderRow;
  };
  const save = (rows: OrderRow[]) =>
    open({ max: 1 })
      .begin((tx) => saveOrders(tx, project.id, rows))
      .then(
        () => "saved",
        (error) => error.code,
      );
  const running: Promise<string>[] = [];
  const waiting = (count: number) => async () => (await lockWaits(db)) === count;
  // The first batch is held up at its last source id while the second comes.
  await open({ max: 1 })
    .begin(async (tx) => {
      await saveOrders(tx, project.id, [row("ord_0", "m")]);
      running.push(save([row("ord_1", "b"), row("ord_2", "m"), row("ord_3", "a")]));
      await until("the first waits", waiting(1));
      running.push(save([row("ord_4", "a"), row("ord_5", "b")]));
      await until("the second waits", waiting(2));
      throw new Error("undone");
    })
    .catch(() => {});
  assert.deepEqual(await Promise.all(running), ["saved", "23505"]);
});

/** What somebody else does while a redemption waits, and what the redemption must have found in the end. */
type Meanwhile = {
  what: string;
  redemption: object;
  /** Holds a row that the redemption needs, and changes what it is called. */
  change(tx: Tx, projectId: string): Promise<unknown>;
  found(redemption: any, projectId: string): Promise<void>;
};
const only = async (rows: PromiseLike<readonly object[]>) => {
  const all = (await rows) as any[];
  assert.equal(all.length, 1);
  return all[0];
};
/** The redemption waits for the code, after all that it locks before. */
const holdCode = (tx: Tx, projectId: string) =>
  tx`select id from vouchers where project_id = ${projectId} and code = 'CODE' for no key update`;
const CHANGES: Meanwhile[] = [
  {
    what: "a code is renamed, and another gets its name: the other one is redeemed",
    redemption: { redeemables },
    change: async (tx, projectId) => {
      const rename = (from: string, to: string) =>
        tx`update vouchers set code = ${to}, code_folded = ${to.toLowerCase()}
          where project_id = ${projectId} and code = ${from}`;
      await rename("CODE", "OLD");
      await rename("OTHER", "CODE");
    },
    found: async ({ voucher }, projectId) => {
      const row = await only(
        db`select voucher_id as id from voucher_states where project_id = ${projectId} and redeemed_quantity = 1`,
      );
      assert.equal(voucher.id, row.id);
      assert.equal((await only(db`select code from vouchers where id = ${row.id}`)).code, "CODE");
    },
  },
  {
    what: "a customer gets another source id: whoever is named is a new one",
    redemption: { redeemables, customer: { source_id: "ann" } },
    change: (tx, projectId) =>
      tx`update customers set source_id = 'anna', tracking_id = null where project_id = ${projectId} and source_id = 'ann'`,
    found: async ({ customer_id }, projectId) => {
      const row = await only(db`select id from customers where project_id = ${projectId} and source_id = 'ann'`);
      assert.equal(customer_id, row.id);
      await only(db`select id from customers where project_id = ${projectId} and source_id = 'anna'`);
    },
  },
  {
    what: "a customer with the source id is made: it is that one",
    redemption: { redeemables, customer: { source_id: "zoe" } },
    change: async (tx, projectId) => {
      await holdCode(tx, projectId);
      await tx`
        insert into customers (project_id, id, source_id, metadata, created_at)
        values (${projectId}, 'cust_zoe', 'zoe', '{}', ${NOW}::timestamptz - interval '1 day')`;
    },
    found: async ({ customer_id }, projectId) => {
      assert.equal(customer_id, "cust_zoe");
      await only(db`select id from customers where project_id = ${projectId} and source_id = 'zoe'`);
    },
  },
  {
    what: "an order gets its source id: it is that order",
    redemption: { redeemables, order: { source_id: "o-9", amount: 5_000 } },
    change: async (tx, projectId) => {
      await holdCode(tx, projectId);
      await tx`update orders set source_id = 'o-9' where project_id = ${projectId} and source_id = 'o-1'`;
    },
    found: async ({ order }, projectId) => {
      const row = await only(db`select id from orders where project_id = ${projectId}`);
      assert.equal(order.id, row.id);
    },
  },
];
for (const { what, redemption, change, found } of CHANGES)
  test(`while a redemption waits, ${what}`, async () => {
    const { call, ok, project } = await testShop(open({ max: 4 }));
    for (const code of ["CODE", "OTHER"])
      await ok(`POST /v1/vouchers/${code}`, { discount: { type: "AMOUNT", amount_off: 1 } });
    await ok("POST /v1/customers", { source_id: "ann" });
    await ok("POST /v1/orders", { source_id: "o-1", amount: 5_000, customer: { source_id: "ann" } });
    const { redeeming } = await transaction(db, async (tx) => {
      await change(tx, project.id);
      const redeeming = call("POST /v1/redemptions", redemption);
      await until("it waits for what we hold", waits);
      return { redeeming };
    });
    const reply = await redeeming;
    assert.equal(reply.status, 200, reply.text);
    await found(reply.body.redemptions[0], project.id);
  });

/** Cards of an event's customer are locked with the first message, by whose they are: that is looked at again after a wait. */
async function earningWorld() {
  const { ok, project } = await testShop(db, {}, { hot: open({ max: 2 }) });
  const path = `/management/v1/projects/${project.id}/custom-event-schemas`;
  const { id: schema_id } = await ok(`POST ${path}`, { name: "visit", schema: { properties: {} } });
  const { id: customer_id } = await ok("POST /v1/customers", { source_id: "ann" });
  return { ok, project, schema_id, customer_id, track: () => ok("POST /v1/events", EVENT) };
}
const EVENT = { event: "visit", customer: { source_id: "ann" } };

/** Sends a request while another transaction holds a row and changes it, and waits for its answer. */
async function meanwhile(
  track: () => Promise<unknown>,
  change: (tx: Tx) => Promise<unknown>,
  look: (tx: Tx) => PromiseLike<unknown> = async () => {},
) {
  const { tracking } = await transaction(db, async (tx) => {
    await change(tx);
    const tracking = track();
    tracking.catch(() => {});
    await until("it waits for the row", waits);
    await look(tx);
    return { tracking };
  });
  await tracking;
}

test("an event puts no points on a card that is taken from its customer while it waits for it", async () => {
  const { ok, project, schema_id, track } = await earningWorld();
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
  });
  await ok(`POST /v1/loyalties/${club.id}/earning-rules`, [
    { event: "visit", custom_event: { schema_id }, loyalty: { type: "FIXED", points: 5 }, source: { banner: "b" } },
  ]);
  const sent = { campaign: { name: "Club" }, customer: { source_id: "ann" } };
  const { id, code } = (await ok("POST /v1/publications", sent)).voucher;
  const points = async () => (await ok(`GET /v1/vouchers/${code}`)).loyalty_card.balance;
  await track();
  assert.equal(await points(), 5);
  await meanwhile(
    track,
    (tx) => tx`update vouchers set holder_id = null where project_id = ${project.id} and id = ${id}`,
  );
  assert.equal(await points(), 5);
});

test("an event puts no points on the card of a member who is deleted while it waits for them", async () => {
  const { ok, project, schema_id, customer_id, track } = await earningWorld();
  const wallet = await ok("POST /v2/loyalties/card-definitions", { name: "w", type: "INDIVIDUAL", status: "ACTIVE" });
  const rule = await ok("POST /v2/loyalties/earning-rules", {
    name: "r",
    status: "ACTIVE",
    trigger: { event: "customer.custom_event", custom_event: { schema_id } },
    earnings: [{ effects: [{ points: { value: 5, card_definition_id: wallet.id } }] }],
  });
  const members: { id: string; path: string }[] = [];
  for (const name of ["one", "two"]) {
    const { id: programId } = await ok("POST /v2/loyalties/programs", {
      name,
      status: "ACTIVE",
      card_definitions: [{ id: wallet.id }],
      earning_rules: [{ id: rule.id }],
    });
    const path = `/v2/loyalties/programs/${programId}/members`;
    const { id } = await ok(`POST ${path}`, { customer_id });
    members.push({ id, path: `${path}/${id}` });
  }
  const [gone, kept] = members as [(typeof members)[0], (typeof members)[0]];
  await meanwhile(
    track,
    (tx) => tx`update loyalty_members set status = 'DELETED' where project_id = ${project.id} and id = ${gone.id}`,
  );
  const outcomes = await db`select member_id from earning_outcomes where project_id = ${project.id}`;
  assert.deepEqual(
    outcomes.map(({ member_id }) => member_id),
    [kept.id],
  );
  assert.equal((await ok(`GET ${kept.path}`)).cards[0].card.balance.points, 5);
});

/** A code that Ann shares, and a friend who may come through it. */
async function referralWorld() {
  const { ok, project } = await testShop(open({ max: 4 }));
  const voucher = { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 1 }, is_referral_code: true };
  const made = await ok("POST /v1/campaigns", { name: "Friends", campaign_type: "REFERRAL_PROGRAM", voucher });
  await ok(`POST /v1/campaigns/${made.id}/vouchers/SHARED`, {});
  await ok("POST /v1/publications", { voucher: "SHARED", customer: { source_id: "ann" } });
  const idOf = async (source_id: string): Promise<string> => (await ok("POST /v1/customers", { source_id })).id;
  const redeem = (source_id: string) =>
    ok("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id: "SHARED" }],
      order: { amount: 5_000 },
      customer: { source_id },
    });
  const brought = async () =>
    (await db`select referrer_id, referee_id from referral_conversions where project_id = ${project.id}`).map(
      (row) => ({
        ...row,
      }),
    );
  return { project, ann: await idOf("ann"), bob: await idOf("bob"), zoe: await idOf("zoe"), redeem, brought };
}

test("while a redemption waits, a referral code is given to another: the friend came through them", async () => {
  const { project, bob, zoe, redeem, brought } = await referralWorld();
  await meanwhile(
    () => redeem("zoe"),
    (tx) => tx`update vouchers set holder_id = ${bob}, referrer_id = ${bob} where project_id = ${project.id}`,
  );
  assert.deepEqual(await brought(), [{ referrer_id: bob, referee_id: zoe }]);
});

test("a redemption locks who shares a code before the code, and one that waits for them counts the friend once", async () => {
  const { project, ann, zoe, redeem, brought } = await referralWorld();
  await meanwhile(
    () => Promise.all([redeem("zoe"), redeem("zoe")]),
    (tx) => tx`select id from customers where project_id = ${project.id} and id = ${ann} for no key update`,
    (tx) => tx`select id from vouchers where project_id = ${project.id} for no key update nowait`,
  );
  assert.deepEqual(await brought(), [{ referrer_id: ann, referee_id: zoe }]);
});

test("while a rollback waits, its order is given to another customer: they are locked too", async () => {
  const { ok, project } = await testShop(open({ max: 4 }));
  await ok("POST /v1/vouchers/CODE", { discount: { type: "AMOUNT", amount_off: 1 } });
  const { id: bob } = await ok("POST /v1/customers", { source_id: "bob" });
  const order = { source_id: "o-1", amount: 5_000 };
  const made = await ok("POST /v1/redemptions", { redeemables, order, customer: { source_id: "ann" } });
  const holdBob = (tx: Tx) =>
    tx`select id from customers where project_id = ${project.id} and id = ${bob} for no key update`;
  const { undoing } = await transaction(db, async (other) => {
    await holdBob(other);
    const { undoing } = await transaction(db, async (tx) => {
      await tx`update orders set customer_id = ${bob} where project_id = ${project.id}`;
      const undoing = ok(`POST /v1/redemptions/${made.redemptions[0].id}/rollback`, {});
      undoing.catch(() => {});
      await until("it waits for the order", waits);
      return { undoing };
    });
    // It holds nothing of what comes after customers, so this order can be locked.
    await until("it waits for Bob, and the order is free", async () => {
      const [free] = await db`
        select id from orders where project_id = ${project.id} order by id for no key update skip locked`;
      return free !== undefined && (await waits());
    });
    return { undoing };
  });
  assert.equal((await undoing).order.customer_id, bob);
});

const ANN = { customer: { source_id: "ann" }, order: { source_id: "o-1", amount: 5_000 } };
/** Redemptions of the code `CODE`, alone or with what a rollback locks before codes. Each gives the request that undoes it. */
const UNDONE: Record<string, (shop: Awaited<ReturnType<typeof testShop>>) => Promise<string>> = {
  "of a stack of codes": async ({ ok }) => {
    const off = { discount: { type: "AMOUNT", amount_off: 1 } };
    for (const code of ["CODE", "OTHER"]) await ok(`POST /v1/vouchers/${code}`, off);
    const both = [...redeemables, { object: "voucher", id: "OTHER" }];
    const { parent_redemption } = await ok("POST /v1/redemptions", { redeemables: both, ...ANN });
    return `POST /v1/redemptions/${parent_redemption.id}/rollbacks`;
  },
  "with a tier": async ({ ok }) => {
    const discount = { type: "AMOUNT", amount_off: 1 };
    await ok("POST /v1/vouchers/CODE", { discount });
    const promotion = { tiers: [{ name: "t", banner: "b", action: { discount } }] };
    const made = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion });
    const both = [{ object: "promotion_tier", id: made.promotion.tiers[0].id }, ...redeemables];
    const { parent_redemption } = await ok("POST /v1/redemptions", { redeemables: both, ...ANN });
    return `POST /v1/redemptions/${parent_redemption.id}/rollbacks`;
  },
  "of a reward": async ({ ok }) => {
    const club = await ok("POST /v1/loyalties", {
      name: "Club",
      voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 100 } },
    });
    await ok(`POST /v1/campaigns/${club.id}/vouchers/CODE`, {});
    await ok("POST /v1/publications", { voucher: "CODE", customer: ANN.customer });
    const product = { id: (await ok("POST /v1/products", { name: "Mug" })).id };
    const { id } = await ok("POST /v1/rewards", { name: "Mug", parameters: { product } });
    const assigned = { campaign: club.id, parameters: { loyalty: { points: 10 } } };
    await ok(`POST /v1/rewards/${id}/assignments`, assigned);
    const { redemptions } = await ok("POST /v1/redemptions", {
      redeemables: [{ ...redeemables[0], reward: { id } }],
      ...ANN,
    });
    return `POST /v1/redemptions/${redemptions[0].id}/rollback`;
  },
};
for (const [what, redeemed] of Object.entries(UNDONE))
  test(`while a rollback ${what} waits for a code, it holds the customer and the order, and no redemption`, async () => {
    const shop = await testShop(open({ max: 4 }));
    const { ok, project } = shop;
    const undo = await redeemed(shop);
    const free = async (table: string) =>
      (await db`select from ${db(table)} where project_id = ${project.id} for no key update skip locked`).length;
    const redemptions = await free("redemptions");
    await meanwhile(
      () => ok(undo, {}),
      (tx) => holdCode(tx, project.id),
      async () => {
        const seen = [await free("customers"), await free("orders"), await free("redemptions")];
        assert.deepEqual(seen, [0, 0, redemptions]);
      },
    );
  });
