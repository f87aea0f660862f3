type Due = { project_id: string };

/**
 * Which of the webhooks that something is due for are sent to now. Projects take turns: the next place goes to the one that has
 * the fewest, and of its webhooks to the first. Half of the places are kept for projects that have none, so that whoever has
 * many webhooks that do not answer leaves one to everybody else.
 */
export function choosePlaces<W extends Due>(
  due: readonly W[],
  { places, underWay }: { places: number; underWay: readonly Due[] },
): W[] {
  const held = new Map<string, number>();
  const hold = ({ project_id }: Due) => void held.set(project_id, (held.get(project_id) ?? 0) + 1);
  underWay.forEach(hold);
  const waiting = Map.groupBy(due, ({ project_id }) => project_id);
  const chosen: W[] = [];
  for (let free = places - underWay.length; free > 0; free -= 1) {
    const [next] = [...waiting].reduce<[string, number] | []>((least, [project_id]) => {
      const count = held.get(project_id) ?? 0;
      return least[1] === undefined || count < least[1] ? [project_id, count] : least;
    }, []);
    if (next === undefined || (held.has(next) && free <= keptPlaces(places))) break;
    const own = waiting.get(next)!;
    const webhook = own.shift()!;
    if (own.length === 0) waiting.delete(next);
    hold(webhook);
    chosen.push(webhook);
  }
  return chosen;
}

/** How many places are for projects that have none. */
export const keptPlaces = (places: number): number => Math.floor(places / 2);
