/** Cards as one request or event changes them: each is copied when it is first changed, and the others stay as they are. */
export type CardDrafts<C> = {
  /** The copy that may be changed. */
  of(id: string): C | undefined;
  /** The card as it is by now, to be read only. */
  see(id: string): C | undefined;
  /** The cards that were copied, by id. */
  readonly touched: ReadonlyMap<string, C>;
};

/** What has happened to a card is put in the place of what was there: a copy of the card itself is enough. */
export function draftCards<C extends object>(
  cards: ReadonlyMap<string, C>,
  copy: (card: C) => C = (card) => ({ ...card }),
): CardDrafts<C> {
  const touched = new Map<string, C>();
  return {
    touched,
    see: (id) => touched.get(id) ?? cards.get(id),
    of: (id) => {
      const before = touched.has(id) ? undefined : cards.get(id);
      if (before) touched.set(id, copy(before));
      return touched.get(id);
    },
  };
}

/** The copies that something has happened to since they were made. */
export const changedDrafts = <C extends { world: object | null }>(
  cards: ReadonlyMap<string, C>,
  { touched }: CardDrafts<C>,
): Map<string, C> => new Map([...touched].filter(([id, { world }]) => world !== cards.get(id)?.world));
