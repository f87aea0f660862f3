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
  const held = Map.groupBy(underWay, ({ project_id }) => project_id);
  const counts = new Map<string, number>();
  // Each webhook takes the turn behind all that its project has by then.
  const inTurns = due.map((webhook) => {
    const turn = counts.get(webhook.project_id) ?? held.get(webhook.project_id)?.length ?? 0;
    counts.set(webhook.project_id, turn + 1);
    return { webhook, turn };
  });
  const order = new Map([...counts.keys()].map((project_id, n) => [project_id, n]));
  const placeOf = ({ project_id }: Due): number => order.get(project_id)!;
  inTurns.sort((a, b) => a.turn - b.turn || placeOf(a.webhook) - placeOf(b.webhook));
  const free = places - underWay.length;
  return inTurns
    .filter(({ turn }, n) => n < free && (turn === 0 || free - n > keptPlaces(places)))
    .map(({ webhook }) => webhook);
}

/** How many places are for projects that have none. */
export const keptPlaces = (places: number): number => Math.floor(places / 2);
