import { each, rows } from "./row.ts";

const own = (name: string) => `test/house/interface-promotions.test.ts › ${name}`;
const RULES = own("answers hold every stacking rule: the defaults, and what was set instead, at once");
const LINES = own(
  "a calculated order has its people, and lines with their products; a stored one has the ids of its lines",
);
const validations = (name: string) => `test/checkout/validations.test.ts › ${name}`;
const CART = validations("a validated cart: what it costs, what each code took off it, and the rules of stacking");
const STACK = validations("a promotion stack is taken alone and applies its tiers in their order");
const EXPAND = validations("options.expand says what stands beside each redeemable");
const PEOPLE = validations(
  "a customer is known by id, by source id or only described, and is not made by a validation",
);
const ITEMS = validations("items take prices from the catalogue, collections are found, and free units are added");
const METADATA = validations("the metadata of the request meets the redemption schema and the rules about it");
const TWICE = validations("the same redeemable twice is refused, by code in any case, by id, and inside a stack");
const NONE = validations("when only part must apply and nothing does, nothing stands in redeemables");
const TOGETHER = own("vouchers, gift cards, loyalty cards and tiers are validated together, a stack alone");
const OPTIONAL = own(
  "options, order, customer, session, tracking id and metadata of a validation may be left out, or be null",
);
const FIELDS = own(
  "an answer that is valid and one that is not have the fields that are always there, and the others when they say something",
);
const OUTCOME = own("valid is false when one is inapplicable, unless a part may apply; then all in redeemables apply");
const SEVEN_DAYS =
  "test/checkout/sessions.test.ts › a session without a time lasts seven days, and its key is made when none is sent";
const TRACKED =
  "test/customers/unconfirmed-customers.test.ts › a tracking id that nobody has is echoed hashed, also by its hash, and is remembered once";
const qualifications = (name: string) => `test/checkout/qualifications.test.ts › ${name}`;
const EVERYBODY = qualifications("somebody unknown is offered what is for everybody");
const CUSTOMER = qualifications(
  "a customer is offered what is for everybody, for VIPs and what the customer holds, newest first",
);
const SCENARIOS = qualifications("the scenarios ask for different things");
const AUDIENCE = qualifications("rules about the customer alone: what was not asked is named");
const STACKS = qualifications("stacks are offered when all of their tiers apply, each on top of the one before");
const PAGES = qualifications("pages follow each other without a gap or a repeat, by age and by deal");
const EXPANDED = qualifications("filters and expand");
const HELD = qualifications("credits that sessions hold are shown, and are not offered");
const LEFT_OUT = own("every field of a qualification may be left out, or be null; the scenario is ALL then");
const KNOWN = own(
  "the customer of a qualification is known by id, by source id and by the tracking id, which is shown hashed",
);

export const stacking = [
  ...rows(
    "stacking_rules",
    {
      redeemables_limit: "in responses",
      applicable_redeemables_limit: "in responses",
      applicable_exclusive_redeemables_limit: "in responses",
      applicable_redeemables_per_category_limit: "in responses",
      applicable_redeemables_category_limits: "object",
      exclusive_categories: "category ids",
      joint_categories: "category ids",
      no_effect_skip_categories: "category ids",
      no_effect_redeem_anyway_categories: "category ids",
      redeemables_application_mode: ["PARTIAL", each(RULES), OUTCOME],
      redeemables_sorting_rule: "REQUESTED_ORDER",
      redeemables_no_effect_rule: "REDEEM_ANYWAY",
      redeemables_products_application_mode: "STACK",
      redeemables_rollback_order_mode: "WITH_ORDER or WITHOUT_ORDER",
      grouped_redeemables_sorting_rule: "JOINT_ALWAYS_LAST",
    },
    [each(RULES)],
  ),
  ...rows(
    "calculated_order",
    {
      items: "object order_item, id, quantity, product",
      product: "id, source_id, name, metadata, price",
      customer_id: "text",
      referrer_id: "text",
      object: "order",
      amounts: [
        "redeemables of a qualification carry amounts",
        own("an entry of a qualification has the amounts of the cart with it"),
      ],
    },
    [each(LINES)],
  ),
];

export const qualification = rows("qualification", {
  path: ["POST /v1/qualifications", each(LEFT_OUT)],
  optional: ["every field is optional", each(LEFT_OUT)],
  customer: ["object", CUSTOMER, each(KNOWN)],
  order: ["object", EVERYBODY],
  tracking_id: ["the customer's source_id", each(KNOWN)],
  scenario: ["default ALL", each(LEFT_OUT)],
  "scenario.ALL": ["every redeemable the customer can use", each(LEFT_OUT), EVERYBODY, CUSTOMER],
  "scenario.CUSTOMER_WALLET": ["vouchers assigned to the customer that fit the cart", each(SCENARIOS)],
  "scenario.AUDIENCE_ONLY": ["rules checked against the customer's profile only", SCENARIOS, AUDIENCE],
  "scenario.PRODUCTS": ["promotions for the products", each(SCENARIOS)],
  "scenario.PRODUCTS_DISCOUNT": ["promotions whose discount is for specific items", each(SCENARIOS)],
  "scenario.PROMOTION_STACKS": ["stacks that apply", STACKS],
  "scenario.PRODUCTS_BY_CUSTOMER": ["PRODUCTS, per customer", each(SCENARIOS)],
  "scenario.PRODUCTS_DISCOUNT_BY_CUSTOMER": ["PRODUCTS_DISCOUNT, per customer", each(SCENARIOS)],
  options: ["limit, expand, sorting_rule", PAGES, EXPANDED],
  session: [
    "tells credits that a session locked",
    HELD,
    "test/checkout/validations-edge.test.ts › a gift card with nothing on it, or held by another session, is refused and not taken for nothing",
  ],
  metadata: [
    "checked against the rules of redemption metadata",
    own("the metadata of a qualification meets the schema of redemptions and the rules about it"),
  ],
  answer: [
    "redeemables list with paging, hashed tracking_id, order, stacking_rules",
    each(LEFT_OUT),
    PAGES,
    KNOWN,
    RULES,
  ],
});

export const validation = [
  ...rows("validation", {
    path: ["POST /v1/validations", CART],
    redeemables: [
      "required, 1..30, each with object and id",
      own("a validation takes 1 to 30 redeemables, each with its object and its id"),
    ],
    kinds: ["voucher, promotion tier, stack, gift card or loyalty card", TOGETHER, STACK],
    combined: ["vouchers and tiers may be combined, one stack is sent alone", TOGETHER, STACK],
    unique: ["each redeemable once", TWICE],
    options: ["optional object", OPTIONAL, EXPAND],
    order: ["optional object", OPTIONAL, CART, ITEMS],
    customer: ["optional object", OPTIONAL, PEOPLE],
    session: ["optional; type is required inside", OPTIONAL, SEVEN_DAYS],
    session_lock: ["with the type alone it lasts 7 days", SEVEN_DAYS],
    tracking_id: ["optional text", OPTIONAL, TRACKED, KNOWN],
    metadata: ["optional object", OPTIONAL, METADATA],
    answer: ["valid, redeemables with status and result, stacking_rules", FIELDS, CART, RULES],
    answer_optional: ["id, skipped and inapplicable redeemables, order, tracking_id, session", FIELDS],
  }),
  ...rows("validation.outcome", {
    rule1: ["valid is false when one is inapplicable and true when all apply", each(OUTCOME)],
    rule2: ["in the PARTIAL mode all that are listed in redeemables apply", OUTCOME, NONE],
    statuses: [
      "APPLICABLE, INAPPLICABLE or SKIPPED",
      OUTCOME,
      each(
        own(
          "an inapplicable redeemable has the error body, a missing one 404 not_found; a skipped one has an empty result",
        ),
      ),
    ],
  }),
];

const lists = (name: string) => `test/checkout/redemption-lists.test.ts › ${name}`;
const SUCCEEDED = lists("a success of each kind has every field, in the list and by its id");
const FAILED = lists("a failure of each named code has every field, its reason, and no order");
const POINTS = lists("redemptions of loyalty cards show their points, and a balance that is too small its code");
const STACKED = lists("a stack lists its parts and the redemption of the whole, with the order's map of redemptions");
const LISTED = lists(
  "the list has successes and failures, newest first, ten unless another number is asked for, with an exact total",
);
const PAGED = lists("pages follow each other without a gap, and one past the end is an empty list with the same total");
const BY_RESULT = lists("by result, once or repeated, in every way that lists are written");
const BY_CAMPAIGN = lists("by the name of a campaign, also together with a result; an unknown one has none");
const BY_CUSTOMER = lists("by a customer's id or source id; a customer who does not exist has an empty list");

export const redemption = [
  ...rows(
    "redemption",
    {
      id: "identifier",
      object: "redemption",
      date: "instant",
      customer_id: "text or null",
      tracking_id: "text or null",
      metadata: "object",
      amount: ["whole number, on some successes", each(SUCCEEDED), POINTS],
      result: "SUCCESS or FAILURE",
      failure_code: ["on failure", FAILED, each(POINTS)],
      failure_message: ["on failure", FAILED, each(POINTS)],
      order: "object or null",
      channel: "channel_id and channel_type",
      customer: "object or null",
      related_object_type: "for example voucher, promotion_tier",
      related_object_id: "text",
      voucher: "id, code, campaign, campaign_id, or null",
      promotion_tier: ["id and campaign.id", each(SUCCEEDED)],
      loyalty_card: ["points", each(POINTS)],
      gift: ["amount", each(SUCCEEDED)],
      order_redemptions: ["its order maps redemption ids to date and related object", each(SUCCEEDED), STACKED],
    },
    [each(SUCCEEDED), FAILED, STACKED],
  ),
  // A redemption has one when points are spent on it.
  ...rows("redemption", { reward: "the reward with its assignment" }, [
    "test/loyalty-v1/reward-redemptions.test.ts › points pay a part of the order, and the redemption shows the reward",
  ]),
  ...rows("redemptions.list", {
    path: ["GET /v1/redemptions", each(LISTED)],
    limit: ["1..100, default 10", LISTED, each(PAGED)],
    page: ["1..99", each(PAGED)],
    result: ["SUCCESS or FAILURE, may be repeated", each(BY_RESULT)],
    campaign: ["by the campaign's name", BY_CAMPAIGN],
    customer: ["by id or source_id", each(BY_CUSTOMER)],
    order: [
      "ten orders; a dash means descending",
      lists("ten orders, each with the id as the tie breaker, and of one customer by age first"),
    ],
    created_at: [
      "before and after, a day or an instant",
      lists("by time of creation: a day or an instant, both bounds exclusive"),
    ],
    filters: [
      "object",
      lists(
        "every filter: code, related object, its campaign, stack, failure, result, object, customer, campaign, user; and, or",
      ),
    ],
    answer: ["list, data_ref redemptions, records, total", each(LISTED), PAGED],
    past_the_end: ["no more results: an empty array", each(PAGED)],
    unknown_customer: ["a customer who does not exist: an empty result", each(BY_CUSTOMER)],
  }),
  ...rows("state.redemption", { result: ["SUCCESS or FAILURE", BY_RESULT, SUCCEEDED, FAILED] }),
];
