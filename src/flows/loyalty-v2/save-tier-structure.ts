import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { invalid } from "../../core/errors.ts";
import { type LoyaltyMove, loyaltyInUse, MOVED, statusAfter } from "../../core/loyalty/program/status.ts";
import {
  NO_TIER_DOWNGRADE,
  NO_TIER_EXPIRATION,
  parsePointEarned,
  parseTierDowngrade,
  parseTierExpiration,
  structureFault,
  type TierStructure,
} from "../../core/loyalty/tiers/structure.ts";
import type { WriteCtx } from "../../ctx.ts";
import { reviewPrograms } from "../../resources/loyalty-v2/cards/reviews-store.ts";
import type {
  LoyaltyTierStructure,
  LoyaltyTierStructureCreate,
  LoyaltyTierStructureUpdate,
} from "../../resources/loyalty-v2/tier-structures/schema.ts";
import { tierStructures, viewTierStructure } from "../../resources/loyalty-v2/tier-structures/store.ts";
import { removeTiersOf } from "../../resources/loyalty-v2/tiers/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { firstUse, type LoyaltyUses, programsUsing, requireKnown } from "../../steps/programs/loyalty-uses.ts";
import { componentSaver } from "../../steps/programs/save-component.ts";

type Settings = Pick<TierStructure, "point_earned" | "expiration" | "downgrade">;
const ALWAYS = ["name", "metadata"];

const saver = componentSaver({
  resource: "tier_structure",
  store: tierStructures,
  view: viewTierStructure,
  heldIn: (catalog) => catalog.tier_structures,
});

export async function createTierStructure(
  c: WriteCtx,
  sent: LoyaltyTierStructureCreate,
): Promise<LoyaltyTierStructure> {
  const { name, type, card_definition_id, status } = sent;
  const { point_earned = null, ...settings } = parseSettings(sent);
  const metadata = sent.metadata ?? {};
  const catalog = await lockConfiguration(c);
  requireWallet(catalog, card_definition_id);
  requireFittingStructure({ type, point_earned });
  requireMetadata(catalog, "vl_tier_structure", { metadata, on: "create" });
  return saver.insert(c, {
    project_id: c.project.id,
    id: c.newId("lts"),
    name,
    type,
    card_definition_id,
    point_earned,
    expiration: NO_TIER_EXPIRATION,
    downgrade: NO_TIER_DOWNGRADE,
    ...settings,
    metadata,
    status: status ?? "DRAFT",
    created_at: c.now,
    updated_at: null,
  });
}

/** What is not sent keeps its value; what is sent replaces it as a whole. */
export async function updateTierStructure(
  c: WriteCtx,
  id: string,
  sent: LoyaltyTierStructureUpdate,
): Promise<LoyaltyTierStructure> {
  const { name, type, card_definition_id } = sent;
  const settings = parseSettings(sent);
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.tier_structures, "tier_structure", id);
  const keys = Object.keys(sent);
  if (before.status !== "DRAFT" && !keys.every((key) => ALWAYS.includes(key)))
    throw invalid("Only name and metadata can be updated when tier structure status is not DRAFT");
  if (keys.length === 0) return viewTierStructure(before);
  // Whoever turns to the balance need not say that nothing is tracked any more.
  if (type === "POINT_BALANCE" && settings.point_earned === undefined) settings.point_earned = null;
  if (card_definition_id !== undefined) requireWallet(catalog, card_definition_id);
  const { point_earned = before.point_earned } = settings;
  requireFittingStructure({ type: type ?? before.type, point_earned });
  const metadata = sent.metadata === null ? {} : sent.metadata;
  if (metadata) requireMetadata(catalog, "vl_tier_structure", { metadata, on: "create" });
  return saver.update(c, id, { name, type, card_definition_id, ...settings, metadata });
}

/** An active one that is activated again stays as it is. */
export async function moveTierStructure(c: WriteCtx, id: string, move: LoyaltyMove): Promise<LoyaltyTierStructure> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.tier_structures, "tier_structure", id);
  const status = statusAfter("tier_structure", move, before);
  if (status === before.status) return viewTierStructure(before);
  const use = usedBy(catalog, id, move === "activate" ? "none" : "not in draft");
  if (use) throw loyaltyInUse("tier_structure", id, use);
  if (move === "activate")
    await reviewPrograms(
      c,
      programsUsing(catalog, id).map((program) => program.id),
    );
  return saver.update(c, id, { status }, MOVED[move]);
}

/** Its tiers go with it. */
export async function removeTierStructure(c: WriteCtx, id: string): Promise<LoyaltyTierStructure> {
  const gone = await saver.remove(c, id, (catalog) => usedBy(catalog, id, "all"));
  for (const tierId of await removeTiersOf(c.db, c.project.id, id, c.now)) c.changed("tier", tierId);
  return gone;
}

function usedBy(catalog: Catalog, id: string, by: "none" | "not in draft" | "all"): LoyaltyUses | null {
  const uses = new Map([["program", programsUsing(catalog, id)]]);
  return firstUse(uses, ({ status }) => by === "all" || (by === "not in draft" && status !== "DRAFT"));
}

/** The parts that are sent, as they are kept. */
function parseSettings({ point_earned, expiration, downgrade }: LoyaltyTierStructureUpdate): Partial<Settings> {
  return {
    ...(point_earned !== undefined && { point_earned: point_earned && parsePointEarned(point_earned) }),
    ...(expiration !== undefined && { expiration: expiration && parseTierExpiration(expiration) }),
    ...(downgrade !== undefined && { downgrade: downgrade && parseTierDowngrade(downgrade) }),
  };
}

function requireFittingStructure(structure: Pick<TierStructure, "type" | "point_earned">): void {
  const details = structureFault(structure);
  if (details !== null) throw invalid(details);
}

/** 400 and not 404, which is for the structure itself. */
function requireWallet({ card_definitions }: Catalog, id: string): void {
  if (!card_definitions.has(id)) throw invalid(`Property .card_definition_id names no card definition: ${id}`);
}
