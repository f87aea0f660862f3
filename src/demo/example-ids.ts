import { deliveryId } from "../events/tell.ts";
import type { NewId } from "../request.ts";
import { demoRequests } from "./demo-data.ts";
import { DEMO_PROJECT_ID, demoId } from "./requests.ts";

// What the examples of requests name: objects of the demo data, whose ids never change.

const requests = demoRequests(DEMO_PROJECT_ID);
export const id = (prefix: Parameters<NewId>[0], as: string, count?: number) => demoId(requests, prefix, as, count);

export const project = { projectId: DEMO_PROJECT_ID };
export const campaign = { campaignId: id("camp", "Spring mailing") };
export const club = { campaignId: id("camp", "Coffee club") };
export const promotion = { campaignId: id("camp", "Spend and save") };
export const tier = { promotionTierId: id("promo", "5% from 50.00") };
export const template = { campaignTemplateId: id("camp_tpl", "A mailing") };
export const program = { programId: id("lprg", "Laurel club") };
export const draft = { programId: id("lprg", "Holiday club") };
export const member = { ...program, memberId: id("lmbr", "the membership of alice") };
export const card = { ...member, cardId: id("lcrd", "the membership of alice") };
export const structure = { tierStructureId: id("lts", "Club tiers") };
export const points = id("lcdef", "Points");

export const webhook = id("wh", "Orders of the shop");

// Pending points have the id of their lot under another prefix.
export const pending = id("lopb", "an order whose points wait", 3).replace("lopb_", "lopp_");

/** What a parameter of a path names where an operation has no example of its own. */
export const NAMED: Readonly<Record<string, string>> = {
  ...project,
  ...campaign,
  ...tier,
  ...template,
  ...card,
  ...structure,
  asyncActionId: id("aa", "Spring mailing"),
  assignmentId: id("asgm", "5% from 50.00"),
  // Of the log of a project: a test makes one and asks for that.
  auditEntryId: "aud_000000000000000000000000",
  benefitId: id("lben", "Thank you coupon"),
  binEntryId: id("tbe", "Spring mailing"),
  brandingId: id("brd", "branding"),
  bucketId: id("lcpeb", "Mug for points for alice"),
  campaignEarningRuleId: id("ern", "10 points for a visit"),
  campaignRewardId: id("rew", "A bag of beans"),
  cardDefinitionId: points,
  categoryId: id("cat", "Partners"),
  code: "WELCOME10",
  customEventSchemaId: id("ms", "store_visited"),
  customerId: id("cust", "alice"),
  earningRuleId: id("lern", "Points for orders"),
  holderId: id("rh", "friends of carol"),
  locationId: id("loc", "Spring mailing"),
  exportId: id("loc", "Spring mailing").replace("loc_", "exp_"),
  taskResultId: id("loc", "Spring mailing").replace("loc_", "file_"),
  loyaltyTierId: id("ltr", "tiers of the club"),
  metadataSchemaId: id("ms", "metadata of a product"),
  orderId: "order-1",
  pendingPointsId: pending,
  productCollectionId: id("pc", "Shirts"),
  productId: "tee",
  redemptionId: id("r", "a redemption"),
  // Of the log of a project: a test makes one and asks for that.
  requestId: "v-000000000000000000000000",
  // Kept behind the answers: a test makes one and asks for that.
  refusalId: "rfsl_000000000000000000000000",
  resource: "customer",
  // A built-in role is in every installation. Users are not: a test invites this one first.
  roleId: "VIEWER",
  rewardAssignmentId: id("rewa", "rewards of the club"),
  rewardId: id("lrew", "Mug for points"),
  rewardTransactionId: id("lrtx", "5.00 coupon for alice"),
  segmentId: id("seg", "VIP customers"),
  sessionKey: "example-session",
  skuId: id("sku", "tee-m"),
  stackId: id("stack", "10% and a mug"),
  stackingRulesId: id("stk", "stacking rules"),
  tierId: id("lt", "Gold"),
  userId: "erin@shop.example",
  validationRuleId: id("val", "From 50"),
  webhookId: webhook,
  deliveryId: deliveryId(id("ev", "A test of the webhook"), "redemption.succeeded", webhook),
};
/** The same name stands for other things on other paths. */
export const NAMED_ON: readonly (readonly [prefix: string, values: Readonly<Record<string, string>>])[] = [
  ["/v1/loyalties/members/{memberId}/pending-points", { memberId: "BAKERY-DEMO" }],
  ["/v1/loyalties/", { ...club, memberId: "CLUB-DEMO" }],
  ["/v1/referrals/", { campaignId: id("camp", "Bring a friend"), memberId: "FRIEND-DEMO" }],
  ["/v1/promotions/", promotion],
  ["/v2/loyalties/memberships", { customerId: id("cust", "alice") }],
];

/** What the path of an example names. */
export const path = <P extends Record<string, string>>(values: P): { path: P } => ({ path: values });
