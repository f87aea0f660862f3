import { raiseRevision } from "../src/catalog/changes.ts";
import { formulaFault } from "../src/core/formula/parse.ts";
import { parseDefinition } from "../src/core/rules/definition.ts";
import { NO_SETTINGS } from "../src/core/vouchers/settings.ts";
import type { Pool } from "../src/db/db.ts";
import { seeded } from "../src/demo/requests.ts";
import { takeStamps } from "../src/resources/promotions/vouchers/store.ts";
import { newId, now } from "../src/sources.ts";
import { CHANNELS, CITIES, COUNTRIES, numbers, PRODUCTS, type Shop } from "./shop.ts";

const TIERS_A_CAMPAIGN = 100;
const ROWS_A_STATEMENT = 500;
/** One promotion in so many has no condition that an index could find it by. */
const UNINDEXED_EVERY = 10;

type Conditions = { name: string; property?: string; conditions: object }[];
type Random = ReturnType<typeof seeded>;

/** A condition that about 4.5% of the carts meet, and that the index finds. */
function selective({ segments, products }: Shop, { integer, pick }: Random, n: number) {
  if (n % 3 === 0) return { name: "customer.metadata", property: "city", conditions: { $is: [pick(CITIES)] } };
  if (n % 3 === 1) return { name: "customer.segment", conditions: { $is: [pick(segments)] } };
  const ids = new Set(numbers(5).map(() => products[integer(0, PRODUCTS - 1)]!));
  return { name: "order.items.any", conditions: { $is: [...ids].map((id) => ({ id, object: "product" })) } };
}

/** Conditions that many carts meet, and that the index cannot use, or would not. */
const loose = ({ integer }: Random): Conditions => [
  { name: "order.items.count", conditions: { $more_than: [integer(1, 12)] } },
  { name: "order.initial_amount", conditions: { $less_than: [integer(8_000, 60_000)] } },
  { name: "customer.metadata", property: "points", conditions: { $more_than: [integer(0, 700)] } },
  { name: "customer.metadata", property: "country", conditions: { $not_in: numbers(4).map((k) => COUNTRIES[k * 2]!) } },
  { name: "order.metadata", property: "channel", conditions: { $not_in: [CHANNELS[integer(0, 2)]!] } },
];
const taken = <T>({ integer }: Random, values: readonly T[], count: number): T[] => {
  const rest = [...values];
  return numbers(count).map(() => rest.splice(integer(0, rest.length - 1), 1)[0]!);
};

/** Three to five conditions. */
function conditionsOf(shop: Shop, random: Random, n: number): Conditions {
  const count = random.integer(3, 5);
  if (n % UNINDEXED_EVERY === 0) return taken(random, loose(random), count);
  return [selective(shop, random, n), ...taken(random, loose(random), count - 1)];
}

/** Three to five conditions that every cart meets. */
const always = ({ integer }: Random): Conditions =>
  [
    { name: "order.items.count", conditions: { $more_than: [0] } },
    { name: "order.initial_amount", conditions: { $less_than: [10_000_000] } },
    { name: "customer.metadata", property: "points", conditions: { $more_than: [-1] } },
    { name: "customer.metadata", property: "country", conditions: { $not_in: ["Nowhere"] } },
    { name: "order.metadata", property: "channel", conditions: { $not_in: ["fax"] } },
  ].slice(0, integer(3, 5));

export const manyPromotions = (db: Pool, shop: Shop, count: number): Promise<void> =>
  insertPromotions(db, shop, { count, conditions: (random, n) => conditionsOf(shop, random, n) });
export const fewPromotions = (db: Pool, shop: Shop, count: number): Promise<void> =>
  insertPromotions(db, shop, { count, conditions: always });

type Wanted = { count: number; conditions(random: Random, n: number): Conditions };

/** Past the interface, which would take minutes: the rows are those that it writes, definitions are checked as there. */
async function insertPromotions(db: Pool, { project }: Shop, { count, conditions }: Wanted): Promise<void> {
  const random = seeded(3);
  const project_id = project.id;
  const at = now();
  const campaigns = numbers(Math.ceil(count / TIERS_A_CAMPAIGN)).map(() => newId("camp"));
  const rows = numbers(count).map((n) => {
    const list = conditions(random, n).map((one) => ({ property: null, rules: {}, ...one }));
    const rules = {
      ...Object.fromEntries(list.map((one, k) => [k + 1, one])),
      logic: list.map((_, k) => k + 1).join(" and "),
    };
    const definition = parseDefinition({ rules }, formulaFault);
    return { tier: newId("promo"), rule: newId("val"), assignment: newId("asgm"), definition, n };
  });
  await db.begin(async (tx) => {
    const first = Temporal.Instant.from(
      await takeStamps(tx as never, project_id, { now: at, count: count + campaigns.length }),
    );
    const stamp = (n: number) => first.add({ microseconds: n }).toString({ smallestUnit: "microsecond" });
    const made = { project_id, created_at: at };
    await insert(tx, "campaigns", campaigns, (id, n) => ({
      project_id,
      id,
      name: `Promotions ${n}`,
      campaign_type: "PROMOTION",
      type: "STATIC",
      created_at: stamp(count + n),
    }));
    await insert(tx, "voucher_templates", campaigns, (campaign_id) => ({
      project_id,
      campaign_id,
      version: 1,
      settings: NO_SETTINGS,
    }));
    await insert(tx, "campaign_codes", campaigns, (campaign_id) => ({
      project_id,
      campaign_id,
      creation_status: "DONE",
      vouchers_generation_status: "DONE",
    }));
    await insert(tx, "validation_rules", rows, ({ rule, definition, n }) => ({
      ...made,
      id: rule,
      name: `Rule ${n}`,
      ...definition,
      type: "expression",
      context_type: "global",
    }));
    await insert(tx, "promotion_tiers", rows, ({ tier, n }) => ({
      project_id,
      id: tier,
      campaign_id: campaigns[Math.floor(n / TIERS_A_CAMPAIGN)],
      name: `Tier ${n}`,
      action: { discount: { type: "PERCENT", percent_off: 1 + (n % 20), effect: "APPLY_TO_ORDER" } },
      hierarchy: (n % TIERS_A_CAMPAIGN) + 1,
      created_at: stamp(n),
    }));
    await insert(tx, "validation_rule_assignments", rows, ({ tier, rule, assignment }) => ({
      ...made,
      id: assignment,
      rule_id: rule,
      related_object_type: "promotion_tier",
      related_object_id: tier,
    }));
    await raiseRevision(tx as never, project_id, [
      ...campaigns.map((id) => ({ kind: "campaign" as const, id })),
      ...rows.map(({ tier }) => ({ kind: "promotion_tier" as const, id: tier })),
      ...rows.map(({ rule }) => ({ kind: "validation_rule" as const, id: rule })),
      ...rows.map(({ assignment }) => ({ kind: "validation_rule_assignment" as const, id: assignment })),
    ]);
  });
}

async function insert<T>(
  tx: Parameters<Parameters<Pool["begin"]>[1]>[0],
  table: string,
  values: readonly T[],
  row: (value: T, n: number) => object,
): Promise<void> {
  const rows = values.map(row);
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT)
    await tx`insert into ${tx(table)} ${tx(rows.slice(at, at + ROWS_A_STATEMENT) as never)}`;
}
