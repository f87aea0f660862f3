import type { Catalog } from "../../catalog/catalog.ts";
import type { CardProgram } from "../../catalog/earn-programs.ts";
import { doneKey } from "../../core/loyalty/earning/plan.ts";
import { campaignCauseOf, undoneBy } from "../../core/loyalty/earning/triggers.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import type { HeldCard } from "../../resources/promotions/vouchers/held-store.ts";
import { lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { type EarningProject, isReturned } from "../points/earning-triggers.ts";
import { type Handed, handOver, saveHanded } from "../publishing/handing-over.ts";
import { openCodes } from "../publishing/publishing.ts";
import type { Wish } from "../publishing/wishes.ts";
import { holderKey } from "./campaign-earning-plan.ts";
import type { Cause } from "./earn-causes.ts";
import { joinsBy } from "./earn-rules.ts";

/** Somebody who becomes a member of a program because of something that happened. */
export type Joining = { cause: Cause; program: CardProgram };

type JoiningFacts = {
  project: EarningProject;
  catalog: Catalog;
  programs: readonly CardProgram[];
  done: ReadonlySet<string>;
  held: readonly HeldCard[];
};

// Contract is silent: a move between tiers makes nobody a member of another program.
/** Who becomes a member by which cause: the first by which they would earn. */
export function joiningOf(
  { project, catalog, programs, done, held }: JoiningFacts,
  causes: readonly Cause[],
): Joining[] {
  const open = programs.filter(({ campaign }) => campaign.auto_join);
  if (open.length === 0) return [];
  const members = new Set(held.map(({ holder_id, campaign_id }) => holderKey(holder_id, campaign_id)));
  const paid = new Set(done);
  return causes.flatMap((cause) => {
    const { trigger, occurrence, customer, order, card_id } = cause;
    const own = campaignCauseOf(trigger.kind);
    if (isReturned(trigger)) for (const earned of undoneBy(own!)) paid.delete(doneKey(earned, order?.id ?? ""));
    if (!customer || card_id !== null || "tier_id" in occurrence) return [];
    if (own && paid.has(doneKey(own, order?.id ?? ""))) return [];
    return open.flatMap((program): Joining[] => {
      const key = holderKey(customer.id, program.campaign.id);
      if (members.has(key) || !joinsBy({ catalog, project, cause }, program, occurrence)) return [];
      members.add(key);
      return [{ cause, program }];
    });
  });
}

/** Locks cards, and gives new ones to those who join. Where there is none to give, nobody joins. */
export async function openCards(
  tx: Tx,
  project: EarningProject,
  { ids, joining }: { ids: readonly string[]; joining: readonly Joining[] },
): Promise<{ rows: VoucherRow[]; told: EventsOf<Origin>[] }> {
  if (joining.length === 0) return { rows: ids.length > 0 ? await lockVouchers(tx, project.id, ids) : [], told: [] };
  const wishOf = ({ cause, program }: Joining): Wish => {
    const { now, newId, newSecret } = cause.of;
    return { voucher: null, campaign: program.campaign, count: 1, now, newId, newSecret };
  };
  const wishes = joining.map((one) => ({ ...one, wish: wishOf(one) }));
  const named = ids.map((id): Wish => ({ ...wishes[0]!.wish, voucher: id, campaign: null }));
  // Together, so that all codes are locked in the order of their ids.
  const codes = await openCodes(tx, project, [...named, ...wishes.map(({ wish }) => wish)]);
  const handed = wishes.flatMap(({ cause, program: { campaign }, wish }): Handed<Origin>[] => {
    const taken = codes.take(wish, campaign)?.[0];
    return taken ? [handOver(codes, taken, { of: cause.of, project, campaign, customer: cause.customer! })] : [];
  });
  const told = await saveHanded(tx, project.id, { codes, handed });
  return { rows: [...ids.flatMap((id) => codes.byId(id) ?? []), ...handed.map(({ voucher }) => voucher)], told };
}
