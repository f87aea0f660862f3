import assert from "node:assert/strict";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, insertLocation, insertRefusal, insertReport, insertRequest, type TestProject } from "./engine.ts";
import { ok } from "./shop.ts";

type Ids = Record<string, string>;
type Maker = (call: Call, project: TestProject, made: Ids) => Promise<string>;

/** Stands in every text of what is made, so that it can be looked for where it must not be. */
export const MARKER = "of-project-a";

const create = (call: Call, request: string, body: object) => ok(call, request, body);
const inProject = ({ id }: TestProject, path: string) => `POST /management/v1/projects/${id}/${path}`;

/** How to make one, for each name of a parameter of a path. A new name needs a line here. */
const MAKERS: Record<string, Maker> = {
  projectId: async (_, { id }) => id,
  brandingId: async (call, project) => {
    const brand = { name: `brand ${MARKER}` };
    const address = { street: `street ${MARKER}`, city: "x", postal: null, country: "x" };
    const body = { brand, address, contact: { email: `a@${MARKER}.example` } };
    return (await create(call, inProject(project, "branding"), body)).id;
  },
  categoryId: async (call) =>
    (await create(call, "POST /v1/categories", { name: `category ${MARKER}`, hierarchy: 1 })).id,
  customerId: async (call) => {
    const body = { source_id: `source ${MARKER}`, name: `name ${MARKER}`, metadata: { note: MARKER } };
    return (await create(call, "POST /v1/customers", body)).id;
  },
  customEventSchemaId: async (call, project) => {
    const properties = { [`colour ${MARKER}`]: { type: "string", optional: true } };
    const body = { name: `event ${MARKER}`, schema: { properties } };
    return (await create(call, inProject(project, "custom-event-schemas"), body)).id;
  },
  webhookId: async (call, project) => {
    // It does not listen, so that what the tests do is told to nobody.
    const body = { target_url: `https://shop.example/${MARKER}`, events: ["redemption.succeeded"], active: false };
    return (await create(call, inProject(project, "webhooks"), body)).id;
  },
  deliveryId: async (call, project, { webhookId }) =>
    (await create(call, inProject(project, `webhooks/${webhookId}/test`), {})).id,
  metadataSchemaId: async (call, project) => {
    const properties = { [`size ${MARKER}`]: { type: "number", optional: true, array: false } };
    return (await create(call, inProject(project, "metadata-schemas"), { related_object: "voucher", properties })).id;
  },
  resource: async () => "voucher",
  keyId: async (call, project) =>
    (await create(call, inProject(project, "keys"), { kind: "app", name: `key ${MARKER}` })).id,
  // Roles and users belong to the whole installation.
  roleId: async (call, { id }) =>
    (await create(call, "POST /management/v1/roles", { name: `role ${id}`, permissions: ["vouchers.read"] })).id,
  userId: async (call, project) => {
    const email = `user-${project.id}@${MARKER}.example`;
    const names = { first_name: `first ${MARKER}`, last_name: `last ${MARKER}` };
    await ok(call, "POST /management/v1/projects/users/invite", {
      email,
      ...names,
      projects: { [project.id]: "USER" },
    });
    return (await ok(call, `GET /management/v1/projects/${project.id}/users/${email}`)).id;
  },
  segmentId: async (call, _, { customerId }) =>
    (await create(call, "POST /v1/segments", { name: `segment ${MARKER}`, customers: [customerId] })).id,
  stackingRulesId: async (call, project, { categoryId }) =>
    (await create(call, inProject(project, "stacking-rules"), { exclusive_categories: [categoryId] })).id,
  validationRuleId: async (call) => (await create(call, "POST /v1/validation-rules", { name: `rule ${MARKER}` })).id,
  campaignId: async (call) => {
    // A loyalty program, so that it is found on every path that names a campaign.
    const voucher = { loyalty_card: { points: 100 }, code_config: { pattern: `######-${MARKER}` } };
    const body = { name: `campaign ${MARKER}`, voucher, vouchers_count: 1, metadata: { note: MARKER } };
    return (await create(call, "POST /v1/campaigns", body)).id;
  },
  campaignEarningRuleId: async (call, _, { campaignId }) => {
    const rule = { event: "order.paid", loyalty: { type: "FIXED", points: 1 }, source: { banner: `banner ${MARKER}` } };
    return (await create(call, `POST /v1/loyalties/${campaignId}/earning-rules`, [rule]))[0].id;
  },
  loyaltyTierId: async (call, _, { campaignId }) => {
    const tier = { name: `tier ${MARKER}`, points: { from: 0 } };
    return (await create(call, `POST /v1/loyalties/${campaignId}/tiers`, [tier]))[0].id;
  },
  campaignTemplateId: async (call) => {
    const body = { name: `copied ${MARKER}`, voucher: { discount: { type: "PERCENT", percent_off: 10 } } };
    const { id } = await create(call, "POST /v1/campaigns", body);
    return (await create(call, "POST /v1/templates/campaigns", { name: `template ${MARKER}`, campaign_id: id })).id;
  },
  assignmentId: async (call, _, { validationRuleId, campaignId }) => {
    const body = { related_object_type: "campaign", related_object_id: campaignId };
    return (await create(call, `POST /v1/validation-rules/${validationRuleId}/assignments`, body)).id;
  },
  orderId: async (call, _, { customerId }) =>
    (await create(call, "POST /v1/orders", { source_id: `order-${MARKER}`, amount: 100, customer: { id: customerId } }))
      .id,
  productId: async (call) =>
    (await create(call, "POST /v1/products", { name: `product ${MARKER}`, source_id: `product-${MARKER}` })).id,
  skuId: async (call, _, { productId }) =>
    (await create(call, `POST /v1/products/${productId}/skus`, { sku: `sku ${MARKER}`, source_id: `sku-${MARKER}` }))
      .id,
  productCollectionId: async (call, _, { productId }) => {
    const products = [{ id: productId, object: "product" }];
    const body = { type: "STATIC", name: `collection ${MARKER}`, products };
    return (await create(call, "POST /v1/product-collections", body)).id;
  },
  campaignRewardId: async (call, _, { productId }) => {
    const parameters = { product: { id: productId } };
    const attributes = { description: `description ${MARKER}` };
    return (await create(call, "POST /v1/rewards", { name: `reward ${MARKER}`, parameters, attributes })).id;
  },
  rewardAssignmentId: async (call, _, { campaignRewardId, campaignId }) => {
    const body = { campaign: campaignId, parameters: { loyalty: { points: 1 } } };
    return (await create(call, `POST /v1/rewards/${campaignRewardId}/assignments`, body)).id;
  },
  binEntryId: async (call) => {
    const { id } = await create(call, "POST /v1/products", { name: `deleted ${MARKER}` });
    await call(`DELETE /v1/products/${id}`);
    return (await call("GET /v1/trash-bin")).body.data[0].id;
  },
  promotionTierId: async (call) => {
    const { id } = await create(call, "POST /v1/campaigns", {
      name: `promotion ${MARKER}`,
      campaign_type: "PROMOTION",
    });
    const action = { discount: { type: "PERCENT", percent_off: 10 } };
    return (await create(call, `POST /v1/promotions/${id}/tiers`, { name: `tier ${MARKER}`, action })).id;
  },
  stackId: async (call, _, { promotionTierId }) => {
    const { campaign_id } = (await call(`GET /v1/promotions/tiers/${promotionTierId}`)).body;
    const body = { name: `stack ${MARKER}`, tiers: { ids: [promotionTierId] } };
    return (await create(call, `POST /v1/promotions/${campaign_id}/stacks`, body)).id;
  },
  asyncActionId: async (call) => {
    const body = { name: `deleted promotion ${MARKER}`, campaign_type: "PROMOTION" };
    const { id } = await create(call, "POST /v1/campaigns", body);
    return (await call(`DELETE /v1/campaigns/${id}`)).body.async_action_id;
  },
  code: async (call) => {
    const body = { code: `code-${MARKER}`, gift: { amount: 100 }, metadata: { note: MARKER } };
    return (await create(call, "POST /v1/vouchers", body)).id;
  },
  redemptionId: async (call, _, { code, customerId }) => {
    const redeemables = [{ object: "voucher", id: code, gift: { credits: 1 } }];
    const body = { redeemables, customer: customerId, order: { amount: 100 }, metadata: { note: MARKER } };
    return (await create(call, "POST /v1/redemptions", body)).redemptions[0].id;
  },
  sessionKey: async () => `session-${MARKER}`,
  // Of a user, and of no project.
  sessionId: async () => "0000000000000000",
  cardDefinitionId: async (call) => {
    const body = { name: `wallet ${MARKER}`, type: "INDIVIDUAL", metadata: { note: MARKER } };
    return (await create(call, "POST /v2/loyalties/card-definitions", body)).id;
  },
  tierStructureId: async (call, _, { cardDefinitionId }) => {
    const body = { name: `structure ${MARKER}`, type: "POINT_BALANCE", card_definition_id: cardDefinitionId };
    return (await create(call, "POST /v2/loyalties/tier-structures", body)).id;
  },
  tierId: async (call, _, { tierStructureId }) => {
    const body = { name: `tier ${MARKER}`, qualification_rules: { type: "POINTS", points: { min_value: 0 } } };
    return (await create(call, `POST /v2/loyalties/tier-structures/${tierStructureId}/tiers`, body)).id;
  },
  earningRuleId: async (call, _, { cardDefinitionId }) => {
    const effects = [{ points: { value: 1, card_definition_id: cardDefinitionId } }];
    const earnings = [{ name: `earning ${MARKER}`, effects }];
    const body = { name: `rule ${MARKER}`, trigger: { event: "customer.order.paid" }, earnings };
    return (await create(call, "POST /v2/loyalties/earning-rules", body)).id;
  },
  benefitId: async (call, _, { cardDefinitionId }) => {
    const points = { value: 1, card_definition_id: cardDefinitionId };
    const body = { name: `benefit ${MARKER}`, type: "POINTS", points };
    return (await create(call, "POST /v2/loyalties/benefits", body)).id;
  },
  rewardId: async (call, _, { cardDefinitionId, productId }) => {
    const costs = [{ spending: [{ name: `cost ${MARKER}`, points: 1, card_definition_id: cardDefinitionId }] }];
    const material = { product: { id: productId } };
    const body = { name: `reward ${MARKER}`, type: "MATERIAL", material, costs };
    return (await create(call, "POST /v2/loyalties/rewards", body)).id;
  },
  programId: async (call) => {
    const [of, status] = ["/v2/loyalties", "ACTIVE"];
    const name = `program ${MARKER}`;
    const points_expiration = { rolling_expiration: { period: { value: 1, unit: "YEAR" } } };
    const wallet = await create(call, `POST ${of}/card-definitions`, {
      ...{ name, type: "INDIVIDUAL", status, points_expiration },
    });
    const earnings = [{ effects: [{ points: { value: 1, card_definition_id: wallet.id } }] }];
    const trigger = { event: "customer.order.paid" };
    const rule = await create(call, `POST ${of}/earning-rules`, { name, status, trigger, earnings });
    const assigned = { card_definitions: [{ id: wallet.id }], earning_rules: [{ id: rule.id }] };
    return (await create(call, `POST ${of}/programs`, { name, status, ...assigned })).id;
  },
  memberId: async (call, _, { programId, customerId }) => {
    const body = { customer_id: customerId, metadata: { note: MARKER } };
    return (await create(call, `POST /v2/loyalties/programs/${programId}/members`, body)).id;
  },
  cardId: async (call, _, { programId, memberId }) =>
    (await call(`GET /v2/loyalties/programs/${programId}/members/${memberId}`)).body.cards[0].card.id,
  bucketId: async (call, _, { programId, memberId, cardId }) => {
    const card = `/v2/loyalties/programs/${programId}/members/${memberId}/cards/${cardId}`;
    await create(call, `POST ${card}/points`, { points: 10, reason: `reason ${MARKER}` });
    return (await call(`GET ${card}/expiring-points`)).body.data[0].id;
  },
  rewardTransactionId: async (call, _, { programId, memberId, productId }) => {
    const [of, status] = [`/v2/loyalties/programs/${programId}`, "ACTIVE"];
    const [{ card_definition_id }] = (await call(`GET ${of}/card-definitions`)).body.data;
    const costs = [{ spending: [{ points: 1, card_definition_id }] }];
    const body = {
      name: `bought ${MARKER}`,
      type: "MATERIAL",
      status,
      material: { product: { id: productId } },
      costs,
    };
    const reward = await create(call, "POST /v2/loyalties/rewards", body);
    await create(call, `POST ${of}/rewards/batch`, { assign: [{ id: reward.id, stock: { type: "UNLIMITED" } }] });
    const reply = await call(`POST ${of}/members/${memberId}/rewards/purchases`, { reward_id: reward.id });
    assert.equal(reply.status, 202, reply.text);
    return reply.body.transaction.id;
  },
  // A code of a loyalty campaign: what {memberId} names on paths of v1.
  cardMemberId: async (call, _, { campaignId, customerId }) => {
    const body = { customer: { id: customerId }, metadata: { note: MARKER } };
    return (await create(call, `POST /v1/loyalties/${campaignId}/members`, body)).id;
  },
  pendingPointsId: async (call, _, { campaignId, customerId, cardMemberId }) => {
    const rule = { event: "order.paid", loyalty: { type: "FIXED", points: 2 }, source: { banner: `waits ${MARKER}` } };
    const waits = { ...rule, pending_points: { period_type: "DAY", period_value: 3 } };
    await create(call, `POST /v1/loyalties/${campaignId}/earning-rules`, [waits]);
    await create(call, "POST /v1/orders", { customer: { id: customerId }, status: "PAID", amount: 100 });
    return (await call(`GET /v1/loyalties/members/${cardMemberId}/pending-points`)).body.data[0].id;
  },
  holderId: async (call, _, { customerId }) => {
    const voucher = { discount: { type: "PERCENT", percent_off: 10 }, code_config: { pattern: `######-R-${MARKER}` } };
    const body = { name: `referral ${MARKER}`, campaign_type: "REFERRAL_PROGRAM", voucher };
    const campaign = await create(call, "POST /v1/campaigns", body);
    const sharing = { source_id: `referrer ${MARKER}`, name: `referrer ${MARKER}` };
    const published = await create(call, "POST /v1/publications", { campaign: campaign.id, customer: sharing });
    const holders = [{ id: customerId }];
    const path = `/v1/referrals/members/${published.voucher.id}/holders`;
    return (await create(call, `POST ${path}`, { holders, metadata: { note: MARKER } })).holders[0].id;
  },
  auditEntryId: async (call, _, { categoryId }) =>
    (await call(`GET /v1/audit-log?object_id=${categoryId}`)).body.data[0].id,
  refusalId: async (_, project, { customerId }) => insertRefusal(project.id, MARKER, customerId!),
  requestId: async (_, project, { customerId }) => insertRequest(project.id, MARKER, customerId!),
  locationId: async (_, project) => insertLocation(project.id, `location ${MARKER}`),
  exportId: async (call) => {
    const filters = { voucher_code: { conditions: { $is: [MARKER] } } };
    const body = { exported_object: "redemption", parameters: { filters } };
    return (await create(call, "POST /v1/exports", body)).id;
  },
  taskResultId: async (_, project) => insertReport(project.id, `${MARKER}.csv`, `id\n${MARKER}\n`),
};

export const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** The same name stands for other things on other paths. */
export const idsOn = (path: string, ids: Ids): Ids =>
  path.startsWith("/v1/loyalties/") ? { ...ids, memberId: ids.cardMemberId! } : ids;

/** One of everything that a path can name, by the name of the parameter. */
export async function makeOneOfEverything(call: Call, project: TestProject): Promise<Ids> {
  const names = new Set(ALL_ROUTES.flatMap(({ path }) => parametersOf(path)));
  for (const name of names) assert.ok(MAKERS[name], `MAKERS says how to make one for {${name}}`);
  const made: Ids = {};
  for (const [name, make] of Object.entries(MAKERS)) made[name] = await make(call, project, made);
  return made;
}
