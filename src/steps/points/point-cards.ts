import type { Catalog } from "../../catalog/catalog.ts";
import { entryDetails } from "../../core/ledger/pending-points.ts";
import type { TiersExpiration } from "../../core/loyalty/campaign/shapes.ts";
import { campaignWorld, pointsExpirationOf } from "../../core/loyalty/campaign/world.ts";
import { dueAt } from "../../core/loyalty/card/advance.ts";
import { type CardState, type Change, noChange } from "../../core/loyalty/card/card.ts";
import { advanceCard, type CardAtWork, changedCards, type SpentPoints } from "../../core/loyalty/card/card-at-work.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import { isExpired } from "../../core/publish/publish.ts";
import type { EntryRow, LotRow } from "../../core/rows/ledger.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import type { Db, Tx } from "../../db/db.ts";
import { type Writes, withWrites, writeLater } from "../../db/together.ts";
import type { NewEvent } from "../../events/events.ts";
import type { NewId, Project } from "../../request.ts";
import { insertPoints, loadLots, saveLots } from "../../resources/ledger/ledger/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { savePoints } from "../../resources/promotions/vouchers/points-store.ts";
import { campaignsOf } from "../promotions/voucher-view.ts";
import { type AutoSource, autoRewardOf, type CampaignAuto } from "./auto-rewards.ts";
import { tellingOf } from "./point-events.ts";
import { saveTierEffects } from "./tier-transactions.ts";

/** A code of a loyalty campaign with its points. */
export type PointCard = CardAtWork<VoucherRow> & {
  campaign: Campaign;
  /** The reward that is redeemed whenever there are points for it. */
  auto: CampaignAuto | null;
};

/** Rewards that are redeemed without being asked for: how many there are for a card, and what was spent, in its order. */
export type AutoRedeeming = { leftOf(row: VoucherRow): number; spent: SpentPoints[] };

type Moment = { now: string; zone: string; newId: NewId };

/** What the cards of a campaign live in. A card that keeps settings of its own has them put in when it is changed. */
export function pointWorld(
  { tiers_of_campaign }: Pick<Catalog, "tiers_of_campaign">,
  campaign: Campaign,
  { now, zone, newId }: Moment,
): World {
  const { loyalty_card } = settingsOf({ settings: null, template_version: null }, campaign);
  return campaignWorld(
    {
      campaign_id: campaign.id,
      expiration_rules: loyalty_card?.expiration_rules ?? null,
      tiers: tiers_of_campaign.get(campaign.id) ?? [],
      tiers_expiration: campaign.loyalty_tiers_expiration as TiersExpiration | null,
    },
    { now, zone, newId: (prefix) => newId(prefix === "lctx" ? "vtx" : prefix) },
  );
}

/** When points expire stands in the settings that the code was published with. */
function ownWorld(card: Pick<PointCard, "row" | "campaign" | "auto">, world: World): World {
  const { row, campaign, auto } = card;
  const points_expiration = pointsExpirationOf(settingsOf(row, campaign).loyalty_card?.expiration_rules);
  const own = { ...world, wallet: { ...world.wallet, points_expiration } };
  return auto && row.holder_id !== null && isActiveCard(card, world.now) ? { ...own, auto } : own;
}

type Opening = Pick<PointCard, "row" | "campaign" | "auto"> & { state: CardState; spent: SpentPoints[] | null };
const pointCard = ({ row, campaign, auto, state, spent }: Opening): PointCard => ({
  row,
  campaign,
  auto,
  change: noChange(state),
  world: null,
  changed_at: null,
  code: {
    ownWorld: (world) => ownWorld({ row, campaign, auto }, world),
    isUnopened: row.account === null,
    spent,
  },
});

/** Whether a card can earn: it is enabled, it has begun, and it is not over. */
export function isActiveCard({ row, campaign }: Pick<PointCard, "row" | "campaign">, now: string): boolean {
  const settings = settingsOf(row, campaign);
  const isAhead = settings.start_date !== null && Temporal.Instant.compare(settings.start_date, now) > 0;
  return row.active && row.deleted_at === null && !isAhead && !isExpired(settings, now);
}

const loyaltyCardState = (row: VoucherRow, sums: CardState["account"]["sums"], lots: CardState["lots"]): CardState => ({
  id: row.id,
  program_id: row.campaign_id!,
  member_id: row.id,
  card_definition_id: row.campaign_id!,
  created_at: row.created_at,
  account: { sums, earned: null, spent: null },
  lots,
  tier: row.tier,
});

/**
 * Codes of loyalty campaigns with their points, in one statement, or two where a campaign is not in the catalog yet.
 * Whoever saves them has locked their rows. Codes of a campaign in the bin, and those that are no loyalty cards, are
 * left out.
 */
export async function openPointCards(
  db: Db | Tx,
  project: Pick<Project, "id">,
  catalog: Pick<Catalog, "campaigns"> & Partial<AutoSource>,
  rows: readonly VoucherRow[],
  { redeeming = null, lots: known }: { redeeming?: AutoRedeeming | null; lots?: readonly LotRow[] | undefined } = {},
): Promise<Map<string, PointCard>> {
  const cards = rows.filter(({ type }) => type === "LOYALTY_CARD");
  if (cards.length === 0) return new Map();
  const campaigns = await campaignsOf(db, project.id, catalog, cards);
  const ids = cards.filter(({ account }) => account !== null).map(({ id }) => id);
  const read = known ?? (ids.length > 0 ? await loadLots(db, project.id, ids) : []);
  const lots = Map.groupBy(read, (lot) => lot.account_id);
  return new Map(
    cards.flatMap((row) => {
      const campaign = campaigns.get(row.campaign_id ?? "");
      const card = campaign && pointCardWith(lots.get(row.id) ?? [], { row, campaign, catalog, redeeming });
      return card ? [[row.id, card] as const] : [];
    }),
  );
}

type CardSource = Pick<PointCard, "row" | "campaign"> & {
  catalog: Partial<AutoSource>;
  redeeming: AutoRedeeming | null;
};

/** A code of a loyalty campaign with the lots that it has. */
export function pointCardWith(lots: CardState["lots"], { row, campaign, catalog, redeeming }: CardSource): PointCard {
  const settings = settingsOf(row, campaign);
  const state = loyaltyCardState(row, sumsOf(row, settings)!, lots);
  const auto = autoRewardOf(catalog, campaign.id);
  const room = (settings.quantity ?? Number.POSITIVE_INFINITY) - row.redeemed_quantity;
  const left = auto && redeeming && { rewards_left: Math.max(0, Math.min(redeeming.leftOf(row), room)) };
  const spent = redeeming?.spent ?? null;
  return pointCard({ row, campaign, auto, state: { ...state, ...left }, spent });
}

/** A loyalty card that is published, with its points from that moment on. Nothing is saved. */
export function openedCard(row: VoucherRow, campaign: Campaign, living: Moment): PointCard {
  const sums = sumsOf(row, settingsOf(row, campaign))!;
  const card = pointCard({ row, campaign, auto: null, state: loyaltyCardState(row, sums, []), spent: null });
  advanceCard(card, pointWorld({ tiers_of_campaign: new Map() }, campaign, living));
  return card;
}

/**
 * Saves what has happened to cards, whose rows are locked, in a number of statements that does not depend on how many
 * there are. Returns the events; the caller records them. How often a code was redeemed is saved by `saveUses`, after this.
 */
export const savePointCards = (
  tx: Tx,
  project: Pick<Project, "id">,
  cards: Iterable<PointCard>,
  how: PointSaving,
): Promise<NewEvent[]> => withWrites((writes) => sendPointCards(tx, project, cards, { ...how, writes }));

type PointSaving = { source: string | null; isDueNow?: boolean };

/** The same for who waits at the end of the transaction. */
export async function sendPointCards(
  tx: Tx,
  project: Pick<Project, "id">,
  cards: Iterable<PointCard>,
  { source, isDueNow = false, writes }: PointSaving & { writes: Writes },
): Promise<NewEvent[]> {
  const changed = changedCards(cards);
  if (changed.length === 0) return [];
  const lots = changed.flatMap(({ row, change }) => change.lots.map((lot) => ({ ...lot, account_id: row.id })));
  const entries = changed.map((one) => ledgerEntries(one, source));
  const saved = changed.map(({ row, change, change: { card }, world }) => ({
    id: row.id,
    account: card.account.sums,
    tier: card.tier,
    due_at: isDueNow ? world!.now : dueAt(card, world!),
    updated_at: lastMoment(change),
  }));
  const moved = changed.map(({ change }) => ({ card: change.card, effects: change.tiers }));
  writeLater(writes, saveLots(tx, project.id, lots));
  writeLater(writes, insertPoints(tx, project.id, entries.flat()));
  writeLater(writes, savePoints(tx, project.id, saved));
  const ended = await saveTierEffects(tx, project.id, moved, writes);
  return changed.flatMap((one, n) => tellingOf(one, { entries: entries[n]!, ended }));
}

/**
 * When points or a tier moved last; null: nothing did. A code tells of moves only, where a card of a program tells of
 * whatever changed it (`changed_at`). A late sweep gives the same moment as a punctual one.
 */
const lastMoment = ({ entries, tiers }: Change): string | null =>
  [
    ...entries.map(({ created_at }) => created_at),
    ...tiers.map((one) => (one.kind === "made" ? one.transaction.created_at : one.at)),
  ].reduce<string | null>((last, at) => (last === null || Temporal.Instant.compare(at, last) > 0 ? at : last), null);

function ledgerEntries({ row, change }: PointCard, source: string | null): EntryRow[] {
  return change.entries.map(({ cause, details, ...entry }) => ({
    campaign_id: row.campaign_id,
    redemption_id: null,
    rollback_id: null,
    source_id: null,
    // What comes with time was nobody's doing.
    source: entry.kind === "expiration" || entry.kind === "opening" ? null : source,
    ...entry,
    ...cause,
    details: entryDetails(row, details),
  }));
}

/** Cards as they are at this moment: what time alone has brought is counted, also when no job has saved it yet. */
export async function loadPointsNow(
  c: { db: Db; project: Pick<Project, "id" | "timezone">; now: string; newId: NewId },
  catalog: Pick<Catalog, "campaigns" | "tiers_of_campaign">,
  rows: readonly VoucherRow[],
): Promise<Map<string, PointCard>> {
  const cards = await openPointCards(c.db, c.project, catalog, rows);
  // One that was never published or moved has no day from which its points expire.
  for (const one of cards.values())
    if (one.row.account !== null)
      advanceCard(one, pointWorld(catalog, one.campaign, { ...c, zone: zoneOf(c.project) }));
  return cards;
}
