import type { Tx } from "../db/db.ts";
import { lockVouchers, type VoucherRow } from "../resources/vouchers/store.ts";
import type { Cause, EarningProject, Origin } from "./earn-causes.ts";
import type { CardProgram } from "./earn-programs.ts";
import { type Handed, type HandedTelling, handOver, saveHanded } from "./handing-over.ts";
import { openCodes, type Wish } from "./publishing.ts";

/** Somebody who becomes a member of a program because of something that happened. */
export type Joining = { cause: Cause; program: CardProgram };

/** Locks cards, and gives new ones to those who join. Where there is none to give, nobody joins. */
export async function openCards(
  tx: Tx,
  project: EarningProject,
  { ids, joining }: { ids: readonly string[]; joining: readonly Joining[] },
): Promise<{ rows: VoucherRow[]; told: HandedTelling<Origin>[] }> {
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
