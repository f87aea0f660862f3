import { hasCards } from "../../catalog/earn-programs.ts";
import { keepsMembers } from "../../steps/customers/segment-membership.ts";
import { segmentsWatched } from "../../steps/earning/earn-causes.ts";
import type { RollBackRequest } from "./state.ts";

/** Who enters or leaves a segment is worked out from rows: then each is saved before the next is decided. */
export function roundsOf(commands: readonly RollBackRequest[]): (readonly RollBackRequest[])[] {
  if (commands.some(({ catalog }) => keepsMembers(catalog) || segmentsWatched(catalog).size > 0 || hasCards(catalog)))
    return commands.map((command) => [command]);
  return commands.length > 0 ? [commands] : [];
}
