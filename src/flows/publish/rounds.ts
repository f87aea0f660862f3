import { customerSent } from "../../steps/checkout/carts.ts";
import { type PublishCommand, type PublishState, publishedTo } from "./state.ts";

/** Who is in a segment is worked out from rows: then a customer comes once in a round, and the next reads them again. */
export function roundsOf(
  commands: readonly PublishCommand[],
  { catalog, customers }: PublishState,
): readonly (readonly PublishCommand[])[] {
  const looks = [...catalog.segments.values()].some(({ type }) => type === "auto-update");
  if (!looks) return [commands];
  const rounds: PublishCommand[][] = [[]];
  let seen = new Set<string>();
  for (const command of commands) {
    const { id, source_id } = customerSent(command.sent)!;
    const name = publishedTo(command.sent, customers)?.id ?? id ?? source_id ?? "";
    if (name !== "" && seen.has(name)) {
      rounds.push([]);
      seen = new Set();
    }
    seen.add(name);
    rounds.at(-1)!.push(command);
  }
  return rounds;
}
