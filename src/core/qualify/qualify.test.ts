import assert from "node:assert/strict";
import { test } from "node:test";
import { type CartLine, cart } from "../../../test/support/carts.ts";
import { moment, offer, stack } from "../../../test/support/offers.ts";
import { gift, redeemable, rule, SITUATION } from "../../../test/support/redeemables.ts";
import type { Discount } from "../discounts/discount.ts";
import type { Order } from "../order/order.ts";
import type { CustomerFacts } from "../rules/facts.ts";
import { DEFAULT_STACKING, type StackingSettings } from "../stacking/settings.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import type { Situation } from "../validate/situation.ts";
import { compileOfferFilter } from "./filter.ts";
import type { Offer, SingleOffer } from "./offer.ts";
import { offersPage, type Paging, type Sources } from "./page.ts";
import { indexPromotions, usedPromotions } from "./promotions.ts";
import { questionOf } from "./qualify.ts";
import type { ScenarioName } from "./scenario.ts";
import { type ExpandWord, pageView } from "./view.ts";

const percent = (percent_off: number, effect?: "APPLY_TO_ORDER" | "APPLY_TO_ITEMS"): Discount => ({
  type: "PERCENT",
  percent_off,
  ...(effect && { effect }),
});
const included = (...ids: string[]) => ({
  applicable_to: { included: ids.map((id) => ({ object: "products_collection", id })) },
});
const where = (...rules: object[]) => ({ rules: Object.fromEntries(rules.map((one, n) => [String(n + 1), one])) });
const vip = { name: "customer.segment", conditions: { $is: ["seg_vip"] } };
const ownerOnly = { name: "publication.redeemable_by_linked_customer", conditions: { $is: [true] } };
const tier = (id: string, discount: Discount, given: Partial<Redeemable> = {}) =>
  redeemable(discount, { object: "promotion_tier", id, ref: id, label: "Promotion Tier", ...given });
const customer = (given: Partial<CustomerFacts> = {}): CustomerFacts => ({
  id: "cust_1",
  source_id: null,
  metadata: {},
  birthdate: null,
  segments: new Set(["seg_vip"]),
  loyalty_tiers: new Set(),
  ...given,
});

type QualifyOptions = {
  scenario?: ScenarioName;
  order?: Order | null;
  customer?: CustomerFacts | null;
  settings?: Partial<StackingSettings>;
  situation?: Partial<Situation>;
  filters?: Record<string, unknown>;
  paging?: Partial<Paging>;
  expand?: ExpandWord[];
  showsLocks?: boolean;
};
/** The whole way of a request: promotions through the index, codes and stacks beside it. */
function answer(promotions: readonly SingleOffer[], listed: readonly Offer[], asked: QualifyOptions = {}) {
  const question = questionOf(asked.scenario ?? "ALL", {
    order: asked.order ?? null,
    settings: { ...DEFAULT_STACKING, ...asked.settings },
    situation: { ...SITUATION, customer: asked.customer ?? null, ...asked.situation },
    filter: asked.filters ? compileOfferFilter(asked.filters) : null,
    showsLocks: asked.showsLocks ?? false,
  });
  const sources: Sources = { promotions: indexPromotions(promotions, "UTC"), listed };
  const page = offersPage(sources, question, { limit: 5, after: null, sorting: "DEFAULT", ...asked.paging });
  return pageView(page, {
    question,
    people: { customer_id: asked.customer?.id ?? null, referrer_id: null },
    expand: new Set(asked.expand),
    newLineId: () => "ordli_new",
  }) as any;
}
const ids = (page: any): string[] => page.data.map(({ id }: any) => id);

// A drill for 100.00 and a book for 15.00; ten percent for anyone, twenty on books for VIPs, and two codes of one owner.
const TWO: CartLine[] = [
  { product: "drill", price: 10000, collections: ["bosch"] },
  { product: "book", price: 1500, collections: ["books"] },
];
const ORDER = cart(TWO);
const T10 = offer(tier("T10", percent(10, "APPLY_TO_ORDER")), { created_at: moment(50) });
const GC = offer(
  redeemable(gift(2500), { id: "GC", ref: "v_gc", holder_ids: ["cust_1"], rules: [rule(where(ownerOnly), "val_own")] }),
  { created_at: moment(40), holder_roles: ["OWNER"] },
);
const onBosch = rule({ ...where(ownerOnly), ...included("bosch") }, "val_bosch");
const VC = offer(
  redeemable(percent(10), { id: "VC", ref: "v_vc", campaign_id: "CB", holder_ids: ["cust_1"], rules: [onBosch] }),
  { created_at: moment(30), holder_roles: ["OWNER"] },
);
const CB = offer(
  redeemable(percent(10), { id: "CB", ref: "CB", campaign_id: "CB", holder_ids: [], rules: [onBosch] }),
  {
    object: "campaign",
    created_at: moment(20),
  },
);
const T20 = offer(tier("T20", percent(20), { rules: [rule({ ...where(vip), ...included("books") }, "val_books")] }), {
  created_at: moment(10),
});
const PROMOTIONS = [T20, CB, T10];
const WALLET = [VC, GC];
const HOLDER = { order: ORDER, customer: customer() };

test("anonymous: what depends on a customer is left out", () => {
  const page = answer(PROMOTIONS, [], { order: ORDER });
  assert.deepEqual([ids(page), page.total, page.has_more], [["T10"], 1, false]);
  assert.equal("more_starting_after" in page, false);
  const { order } = page.data[0];
  assert.deepEqual(
    [order.amount, order.discount_amount, order.total_discount_amount, order.total_amount],
    [11500, 1150, 1150, 10350],
  );
  assert.deepEqual([order.applied_discount_amount, order.total_applied_discount_amount], [1150, 1150]);
});

test("a holder of codes: each entry alone on the order, newest first", () => {
  const page = answer(PROMOTIONS, WALLET, HOLDER);
  assert.deepEqual([ids(page), page.total], [["T10", "GC", "VC", "T20"], 4]);
  const [, gc, vc, t20] = page.data;
  assert.deepEqual(gc.result.gift, { credits: 2500, balance: 0 });
  assert.deepEqual([gc.order.discount_amount, gc.order.total_amount], [2500, 9000]);
  const items = (entry: any) => entry.order.items.map((item: any) => item.discount_amount ?? 0);
  assert.deepEqual([items(vc), vc.order.items_discount_amount, vc.order.total_amount], [[1000, 0], 1000, 10500]);
  assert.deepEqual([items(t20), t20.order.items_discount_amount, t20.order.total_amount], [[0, 300], 300, 11200]);
  const lines = (entry: any) => entry.applicable_to.data[0].order_item_indices;
  assert.deepEqual([lines(vc), lines(t20)], [[0], [1]]);
});

test("PRODUCTS_DISCOUNT: discounts on items of the order, rules about people are not asked", () => {
  const page = answer(PROMOTIONS, WALLET, { ...HOLDER, scenario: "PRODUCTS_DISCOUNT" });
  assert.deepEqual(
    page.data.map(({ id, object }: any) => [id, object]),
    [
      ["VC", "voucher"],
      ["CB", "campaign"],
      ["T20", "promotion_tier"],
    ],
  );
  assert.equal(page.data[1].order.total_amount, 10500);
  const stranger = { order: ORDER, customer: customer({ id: "cust_2", segments: new Set() }) };
  assert.deepEqual(ids(answer(PROMOTIONS, [], { ...stranger, scenario: "PRODUCTS_DISCOUNT" })), ["CB", "T20"]);
  assert.deepEqual(ids(answer(PROMOTIONS, [], { ...stranger, scenario: "PRODUCTS_DISCOUNT_BY_CUSTOMER" })), []);
  assert.deepEqual(ids(answer(PROMOTIONS, WALLET, { ...HOLDER, scenario: "PRODUCTS_DISCOUNT_BY_CUSTOMER" })), [
    "VC",
    "T20",
  ]);
});

test("AUDIENCE_ONLY: what was not asked is named, and nothing else keeps an entry out", () => {
  const given = (n: number) => ({
    created_at: moment(n),
    category_id: "cat_1",
    category: { id: "cat_1", name: "One", hierarchy: 1, object: "category" },
    assignments: [{ id: "asgm_1", rule_id: "val_1", object: "validation_rules_assignment" }],
  });
  const big = rule(where({ name: "order.initial_amount", conditions: { $more_than: [1_000_000] } }));
  const units = new Map([
    [
      "mug",
      {
        product: { id: "mug", source_id: null, name: null, price: 3500, metadata: {} },
        sku: null,
        collections: [],
      },
    ],
  ]);
  const promotions = [
    offer(
      tier("items25", percent(25), {
        rules: [{ ...big, definition: { ...big.definition, ...onBosch.definition, rules: big.definition.rules } }],
      }),
      given(9),
    ),
    offer(tier("order15", percent(15, "APPLY_TO_ORDER"), { category_id: "cat_1" }), { ...given(8), assignments: [] }),
    offer(tier("unit", { type: "UNIT", unit_off: 1, unit_type: "mug", effect: "ADD_MISSING_ITEMS" }), given(7)),
    offer(tier("items20", percent(20), { rules: [rule({ ...where(vip), ...included("bosch") })] }), given(6)),
  ];
  const page = answer(promotions, WALLET, {
    scenario: "AUDIENCE_ONLY",
    order: cart([{ amount: 10000 }, { amount: 40000 }]),
    customer: customer(),
    situation: { units },
    settings: { exclusive_categories: ["cat_1"] },
    filters: { resource_type: { conditions: { $is: ["promotion_tier"] } } },
    expand: ["redeemable", "validation_rules", "category"],
  });
  assert.deepEqual(
    page.data.map(({ id, order }: any) => [id, order.amount, order.total_amount]),
    [
      ["items25", 50000, 50000],
      ["order15", 50000, 42500],
      ["unit", 53500, 50000],
      ["items20", 50000, 50000],
    ],
  );
  const [items25, order15, , items20] = page.data;
  assert.deepEqual(items25.validation_rules_assignments, {
    object: "list",
    data_ref: "data",
    data: [
      {
        id: "asgm_1",
        rule_id: "val_1",
        object: "validation_rules_assignment",
        validation_status: "PARTIALLY_VALID",
        validation_omitted_rules: ["1"],
      },
    ],
    total: 1,
  });
  assert.equal(items20.validation_rules_assignments.data[0].validation_status, "VALID");
  assert.equal("validation_rules_assignments" in order15, false);
  assert.deepEqual(order15.categories, [
    { id: "cat_1", name: "One", hierarchy: 1, object: "category", stacking_rules_type: "EXCLUSIVE" },
  ]);
});

test("the best deal first, or the least, and a page begins after the entry that the cursor names", () => {
  const sorted = (sorting: Paging["sorting"], given: Partial<Paging> = {}) =>
    answer(PROMOTIONS, WALLET, { ...HOLDER, paging: { sorting, ...given } });
  assert.deepEqual(ids(sorted("BEST_DEAL")), ["GC", "T10", "VC", "T20"]);
  assert.deepEqual(ids(sorted("LEAST_DEAL")), ["T20", "VC", "T10", "GC"]);
  const first = sorted("BEST_DEAL", { limit: 2 });
  assert.deepEqual([ids(first), first.has_more, first.more_starting_after], [["GC", "T10"], true, moment(50)]);
  const second = sorted("BEST_DEAL", { limit: 2, after: first.more_starting_after });
  assert.deepEqual([ids(second), second.has_more], [["VC", "T20"], false]);
  assert.deepEqual(ids(sorted("BEST_DEAL", { after: moment(35) })), ["VC", "T20"]);
});

test("a code alone with an empty order: nothing is shown that was not sent", () => {
  const voucher = offer(redeemable({ type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ORDER" }));
  const expand: ExpandWord[] = ["redeemable", "category", "validation_rules"];
  const [entry] = answer([], [voucher], { order: cart([]), expand }).data;
  const none = { data: [], total: 0, data_ref: "data", object: "list" };
  assert.deepEqual(entry, {
    id: "CODE",
    object: "voucher",
    created_at: "2026-01-01T00:00:00.000000Z",
    result: { discount: { type: "AMOUNT", effect: "APPLY_TO_ORDER", amount_off: 1000, is_dynamic: false } },
    order: { customer_id: null, referrer_id: null, object: "order" },
    applicable_to: none,
    inapplicable_to: none,
    metadata: {},
    categories: [],
  });
});

test("names, campaign and banner are shown of what has them; a campaign does not name itself twice", () => {
  const named = { name: "Spring", campaign_id: "camp_1", campaign_name: "Season", banner: "10% off" };
  const promotions = [
    offer(tier("T", percent(1, "APPLY_TO_ORDER"), { metadata: { a: 1 } }), { ...named, created_at: moment(2) }),
    offer(redeemable(percent(1, "APPLY_TO_ORDER"), { id: "camp_1", ref: "camp_1" }), {
      ...named,
      object: "campaign",
      banner: null,
      created_at: moment(1),
    }),
  ];
  const [one, two] = answer(promotions, [], { order: ORDER, expand: ["redeemable"] }).data;
  assert.deepEqual(
    [one.name, one.campaign_id, one.campaign_name, one.banner, one.metadata],
    ["Spring", "camp_1", "Season", "10% off", { a: 1 }],
  );
  assert.deepEqual(
    [two.name, two.campaign_id, two.campaign_name, two.banner],
    ["Spring", undefined, undefined, undefined],
  );
  const [plain] = answer(promotions, [], { order: ORDER }).data;
  assert.deepEqual([plain.metadata, plain.name, plain.campaign_id], [undefined, undefined, undefined]);
});

test("disabled, expired, not started and used up are never returned", () => {
  const dates = (given: object) => ({ validity: { ...redeemable(percent(1)).validity, ...given } });
  const off = percent(1, "APPLY_TO_ORDER");
  const states: Partial<Redeemable>[] = [
    { is_active: false },
    dates({ expiration_date: "2025-12-31T23:59:59Z" }),
    dates({ start_date: "2026-01-01T12:00:00.001Z" }),
    dates({ validity_day_of_week: [0] }),
  ];
  const promotions = states.map((state, n) => offer(tier(`T${n}`, off, state), { created_at: moment(n) }));
  const codes = [...states, { quantity: 1, redeemed: 1 }, { quantity: 2, redeemed: 1, locked: 1 }].map((state, n) =>
    offer(redeemable(off, { id: `C${n}`, ref: `v_${n}`, ...state }), { created_at: moment(100 + n) }),
  );
  assert.deepEqual(ids(answer(promotions, codes, { order: ORDER })), []);
  const edges = [
    dates({ expiration_date: "2026-01-01T12:00:00Z" }),
    dates({ start_date: "2026-01-01T12:00:00Z", expiration_date: "2026-01-02" }),
  ].map((state, n) => offer(tier(`E${n}`, off, state), { created_at: moment(n) }));
  assert.deepEqual(ids(answer(edges, [], { order: ORDER })), ["E1", "E0"]);
});

test("a gift card shows what is held of it when a session is sent", () => {
  const card = offer(redeemable(gift(2500, { locked: 500 }), { id: "G" }));
  const show = (asked: QualifyOptions, of = card) =>
    answer([], [of], { scenario: "CUSTOMER_WALLET", ...asked }).data.map(({ result }: any) => result.gift);
  const showsLocks = true;
  assert.deepEqual(show({ order: ORDER, showsLocks }), [{ credits: 2000, balance: 0, locked_credits: 500 }]);
  assert.deepEqual(show({ order: cart([], { amount: 300 }) }), [{ credits: 300, balance: 1700 }]);
  // One that sessions hold all of is shown to who asks what they hold.
  const held = offer(redeemable(gift(500, { locked: 500 }), { id: "H" }));
  assert.deepEqual(show({ order: ORDER }, held), []);
  assert.deepEqual(show({ order: ORDER, showsLocks }, held), [{ credits: 0, balance: 0, locked_credits: 500 }]);
  assert.deepEqual(show({ order: ORDER, scenario: "AUDIENCE_ONLY" }, held), [{ credits: 0, balance: 0 }]);
});

test("a gift card without an amount to pay is offered only where the cart is not asked for, an empty one nowhere", () => {
  const card = offer(redeemable(gift(2500, { locked: 500 }), { id: "G" }));
  const shown = (scenario: ScenarioName, order: Order | null, of = card) =>
    answer([], [of], { scenario, order }).data.map(({ result }: any) => result.gift);
  for (const order of [null, cart([])]) {
    assert.deepEqual(shown("ALL", order), []);
    assert.deepEqual(shown("CUSTOMER_WALLET", order), []);
    assert.deepEqual(shown("AUDIENCE_ONLY", order), [{ credits: 2000, balance: 0 }]);
    assert.deepEqual(shown("AUDIENCE_ONLY", order, offer(redeemable(gift(0), { id: "E" }))), []);
    const campaign = { ...card, object: "campaign" as const };
    assert.deepEqual(answer([campaign], [], { order }).data[0].result.gift, { credits: 2000, balance: 0 });
  }
});

test("a loyalty card without a reward may be used and buys nothing", () => {
  const points = { kind: "points", balance: 100, received: 150, locked: 10 } as const;
  const exchange = { exchange_ratio: 20, points_ratio: 100 };
  const benefit = { ...points, exchange, reward: null, requested: null };
  const card = offer(redeemable(benefit, { id: "L", label: "Loyalty Card" }));
  const [entry] = answer([], [card], { scenario: "CUSTOMER_WALLET", order: ORDER }).data;
  assert.deepEqual(
    [entry.result, entry.order.total_amount],
    [{ loyalty_card: { points: 150, balance: 90, ...exchange } }, 11500],
  );
});

test("PRODUCTS: a discount on an item, a rule that asks for one, a free unit of one; nothing else", () => {
  const asksFor = (id: string, name = "order.items.any") =>
    rule(where({ name, conditions: { $is: [{ id, object: "product" }] } }));
  const given: [string, Discount, Partial<Redeemable>][] = [
    ["order", percent(1, "APPLY_TO_ORDER"), {}],
    ["required", percent(1, "APPLY_TO_ORDER"), { rules: [asksFor("drill")] }],
    ["forbidden", percent(1, "APPLY_TO_ORDER"), { rules: [asksFor("hat", "order.items.none")] }],
    ["absent", percent(1, "APPLY_TO_ORDER"), { rules: [asksFor("hat")] }],
    ["books", percent(1), { rules: [rule(included("books"))] }],
    ["hats", percent(1), { rules: [rule(included("hats"))] }],
    ["all", percent(1, "APPLY_TO_ITEMS"), {}],
    ["free", { type: "UNIT", unit_off: 1, unit_type: "book", effect: "ADD_MISSING_ITEMS" }, {}],
    ["other", { type: "UNIT", unit_off: 1, unit_type: "hat", effect: "ADD_MISSING_ITEMS" }, {}],
    [
      "dear",
      percent(1),
      {
        rules: [
          rule({ ...where({ name: "order.initial_amount", conditions: { $more_than: [1e9] } }), ...included("books") }),
        ],
      },
    ],
  ];
  const promotions = given.map(([id, discount, more], n) => offer(tier(id, discount, more), { created_at: moment(n) }));
  const found = (scenario: ScenarioName) =>
    ids(answer(promotions, [], { scenario, order: ORDER, paging: { limit: 50 } }));
  assert.deepEqual(found("PRODUCTS").toSorted(), ["all", "books", "dear", "free", "required"]);
  assert.deepEqual(found("PRODUCTS_DISCOUNT").toSorted(), ["books", "dear", "free"]);
});

test("a bundle has to be there, except where only people or products are asked about", () => {
  const bundle = rule({
    bundle_rules: {
      "1": {
        name: "order.items.any",
        conditions: { $is: [{ id: "drill", type: "product_or_sku", object: "product" }] },
        rules: { "1": { name: "order.items.aggregated_quantity", conditions: { $is: [2] }, rules: {} }, logic: "1" },
      },
      limit: 1,
    },
  });
  const promotions = [
    offer(tier("B", { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ORDER" }, { rules: [bundle] })),
  ];
  assert.deepEqual(ids(answer(promotions, [], { order: ORDER })), []);
  for (const scenario of ["AUDIENCE_ONLY", "PRODUCTS"] as const) {
    const [entry] = answer(promotions, [], { order: ORDER, scenario }).data;
    assert.deepEqual([entry.result.bundle.quantity, entry.result.discount.amount_off], [0, 500]);
  }
});

test("PROMOTION_STACKS: every tier has to apply, each on what those before left", () => {
  const tiers = [offer(tier("A", percent(10, "APPLY_TO_ORDER"))), offer(tier("B", percent(50, "APPLY_TO_ORDER")))];
  const refused = offer(tier("C", percent(1), { rules: [rule(where(vip))] }));
  const listed = [stack("whole", tiers, { name: "Both" }), stack("part", [...tiers, refused]), stack("empty", [])];
  const page = answer([], listed, {
    scenario: "PROMOTION_STACKS",
    order: cart([], { amount: 10000 }),
    settings: { redeemables_sorting_rule: "CATEGORY_HIERARCHY", redeemables_application_mode: "PARTIAL" },
    expand: ["redeemable"],
  });
  assert.deepEqual(ids(page), ["whole"]);
  const [entry] = page.data;
  assert.deepEqual([entry.object, entry.name, entry.order.total_amount], ["promotion_stack", "Both", 4500]);
  assert.deepEqual(
    entry.redeemables.map(({ id, object, order }: any) => [id, object, order.total_amount]),
    [
      ["A", "promotion_tier", 9000],
      ["B", "promotion_tier", 4500],
    ],
  );
});

test("counts that are known only now are asked of the caller", () => {
  const daily = rule(where({ name: "redemption.count.daily", conditions: { $less_than_or_equal: [1] } }));
  const monthly = rule(where({ name: "campaign.redemptions.count.monthly", conditions: { $less_than: [1] } }));
  const promotion = offer(tier("T", percent(1, "APPLY_TO_ORDER"), { rules: [daily] }));
  const question = questionOf("ALL", { order: ORDER, settings: DEFAULT_STACKING, situation: SITUATION, filter: null });
  const sources: Sources = { promotions: indexPromotions([promotion], "UTC"), listed: [] };
  const paging: Paging = { limit: 5, after: null, sorting: "DEFAULT" };
  const used = ({ redeemable: known }: SingleOffer): Redeemable => ({
    ...known,
    counts: { ...known.counts, incentive: { total: 1, day: 1, week: 1, month: 1 } },
  });
  const query = {
    scenario: question.scenario,
    facts: { customer: null, order: ORDER, now: SITUATION.now },
    after: null,
  };
  const limited = offer(tier("L", percent(1), { rules: [monthly] }));
  const found = usedPromotions(indexPromotions([T10, limited, promotion], "UTC"), query);
  assert.deepEqual(new Set(found), new Set([limited, promotion]));
  assert.equal(offersPage(sources, question, paging).matches.length, 1);
  assert.equal(offersPage({ ...sources, current: used }, question, paging).matches.length, 0);
});
