import { trackingIdOf } from "../../resources/customers/customers/store.ts";
import { keepsMembers } from "../../steps/customers/segment-membership.ts";
import { segmentsWatched } from "../../steps/earning/earn-causes.ts";
import { referralsIn } from "../../steps/referrals/referrals.ts";
import { referralCodeOf, type TrackCommand, type TrackState } from "./state.ts";

/**
 * Commands that can be planned in memory together, in their order. Who is in a segment is worked out from rows: then a
 * customer comes once in a round, and the next reads them again. What a friend brings goes on cards that the events
 * before may have brought points on: that is another round, too.
 */
export function roundsOf(commands: readonly TrackCommand[], state: TrackState): TrackCommand[][] {
  const { catalog } = state;
  const looks = keepsMembers(catalog) || segmentsWatched(catalog).size > 0 || referralsIn(catalog).segments.size > 0;
  if (!looks && !commands.some(({ sent }) => sent.referral)) return [[...commands]];
  const rounds: TrackCommand[][] = [[]];
  let seen = new Set<string>();
  for (const command of commands) {
    const name = customerName(command, state);
    const referrer = referralCodeOf(command, state)?.holder_id ?? null;
    const people = [name, ...(referrer === null ? [] : [referrer])].filter((person) => person !== "");
    if ((looks || referrer !== null) && people.some((person) => seen.has(person))) {
      rounds.push([]);
      seen = new Set();
    }
    for (const person of looks ? people : [name]) seen.add(person);
    rounds.at(-1)!.push(command);
  }
  return rounds;
}

/** The id of the customer of a command, or the tracking id that somebody new will have; empty: nobody is named. */
function customerName({ sent, project }: TrackCommand, { customers }: TrackState): string {
  const { id, source_id } = sent.customer;
  if (id) return id;
  return source_id ? (customers.bySource(source_id)?.id ?? trackingName(source_id, project)) : "";
}

/** Who is new may be named by the source id and by the tracking id that it makes. */
const trackingName = (sourceId: string, { secret }: TrackState["project"]): string =>
  sourceId.startsWith("track_") ? sourceId : trackingIdOf(secret, sourceId);
