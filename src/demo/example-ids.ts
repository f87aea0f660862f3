import { deliveryId } from "../events/tell.ts";
import type { NewId } from "../request.ts";
import { demoRequests } from "./demo-data.ts";
import { DEMO_PROJECT_ID, demoId } from "./requests.ts";

// What the examples of requests name: objects of the demo data, whose ids never change.

const requests = demoRequests(DEMO_PROJECT_ID);
export const exampleId = (prefix: Parameters<NewId>[0], as: string, count?: number) =>
  demoId(requests, prefix, as, count);

export const project = { projectId: DEMO_PROJECT_ID };
export const campaign = { campaignId: exampleId("camp", "Spring mailing") };
export const club = { campaignId: exampleId("camp", "Coffee club") };
export const promotion = { campaignId: exampleId("camp", "Spend and save") };
export const tier = { promotionTierId: exampleId("promo", "5% from 50.00") };
export const template = { campaignTemplateId: exampleId("camp_tpl", "A mailing") };
export const program = { programId: exampleId("lprg", "Laurel club") };
export const draft = { programId: exampleId("lprg", "Holiday club") };
export const member = { ...program, memberId: exampleId("lmbr", "the membership of alice") };
export const card = { ...member, cardId: exampleId("lcrd", "the membership of alice") };
export const structure = { tierStructureId: exampleId("lts", "Club tiers") };
export const points = exampleId("lcdef", "Points");

export const webhook = exampleId("wh", "Orders of the shop");

// Pending points have the id of their lot under another prefix.
export const pending = exampleId("lopb", "an order whose points wait", 3).replace("lopb_", "lopp_");

/** What a parameter of a path names where an operation has no example of its own. */
export const NAMED: Readonly<Record<string, string>> = {
  ...project,
  ...campaign,
  ...tier,
  ...template,
  ...card,
  ...structure,
  asyncActionId: exampleId("aa", "Spring mailing"),
  assignmentId: exampleId("asgm", "5% from 50.00"),
  // Of the log of a project: a test makes one and asks for that.
  auditEntryId: "aud_000000000000000000000000",
  benefitId: exampleId("lben", "Thank you coupon"),
  binEntryId: exampleId("tbe", "Spring mailing"),
  brandingId: exampleId("brd", "branding"),
  bucketId: exampleId("lcpeb", "Mug for points for alice"),
  campaignEarningRuleId: exampleId("ern", "10 points for a visit"),
  campaignRewardId: exampleId("rew", "A bag of beans"),
  cardDefinitionId: points,
  categoryId: exampleId("cat", "Partners"),
  code: "WELCOME10",
  customEventSchemaId: exampleId("ms", "store_visited"),
  customerId: exampleId("cust", "alice"),
  earningRuleId: exampleId("lern", "Points for orders"),
  holderId: exampleId("rh", "friends of carol"),
  locationId: exampleId("loc", "Spring mailing"),
  exportId: exampleId("loc", "Spring mailing").replace("loc_", "exp_"),
  taskResultId: exampleId("loc", "Spring mailing").replace("loc_", "file_"),
  loyaltyTierId: exampleId("ltr", "tiers of the club"),
  metadataSchemaId: exampleId("ms", "metadata of a product"),
  orderId: "order-1",
  pendingPointsId: pending,
  productCollectionId: exampleId("pc", "Shirts"),
  productId: "tee",
  redemptionId: exampleId("r", "a redemption"),
  // Of the log of a project: a test makes one and asks for that.
  requestId: "v-000000000000000000000000",
  // Kept behind the answers: a test makes one and asks for that.
  refusalId: "rfsl_000000000000000000000000",
  resource: "customer",
  // A built-in role is in every installation. Users are not: a test invites this one first.
  roleId: "VIEWER",
  rewardAssignmentId: exampleId("rewa", "rewards of the club"),
  rewardId: exampleId("lrew", "Mug for points"),
  rewardTransactionId: exampleId("lrtx", "5.00 coupon for alice"),
  segmentId: exampleId("seg", "VIP customers"),
  sessionKey: "example-session",
  skuId: exampleId("sku", "tee-m"),
  stackId: exampleId("stack", "10% and a mug"),
  stackingRulesId: exampleId("stk", "stacking rules"),
  tierId: exampleId("lt", "Gold"),
  userId: "erin@shop.example",
  validationRuleId: exampleId("val", "From 50"),
  webhookId: webhook,
  deliveryId: deliveryId(exampleId("ev", "A test of the webhook"), "redemption.succeeded", webhook),
};
/** The same name stands for other things on other paths. */
export const NAMED_ON: readonly (readonly [prefix: string, values: Readonly<Record<string, string>>])[] = [
  ["/v1/loyalties/members/{memberId}/pending-points", { memberId: "BAKERY-DEMO" }],
  ["/v1/loyalties/", { ...club, memberId: "CLUB-DEMO" }],
  ["/v1/referrals/", { campaignId: exampleId("camp", "Bring a friend"), memberId: "FRIEND-DEMO" }],
  ["/v1/promotions/", promotion],
  ["/v2/loyalties/memberships", { customerId: exampleId("cust", "alice") }],
];

/** What the path of an example names. */
export const path = <P extends Record<string, string>>(values: P): { path: P } => ({ path: values });
