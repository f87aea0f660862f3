import { dayEnd, localDate } from "../../time/calendar.ts";
import { andThen, type CardState, type Change, noChange } from "../card/card.ts";
import { debit, type World } from "../card/moves.ts";

// Contract is silent: one occasion gives so many rewards, each of them a redemption of its own; where there are points
// for more, the next occasion comes at once. They are counted by the card.
/** On one day of the calendar a card has so many occasions. */
export const OCCASIONS_MAX = 10;
/** One of them brings so many rewards. */
export const REWARDS_MAX = 25;

// Contract is silent: what costs nothing is not redeemed by itself, there would be no end.
function priceFor(card: CardState, { auto }: World): number | null {
  const price = auto?.priceIn(card.tier?.tier_id ?? null) ?? 0;
  return price > 0 && card.account.sums.available >= price ? price : null;
}

/** Redeems as many as the card can pay for, as there are, and as the day allows. Its tier is looked at afterwards. */
export function autoRedeem(card: CardState, world: World): Change {
  const price = priceFor(card, world);
  if (price === null || card.rewards_left === undefined) return noChange(card);
  const { available, auto_redeemed: before } = card.account.sums;
  const day = localDate(world.now, world.zone).toString();
  const occasions = before?.day === day ? before.occasions : 0;
  const most = (OCCASIONS_MAX - occasions) * REWARDS_MAX;
  const count = Math.min(Math.floor(available / price), card.rewards_left, most);
  if (count === 0 && before?.day === day && !before.isOpen) return noChange(card);
  const auto_redeemed = { day, occasions: occasions + Math.ceil(count / REWARDS_MAX) };
  const sums = { ...card.account.sums, auto_redeemed };
  const rewards_left = card.rewards_left - count;
  const tried: CardState = { ...card, rewards_left, account: { ...card.account, sums } };
  return Array.from({ length: count }).reduce<Change>(
    (change) =>
      andThen(change, (after) =>
        debit(after, world, {
          kind: "redemption",
          points: price,
          reason: null,
          details: world.auto!.details,
          cause: { redemption_id: world.newId("r") },
        }),
      ),
    noChange(tried),
  );
}

// Contract is silent: points that come back with a rollback are not spent again on the same day, unless others come.
/** Marks a card that can pay for a reward, after a move that gives none: the next move that does looks at it. */
export function leftToRedeem({ card, entries }: Change, world: World): CardState {
  const { sums } = card.account;
  const hasCome = entries.some(({ pot, kind, amount }) => pot === "available" && amount > 0 && kind !== "refund");
  if (!sums.auto_redeemed || !hasCome || priceFor(card, world) === null) return card;
  return {
    ...card,
    account: { ...card.account, sums: { ...sums, auto_redeemed: { ...sums.auto_redeemed, isOpen: true } } },
  };
}

/** When a card that can pay is looked at again: on the day after it was tried, and at once where it was not. */
export function autoRedeemDueAt(card: CardState, world: World): string | null {
  if (priceFor(card, world) === null) return null;
  const { auto_redeemed } = card.account.sums;
  return auto_redeemed && !auto_redeemed.isOpen
    ? dayEnd(Temporal.PlainDate.from(auto_redeemed.day), world.zone)
    : world.now;
}
