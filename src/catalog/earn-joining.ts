import type { Tx } from "../db/db.ts";
import type { Campaign } from "../resources/campaigns/store.ts";
import { insertPublications, type PublicationRow } from "../resources/publications/store.ts";
import { type HolderRow, insertHolders } from "../resources/redeemable-holders/store.ts";
import { lockVouchers, type VoucherRow } from "../resources/vouchers/store.ts";
import type { Cause, EarningProject, Origin } from "./earn-causes.ts";
import type { CardProgram } from "./earn-programs.ts";
import { holderEvent, holderRow, publicationEvents } from "./publication-rows.ts";
import { publicationRow } from "./publication-view.ts";
import { type CodesAtWork, openCodes, type Wish } from "./publishing.ts";

/** Somebody who becomes a member of a program because of something that happened. */
export type Joining = { cause: Cause; program: CardProgram };
/** A code that somebody was given by what happened. */
export type Handed = {
  of: Origin;
  row: PublicationRow;
  voucher: VoucherRow;
  holder: Omit<HolderRow, "project_id">;
};
/** What is told of codes that were given. */
export type HandedTelling = {
  of: Origin;
  happened: (ReturnType<typeof publicationEvents>[number] | ReturnType<typeof holderEvent>)[];
};

/** Gives a code to the customer of a cause. */
export function publishTo(
  codes: CodesAtWork,
  taken: VoucherRow,
  { project, campaign, cause: { of, customer } }: { project: EarningProject; campaign: Campaign; cause: Cause },
): Handed {
  const voucher = codes.publish(taken, { campaign, customerId: customer!.id, now: of.now });
  const row: PublicationRow = {
    ...publicationRow({ ...of, project, sent: {} }, { campaign, voucher, customer: customer! }),
    voucher_ids: [voucher.id],
  };
  const holder = holderRow(of, voucher, { campaign, customerId: customer!.id, metadata: {} });
  return { of, row, voucher, holder };
}

/** Writes the codes that were given. What is told of it is to be recorded. */
export async function saveHanded(
  tx: Tx,
  projectId: string,
  { codes, handed }: { codes: CodesAtWork; handed: readonly Handed[] },
): Promise<HandedTelling[]> {
  if (handed.length === 0) return [];
  await codes.save();
  await insertPublications(
    tx,
    projectId,
    handed.map(({ row }) => row),
  );
  const held = await insertHolders(
    tx,
    projectId,
    handed.map(({ holder }) => holder),
  );
  const isNew = new Set(held.map(({ id }) => id));
  return handed.map(({ of, row, voucher, holder }) => ({
    of,
    happened: [...publicationEvents(row, [voucher]), ...(isNew.has(holder.id) ? [holderEvent(holder)] : [])],
  }));
}

/** Locks cards, and gives new ones to those who join. Where there is none to give, nobody joins. */
export async function openCards(
  tx: Tx,
  project: EarningProject,
  { ids, joining }: { ids: readonly string[]; joining: readonly Joining[] },
): Promise<{ rows: VoucherRow[]; told: HandedTelling[] }> {
  if (joining.length === 0) return { rows: ids.length > 0 ? await lockVouchers(tx, project.id, ids) : [], told: [] };
  const wishOf = ({ cause, program }: Joining): Wish => {
    const { now, newId, newSecret } = cause.of;
    return { voucher: null, campaign: program.campaign, count: 1, now, newId, newSecret };
  };
  const wishes = joining.map((one) => ({ ...one, wish: wishOf(one) }));
  const named = ids.map((id): Wish => ({ ...wishes[0]!.wish, voucher: id, campaign: null }));
  // Together, so that all codes are locked in the order of their ids.
  const codes = await openCodes(tx, project, [...named, ...wishes.map(({ wish }) => wish)]);
  const handed = wishes.flatMap(({ cause, program: { campaign }, wish }): Handed[] => {
    const taken = codes.take(wish, campaign)?.[0];
    return taken ? [publishTo(codes, taken, { project, campaign, cause })] : [];
  });
  const told = await saveHanded(tx, project.id, { codes, handed });
  return { rows: [...ids.flatMap((id) => codes.byId(id) ?? []), ...handed.map(({ voucher }) => voucher)], told };
}
