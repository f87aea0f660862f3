import { lower, openAccount, raise } from "../../ledger/account.ts";
import { dayEnd } from "../../time/calendar.ts";
import { lookAgain } from "../tiers/review.ts";
import { afterwards } from "./afterwards.ts";
import { accountOf, andThen, type CardState, type Change, noChange } from "./card.ts";
import type { Expiry } from "./expiration.ts";
import { applied, credit, debit, freshLot, type TransactionDetails, track, type World } from "./moves.ts";
import type { PointsExpiration } from "./wallet.ts";

/** What can be done with the points of a card by hand. Each comes after `advance`; that it may be done was decided. */

/** Expiry on a day that somebody named: the points can be spent until its end. */
export const expiryOn = (day: Temporal.PlainDate, zone: string): Expiry => ({
  expires_at: dayEnd(day, zone),
  bucket_date: day.toString(),
  bucket_type: "CUSTOM_DATE",
  expiration: null,
});

type Added = TransactionDetails & {
  kind: "addition" | "transfer_in";
  points: number;
  effect?: PointsExpiration | null;
  expiry?: Expiry;
};

// Contract is silent: what is added by hand counts as earned in its period, what is transferred does not.
export function addPoints(card: CardState, world: World, given: Added): Change {
  const { kind, points } = given;
  const credited = andThen(credit(card, world, given), (after) =>
    kind === "addition" ? track(after, world, { points, isTimed: false }) : noChange(after),
  );
  return afterwards(credited, world);
}

export const takePoints = (
  card: CardState,
  world: World,
  given: TransactionDetails & { kind: "removal" | "transfer_out"; points: number },
): Change => afterwards(debit(card, world, given), world);

/** What a card is worth from the beginning: its points expire counted from now on. Its tier is looked at. */
export function opened(card: CardState, world: World, points: number): Change {
  const lot = freshLot(card, world, { effect: null, order_id: null });
  const moved = openAccount(card.id, { amount: points, lot });
  return andThen(applied(card, world, moved, { reason: null }), (after) => lookAgain(after, world));
}

/** Makes more or less of what waits. Something is left of it. */
export function adjustWaiting(
  card: CardState,
  world: World,
  { lotId, points, ...told }: TransactionDetails & { lotId: string; points: number },
): Change {
  const lot = card.lots.find(({ id }) => id === lotId)!;
  const amount = Math.abs(points);
  const moved =
    points > 0
      ? raise(accountOf(card), { lot, amount, kind: "pending_addition" })
      : lower(accountOf(card), { lot, amount, kind: "cancellation" });
  return applied(card, world, moved, { ...told, details: { waited: moved.changed[0], is_adjusted: true } });
}
