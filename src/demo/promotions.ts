import { answeredId, type DemoRequest } from "./requests.ts";

// Everything that is worth something. A promotion of the demo exists once for each thing that the engine can do.

const product = (name: string) => ({ object: "product", id: answeredId(name) });
const collection = (name: string) => ({ object: "products_collection", id: answeredId(name) });
const included = (...entries: object[]) => ({ included: entries, excluded: [], included_all: false });
export const percent = (percent_off: number, more: object = {}) => ({ type: "PERCENT", percent_off, ...more });
export const amount = (amount_off: number, more: object = {}) => ({ type: "AMOUNT", amount_off, ...more });
// By the first amount, so that a code beside it takes nothing away.
const orderFrom = (least: number, message: string) => ({
  "1": { name: "order.initial_amount", conditions: { $more_than_or_equal: [least] }, error: { message } },
});
const partOfBundle = (name: string, quantity: number) => ({
  name: "order.items.any",
  conditions: { $is: [{ ...product(name), type: "product_or_sku" }] },
  rules: { "1": { name: "order.items.aggregated_quantity", conditions: { $is: [quantity] } }, logic: "1" },
});

/** Validation rules by the name that a code or a tier uses. */
const RULES: Readonly<Record<string, object>> = {
  "Free shipping from 50": {
    rules: {
      "1": {
        name: "order.items.any",
        conditions: { $is: [{ ...collection("Goods"), type: "products_collection" }] },
        rules: {
          "1": {
            name: "order.items.aggregated_amount",
            conditions: { $more_than_or_equal: [5000] },
            error: { message: "Free shipping starts at 50.00" },
          },
        },
      },
    },
    applicable_to: included(product("shipping")),
  },
  "The second item": {
    applicable_to: included({
      ...collection("Goods"),
      effect: "APPLY_FROM_MOST_EXPENSIVE",
      target: "UNIT",
      skip_initially: 1,
      aggregated_quantity_limit: 1,
    }),
  },
  "T-shirts": { applicable_to: included(product("tee")) },
  "Up to three shirts": { applicable_to: included({ ...collection("Shirts"), aggregated_quantity_limit: 3 }) },
  Goods: { applicable_to: included(collection("Goods")) },
  "Coffee kit": {
    bundle_rules: { "1": partOfBundle("beans", 2), "2": partOfBundle("grinder", 1), logic: "1 and 2", limit: 1 },
    applicable_to: included({ ...product("beans"), quantity_limit: 2 }, { ...product("grinder"), quantity_limit: 1 }),
  },
  "VIP customers only": {
    rules: {
      "1": {
        name: "customer.segment",
        conditions: { $is: [answeredId("VIP customers")] },
        error: { message: "For VIP customers only" },
      },
    },
  },
  "Once for each customer": {
    rules: { "1": { name: "redemption.count.per_customer", conditions: { $less_than_or_equal: [1] } } },
  },
  "From 50": { rules: orderFrom(5000, "Spend 50.00 or more") },
  "From 100": { rules: orderFrom(10_000, "Spend 100.00 or more") },
  "From 150": { rules: orderFrom(15_000, "Spend 150.00 or more") },
};

type Code = { code: string; says: string; rule?: string; body: object };

/** The codes that the documents use. */
const CODES: readonly Code[] = [
  { code: "WELCOME10", says: "10% off the order", body: { discount: percent(10), category: "Welcome" } },
  { code: "SUMMER5", says: "5.00 off the order", body: { discount: amount(500), category: "Seasonal" } },
  {
    code: "FREESHIP",
    says: "free shipping from 50.00",
    rule: "Free shipping from 50",
    body: { discount: percent(100, { effect: "APPLY_TO_ITEMS" }) },
  },
  {
    code: "SECOND10",
    says: "10% off the second item",
    rule: "The second item",
    body: { discount: percent(10, { effect: "APPLY_TO_ITEMS" }) },
  },
  {
    code: "TEE15",
    says: "T-shirts for 15.00",
    rule: "T-shirts",
    body: { discount: { type: "FIXED", fixed_amount: 1500, effect: "APPLY_TO_ITEMS" } },
  },
  {
    code: "SHIRTS5",
    says: "5.00 off each of up to three shirts",
    rule: "Up to three shirts",
    body: { discount: amount(500, { effect: "APPLY_TO_ITEMS_BY_QUANTITY" }) },
  },
  {
    code: "SPLIT12",
    says: "12.00 spread over the goods by their price",
    rule: "Goods",
    body: { discount: amount(1200, { effect: "APPLY_TO_ITEMS_PROPORTIONALLY" }) },
  },
  {
    code: "FREEMUG",
    says: "a free mug is added",
    body: { discount: { type: "UNIT", unit_off: 1, unit_type: answeredId("mug"), effect: "ADD_NEW_ITEMS" } },
  },
  {
    code: "COFFEEKIT",
    says: "15% off two bags of beans with a grinder",
    rule: "Coffee kit",
    body: { discount: percent(15, { effect: "APPLY_TO_ITEMS" }) },
  },
  {
    code: "YEARS",
    says: "5% and 1% more for each year as a member, at most 15%",
    body: { discount: percent(5, { percent_off_formula: 'MIN(5 + CUSTOMER_METADATA("member_years"); 15)' }) },
  },
  {
    code: "HAPPYHOUR",
    says: "20% off from 16:00 to 18:00",
    body: {
      discount: percent(20),
      validity_hours: {
        daily: [{ start_time: "16:00", expiration_time: "18:00", days_of_week: [0, 1, 2, 3, 4, 5, 6] }],
      },
    },
  },
  { code: "VIP20", says: "20% off for VIP customers", rule: "VIP customers only", body: { discount: percent(20) } },
  {
    code: "ONCE15",
    says: "15% off, once for each customer",
    rule: "Once for each customer",
    body: { discount: percent(15) },
  },
  { code: "CLEAR30", says: "30% off, with no other code", body: { discount: percent(30), category: "Clearance" } },
  {
    code: "MEMBER3",
    says: "3.00 off, also together with CLEAR30",
    body: { discount: amount(300), category: "Loyalty members" },
  },
  { code: "GIFT50", says: "a gift card with 50.00", body: { gift: { amount: 5000, effect: "APPLY_TO_ORDER" } } },
  {
    code: "LASTYEAR",
    says: "10% off, expired",
    body: { discount: percent(10), start_date: "2025-01-01T00:00:00Z", expiration_date: "2025-12-31T23:59:59Z" },
  },
];

const ruleRequests: DemoRequest[] = Object.entries(RULES).map(([name, body]) => ({
  line: "POST /v1/validation-rules",
  body: { name, ...body },
  as: name,
}));

const codeRequests: DemoRequest[] = CODES.map(({ code, rule, body }) => ({
  line: `POST /v1/vouchers/${code}`,
  body: {
    type: "gift" in body ? "GIFT_VOUCHER" : "DISCOUNT_VOUCHER",
    ...body,
    ...(rule && { validation_rules: [answeredId(rule)] }),
  },
}));

const COUPONS_COUNT = 100;
const tier = (name: string, { discount, rule, banner }: { discount: object; rule: string; banner: string }) => ({
  line: `POST /v1/promotions/${answeredId("Spend and save")}/tiers`,
  body: { name, banner, action: { discount }, validation_rules: [answeredId(rule)] },
  as: name,
});

/** One campaign of every kind. Those with many codes get them in the background, as soon as a server runs. */
const campaignRequests: DemoRequest[] = [
  {
    line: "POST /v1/campaigns",
    body: {
      name: "Spring mailing",
      campaign_type: "DISCOUNT_COUPONS",
      type: "STATIC",
      category: "Seasonal",
      vouchers_count: COUPONS_COUNT,
      voucher: {
        type: "DISCOUNT_VOUCHER",
        discount: percent(15),
        redemption: { quantity: 1 },
        code_config: { pattern: "SPRING-######" },
      },
    },
    as: "Spring mailing",
  },
  { line: `POST /v1/campaigns/${answeredId("Spring mailing")}/vouchers/SPRING-DEMO`, body: {} },
  {
    line: "POST /v1/campaigns",
    body: {
      name: "Radio spot",
      campaign_type: "DISCOUNT_COUPONS",
      type: "STANDALONE",
      voucher: { type: "DISCOUNT_VOUCHER", discount: amount(700), redemption: { quantity: null }, code: "RADIO7" },
    },
  },
  {
    line: "POST /v1/campaigns",
    body: {
      name: "Gift cards",
      campaign_type: "GIFT_VOUCHERS",
      type: "AUTO_UPDATE",
      vouchers_count: 10,
      voucher: {
        type: "GIFT_VOUCHER",
        gift: { amount: 2500, effect: "APPLY_TO_ORDER" },
        redemption: { quantity: null },
        code_config: { pattern: "CARD-########" },
      },
    },
    as: "Gift cards",
  },
  { line: `POST /v1/campaigns/${answeredId("Gift cards")}/vouchers/GIFT25`, body: {} },
  {
    line: "POST /v1/campaigns",
    body: { name: "Spend and save", campaign_type: "PROMOTION", promotion: { tiers: [] } },
    as: "Spend and save",
  },
  tier("5% from 50.00", { discount: percent(5), rule: "From 50", banner: "5% off" }),
  tier("10% from 100.00", { discount: percent(10), rule: "From 100", banner: "10% off" }),
  tier("A mug from 150.00", {
    discount: { type: "UNIT", unit_off: 1, unit_type: answeredId("mug"), effect: "ADD_NEW_ITEMS" },
    rule: "From 150",
    banner: "A mug for you",
  }),
  {
    line: `POST /v1/promotions/${answeredId("Spend and save")}/stacks`,
    body: { name: "10% and a mug", tiers: { ids: [answeredId("A mug from 150.00"), answeredId("10% from 100.00")] } },
    as: "10% and a mug",
  },
];

/** Codes that a person may want to try, with what they do. */
export const KNOWN_CODES: readonly { code: string; says: string }[] = [
  ...CODES.map(({ code, says }) => ({ code, says })),
  { code: "SPRING-DEMO", says: "15% off, one use; a code of the campaign Spring mailing" },
  { code: "RADIO7", says: "7.00 off; the only code of the campaign Radio spot" },
  { code: "GIFT25", says: "a gift card with 25.00; a code of the campaign Gift cards" },
  { code: "CLUB-DEMO", says: "the loyalty card of bob, with 110 points; of the campaign Coffee club" },
  { code: "FRIEND-DEMO", says: "10.00 off for friends of carol; a referral code of the campaign Bring a friend" },
];

export const promotionRequests = (project: string): DemoRequest[] => [
  {
    line: `POST ${project}/stacking-rules`,
    body: { exclusive_categories: [answeredId("Clearance")], joint_categories: [answeredId("Loyalty members")] },
    as: "stacking rules",
  },
  ...ruleRequests,
  ...codeRequests,
  ...campaignRequests,
  {
    line: `POST ${project}/branding`,
    body: {
      brand: { name: "Laurel demo shop", website_url: "https://shop.example" },
      address: { street: "Harbour Street 1", city: "Hamburg", postal: "20457", country: "Germany" },
      contact: { email: "hello@shop.example" },
    },
    as: "branding",
  },
];
