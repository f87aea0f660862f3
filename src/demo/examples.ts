import type { Examples, RequestExample } from "../http/documents/openapi.ts";
import {
  campaign,
  card,
  club,
  draft,
  exampleId,
  member,
  NAMED,
  NAMED_ON,
  path,
  pending,
  points,
  program,
  project,
  promotion,
  structure,
  template,
  tier,
} from "./example-ids.ts";
import { exports, management } from "./platform-examples.ts";

// An example for every operation that takes a body or names something in its path. They work on the demo data as it is
// loaded: `test/docs/examples.test.ts` sends them all.

const alice = { source_id: "alice" };
const line = (source_id: string, quantity: number) => ({ source_id, related_object: "product", quantity });
/** Two T-shirts and a mug: 52.00. */
const order = { items: [line("tee", 2), line("mug", 1)] };
const cart = { customer: alice, order };
const code = (id: string) => ({ object: "voucher", id });
const discount = { type: "PERCENT", percent_off: 10 };

const checkout: Examples = {
  checkEligibility: { body: { ...cart, options: { limit: 5 } } },
  checkEligibilityClientSide: { body: { ...cart, options: { limit: 5 } } },
  examineVouchers: { body: cart },
  examineCampaigns: { body: cart },
  validateStackedDiscounts: {
    body: { redeemables: [code("WELCOME10"), code("MEMBER3")], ...cart, options: { expand: ["order", "trace"] } },
  },
  validateStackedDiscountsClientSide: { body: { redeemables: [code("WELCOME10")], ...cart } },
  searchProject: { query: { q: "welcome" } },
  validateVoucherClientSide: { query: { code: "WELCOME10", amount: 5000 } },
  validateVoucher: { ...path({ code: "WELCOME10" }), body: cart },
  validatePromotionTier: { ...path(tier), body: cart },
  validatePromotions: { body: cart },
  redeemStackedDiscounts: { body: { redeemables: [code("WELCOME10"), code("MEMBER3")], ...cart } },
  redeemStackedDiscountsClientSide: { body: { redeemables: [code("WELCOME10")], ...cart } },
  redeemVoucher: { ...path({ code: "SUMMER5" }), body: cart },
  redeemVoucherClientSide: { query: { code: "SUMMER5" }, body: cart },
  redeemPromotion: { ...path(tier), body: cart },
  redeemReward: {
    ...path({ memberId: "CLUB-DEMO" }),
    body: { reward: { id: exampleId("rew", "Pay with points"), points: 10 }, order },
  },
  redeemRewardOfCampaign: {
    ...path({ ...club, memberId: "CLUB-DEMO" }),
    body: { reward: { id: exampleId("rew", "Pay with points"), points: 10 }, order },
  },
  rollbackRedemption: {
    ...path({ redemptionId: exampleId("r", "a redemption") }),
    body: { reason: "The customer sent the goods back" },
  },
  rollbackStackedRedemptions: {
    ...path({ redemptionId: exampleId("r", "a redemption of two codes") }),
    body: { reason: "The customer sent the goods back" },
  },
  importOrders: { body: [{ source_id: "old-order", status: "PAID", customer: alice, amount: 5200 }] },
  createOrder: { body: { source_id: "example-order", status: "PAID", customer: alice, ...order } },
  updateOrder: { ...path({ orderId: "order-1" }), body: { status: "FULFILLED" } },
};

const promotions: Examples = {
  createCampaign: {
    body: {
      name: "Autumn mailing",
      campaign_type: "DISCOUNT_COUPONS",
      type: "AUTO_UPDATE",
      vouchers_count: 3,
      voucher: {
        type: "DISCOUNT_VOUCHER",
        discount,
        redemption: { quantity: 1 },
        code_config: { pattern: "AUTUMN-######" },
      },
    },
  },
  updateCampaign: { ...path(campaign), body: { description: "For the readers of the newsletter" } },
  duplicateCampaign: { ...path(campaign), body: { name: "Spring mailing once more" } },
  addVouchersToCampaign: { ...path(campaign), body: { metadata: {} } },
  addVoucherToCampaign: { ...path({ ...campaign, code: "SPRING-EXAMPLE" }), body: {} },
  createCampaignTemplate: { body: { name: "A mailing for later", campaign_id: campaign.campaignId } },
  updateCampaignTemplate: { ...path(template), body: { description: "15% off, one use for each customer" } },
  createCampaignFromTemplate: { ...path(template), body: { name: "Mailing from the template" } },
  addTierFromTemplate: {
    ...path({ campaignTemplateId: exampleId("camp_tpl", "template of a tier") }),
    body: { campaign_id: promotion.campaignId, name: "10% once more" },
  },
  createVoucher: { body: { code: "EXAMPLE10", discount } },
  createVoucherWithCode: { ...path({ code: "EXAMPLE5" }), body: { discount: { type: "AMOUNT", amount_off: 500 } } },
  importVouchersCsv: {
    body: { file: "Code,Voucher Type,Value,Discount Type\nPRINTED-1,DISCOUNT_VOUCHER,10,PERCENT" },
  },
  importVouchers: { body: [{ code: "PRINTED-2", discount, redemption: { quantity: 1 } }] },
  importCampaignVouchersCsv: { ...path(campaign), body: { file: "Code,Active\nSPRING-PRINTED-1,true" } },
  importCampaignVouchers: { ...path(campaign), body: [{ code: "SPRING-PRINTED-2" }] },
  updateVouchersInBulk: { body: [{ code: "WELCOME10", metadata: { printed: true } }] },
  updateVouchersMetadataInBulk: { body: { codes: ["WELCOME10", "SUMMER5"], metadata: { printed: true } } },
  updateVoucher: { ...path({ code: "WELCOME10" }), body: { additional_info: "For new customers" } },
  adjustVoucherBalance: { ...path({ code: "GIFT50" }), body: { amount: 1000, reason: "A present" } },
  setVoucherExpirationClientSide: { ...path({ code: "GIFT50" }), body: { expiration_date: "2099-12-31T23:59:59Z" } },
  createPromotionTier: { ...path(promotion), body: { name: "3% for everybody", action: { discount } } },
  updatePromotionTier: { ...path(tier), body: { banner: "5% off from 50.00" } },
  createPromotionStack: {
    ...path(promotion),
    body: {
      name: "5% and 10%",
      tiers: { ids: [exampleId("promo", "5% from 50.00"), exampleId("promo", "10% from 100.00")] },
    },
  },
  updatePromotionStack: {
    ...path({ ...promotion, stackId: exampleId("stack", "10% and a mug") }),
    body: { name: "10% and a free mug" },
  },
  createValidationRule: {
    body: {
      name: "From 20",
      rules: {
        "1": {
          name: "order.initial_amount",
          conditions: { $more_than_or_equal: [2000] },
          error: { message: "Spend 20.00 or more" },
        },
        logic: "1",
      },
    },
  },
  updateValidationRule: { ...path({ validationRuleId: exampleId("val", "From 50") }), body: { name: "From 50.00" } },
  assignValidationRule: {
    ...path({ validationRuleId: exampleId("val", "From 50") }),
    body: { related_object_type: "campaign", related_object_id: campaign.campaignId },
  },
  createPublication: { body: { campaign: { name: "Gift cards", count: 1 }, customer: alice } },
  publishClientSide: { body: { campaign: { name: "Gift cards", count: 1 }, customer: alice } },
  addReferralCodeHolders: {
    ...path({ memberId: "FRIEND-DEMO" }),
    body: { holders: [{ source_id: "customer-8" }] },
  },
  addReferralCodeHoldersInCampaign: {
    ...path({ campaignId: exampleId("camp", "Bring a friend"), memberId: "FRIEND-DEMO" }),
    body: { holders: [{ source_id: "customer-9" }] },
  },
};

const fixed = (banner: string) => ({
  event: "order.paid",
  loyalty: { type: "FIXED", points: 5 },
  source: { banner },
});
const loyaltyV1: Examples = {
  createLoyaltyCampaign: {
    body: {
      name: "Tea club",
      voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 }, code_config: { pattern: "TEA-########" } },
    },
  },
  updateLoyaltyCampaign: { ...path(club), body: { description: "A point for every 1.00" } },
  createCampaignEarningRules: { ...path(club), body: [fixed("5 points for an order")] },
  updateCampaignEarningRule: {
    ...path({ ...club, campaignEarningRuleId: exampleId("ern", "10 points for a visit") }),
    body: { loyalty: { type: "FIXED", points: 12 }, source: { banner: "12 points for a visit" } },
  },
  createCampaignTiers: {
    ...path({ campaignId: exampleId("camp", "Bakery club") }),
    body: [{ name: "Regular", points: { from: 0 } }],
  },
  updateCampaignTier: {
    ...path({ ...club, loyaltyTierId: exampleId("ltr", "tiers of the club") }),
    body: { name: "Guest of the house" },
  },
  createLoyaltyMember: { ...path(club), body: { customer: { source_id: "customer-10" } } },
  adjustLoyaltyMemberBalance: { ...path({ memberId: "CLUB-DEMO" }), body: { points: 50 } },
  adjustLoyaltyMemberBalanceOfCampaign: { ...path({ ...club, memberId: "CLUB-DEMO" }), body: { points: 50 } },
  transferLoyaltyPoints: {
    ...path({ campaignId: exampleId("camp", "Bakery club"), memberId: "BAKERY-DEMO" }),
    body: [{ code: "CLUB-DEMO", points: 5, source_id: "example-transfer" }],
  },
  adjustPendingPoints: {
    ...path({ memberId: "BAKERY-DEMO", pendingPointsId: pending }),
    body: { points: 5 },
  },
  estimateLoyaltyPoints: {
    ...path(club),
    body: { customer: { source_id: "bob" }, order: { ...order, status: "PAID" } },
  },
  createCampaignReward: {
    body: { name: "A mug", type: "MATERIAL", parameters: { product: { id: exampleId("prod", "mug") } } },
  },
  updateCampaignReward: {
    ...path({ campaignRewardId: exampleId("rew", "A bag of beans") }),
    body: { name: "A bag of coffee beans" },
  },
  createRewardAssignment: {
    ...path({ campaignRewardId: exampleId("rew", "A bag of beans") }),
    body: { campaign: exampleId("camp", "Bakery club"), parameters: { loyalty: { points: 250 } } },
  },
  updateRewardAssignment: {
    ...path({
      campaignRewardId: exampleId("rew", "A bag of beans"),
      rewardAssignmentId: exampleId("rewa", "rewards of the club"),
    }),
    body: { parameters: { loyalty: { points: 380 } } },
  },
  assignRewards: {
    ...path({ campaignId: exampleId("camp", "Bakery club") }),
    body: [{ reward: exampleId("rew", "Pay with points") }],
  },
  updateRewardOfCampaign: {
    ...path({ ...club, rewardAssignmentId: exampleId("rewa", "rewards of the club") }),
    body: { parameters: { loyalty: { points: 390 } } },
  },
};

const loyaltyV2: Examples = {
  createCardDefinition: {
    body: { name: "Miles", type: "INDIVIDUAL", code_config: { prefix: "MILES-" } },
  },
  updateCardDefinition: { ...path({ cardDefinitionId: points }), body: { metadata: {} } },
  createTierStructure: {
    body: { name: "Example tiers", type: "POINT_BALANCE", card_definition_id: points },
  },
  updateTierStructure: { ...path(structure), body: { name: "Tiers of the club" } },
  createTier: {
    ...path({ tierStructureId: exampleId("lts", "Holiday tiers") }),
    body: { name: "Sun", qualification_rules: { type: "POINTS", points: { min_value: 0 } } },
  },
  updateTier: { ...path({ ...structure, tierId: exampleId("lt", "Gold") }), body: { name: "Gold and more" } },
  createBenefit: {
    body: { name: "100 points", type: "POINTS", points: { value: 100, card_definition_id: points } },
  },
  updateBenefit: {
    ...path({ benefitId: exampleId("lben", "Thank you coupon") }),
    body: { name: "A coupon to say thanks" },
  },
  createEarningRule: {
    body: {
      name: "Welcome",
      trigger: { event: "customer.order.paid" },
      earnings: [{ effects: [{ points: { value: 10, card_definition_id: points } }] }],
    },
  },
  updateEarningRule: {
    ...path({ earningRuleId: exampleId("lern", "Newsletter") }),
    body: { name: "Newsletter readers" },
  },
  createReward: {
    body: {
      name: "A hoodie",
      type: "MATERIAL",
      material: { product: { id: exampleId("prod", "hoodie") } },
      costs: [{ spending: [{ points: 900, card_definition_id: points }] }],
    },
  },
  updateReward: { ...path({ rewardId: exampleId("lrew", "Mug for points") }), body: { name: "A mug for points" } },
  createProgram: { body: { name: "Summer club" } },
  updateProgram: { ...path(program), body: { name: "Laurel club for all" } },
  createProgramMember: { ...path(program), body: { customer_id: exampleId("cust", "customer-11") } },
  batchCreateProgramMembers: { ...path(program), body: [{ customer_id: exampleId("cust", "customer-12") }] },
  updateProgramMember: { ...path(member), body: { metadata: {} } },
  adjustCardPoints: { ...path(card), body: { points: 100, reason: "A present" } },
  batchProgramCardDefinitionAssignments: { ...path(draft), body: { assign: [{ id: exampleId("lcdef", "Stars") }] } },
  batchProgramEarningRuleAssignments: {
    ...path(draft),
    body: { assign: [{ id: exampleId("lern", "A review a day") }] },
  },
  batchProgramTierStructureAssignments: {
    ...path(draft),
    body: { assign: [{ id: exampleId("lts", "Holiday tiers") }] },
  },
  batchProgramRewardAssignments: {
    ...path(draft),
    body: { assign: [{ id: exampleId("lrew", "Mug for points"), stock: { type: "UNLIMITED" } }] },
  },
  updateProgramRewardAssignment: {
    ...path({ ...program, rewardId: exampleId("lrew", "Mug for points") }),
    body: { stock: { type: "LIMITED", limited: { quantity: 30 } } },
  },
  examineEarningRules: {
    body: {
      trigger: { type: "SPECIFIC", specific: { event: "customer.order.paid" } },
      customer_identification: { type: "customer_source_id", customer_source_id: "alice" },
      customer_order_paid: { order: { amount: 5200 } },
    },
  },
  examineRewards: { body: { customer_identification: { type: "customer_source_id", customer_source_id: "alice" } } },
  purchaseMemberReward: { ...path(member), body: { reward_id: exampleId("lrew", "5.00 coupon") } },
  refundRewardPurchase: {
    ...path({ ...program, rewardTransactionId: exampleId("lrtx", "5.00 coupon for alice") }),
    body: {},
  },
  createMemberOrderPayment: {
    ...path(member),
    body: { card_id: card.cardId, order: { source_id: "order-1" } },
  },
};

const shop: Examples = {
  createCategory: { body: { name: "Flash sale", hierarchy: 20 } },
  updateCategory: { ...path({ categoryId: exampleId("cat", "Partners") }), body: { name: "Partner offers" } },
  importCustomersCsv: { body: { file: "Source_id,Name,Email\nfrank,Frank Hill,frank@shop.example" } },
  updateCustomersInBulk: { body: [{ source_id: "alice", metadata: { newsletter: true } }] },
  updateCustomersMetadataInBulk: { body: { source_ids: ["alice", "bob"], metadata: { newsletter: true } } },
  createCustomer: {
    body: { source_id: "dana", name: "Dana Stone", email: "dana@shop.example", metadata: { vip: true } },
  },
  createCustomerClientSide: { body: { source_id: "erin", name: "Erin Vale", email: "erin@shop.example" } },
  updateCustomer: { ...path({ customerId: "alice" }), body: { metadata: { member_years: 7 } } },
  trackCustomEvent: {
    body: { event: "product_reviewed", customer: { source_id: "customer-12" }, metadata: { stars: 5 } },
  },
  trackCustomEventClientSide: { body: { event: "newsletter_subscribed", customer: { source_id: "customer-12" } } },
  previewSegment: { body: { filter: { junction: "and", name: { conditions: { $contains: ["a"] } } } } },
  createSegment: { body: { name: "Example segment", type: "static", customers: [exampleId("cust", "alice")] } },
  updateSegment: {
    ...path({ segmentId: exampleId("seg", "VIP customers") }),
    body: { name: "Very important customers" },
  },
  importProductsCsv: { body: { file: "name,source_id,price\nTea pot,tea-pot,24.90" } },
  importSkusCsv: { body: { file: "product_id,source_id,sku,price\nmug,mug-xl,XL mug,12.00" } },
  updateProductsInBulk: { body: [{ source_id: "mug", metadata: { material: "steel" } }] },
  updateProductsMetadataInBulk: { body: { source_ids: ["tee", "mug"], metadata: { season: "winter" } } },
  createProduct: {
    body: { source_id: "scarf", name: "Scarf", price: 2500, metadata: { kind: "clothing", brand: "Field" } },
  },
  updateProduct: { ...path({ productId: "polo" }), body: { price: 3100 } },
  createSku: {
    ...path({ productId: "hoodie" }),
    body: { source_id: "hoodie-s", sku: "hoodie, S", attributes: { size: "s" } },
  },
  updateSku: {
    ...path({ productId: "tee", skuId: exampleId("sku", "tee-m") }),
    body: { sku: "T-shirt, M" },
  },
  createProductCollection: {
    body: { name: "Mugs", type: "STATIC", products: [{ id: exampleId("prod", "mug"), object: "product" }] },
  },
  previewProductCollection: { body: { filter: { junction: "and", price: { conditions: { $more_than: [1000] } } } } },
  updateProductCollection: {
    ...path({ productCollectionId: exampleId("pc", "Shirts") }),
    body: { name: "Shirts of all kinds" },
  },
};

/** A clock moves at most two years ahead, so the example depends on when it is read. */
const clockExample = (year: number): RequestExample => ({
  ...path(project),
  body: { now: `${year + 1}-12-31T00:00:00Z` },
});

const EXAMPLES: Examples = {
  ...checkout,
  ...promotions,
  ...loyaltyV1,
  ...loyaltyV2,
  ...shop,
  ...exports,
  ...management,
};

/** The examples of operations: their bodies, and what their paths name. `year` is the one after which a clock is moved. */
export const examplesOf = (routes: readonly { id: string; path: string }[], year: number): Examples =>
  Object.fromEntries(
    routes.map(({ id, path }) => {
      const own = NAMED_ON.find(([prefix]) => path.startsWith(prefix))?.[1] ?? {};
      const example = id === "moveTestClock" ? clockExample(year) : EXAMPLES[id];
      const query = /\/reports\/.*daily$/.test(path)
        ? { start_date: `${year}-01-01`, end_date: `${year}-01-31`, resolution: "day" }
        : example?.query;
      return [id, { ...example, path: { ...NAMED, ...own, ...example?.path }, ...(query && { query }) }];
    }),
  );
