import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";
import { hold } from "../support/hold.ts";
import { lockWaits } from "../support/nodes.ts";
import { atMost, errorsOf, sender, twoServers, voucher, type World, worldOf } from "../support/two-servers.ts";

// A limit comes while 16 clients redeem over two server processes. Some codes are held, so that redemptions that began
// before the limit wait until it holds and is used up; the others go on, and end whenever they do.
const database = await testDatabase();
const { db } = database;
const servers = await twoServers(database);

const CLIENTS = 16;
const CODES = 8;
const ofItems = { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" } };
const anna = { customer: { source_id: "anna" } };

type Kind = {
  name: string;
  /** What the limit counts of: all codes of a campaign, or one code, which all clients redeem. */
  of: "campaign" | "voucher";
  /** A limit that nobody reaches is there before, and is lowered; otherwise the rule is assigned with the limit. */
  isLowered: boolean;
  /** What clients send beside the code. */
  prepare(world: World): Promise<object>;
  /** The rule, of so many redemptions or units. */
  rule(n: number, sent: any): object;
};

/** A rule about a fact, of which each redemption adds so much. */
const counted = (name: string, of: Kind["of"], { each = 1, sent = {} } = {}): Kind => ({
  name,
  of,
  // An assignment to a code would wait for the code, which is held.
  isLowered: of === "voucher",
  prepare: async () => sent,
  rule: (n) => ({ rules: atMost(name, n * each) }),
});

const UNITS = "product_campaign_quantity_limit";
const KINDS: Kind[] = [
  counted("campaign.redemptions.count", "campaign"),
  counted("campaign.orders.amount_discounted", "campaign", { each: 100 }),
  counted("campaign.redemptions.customers_count", "campaign", { sent: anna }),
  counted("redemption.count.per_customer", "voucher", { sent: anna }),
  counted("redemption.count.per_api_key", "voucher"),
  {
    name: UNITS,
    of: "campaign",
    // Units count from when something limits them.
    isLowered: true,
    prepare: async ({ ok }) => {
      const { id } = await ok("POST /v1/products", { name: "Shirt", price: 100 });
      return { order: { items: [{ product_id: id, quantity: 3 }] } };
    },
    rule: (n, { order }) => ({
      applicable_to: {
        included: [{ object: "product", id: order.items[0].product_id, [UNITS]: n }],
        included_all: false,
      },
    }),
  },
];

for (const kind of KINDS)
  test(`${kind.name} is limited under load: never more than the limit, or than there was when it was answered`, async () => {
    const world = await worldOf(db, (project) => sender(servers, project));
    const { ok, project, send } = world;
    const isUnits = kind.name === UNITS;
    const campaign = await world.campaign("C", CODES, isUnits ? { voucher: ofItems } : {});
    await ok("POST /v1/customers", anna.customer);
    const codes = Array.from({ length: kind.of === "campaign" ? CODES : 1 }, (_, n) => `C-${n}`);
    const sent = await kind.prepare(world);
    const ruleOf = (n: number) => ({ name: "Limit", ...kind.rule(n, sent) });
    const { id: rule } = await ok("POST /v1/validation-rules", ruleOf(1_000_000));
    const { id } = kind.of === "campaign" ? campaign : await ok("GET /v1/vouchers/C-0");
    const assign = () =>
      ok(`POST /v1/validation-rules/${rule}/assignments`, { related_object_type: kind.of, related_object_id: id });
    const set = (n: number) => ok(`PUT /v1/validation-rules/${rule}`, ruleOf(n));
    if (kind.isLowered) await assign();
    // Redemptions, or what they noted of the units that were limited.
    const count = async (of: Pick<typeof db, "unsafe"> = db): Promise<number> => {
      const [row] = await of.unsafe<{ count: number }[]>(
        `select ${isUnits ? "coalesce(sum((effect #>> '{units,0,3}')::int), 0)::int" : "count(*)::int"} as count
         from redemptions where project_id = $1 and result = 'SUCCESS' and object = 'redemption'`,
        [project.id],
      );
      return row!.count;
    };

    let left = Number.POSITIVE_INFINITY;
    let refused = 0;
    const client = async (n: number) => {
      const request = world.redeeming([voucher(codes[n % codes.length]!)], sent);
      for (let own = left; own > 0; own = Math.min(own, left) - 1) {
        const { status, body, text } = await send(request);
        if (status === 200) continue;
        refused += 1;
        assert.equal(body.key, "redemption_rules_violated", text);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
    const meanwhile = (holds: () => Promise<boolean>, what: string) => Promise.race([eventually(holds, what), clients]);
    await meanwhile(async () => (await count()) > 4, "redemptions are made");
    const held = codes.slice(0, 2);
    const release = await hold(
      db,
      (tx) => tx`select 1 from vouchers where project_id = ${project.id} and code = any(${held}) for update`,
    );
    await meanwhile(async () => (await lockWaits(db)) > 0, "redemptions wait");
    const others = codes.length - held.length;
    const n = (await count()) + (others > 0 ? 10 : 0);
    await set(n);
    if (!kind.isLowered) await assign();
    // Whoever asked whether a limit came, and was told no, is about to commit: they are waited for, and were before it.
    const before = await db.begin(async (tx) => {
      await tx`lock table redemptions in share mode`;
      return count(tx);
    });
    const most = Math.max(n, before);
    await meanwhile(async () => (await count()) >= most, "the others use the limit up");
    await release();
    left = 2;
    await clients;
    assert.equal(await count(), most);
    // With no units left a code still takes nothing off.
    assert.equal(refused > 0, !isUnits);
  });

test("no server logged an error", () => {
  for (const server of servers) assert.deepEqual(errorsOf(server), []);
});
