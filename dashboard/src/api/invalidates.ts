/** What a write changes beyond its own resource: paths whose queries are asked again. */
export const INVALIDATES: Record<string, readonly string[]> = {
  rollbackRedemption: ["/v1/vouchers", "/v1/campaigns", "/v1/customers", "/v1/orders", "/v1/time-series"],
  rollbackStackedRedemptions: ["/v1/vouchers", "/v1/campaigns", "/v1/customers", "/v1/orders", "/v1/time-series"],
  enableCampaign: ["/v1/vouchers", "/v1/promotions", "/v1/conflicts"],
  disableCampaign: ["/v1/vouchers", "/v1/promotions", "/v1/conflicts"],
  archiveCampaign: ["/v1/vouchers", "/v1/promotions", "/v1/conflicts"],
  unarchiveCampaign: ["/v1/vouchers", "/v1/promotions", "/v1/conflicts"],
  duplicateCampaign: ["/v1/vouchers", "/v1/validation-rules"],
  createCampaign: ["/v1/conflicts"],
  updateCampaign: ["/v1/conflicts"],
  createCampaignFromTemplate: ["/v1/campaigns", "/v1/vouchers", "/v1/validation-rules", "/v1/conflicts"],
  createPromotionTier: ["/v1/campaigns", "/v1/conflicts"],
  updatePromotionTier: ["/v1/promotions", "/v1/campaigns", "/v1/conflicts"],
  deletePromotionTier: ["/v1/promotions", "/v1/campaigns", "/v1/conflicts", "/v1/validation-rules"],
  enablePromotionTier: ["/v1/promotions", "/v1/campaigns", "/v1/conflicts"],
  disablePromotionTier: ["/v1/promotions", "/v1/campaigns", "/v1/conflicts"],
  assignValidationRule: [
    ...["/v1/campaigns", "/v1/vouchers", "/v1/promotions", "/v1/loyalties", "/v1/conflicts"],
    "/v1/validation-rules-assignments",
  ],
  deleteValidationRuleAssignment: [
    ...["/v1/campaigns", "/v1/vouchers", "/v1/promotions", "/v1/loyalties", "/v1/conflicts"],
    "/v1/validation-rules-assignments",
  ],
  createCampaignEarningRules: ["/v1/validation-rules"],
  updateCampaignEarningRule: ["/v1/validation-rules"],
  assignRewards: ["/v1/validation-rules"],
  createPublication: ["/v1/customers", "/v1/vouchers", "/v1/campaigns"],
  adjustLoyaltyMemberBalance: ["/v1/customers", "/v1/vouchers"],
  adjustCardPoints: ["/v1/customers", "/v2/loyalties"],
  activateProgram: ["/v2/loyalties"],
  adjustVoucherBalance: ["/v1/customers", "/v1/campaigns"],
  eraseCustomer: ["/v1/redemptions", "/v1/orders", "/v1/vouchers", "/v1/publications", "/v1/segments"],
  enableVoucher: ["/v1/customers"],
  disableVoucher: ["/v1/customers"],
  addVouchersToCampaign: ["/v1/vouchers"],
  updateCustomer: ["/v1/segments"],
  inviteUser: ["/management/v1/projects"],
};

/** The resource of a path: `/v1/campaigns/{campaignId}/enable` belongs to `/v1/campaigns`. */
export const resourceOf = (path: string): string => {
  const parts = path.split("/");
  const end = parts.findIndex((part) => part.startsWith("{"));
  return (end === -1 ? parts : parts.slice(0, end)).join("/");
};

const isBelow = (path: string, root: string) => path === root || path.startsWith(`${root}/`);

/** Whether what was read at `path` is old after a write. */
export const isOldAfter = (write: { id: string; path: string }, path: string): boolean =>
  [resourceOf(write.path), ...(INVALIDATES[write.id] ?? [])].some((root) => isBelow(path, root));
