import type { Db } from "../db/db.ts";
import { type LoadedKind, type LoadedRows, loadPayloadRows, type Wanting } from "./load-parts.ts";
import { PARTS, type PartName, type PayloadPart, type Shown } from "./parts.ts";
import { TOLD, TYPES_OF_KIND } from "./payloads.ts";

/** An event that data is built of. */
type Event = Wanting["event"] & { id: string };
/** What is told of an event under a type, and what whoever recorded it shows of it. */
export type Telling = { event: Event; type: string; shown: Shown; at: string };

const partsOf = (type: string): [field: string, part: PartName][] => Object.entries(TOLD[type]!.data ?? {});

/** What has to be read for it. */
export const wantingOf = ({ event, type, shown }: Omit<Telling, "at">): Wanting => ({
  event,
  wants: new Set<LoadedKind>(partsOf(type).flatMap(([, part]) => (part in shown ? [] : PARTS[part].loads))),
});

export function dataOf({ event, type, shown, at }: Telling, loaded: LoadedRows): Readonly<Record<string, unknown>> {
  if (TOLD[type]!.data === null) return event.payload ?? {};
  const about = { event, at, loaded };
  const entries = partsOf(type).map(([field, part]) => {
    const { of: show }: PayloadPart = PARTS[part];
    return [field, part in shown ? shown[part] : (show(about) ?? null)];
  });
  return Object.fromEntries(entries);
}

/** The type under which a kind of events is always told. Null: webhooks are told nothing of it. */
export const mainTypeOf = (kind: string): string | null =>
  TYPES_OF_KIND.get(kind)?.find((type) => TOLD[type]!.isTold === undefined) ?? null;

type PastEvent = Event & { kind: string; created_at: string };

/**
 * What webhooks would be told of events of the past, by their ids. What belongs to an event is as it was: amounts, points,
 * lines of the order, figures of use. Configuration and customers are as they are now. Kinds that webhooks are told nothing
 * of are left out.
 */
export async function dataNow(
  db: Db,
  projectId: string,
  events: readonly PastEvent[],
): Promise<Map<string, Readonly<Record<string, unknown>>>> {
  const tellings = events.flatMap((event): Telling[] => {
    const type = mainTypeOf(event.kind);
    return type === null ? [] : [{ event, type, shown: {}, at: event.created_at }];
  });
  const loaded = await loadPayloadRows(db, projectId, tellings.map(wantingOf));
  return new Map(tellings.map((one) => [one.event.id, dataOf(one, loaded)]));
}
