import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import { type PointsExpirationBody, parsePointsExpiration } from "../../core/loyalty/card/wallet.ts";
import { requireOverride } from "../../core/loyalty/earning/earning-rule.ts";
import {
  overlappingTier,
  parseQualification,
  STRUCTURE_TIERS_MAX,
  type Tier,
} from "../../core/loyalty/tiers/structure.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import { type TierStructureRow, viewTierStructure } from "../../resources/loyalty-v2/tier-structures/store.ts";
import type { LoyaltyTierCreate, LoyaltyTierUpdate } from "../../resources/loyalty-v2/tiers/schema.ts";
import { insertLoyaltyTier, type TierRow, updateTierRow, viewTier } from "../../resources/loyalty-v2/tiers/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { requireKnown } from "../../steps/programs/loyalty-uses.ts";

type Ids = { tierStructureId: string; tierId: string };
const ALWAYS = ["name", "metadata"];
const INHERIT = { type: "INHERIT" } as const;

export async function createLoyaltyTier(c: WriteCtx, structureId: string, sent: LoyaltyTierCreate): Promise<TierRow> {
  const catalog = await lockConfiguration(c);
  const structure = requireKnown(catalog.tier_structures, "tier_structure", structureId);
  const qualification_rules = parseQualification(sent.qualification_rules);
  const points_expiration = parseOverride(sent.points_expiration);
  const metadata = sent.metadata ?? {};
  requireDraft(structure, "Tiers can only be created when tier structure status is DRAFT");
  const made = {
    project_id: c.project.id,
    id: c.newId("lt"),
    tier_structure_id: structureId,
    name: sent.name,
    qualification_rules,
    downgrade: sent.downgrade ?? INHERIT,
    points_expiration: points_expiration ?? null,
    metadata,
    created_at: c.now,
    updated_at: null,
    deleted_at: null,
  };
  requireFittingTier(catalog, structure, made);
  requireMetadata(catalog, "vl_tier", { metadata, on: "create" });
  if ((catalog.tiers_of.get(structureId)?.length ?? 0) >= STRUCTURE_TIERS_MAX)
    throw new ApiError("tier_limit_exceeded", { details: `A tier structure has at most ${STRUCTURE_TIERS_MAX} tiers` });
  return told(c, "vl.tier_structure.tier.created", { structure, tier: await insertLoyaltyTier(c.db, made) });
}

export async function updateLoyaltyTier(c: WriteCtx, ids: Ids, sent: LoyaltyTierUpdate): Promise<TierRow> {
  const catalog = await lockConfiguration(c);
  const { structure, tier } = requireTier(catalog, ids);
  const qualification_rules = sent.qualification_rules && parseQualification(sent.qualification_rules);
  const points_expiration = parseOverride(sent.points_expiration);
  const keys = Object.keys(sent);
  if (!keys.every((key) => ALWAYS.includes(key)))
    requireDraft(structure, "Only name and metadata of a tier can be updated when tier structure status is not DRAFT");
  if (keys.length === 0) return tier;
  const patch = {
    name: sent.name,
    qualification_rules,
    downgrade: sent.downgrade === null ? INHERIT : sent.downgrade,
    points_expiration,
    metadata: sent.metadata === null ? {} : sent.metadata,
    updated_at: c.now,
  };
  requireFittingTier(catalog, structure, {
    id: tier.id,
    qualification_rules: qualification_rules ?? tier.qualification_rules,
    points_expiration: points_expiration === undefined ? tier.points_expiration : points_expiration,
  });
  if (patch.metadata) requireMetadata(catalog, "vl_tier", { metadata: patch.metadata, on: "create" });
  const saved = await updateTierRow(c.db, c.project.id, tier.id, patch);
  return told(c, "vl.tier_structure.tier.updated", { structure, tier: saved });
}

export async function removeLoyaltyTier(c: WriteCtx, ids: Ids): Promise<TierRow> {
  const { structure, tier } = requireTier(await lockConfiguration(c), ids);
  requireDraft(structure, "Tiers can only be deleted when tier structure status is DRAFT");
  const gone = await updateTierRow(c.db, c.project.id, tier.id, { deleted_at: c.now, updated_at: c.now });
  return told(c, "vl.tier_structure.tier.deleted", { structure, tier: gone });
}

const parseOverride = (sent: PointsExpirationBody | null | undefined) =>
  sent ? parsePointsExpiration(sent, ".points_expiration") : sent;

function requireTier(
  catalog: Catalog,
  { tierStructureId, tierId }: Ids,
): { structure: TierStructureRow; tier: TierRow } {
  const structure = requireKnown(catalog.tier_structures, "tier_structure", tierStructureId);
  const tier = catalog.tiers.get(tierId);
  if (tier?.tier_structure_id !== structure.id) throw notFound("tier", tierId);
  return { structure, tier };
}

function requireDraft({ status }: TierStructureRow, details: string): void {
  if (status !== "DRAFT") throw invalid(details);
}

/** The segment exists, the points are those of no other tier, and what is said of expiration fits the wallet. */
function requireFittingTier(
  { card_definitions, segments, tiers_of }: Catalog,
  { id: structureId, card_definition_id }: TierStructureRow,
  tier: Pick<Tier, "id" | "qualification_rules" | "points_expiration">,
): void {
  const { segment } = tier.qualification_rules;
  if (segment) requireKnown(segments, "segment", segment.id);
  const wallet = card_definitions.get(card_definition_id);
  if (tier.points_expiration && wallet) requireOverride(tier.points_expiration, wallet, ".points_expiration");
  const other = overlappingTier(tiers_of.get(structureId) ?? [], tier);
  if (other)
    throw new ApiError("tier_overlap", {
      details: `Property .qualification_rules.points covers points of the tier ${other.id}`,
      related_object_ids: [other.id],
      related_object_type: "tier",
    });
}

async function told(
  c: WriteCtx,
  kind: EventKind,
  { structure, tier }: { structure: TierStructureRow; tier: TierRow },
): Promise<TierRow> {
  c.changed("tier", tier.id);
  const payload = { tier_structure: viewTierStructure(structure), tier: viewTier(tier) };
  await record(c, [{ kind, subject_id: structure.id, payload }]);
  return tier;
}
