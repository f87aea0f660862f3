import type { VoucherRow } from "../../../core/rows/voucher.ts";
import type { Db, Fragment, IdList, Tx } from "../../../db/db.ts";
import { together } from "../../../db/together.ts";
import { type ConfiguredRow, loadStates, vouchersOf, withStates } from "./state-store.ts";

/** A loyalty card that a customer has. */
export type HeldCard = { id: string; campaign_id: string; holder_id: string };

/** The loyalty cards that customers have in these campaigns, the oldest first. They are not locked. */
export const findHeldCards = (
  db: Db,
  projectId: string,
  { customerIds, campaignIds }: { customerIds: readonly string[]; campaignIds: readonly string[] },
) => db<HeldCard[]>`
  select id, campaign_id, holder_id from vouchers
  where project_id = ${projectId} and holder_id = any(${customerIds}) and campaign_id = any(${campaignIds})
    and type = 'LOYALTY_CARD' and deleted_at is null
  order by id`;

/** The same with all that they hold. */
export const heldCards = (
  db: Db,
  projectId: string,
  { customerIds, campaignIds }: { customerIds: readonly string[]; campaignIds: readonly string[] },
) => db<VoucherRow[]>`
  select * from ${vouchersOf(db, projectId)} as v
  where holder_id = any(${customerIds}) and campaign_id = any(${campaignIds})
    and type = 'LOYALTY_CARD' and deleted_at is null
  order by id`;

/** Whose cards, of which campaigns. The customers are locked: nobody else is given one, and none changes hands. */
type HeldBy = { customerIds: IdList; campaignIds: readonly string[] };
const heldBy = (db: Db, { customerIds, campaignIds }: HeldBy) => db`
  holder_id = any(${customerIds}) and campaign_id = any(${campaignIds}) and type = 'LOYALTY_CARD' and deleted_at is null`;

/** Locks the cards that customers have. Both statements are sent as it is called. */
export async function lockHeldCards(tx: Tx, projectId: string, by: HeldBy): Promise<VoucherRow[]> {
  const [rows, states] = await together([
    tx<ConfiguredRow[]>`
      select * from vouchers where project_id = ${projectId} and ${heldBy(tx, by)} order by id for no key update`.execute(),
    loadStates(tx, projectId, idsOfHeld(tx, projectId, by)).execute(),
  ]);
  return withStates(rows, states);
}

/** Their ids, for a statement behind the one that locks them. */
export const idsOfHeld = (db: Db, projectId: string, by: HeldBy): Fragment => db`array(
  select id from vouchers where project_id = ${projectId} and ${heldBy(db, by)})`;
