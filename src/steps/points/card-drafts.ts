import type { PointCard } from "./point-cards.ts";

/** Loyalty cards as one request changes them: each is copied when it is first asked for, and the others stay as they are. */
export type CardDrafts = {
  of(voucherId: string): PointCard | undefined;
  /** Those that were asked for, by the id of the code. */
  readonly touched: ReadonlyMap<string, PointCard>;
};

export function draftCards(cards: ReadonlyMap<string, PointCard>): CardDrafts {
  const touched = new Map<string, PointCard>();
  return {
    touched,
    of: (voucherId) => {
      const known = touched.get(voucherId);
      const before = known ? undefined : cards.get(voucherId);
      // What has happened to a card is put in the place of what was there: a copy of the card itself is enough.
      if (before) touched.set(voucherId, { ...before });
      return touched.get(voucherId);
    },
  };
}
