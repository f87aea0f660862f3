import { asyncActionRoutes } from "./resources/async-actions/routes.ts";
import { campaignEarningRuleRoutes } from "./resources/campaign-earning-rules/routes.ts";
import { campaignTemplateRoutes } from "./resources/campaign-templates/routes.ts";
import { campaignTierRoutes } from "./resources/campaign-tiers/routes.ts";
import { campaignRoutes } from "./resources/campaigns/routes.ts";
import { categoryRoutes } from "./resources/categories/routes.ts";
import { customEventSchemaRoutes } from "./resources/custom-event-schemas/routes.ts";
import { clientCustomerRoutes } from "./resources/customers/client-routes.ts";
import { customerRoutes } from "./resources/customers/routes.ts";
import { clientEventRoutes } from "./resources/events/client-routes.ts";
import { eventRoutes } from "./resources/events/routes.ts";
import { ledgerRoutes } from "./resources/ledger/routes.ts";
import { locationRoutes } from "./resources/locations/routes.ts";
import { loyaltyBenefitRoutes } from "./resources/loyalty-benefits/routes.ts";
import { loyaltyCampaignMemberRoutes } from "./resources/loyalty-campaign-members/routes.ts";
import { loyaltyCampaignRoutes } from "./resources/loyalty-campaigns/routes.ts";
import { loyaltyCardDefinitionRoutes } from "./resources/loyalty-card-definitions/routes.ts";
import { loyaltyPointsRoutes } from "./resources/loyalty-cards/points-routes.ts";
import { loyaltyCardRoutes } from "./resources/loyalty-cards/routes.ts";
import { loyaltyEarningRuleRoutes } from "./resources/loyalty-earning-rules/routes.ts";
import { loyaltyEstimationRoutes } from "./resources/loyalty-estimations/routes.ts";
import { loyaltyExamineRoutes } from "./resources/loyalty-examine/routes.ts";
import { loyaltyMemberRoutes } from "./resources/loyalty-members/routes.ts";
import { loyaltyProgramRoutes } from "./resources/loyalty-programs/routes.ts";
import { loyaltyReportRoutes } from "./resources/loyalty-reports/routes.ts";
import { loyaltyRewardRoutes } from "./resources/loyalty-rewards/routes.ts";
import { loyaltyTierStructureRoutes } from "./resources/loyalty-tier-structures/routes.ts";
import { loyaltyTierRoutes } from "./resources/loyalty-tiers/routes.ts";
import { loyaltyTransactionRoutes } from "./resources/loyalty-transactions/routes.ts";
import { loyaltySpendingRoutes } from "./resources/loyalty-transactions/spending-routes.ts";
import { metadataSchemaRoutes } from "./resources/metadata-schemas/routes.ts";
import { oauthRoutes } from "./resources/oauth/routes.ts";
import { orderRoutes } from "./resources/orders/routes.ts";
import { productCollectionRoutes } from "./resources/product-collections/routes.ts";
import { productRoutes } from "./resources/products/routes.ts";
import { projectRoutes } from "./resources/projects/routes.ts";
import { promotionStackRoutes } from "./resources/promotion-stacks/routes.ts";
import { promotionTierRoutes } from "./resources/promotion-tiers/routes.ts";
import { publicationRoutes } from "./resources/publications/routes.ts";
import { qualificationRoutes } from "./resources/qualifications/routes.ts";
import { receiptRoutes } from "./resources/receipts/routes.ts";
import { memberRewardRoutes } from "./resources/redemptions/member-routes.ts";
import { redemptionReadRoutes } from "./resources/redemptions/read-routes.ts";
import { rollbackRoutes } from "./resources/redemptions/rollback-routes.ts";
import { redemptionRoutes } from "./resources/redemptions/routes.ts";
import { referralRoutes } from "./resources/referrals/routes.ts";
import { rewardAssignmentRoutes } from "./resources/reward-assignments/routes.ts";
import { rewardRoutes } from "./resources/rewards/routes.ts";
import { segmentRoutes } from "./resources/segments/routes.ts";
import { skuRoutes } from "./resources/skus/routes.ts";
import { stackingRulesRoutes } from "./resources/stacking-rules/routes.ts";
import { trashBinRoutes } from "./resources/trash-bin/routes.ts";
import { validationRuleAssignmentRoutes } from "./resources/validation-rule-assignments/routes.ts";
import { validationRuleRoutes } from "./resources/validation-rules/routes.ts";
import { validationRoutes } from "./resources/validations/routes.ts";
import { clientVoucherRoutes } from "./resources/vouchers/client-routes.ts";
import { voucherRoutes } from "./resources/vouchers/routes.ts";

// Every operation. The server, the OpenAPI document, the scopes and the tests that walk all routes read this table.
export const ALL_ROUTES = [
  ...asyncActionRoutes,
  ...campaignEarningRuleRoutes,
  ...campaignRoutes,
  ...campaignTemplateRoutes,
  ...campaignTierRoutes,
  ...categoryRoutes,
  ...customEventSchemaRoutes,
  ...clientCustomerRoutes,
  ...clientEventRoutes,
  ...clientVoucherRoutes,
  ...customerRoutes,
  ...eventRoutes,
  ...ledgerRoutes,
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
  ...qualificationRoutes,
  ...receiptRoutes,
  ...memberRewardRoutes,
  ...redemptionReadRoutes,
  ...redemptionRoutes,
  ...rollbackRoutes,
  ...rewardAssignmentRoutes,
  ...rewardRoutes,
  ...segmentRoutes,
  ...skuRoutes,
  ...stackingRulesRoutes,
  ...trashBinRoutes,
  ...validationRoutes,
  ...validationRuleAssignmentRoutes,
  ...validationRuleRoutes,
  ...voucherRoutes,
];
