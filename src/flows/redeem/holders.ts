import { trimCode } from "../../core/codes/code.ts";
import type { Tx } from "../../db/db.ts";
import { findVouchers } from "../../resources/promotions/vouchers/store.ts";
import { findingVouchers } from "../../steps/checkout/candidates.ts";
import { codesIn, type RedeemRequest } from "../../steps/checkout/requests.ts";

/** Whether who redeems is the holder of the card, since nobody is named. */
export const isHolderAsked = ({ sent, member, isClient }: RedeemRequest): boolean =>
  !isClient && !sent.customer && !sent.tracking_id && (!!member || sent.redeemables.some(({ reward }) => reward?.id));

/**
 * Requests that spend points and do not say whose: the holder of the card is who redeems. That it is still the holder is
 * asked when the card is locked.
 */
export async function withHolders(tx: Tx, commands: readonly RedeemRequest[]): Promise<readonly RedeemRequest[]> {
  const nameless = commands.filter(isHolderAsked);
  if (nameless.length === 0) return commands;
  const rows = await findVouchers(tx, nameless[0]!.project, codesIn(nameless));
  const cardOf = findingVouchers(rows.map((row) => ({ row, assignments: [], holder_ids: null })));
  return commands.map((command) => {
    if (!nameless.includes(command)) return command;
    const cards = command.sent.redeemables.flatMap(({ object, id }) =>
      object === "voucher" ? (cardOf(trimCode(id), command.project)?.row ?? []) : [],
    );
    const holder = cards.find(({ type, holder_id }) => type === "LOYALTY_CARD" && holder_id !== null)?.holder_id;
    return holder ? { ...command, sent: { ...command.sent, customer: { id: holder } } } : command;
  });
}
