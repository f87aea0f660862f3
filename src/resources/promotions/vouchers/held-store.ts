import type { VoucherRow } from "../../../core/rows/voucher.ts";
import type { Db } from "../../../db/db.ts";
import { vouchersOf } from "./state-store.ts";

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
