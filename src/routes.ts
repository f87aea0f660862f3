import type { Route } from "./http/route.ts";
import { categoryRoutes } from "./resources/catalogue/categories/routes.ts";
import { locationRoutes } from "./resources/catalogue/locations/routes.ts";
import { productCollectionRoutes } from "./resources/catalogue/product-collections/routes.ts";
import { productRoutes } from "./resources/catalogue/products/routes.ts";
import { skuRoutes } from "./resources/catalogue/skus/routes.ts";
import { qualificationRoutes } from "./resources/checkout/qualifications/routes.ts";
import { receiptRoutes } from "./resources/checkout/receipts/routes.ts";
import { memberRewardRoutes } from "./resources/checkout/redemptions/member-routes.ts";
import { redemptionReadRoutes } from "./resources/checkout/redemptions/read-routes.ts";
import { rollbackRoutes } from "./resources/checkout/redemptions/rollback-routes.ts";
import { redemptionRoutes } from "./resources/checkout/redemptions/routes.ts";
import { refusalRoutes } from "./resources/checkout/refusals/routes.ts";
import { stackingRulesRoutes } from "./resources/checkout/stacking-rules/routes.ts";
import { validationRoutes } from "./resources/checkout/validations/routes.ts";
import { customEventSchemaRoutes } from "./resources/customers/custom-event-schemas/routes.ts";
import { clientCustomerRoutes } from "./resources/customers/customers/client-routes.ts";
import { customerRoutes } from "./resources/customers/customers/routes.ts";
import { clientEventRoutes } from "./resources/customers/events/client-routes.ts";
import { eventRoutes } from "./resources/customers/events/routes.ts";
import { segmentRoutes } from "./resources/customers/segments/routes.ts";
import { cardFigureRoutes } from "./resources/ledger/card-figures/routes.ts";
import { ledgerRoutes } from "./resources/ledger/ledger/routes.ts";
import { loyaltyCampaignRoutes } from "./resources/loyalty-v1/campaigns/routes.ts";
import { campaignEarningRuleRoutes } from "./resources/loyalty-v1/earning-rules/routes.ts";
import { loyaltyEstimationRoutes } from "./resources/loyalty-v1/estimations/routes.ts";
import { loyaltyCampaignMemberRoutes } from "./resources/loyalty-v1/members/routes.ts";
import { rewardAssignmentRoutes } from "./resources/loyalty-v1/reward-assignments/routes.ts";
import { rewardRoutes } from "./resources/loyalty-v1/rewards/routes.ts";
import { campaignTierRoutes } from "./resources/loyalty-v1/tiers/routes.ts";
import { loyaltyBenefitRoutes } from "./resources/loyalty-v2/benefits/routes.ts";
import { loyaltyCardDefinitionRoutes } from "./resources/loyalty-v2/card-definitions/routes.ts";
import { loyaltyPointsRoutes } from "./resources/loyalty-v2/cards/points-routes.ts";
import { loyaltyCardRoutes } from "./resources/loyalty-v2/cards/routes.ts";
import { loyaltyEarningRuleRoutes } from "./resources/loyalty-v2/earning-rules/routes.ts";
import { loyaltyExamineRoutes } from "./resources/loyalty-v2/examine/routes.ts";
import { loyaltyMemberRoutes } from "./resources/loyalty-v2/members/routes.ts";
import { loyaltyProgramRoutes } from "./resources/loyalty-v2/programs/routes.ts";
import { loyaltyReportRoutes } from "./resources/loyalty-v2/reports/routes.ts";
import { loyaltyRewardRoutes } from "./resources/loyalty-v2/rewards/routes.ts";
import { loyaltyTierStructureRoutes } from "./resources/loyalty-v2/tier-structures/routes.ts";
import { loyaltyTierRoutes } from "./resources/loyalty-v2/tiers/routes.ts";
import { loyaltyTransactionRoutes } from "./resources/loyalty-v2/transactions/routes.ts";
import { loyaltySpendingRoutes } from "./resources/loyalty-v2/transactions/spending-routes.ts";
import { orderRoutes } from "./resources/orders/orders/routes.ts";
import { asyncActionRoutes } from "./resources/platform/async-actions/routes.ts";
import { auditLogRoutes } from "./resources/platform/audit-log/routes.ts";
import { brandingRoutes } from "./resources/platform/branding/routes.ts";
import { eventFeedRoutes } from "./resources/platform/event-feed/routes.ts";
import { exportRoutes } from "./resources/platform/exports/routes.ts";
import { fileRoutes } from "./resources/platform/files/routes.ts";
import { importRoutes } from "./resources/platform/imports/routes.ts";
import { keyRoutes } from "./resources/platform/keys/routes.ts";
import { metadataSchemaRoutes } from "./resources/platform/metadata-schemas/routes.ts";
import { oauthRoutes } from "./resources/platform/oauth/routes.ts";
import { projectRoutes } from "./resources/platform/projects/routes.ts";
import { requestLogRoutes } from "./resources/platform/request-log/routes.ts";
import { roleRoutes } from "./resources/platform/roles/routes.ts";
import { searchRoutes } from "./resources/platform/search/routes.ts";
import { timeSeriesRoutes } from "./resources/platform/time-series/routes.ts";
import { trashBinRoutes } from "./resources/platform/trash-bin/routes.ts";
import { ownSessionRoutes } from "./resources/platform/users/own-sessions-routes.ts";
import { passwordRoutes } from "./resources/platform/users/password-routes.ts";
import { userRoutes } from "./resources/platform/users/routes.ts";
import { createShowSession, sessionRoutes } from "./resources/platform/users/session-routes.ts";
import { ownIdentityRoutes, singleSignOnRoutes } from "./resources/platform/users/single-sign-on-routes.ts";
import { totpRoutes } from "./resources/platform/users/totp-routes.ts";
import { webhookDeliveryRoutes } from "./resources/platform/webhooks/delivery-routes.ts";
import { webhookRoutes } from "./resources/platform/webhooks/routes.ts";
import { campaignTemplateRoutes } from "./resources/promotions/campaign-templates/routes.ts";
import { campaignRoutes } from "./resources/promotions/campaigns/routes.ts";
import { conflictRoutes } from "./resources/promotions/conflicts/routes.ts";
import { promotionStackRoutes } from "./resources/promotions/promotion-stacks/routes.ts";
import { promotionTierRoutes } from "./resources/promotions/promotion-tiers/routes.ts";
import { publicationRoutes } from "./resources/promotions/publications/routes.ts";
import { referralRoutes } from "./resources/promotions/referrals/routes.ts";
import { registryRoutes } from "./resources/promotions/registry/routes.ts";
import { validationRuleAssignmentRoutes } from "./resources/promotions/validation-rule-assignments/routes.ts";
import { validationRuleRoutes } from "./resources/promotions/validation-rules/routes.ts";
import { clientVoucherRoutes } from "./resources/promotions/vouchers/client-routes.ts";
import { voucherRoutes } from "./resources/promotions/vouchers/routes.ts";

// A session says which of all routes its user may call.
const showSession = createShowSession(() => ALL_ROUTES);

// Every operation. The server, the OpenAPI document, the scopes and the tests that walk all routes read this table.
export const ALL_ROUTES: readonly Route[] = [
  ...asyncActionRoutes,
  ...auditLogRoutes,
  ...brandingRoutes,
  ...campaignEarningRuleRoutes,
  ...campaignRoutes,
  ...campaignTemplateRoutes,
  ...campaignTierRoutes,
  ...categoryRoutes,
  ...conflictRoutes,
  ...customEventSchemaRoutes,
  ...clientCustomerRoutes,
  ...clientEventRoutes,
  ...clientVoucherRoutes,
  ...customerRoutes,
  ...eventFeedRoutes,
  ...timeSeriesRoutes,
  ...eventRoutes,
  ...exportRoutes,
  ...fileRoutes,
  ...importRoutes,
  ...ledgerRoutes,
  ...cardFigureRoutes,
  ...keyRoutes,
  ...locationRoutes,
  ...loyaltyCampaignRoutes,
  ...loyaltyCampaignMemberRoutes,
  ...loyaltyCardDefinitionRoutes,
  ...loyaltyTierRoutes,
  ...loyaltyTierStructureRoutes,
  ...loyaltyBenefitRoutes,
  ...loyaltyEarningRuleRoutes,
  ...loyaltyRewardRoutes,
  ...loyaltyCardRoutes,
  ...loyaltyMemberRoutes,
  ...loyaltyPointsRoutes,
  ...loyaltyProgramRoutes,
  ...loyaltyEstimationRoutes,
  ...loyaltyExamineRoutes,
  ...loyaltyReportRoutes,
  ...loyaltySpendingRoutes,
  ...loyaltyTransactionRoutes,
  ...metadataSchemaRoutes,
  ...oauthRoutes,
  ...orderRoutes,
  ...productCollectionRoutes,
  ...productRoutes,
  ...projectRoutes,
  ...promotionStackRoutes,
  ...promotionTierRoutes,
  ...publicationRoutes,
  ...referralRoutes,
  ...refusalRoutes,
  ...registryRoutes,
  ...qualificationRoutes,
  ...receiptRoutes,
  ...memberRewardRoutes,
  ...redemptionReadRoutes,
  ...redemptionRoutes,
  ...rollbackRoutes,
  ...rewardAssignmentRoutes,
  ...rewardRoutes,
  ...requestLogRoutes,
  ...roleRoutes,
  ...searchRoutes,
  ...segmentRoutes,
  ...sessionRoutes(showSession),
  ...singleSignOnRoutes(showSession),
  ...ownIdentityRoutes,
  ...ownSessionRoutes,
  ...passwordRoutes,
  ...totpRoutes,
  ...skuRoutes,
  ...stackingRulesRoutes,
  ...trashBinRoutes,
  ...userRoutes,
  ...validationRoutes,
  ...validationRuleAssignmentRoutes,
  ...validationRuleRoutes,
  ...voucherRoutes,
  ...webhookDeliveryRoutes,
  ...webhookRoutes,
];
