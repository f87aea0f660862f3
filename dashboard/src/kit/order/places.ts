export type Placed = { id: string; hierarchy: number };

export const moved = (ids: readonly string[], id: string, to: number): string[] => {
  const rest = ids.filter((one) => one !== id);
  return [...rest.slice(0, to), id, ...rest.slice(to)];
};

/** The places that rows have, handed out anew in this order; where two rows share one, they are counted from 1. */
export function placesOf(ids: readonly string[], old: readonly Placed[]): (Placed & { isNew: boolean })[] {
  const before = new Map(old.map(({ id, hierarchy }) => [id, hierarchy]));
  const places = [...before.values()].sort((one, other) => one - other);
  const areDistinct = new Set(places).size === ids.length;
  return ids.map((id, index) => {
    const hierarchy = areDistinct ? places[index]! : index + 1;
    return { id, hierarchy, isNew: hierarchy !== before.get(id) };
  });
}
