import assert from "node:assert/strict";
import { LRUCache } from "lru-cache";
import type { SingleOffer } from "../core/qualify/offer.ts";
import type { PromotionIndex } from "../core/qualify/promotions.ts";
import type { Db, Pool, Tx } from "../db/db.ts";
import type { CatalogKind, Project } from "../request.ts";
import { type CategoryRow, categories } from "../resources/catalogue/categories/store.ts";
import { type ProductCollectionRow, productCollections } from "../resources/catalogue/product-collections/store.ts";
import { type StackingRulesRow, stackingRules } from "../resources/checkout/stacking-rules/store.ts";
import { type CustomEventSchemaRow, customEventSchemas } from "../resources/customers/custom-event-schemas/store.ts";
import { type SegmentRow, segments } from "../resources/customers/segments/store.ts";
import { type MetadataSchemaRow, metadataSchemas } from "../resources/platform/metadata-schemas/store.ts";
import { byType, type WebhookRow, webhooks } from "../resources/platform/webhooks/store.ts";
import { type Campaign, loadCampaigns } from "../resources/promotions/campaigns/store.ts";
import { loadPromotionStacks, type PromotionStackRow } from "../resources/promotions/promotion-stacks/store.ts";
import { loadPromotionTiers, type PromotionTierRow } from "../resources/promotions/promotion-tiers/store.ts";
import {
  loadAssignments,
  type ValidationRuleAssignmentRow,
} from "../resources/promotions/validation-rule-assignments/store.ts";
import { type ValidationRuleRow, validationRules } from "../resources/promotions/validation-rules/store.ts";
import { LOYALTY_LOADERS, type Loaders, type LoyaltyRows } from "./loyalty-kinds.ts";

/** What a project has configured, at one revision. Frozen: a change makes a new one. */
export type Catalog = Readonly<{
  revision: number;
  /** Without the stock that is left of them. */
  benefits: ReadonlyMap<string, LoyaltyRows["benefit"]>;
  /** Campaigns that are not in the bin. */
  campaigns: ReadonlyMap<string, Campaign>;
  /** How points of loyalty cards are earned. */
  campaign_earning_rules: ReadonlyMap<string, LoyaltyRows["campaign_earning_rule"]>;
  /** What the points of loyalty cards are given for, without their stock. */
  campaign_rewards: ReadonlyMap<string, LoyaltyRows["campaign_reward"]>;
  /** The tiers that points of loyalty cards lead to. */
  campaign_tiers: ReadonlyMap<string, LoyaltyRows["campaign_tier"]>;
  card_definitions: ReadonlyMap<string, LoyaltyRows["card_definition"]>;
  categories: ReadonlyMap<string, CategoryRow>;
  custom_event_schemas: ReadonlyMap<string, CustomEventSchemaRow>;
  earning_rules: ReadonlyMap<string, LoyaltyRows["earning_rule"]>;
  metadata_schemas: ReadonlyMap<string, MetadataSchemaRow>;
  product_collections: ReadonlyMap<string, ProductCollectionRow>;
  /** Loyalty programs that are not deleted. */
  programs: ReadonlyMap<string, LoyaltyRows["program"]>;
  promotion_stacks: ReadonlyMap<string, PromotionStackRow>;
  promotion_tiers: ReadonlyMap<string, PromotionTierRow>;
  rewards: ReadonlyMap<string, LoyaltyRows["reward"]>;
  /** What gives rewards to loyalty campaigns. */
  reward_assignments: ReadonlyMap<string, LoyaltyRows["reward_assignment"]>;
  segments: ReadonlyMap<string, SegmentRow>;
  stacking_rules: StackingRulesRow | null;
  tier_structures: ReadonlyMap<string, LoyaltyRows["tier_structure"]>;
  /** The tiers of loyalty programs. */
  tiers: ReadonlyMap<string, LoyaltyRows["tier"]>;
  /** The tiers of a structure, by its id, the lowest first. */
  tiers_of: ReadonlyMap<string, readonly LoyaltyRows["tier"][]>;
  validation_rules: ReadonlyMap<string, ValidationRuleRow>;
  /** What is made of this revision and helps to make it of the next. It is dropped with the catalog of the project. */
  carried: { promotions?: PromotionIndex; offers?: Offers };
  /** The rules of a campaign, a tier or another configured object, by its id, in the order of their assignment. */
  rules_of: ReadonlyMap<string, readonly ValidationRuleAssignmentRow[]>;
  /** The webhooks that are active, by each type of events that they listen to. */
  webhooks_of: ReadonlyMap<string, readonly WebhookRow[]>;
  /** What a loyalty program uses, by its id, in the order of the assignment. */
  assignments_of: ReadonlyMap<string, readonly LoyaltyRows["program_assignment"][]>;
  /** The earning rules of a campaign, by its id, in the order of their creation. */
  earning_rules_of_campaign: ReadonlyMap<string, readonly LoyaltyRows["campaign_earning_rule"][]>;
  /** The tiers of a campaign, by its id, the lowest first. */
  tiers_of_campaign: ReadonlyMap<string, readonly LoyaltyRows["campaign_tier"][]>;
  /** The rewards of a campaign, by its id, in the order of the assignment. */
  reward_assignments_of_campaign: ReadonlyMap<string, readonly LoyaltyRows["reward_assignment"][]>;
}>;

/** The offers of tiers and campaigns by their rows, and what else they were made of. */
export type Offers = { from: readonly unknown[]; byRow: ReadonlyMap<object, SingleOffer> };

type Rows = LoyaltyRows & {
  campaign: Campaign;
  category: CategoryRow;
  custom_event_schema: CustomEventSchemaRow;
  metadata_schema: MetadataSchemaRow;
  product_collection: ProductCollectionRow;
  promotion_stack: PromotionStackRow;
  promotion_tier: PromotionTierRow;
  segment: SegmentRow;
  stacking_rules: StackingRulesRow;
  validation_rule: ValidationRuleRow;
  validation_rule_assignment: ValidationRuleAssignmentRow;
  webhook: WebhookRow;
};

/** Where each kind is read from. A new kind is one line here and one field of `Catalog`. */
const LOADERS: Loaders<Rows> = {
  ...LOYALTY_LOADERS,
  campaign: loadCampaigns,
  category: categories.load,
  custom_event_schema: customEventSchemas.load,
  metadata_schema: metadataSchemas.load,
  product_collection: productCollections.load,
  promotion_stack: loadPromotionStacks,
  promotion_tier: loadPromotionTiers,
  segment: segments.load,
  stacking_rules: stackingRules.load,
  validation_rule: validationRules.load,
  validation_rule_assignment: loadAssignments,
  webhook: webhooks.load,
};
const KINDS = Object.keys(LOADERS) as CatalogKind[];

type Source = { [K in CatalogKind]: Map<string, Rows[K]> };
type Held = { catalog: Catalog; source: Source; bytes: number };
type Change = { kind: CatalogKind; id: string };

/**
 * Holds the catalogs of the projects in use. A request names the revision it saw with its credentials, and gets a
 * catalog at least as new; what changed since the held one is read once for all who wait, in one snapshot.
 */
export function createCatalogs(
  pool: Pool,
  { bytesMax, observe }: { bytesMax: number; observe?: (part: "all" | "changes") => void },
) {
  // A catalog that alone is larger than the limit is kept until the next one comes.
  const sizeCalculation = ({ bytes }: Held): number => Math.max(1, Math.min(bytes, bytesMax));
  const held = new LRUCache<string, Held>({ maxSize: bytesMax, sizeCalculation });
  const loading = new Map<string, Promise<Held>>();

  const refresh = (projectId: string): Promise<Held> => {
    const running = loading.get(projectId);
    if (running) return running;
    const before = held.get(projectId);
    observe?.(before ? "changes" : "all");
    const started = loadHeld(pool, projectId, before)
      .then((entry) => {
        held.set(projectId, entry);
        return entry;
      })
      .finally(() => loading.delete(projectId));
    loading.set(projectId, started);
    return started;
  };

  /** The catalog of a project, at the revision the request saw or a newer one. */
  const catalogOf = async ({ id, catalog_revision }: Pick<Project, "id" | "catalog_revision">): Promise<Catalog> => {
    const entry = held.get(id);
    if (entry && entry.catalog.revision >= catalog_revision) return entry.catalog;
    // A load that was under way may have started before our revision was committed; the one after it has not.
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { catalog } = await refresh(id);
      if (catalog.revision >= catalog_revision) return catalog;
    }
    throw new Error(`the revision ${catalog_revision} of ${id} is no longer in the database`);
  };
  return { catalogOf, size: () => held.size };
}

export type Catalogs = ReturnType<typeof createCatalogs>;

function loadHeld(pool: Pool, projectId: string, before: Held | undefined): Promise<Held> {
  return pool.begin("isolation level repeatable read read only", (tx) =>
    loadFrom(tx, projectId, before),
  ) as Promise<Held>;
}

/** For work that has no catalog and rarely needs one, as it is within its transaction. */
export const loadCatalog = async (tx: Tx, projectId: string): Promise<Catalog> =>
  (await loadFrom(tx, projectId, undefined)).catalog;

async function loadFrom(tx: Tx, projectId: string, before: Held | undefined): Promise<Held> {
  const revision = await revisionOf(tx, projectId);
  const changes = before && (await changesSince(tx, projectId, before.catalog.revision, revision));
  const kept = changes && before;
  // A kind of which nothing changed is shared with the catalog before: nobody writes to it any more.
  const source: Source = kept ? { ...kept.source } : emptySource();
  const of = <K extends CatalogKind>(kind: K) => changes?.filter((c) => c.kind === kind).map((c) => c.id) ?? null;
  const grown = await Promise.all(KINDS.map((kind) => fill(tx, projectId, { source, kind, ids: of(kind) })));
  const bytes = (kept?.bytes ?? 0) + grown.reduce((sum, one) => sum + one, 0);
  return { catalog: compile(revision, source, before), source, bytes };
}

const bytesOf = (row: object | undefined): number => (row ? JSON.stringify(row).length : 0);

/** Loads what changed of a kind, and says by how many bytes it grew. */
async function fill<K extends CatalogKind>(
  tx: Tx,
  projectId: string,
  { source, kind, ids }: { source: Source; kind: K; ids: readonly string[] | null },
): Promise<number> {
  if (ids?.length === 0) return 0;
  const rows = await LOADERS[kind](tx, projectId, ids);
  const all = new Map(source[kind] as Map<string, Rows[K]>);
  let grown = 0;
  for (const id of ids ?? []) {
    grown -= bytesOf(all.get(id));
    all.delete(id); // Those that were deleted do not come back.
  }
  for (const row of rows) {
    grown += bytesOf(row);
    all.set(row.id, Object.freeze(row) as Rows[K]);
  }
  (source as Record<K, Map<string, Rows[K]>>)[kind] = all;
  return grown;
}

/** The revision that a transaction sees. */
export async function revisionOf(db: Db, projectId: string): Promise<number> {
  const [row] = await db<{ revision: number }[]>`
    select catalog_revision as revision from tenants where project_id = ${projectId}`;
  assert(row, "the project was found with the credentials");
  return row.revision;
}

/** What changed after `from`, or undefined when that is no longer known and everything must be read. */
async function changesSince(tx: Tx, projectId: string, from: number, to: number): Promise<Change[] | undefined> {
  const rows = await tx<(Change & { revision: number })[]>`
    select revision, kind, id from catalog_changes where project_id = ${projectId} and revision > ${from}`;
  const revisions = new Set(rows.map((row) => row.revision));
  return revisions.size === to - from ? rows : undefined;
}

const emptySource = (): Source => Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as unknown as Source;

const byAssignment = (a: LoyaltyRows["program_assignment"], b: LoyaltyRows["program_assignment"]): number =>
  Temporal.Instant.compare(a.created_at, b.created_at) || (a.component_id < b.component_id ? -1 : 1);

type Created = { id: string; created_at: string };
const byCreation = (a: Created, b: Created): number =>
  Temporal.Instant.compare(a.created_at, b.created_at) || (a.id < b.id ? -1 : 1);

const byRank = (
  { qualification_rules: a }: LoyaltyRows["tier"],
  { qualification_rules: b }: LoyaltyRows["tier"],
): number => a.points.min_value - b.points.min_value;

const byPoints = (a: LoyaltyRows["campaign_tier"], b: LoyaltyRows["campaign_tier"]): number =>
  a.points_from - b.points_from;

/** What depends on kinds that did not change is the same object as before, and with it what others made of it. */
function compile(revision: number, source: Source, before: Held | undefined): Catalog {
  const kept = <F extends keyof Catalog>(
    field: F,
    kinds: readonly CatalogKind[],
    make: () => Catalog[F],
  ): Catalog[F] =>
    before && kinds.every((kind) => before.source[kind] === source[kind]) ? before.catalog[field] : make();
  const by = <R extends object, F extends keyof R>(rows: Iterable<R>, field: F) =>
    new Map([...rows].map((row) => [String(row[field]), row]));
  // What belongs to a campaign goes to the bin with it.
  const ofCampaigns = <R extends { campaign_id: string }>(rows: ReadonlyMap<string, R>): ReadonlyMap<string, R> => {
    const isThere = ({ campaign_id }: R) => source.campaign.has(campaign_id);
    return rows.values().every(isThere) ? rows : new Map([...rows].filter(([, row]) => isThere(row)));
  };
  return Object.freeze({
    revision,
    carried: before?.catalog.carried ?? {},
    benefits: source.benefit,
    campaigns: source.campaign,
    campaign_earning_rules: ofCampaigns(source.campaign_earning_rule),
    campaign_rewards: source.campaign_reward,
    campaign_tiers: ofCampaigns(source.campaign_tier),
    card_definitions: source.card_definition,
    categories: source.category,
    custom_event_schemas: by(source.custom_event_schema.values(), "name"),
    earning_rules: source.earning_rule,
    metadata_schemas: by(source.metadata_schema.values(), "related_object"),
    product_collections: source.product_collection,
    programs: source.program,
    promotion_stacks: ofCampaigns(source.promotion_stack),
    promotion_tiers: ofCampaigns(source.promotion_tier),
    rewards: source.reward,
    reward_assignments: ofCampaigns(source.reward_assignment),
    segments: source.segment,
    tier_structures: source.tier_structure,
    tiers: source.tier,
    tiers_of: kept("tiers_of", ["tier"], () =>
      Map.groupBy([...source.tier.values()].sort(byRank), ({ tier_structure_id }) => tier_structure_id),
    ),
    validation_rules: source.validation_rule,
    rules_of: kept("rules_of", ["validation_rule_assignment"], () =>
      Map.groupBy(
        [...source.validation_rule_assignment.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
        ({ related_object_id }) => related_object_id,
      ),
    ),
    webhooks_of: kept("webhooks_of", ["webhook"], () =>
      byType([...source.webhook.values()].filter(({ active }) => active).sort(byCreation)),
    ),
    assignments_of: kept("assignments_of", ["program_assignment"], () =>
      Map.groupBy([...source.program_assignment.values()].sort(byAssignment), ({ program_id }) => program_id),
    ),
    earning_rules_of_campaign: kept("earning_rules_of_campaign", ["campaign_earning_rule", "campaign"], () =>
      Map.groupBy(
        [...ofCampaigns(source.campaign_earning_rule).values()].sort(byCreation),
        ({ campaign_id }) => campaign_id,
      ),
    ),
    tiers_of_campaign: kept("tiers_of_campaign", ["campaign_tier", "campaign"], () =>
      Map.groupBy([...ofCampaigns(source.campaign_tier).values()].sort(byPoints), ({ campaign_id }) => campaign_id),
    ),
    reward_assignments_of_campaign: kept("reward_assignments_of_campaign", ["reward_assignment", "campaign"], () =>
      Map.groupBy(
        [...ofCampaigns(source.reward_assignment).values()].sort(byCreation),
        ({ campaign_id }) => campaign_id,
      ),
    ),
    stacking_rules: source.stacking_rules.values().next().value ?? null,
  });
}
