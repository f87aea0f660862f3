import type { Catalog } from "../../catalog/catalog.ts";
import { cardPrograms, startsAny } from "../../catalog/earn-programs.ts";
import type { Occurrence } from "../../core/loyalty/earning/triggers.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { IdList, Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { loadLots } from "../../resources/ledger/ledger/store.ts";
import { idsOfMembers, lockMembersOf } from "../../resources/loyalty-v2/members/store.ts";
import { idsOfHeld, lockHeldCards } from "../../resources/promotions/vouchers/held-store.ts";
import { keepsMembers } from "../customers/segment-membership.ts";
import { hasAutoRewards } from "../points/auto-rewards.ts";
import { openProgramCards, type ProgramCards } from "../points/program-cards.ts";
import { isWatchedInPrograms } from "./earn-causes.ts";
import { rulesStartedIn } from "./earn-handouts.ts";

/** What of an earning is locked and read with the first message, since it depends on nothing but the customers. */
export type EarningAhead = {
  /** Cards of campaigns; null: they are found and locked when points come. */
  onCampaigns: { rows: readonly VoucherRow[]; lots: readonly LotRow[] } | null;
  /** Members of programs with their cards. */
  inPrograms: { members: readonly MemberRow[]; cards: ProgramCards } | null;
};

/** Which kinds of cards can be locked before it is known what comes of the events. */
type AheadKinds = { [K in keyof EarningAhead]: boolean };
const NOTHING: AheadKinds = { onCampaigns: false, inPrograms: false };

/**
 * Codes that are given away, by who joins or as a benefit, come before the cards in the order of locks, and so do the codes of
 * rewards that are redeemed by themselves: then nothing is locked ahead. Cards of campaigns come before members.
 */
export function aheadFor(catalog: Catalog, occurrences: readonly Occurrence[]): AheadKinds {
  const onCampaigns = occurrences.some((one) => startsAny(catalog, one));
  const mayGive =
    keepsMembers(catalog) ||
    (onCampaigns && (hasAutoRewards(catalog) || cardPrograms(catalog).some(({ campaign }) => campaign.auto_join)));
  if (mayGive) return NOTHING;
  const inPrograms =
    occurrences.some((one) => isWatchedInPrograms(catalog, one)) &&
    !occurrences.some((one) => bringsBenefits(catalog, one));
  return { onCampaigns, inPrograms };
}

const bringsBenefits = (catalog: Catalog, occurrence: Occurrence): boolean =>
  catalog.programs.keys().some((id) =>
    rulesStartedIn(catalog, id, { occurrence })
      .flatMap(({ earnings }) => earnings.flatMap(({ effects }) => effects))
      .some(({ type }) => type === "INCENTIVE"),
  );

/** Locks the cards of customers, who are locked before, and reads their points. All is sent as it is called, in this order. */
export async function lockAhead(
  tx: Tx,
  projectId: string,
  { catalog, customerIds, ...kinds }: AheadKinds & { catalog: Catalog; customerIds: IdList },
): Promise<EarningAhead> {
  const campaignIds = cardPrograms(catalog).map(({ campaign }) => campaign.id);
  const held = { customerIds, campaignIds };
  const memberIds = idsOfMembers(tx, projectId, customerIds);
  const [rows, lots, members, cards] = await together([
    kinds.onCampaigns ? lockHeldCards(tx, projectId, held) : [],
    kinds.onCampaigns ? loadLots(tx, projectId, idsOfHeld(tx, projectId, held)).execute() : [],
    kinds.inPrograms ? lockMembersOf(tx, projectId, customerIds) : [],
    kinds.inPrograms ? openProgramCards(tx, projectId, { memberIds }) : null,
  ]);
  return { onCampaigns: kinds.onCampaigns ? { rows, lots } : null, inPrograms: cards && { members, cards } };
}
