import type { Lot, Touched } from "../ledger/account.ts";
import { afterwards } from "../loyalty/card/afterwards.ts";
import { accountOf, type CardState, type Change } from "../loyalty/card/card.ts";
import { applied, credit, debit, freshLot, type TransactionDetails, type World } from "../loyalty/card/moves.ts";
import { giveBack } from "./undo.ts";

/** Points are spent on a reward, those that expire first. That there are so many was decided. */
export const redeemPoints = (card: CardState, world: World, told: TransactionDetails & { points: number }): Change =>
  afterwards(debit(card, world, { ...told, kind: "redemption" }), world);

/** Points that a reward of another card brings: they expire as those of the card do. */
export const rewardPoints = (card: CardState, world: World, told: TransactionDetails & { points: number }): Change =>
  afterwards(credit(card, world, { ...told, kind: "addition" }), world);

type Refunded = TransactionDetails & {
  points: number;
  /** What the redemption took, of which lots, and those of them that are known, also where nothing is left of them. */
  from: Touched;
  lots: ReadonlyMap<string, Lot>;
};

/** Points that were spent go back into the lots that they came from; of those that are over by now into one until midnight. */
export function refundPoints(card: CardState, world: World, { points, from, lots, ...told }: Refunded): Change {
  const today = Temporal.Instant.from(world.now).toZonedDateTimeISO(world.zone);
  const expires_at = today.startOfDay().add({ days: 1 }).toInstant().toString();
  const expiry = { expires_at, bucket_date: today.toPlainDate().toString(), bucket_type: null, expiration: null };
  const fresh = { ...freshLot(card, world, { effect: null, order_id: null, expiry }), expires_at };
  const known = new Map([...lots, ...card.lots.map((lot) => [lot.id, lot] as const)]);
  const moved = giveBack(accountOf(card), { amount: points, from, lots: known, now: world.now, fresh });
  const details = { points: { total: points }, ...told.details };
  return afterwards(applied(card, world, moved, { ...told, details }), world);
}
