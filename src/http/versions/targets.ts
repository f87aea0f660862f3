import { INSTALLATION } from "../../catalog/audit.ts";
import type { Versioned, VersionedKind } from "../../catalog/versions.ts";
import { foldCode, trimCode } from "../../core/codes/code.ts";
import type { Project } from "../../request.ts";
import type { Route } from "../route.ts";

/** What the last parameter of a path names. */
const KINDS: Readonly<Record<string, VersionedKind>> = {
  assignmentId: "validation_rule_assignment",
  benefitId: "benefit",
  brandingId: "branding",
  campaignEarningRuleId: "campaign_earning_rule",
  campaignId: "campaign",
  campaignRewardId: "campaign_reward",
  campaignTemplateId: "campaign_template",
  cardDefinitionId: "card_definition",
  categoryId: "category",
  code: "voucher",
  customEventSchemaId: "custom_event_schema",
  earningRuleId: "earning_rule",
  locationId: "location",
  loyaltyTierId: "campaign_tier",
  metadataSchemaId: "metadata_schema",
  productCollectionId: "product_collection",
  productId: "product",
  programId: "program",
  projectId: "project",
  promotionTierId: "promotion_tier",
  resource: "metadata_schema",
  rewardAssignmentId: "reward_assignment",
  rewardId: "reward",
  roleId: "role",
  segmentId: "segment",
  skuId: "sku",
  stackId: "promotion_stack",
  stackingRulesId: "stacking_rules",
  tierId: "tier",
  tierStructureId: "tier_structure",
  userId: "user",
  validationRuleId: "validation_rule",
  webhookId: "webhook",
};
const OF_INSTALLATION: readonly VersionedKind[] = ["project", "role", "user"];
/** It sets the stock of an assigned reward, which is a counter and in no version. */
const COUNTERS = ["/v2/loyalties/programs/{programId}/rewards/{rewardId}"];

/** The parameter that names a configured object, of operations that read, change or delete one; null of all others. */
export function targetOf({ method, path, access }: Pick<Route, "method" | "path" | "access">) {
  const name = /\{(\w+)\}$/.exec(path)?.[1];
  const kind = name === undefined || COUNTERS.includes(path) ? undefined : KINDS[name];
  return kind === undefined || access === "client" || method === "POST" ? null : { name: name!, kind };
}

/** The object that a request is about, when it is a configured one. */
export function versionedOf(
  route: Route,
  { params, project }: { params: unknown; project: Pick<Project, "id" | "case_sensitive_codes"> | undefined },
): Versioned | null {
  const target = targetOf(route);
  if (!target) return null;
  const { name, kind } = target;
  const project_id = OF_INSTALLATION.includes(kind) ? INSTALLATION : project?.id;
  if (project_id === undefined) return null;
  const reference = (params as Record<string, string>)[name]!;
  const isCode = kind === "voucher" && project !== undefined && !reference.startsWith("v_");
  return {
    ...{ project_id, kind, reference },
    ...(isCode && { folded: foldCode(trimCode(reference), project.case_sensitive_codes) }),
  };
}
