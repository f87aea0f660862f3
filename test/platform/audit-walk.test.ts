import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_ROUTES } from "../../src/routes.ts";
import { BEFORE, demoServer, LAST, requestOf } from "../support/demo-examples.ts";
import { NOW, testDatabase, testProject } from "../support/engine.ts";
import { idsOn, makeOneOfEverything } from "../support/one-of-everything.ts";
import { ok, testShop } from "../support/shop.ts";

// Every operation that writes leaves an entry in the audit log, or stands in this table with the reason why not.
const { db } = await testDatabase();

const CUSTOMERS = "data of a customer: it is erased with them, and nobody configures it";
const CODES = "codes are as many as customers; what they are worth stands in the campaign, which is logged";
const GOODS = "goods and orders come from the shop's own systems, which keep their history";
const POINTS = "points and balances have a ledger of their own, which says who and why";
const MEMBERS = "members of programs have activities of their own";
const EXPORTS = "an export changes nothing; it is a list of its own";
const SENDING = "what is sent again has its attempts, which say when";
const NOT_LOGGED: Readonly<Record<string, string>> = {
  createCustomerClientSide: CUSTOMERS,
  createCustomer: CUSTOMERS,
  updateCustomer: CUSTOMERS,
  deleteCustomer: CUSTOMERS,
  eraseCustomer: CUSTOMERS,
  addReferralCodeHolders: CUSTOMERS,
  addReferralCodeHoldersInCampaign: CUSTOMERS,
  removeReferralCodeHolder: CUSTOMERS,
  removeReferralCodeHolderInCampaign: CUSTOMERS,
  setVoucherExpirationClientSide: CODES,
  createVoucher: CODES,
  createVoucherWithCode: CODES,
  updateVoucher: CODES,
  deleteVoucher: CODES,
  enableVoucher: CODES,
  disableVoucher: CODES,
  releaseVoucherSession: CODES,
  addVouchersToCampaign: CODES,
  addVoucherToCampaign: CODES,
  createProduct: GOODS,
  updateProduct: GOODS,
  deleteProduct: GOODS,
  createSku: GOODS,
  updateSku: GOODS,
  deleteSku: GOODS,
  createOrder: GOODS,
  updateOrder: GOODS,
  adjustVoucherBalance: POINTS,
  adjustLoyaltyMemberBalance: POINTS,
  adjustLoyaltyMemberBalanceOfCampaign: POINTS,
  transferLoyaltyPoints: POINTS,
  activatePendingPoints: POINTS,
  cancelPendingPoints: POINTS,
  adjustPendingPoints: POINTS,
  adjustCardPoints: POINTS,
  activateCardPendingPointsBucket: POINTS,
  cancelCardPendingPointsBucket: POINTS,
  expireCardPointsBucket: POINTS,
  purchaseMemberReward: POINTS,
  refundRewardPurchase: POINTS,
  createMemberOrderPayment: POINTS,
  createProgramMember: MEMBERS,
  batchCreateProgramMembers: MEMBERS,
  updateProgramMember: MEMBERS,
  deleteProgramMember: MEMBERS,
  activateProgramMember: MEMBERS,
  deactivateProgramMember: MEMBERS,
  updateCustomersInBulk: CUSTOMERS,
  updateCustomersMetadataInBulk: CUSTOMERS,
  importCustomersCsv: CUSTOMERS,
  updateVouchersInBulk: CODES,
  updateVouchersMetadataInBulk: CODES,
  importVouchers: CODES,
  importVouchersCsv: CODES,
  importCampaignVouchers: CODES,
  importCampaignVouchersCsv: CODES,
  updateProductsInBulk: GOODS,
  updateProductsMetadataInBulk: GOODS,
  importProductsCsv: GOODS,
  importSkusCsv: GOODS,
  importOrders: GOODS,
  createExport: EXPORTS,
  deleteExport: EXPORTS,
  exportOrders: EXPORTS,
  exportVoucherTransactions: EXPORTS,
  exportCampaignTransactions: EXPORTS,
  exportLoyaltyTransactions: EXPORTS,
  exportLoyaltyCardTransactions: EXPORTS,
  exportLoyaltyMemberTransactions: EXPORTS,
  exportPointsExpiration: EXPORTS,
  resendWebhookDelivery: SENDING,
  resendWebhookDeliveries: SENDING,
  testWebhook: SENDING,
  updateProgramRewardAssignment: "it sets the stock of a reward, which is a counter",
  createOauthToken: "a token is a credential and no configuration; it has a row of its own",
  revokeOauthToken: "a token is a credential and no configuration; it has a row of its own",
  askPasswordReset: "the example names nobody; what somebody asked for is logged, see password-reset.test.ts",
  updateOwnPassword: "a password is in no version; the first one shows as a user who is active",
  createSession: "a session is a credential and no configuration; it has a row of its own",
  endOtherSessions: "a session is a credential and no configuration; it has a row of its own",
  endOwnSession: "a session is a credential and no configuration; it has a row of its own",
  deleteSession: "a session is a credential and no configuration; it has a row of its own",
  startSingleSignOn: "somebody goes to the provider; who comes back and is linked is logged",
  setUpTotp: "nothing is asked for until it is confirmed, which is logged",
  moveTestClock: "time passes in a sandbox; nothing is configured",
  purgeBinEntry: "what is in the bin was logged as deleted when it went there",
};

const WRITES = ALL_ROUTES.filter(({ runs }) => runs === "write");
const LOGGED = WRITES.filter(({ id }) => !(id in NOT_LOGGED));
const entries = async () => (await db`select operation from audit_log`).map(({ operation }) => operation as string);
const seen = new Set<string>();
const note = async () => {
  for (const operation of await entries()) seen.add(operation);
};

test("what is said not to be logged are operations that write", () => {
  const ids = new Set(WRITES.map(({ id }) => id));
  assert.deepEqual(
    Object.keys(NOT_LOGGED).filter((id) => !ids.has(id)),
    [],
  );
});

/** Examples that send what is there already. */
const CHANGES: Readonly<Record<string, object>> = {
  updateCardDefinition: { metadata: { walked: true } },
  updateUserRole: { role: "ADMIN" },
};

test("operations with a body leave an entry, or have a reason not to", async () => {
  const { call } = await demoServer(db);
  const bodies = WRITES.filter(({ id, body }) => body && !LAST.includes(id)).map(({ id }) => id);
  const faults: string[] = [];
  for (const id of [...bodies, ...LAST]) {
    const request = requestOf(id);
    await BEFORE[id]?.(call, request);
    const count = (await entries()).length;
    await ok(call, request.line, CHANGES[id] ? { ...request.body, ...CHANGES[id] } : request.body, request.headers);
    const isLogged = (await entries()).length > count;
    if (isLogged === id in NOT_LOGGED)
      faults.push(`${id} ${isLogged ? "is said not to be logged" : "leaves no entry"}`);
  }
  assert.deepEqual(faults, []);
  await note();
});

/** Steps without a body, in an order in which each changes something: what others use goes after them. */
const STEPS = [
  ...["archiveCampaign", "unarchiveCampaign", "enableCampaign"],
  ...["disableCampaign", "enableCampaign", "disablePromotionTier", "enablePromotionTier"],
  ...["disableCampaignEarningRule", "enableCampaignEarningRule", "activateCardDefinition", "activateTierStructure"],
  ...["deactivateTierStructure", "activateEarningRule", "deactivateEarningRule", "activateBenefit", "draftBenefit"],
  ...["activateReward", "deactivateReward", "deactivateProgram", "activateProgram"],
  ...[
    "rotateWebhookSecret",
    "disableKey",
    "deleteWebhook",
    "deleteBranding",
    "resendInvitation",
    "createInvitationLink",
    "disableUser",
    "enableUser",
    "unassignUser",
    "deleteRole",
    "deleteStackingRules",
    "deletePromotionStack",
  ],
  ...["deletePromotionTier", "deleteValidationRuleAssignment", "deleteValidationRule", "deleteMetadataSchema"],
  ...["deleteCustomEventSchema", "deleteSegment", "deleteProductCollection", "deleteCategory"],
  ...["deleteCampaignTemplate", "deleteRewardAssignment", "deleteCampaignReward"],
  ...["deleteCampaignTier", "deleteCampaignEarningRule", "deleteLoyaltyCampaign"],
  ...["deleteBenefit", "deleteReward", "deleteEarningRule", "deleteTierStructure", "deleteCardDefinition"],
  ...["deactivateProgram", "deleteProgram", "deleteProject"],
];
/** In another project, since what is deleted or was active cannot be drafted. */
const STEPS_OF_DRAFTS = [
  ...["activateCardDefinition", "activateTierStructure", "draftTierStructure", "deleteTier"],
  ...["activateEarningRule", "draftEarningRule", "activateReward", "draftReward", "draftCardDefinition"],
  ...["deleteRewardOfCampaign", "deleteCampaign"],
];

for (const steps of [STEPS, STEPS_OF_DRAFTS])
  test(`operations without a body leave an entry, from ${steps[0]} to ${steps.at(-1)}`, async () => {
    let now = NOW;
    const { call, project } = await testShop(db, { is_sandbox: false }, { now: () => now });
    const made = await makeOneOfEverything(call, project);
    const other = await testProject(db);
    await ok(call, `POST /management/v1/projects/${other.id}/users`, { id: made.userId, role: "USER" });
    const promotion = await ok(call, `GET /v1/promotions/tiers/${made.promotionTierId}`);
    for (const id of steps) {
      // An invitation that is sent again in the same moment ends when the one before does.
      now = new Date(Date.parse(now) + 1_000).toISOString();
      const route = WRITES.find((one) => one.id === id)!;
      const ids = { ...idsOn(route.path, made) };
      if (route.path.startsWith("/v1/promotions/")) ids.campaignId = promotion.campaign_id;
      const count = (await entries()).length;
      await ok(call, `${route.method} ${route.path.replace(/\{(\w+)\}/g, (_, name) => ids[name]!)}`);
      assert.ok((await entries()).length > count, `${id} leaves no entry`);
    }
    await note();
  });

test("no operation that writes is missing here", () => {
  assert.deepEqual(
    LOGGED.map(({ id }) => id).filter((id) => !seen.has(id)),
    [],
  );
});
