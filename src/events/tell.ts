import { hash } from "node:crypto";
import { type EventSource, envelopeText, toldEventId } from "../core/webhooks/envelope.ts";
import type { Caller, Ctx } from "../ctx.ts";
import type { Db } from "../db/db.ts";
import type { NewDelivery } from "../resources/platform/webhooks/delivery-store.ts";
import { activeWebhooks, byType, type WebhookRow } from "../resources/platform/webhooks/store.ts";
import { dataOf, wantingOf } from "./event-data.ts";
import type { EventKind } from "./kinds.ts";
import { type LoadedRows, loadPayloadRows, NOTHING_LOADED } from "./load-parts.ts";
import type { Shown } from "./parts.ts";
import { TOLD, TYPES_OF_KIND } from "./payloads.ts";

type Listening = ReadonlyMap<string, readonly WebhookRow[]>;
type Request = {
  request_id: string;
  now: string;
  catalog?: { webhooks_of: Listening } | Ctx["catalog"];
  caller?: Caller;
};
type Event = {
  id: string;
  kind: EventKind;
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  subject_id?: string | null;
  payload?: Readonly<Record<string, unknown>>;
  at?: string;
  shown?: () => Shown;
};
type RequestEvents = { of: Request; happened: readonly Event[] };
/** An event of a type that somebody listens to. */
type Heard = { of: Request; event: Event; type: string; shown: Shown; by: readonly WebhookRow[] };

/**
 * What webhooks are sent of events, to be written in the transaction of the events. Nothing is asked when the catalog is at
 * hand and whoever recorded the events shows all that is told of them: then the answer is no promise.
 */
export function deliveriesOf(
  db: Db,
  projectId: string,
  requests: readonly RequestEvents[],
): readonly NewDelivery[] | Promise<readonly NewDelivery[]> {
  const tellable = requests.filter(({ happened }) => happened.some(({ kind }) => TYPES_OF_KIND.get(kind)!.length > 0));
  if (tellable.length === 0) return [];
  const known = tellable.map(({ of }) => listeningIn(of));
  if (known.every((one) => one !== null)) {
    const heard = tellable.flatMap((request, n) => heardIn(request, known[n]!));
    const wanting = heard.map(wantingOf);
    return wanting.some(({ wants }) => wants.size > 0)
      ? readAndBuild(db, projectId, heard)
      : buildDeliveries(projectId, heard, NOTHING_LOADED);
  }
  return Promise.all(tellable.map(({ of }, n) => known[n] ?? listeningOf(db, projectId, of))).then((listening) =>
    readAndBuild(
      db,
      projectId,
      tellable.flatMap((request, n) => heardIn(request, listening[n]!)),
    ),
  );
}

const readAndBuild = async (db: Db, projectId: string, heard: readonly Heard[]): Promise<readonly NewDelivery[]> =>
  heard.length === 0
    ? []
    : buildDeliveries(projectId, heard, await loadPayloadRows(db, projectId, heard.map(wantingOf)));

const listeningIn = ({ catalog }: Request): Listening | null =>
  typeof catalog === "object" ? catalog.webhooks_of : null;

const listeningOf = async (db: Db, projectId: string, { catalog }: Request): Promise<Listening> =>
  typeof catalog === "function" ? (await catalog()).webhooks_of : byType(await activeWebhooks(db, projectId));

function heardIn({ of, happened }: RequestEvents, listening: Listening): Heard[] {
  if (listening.size === 0) return [];
  return happened.flatMap((event) => {
    const types = TYPES_OF_KIND.get(event.kind)!.filter((type) => listening.has(type));
    if (types.length === 0) return [];
    // Made once: a redemption is told as one, and perhaps as credits that moved.
    const shown = event.shown?.() ?? {};
    return types
      .filter((type) => TOLD[type]!.isTold?.(event.kind, shown) !== false)
      .map((type) => ({ of, event, type, shown, by: listening.get(type)! }));
  });
}

type Data = Readonly<Record<string, unknown>>;

/** The delivery of an event to a webhook has one id, however often it is recorded: what is run again is told once. */
export const deliveryId = (eventId: string, type: string, webhookId: string): string =>
  `whs_${hash("sha256", `${eventId} ${type} ${webhookId}`).slice(0, 18)}`;

const CHANNELS: Readonly<Record<Caller["kind"], EventSource["channel"]>> = {
  app: "API",
  management: "API",
  client: "CLIENT_API",
  session: "USER_PORTAL",
  none: "INTERNAL",
};
const sourceOf = ({ caller }: Request): EventSource => {
  const channel = CHANNELS[caller?.kind ?? "none"];
  if (channel === "USER_PORTAL") return { channel, user: { id: caller!.key_id } };
  return channel === "INTERNAL"
    ? { channel }
    : { channel, api_key: { name: caller!.key_name ?? "", app_id: caller!.key_id } };
};

const textIn = (value: unknown, field: string): string | null =>
  typeof value === "object" && value !== null && field in value ? ((value as Data)[field] as string | null) : null;

/** Whose data a text holds. All of it goes with any of them. */
const peopleIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/"(cust_[0-9A-Za-z]+)"/g)].map(([, id]) => id!)),
];

const TEST = { test: true, message: "This event did not happen: somebody wants to see whether the webhook answers." };

/** A delivery of an event that did not happen. */
export function testDelivery(
  of: Request,
  webhook: WebhookRow,
  { id, type }: { id: string; type: string },
): NewDelivery {
  const event = { id, kind: TOLD[type]!.kinds[0]!, subject_id: webhook.id };
  const [delivery] = rowsOf(
    webhook.project_id,
    { of, event, type, shown: {}, by: [webhook] },
    { data: TEST, place: 1 },
  );
  return delivery!;
}

/** Events of an object are numbered in their order. */
function buildDeliveries(projectId: string, heard: readonly Heard[], loaded: LoadedRows): NewDelivery[] {
  const places = new Map<string, number>();
  return heard.flatMap((one) => {
    const object_id = objectOf(one);
    const place = (places.get(object_id) ?? 0) + 1;
    places.set(object_id, place);
    return rowsOf(projectId, one, { data: dataOf({ ...one, at: one.event.at ?? one.of.now }, loaded), place });
  });
}

const objectOf = ({ event, type }: Pick<Heard, "event" | "type">): string => TOLD[type]!.entityOf(event) ?? event.id;

/** A row for each webhook that listens. */
function rowsOf(projectId: string, one: Heard, { data, place }: { data: Data; place: number }): NewDelivery[] {
  const { of, event, type, by } = one;
  const created_at = new Date(of.now).toISOString();
  const text = JSON.stringify(data);
  const customer_id = textIn(data.customer, "id") ?? event.customer_id ?? null;
  const holder = textIn(data.holder, "id") ?? textIn(data.voucher, "holder_id");
  const others = peopleIn(text).filter((id) => id !== customer_id && id !== holder);
  const told = {
    id: toldEventId(event.id, type),
    ...{ type, created_at: new Date(event.at ?? of.now).toISOString(), entity_id: TOLD[type]!.entityOf(event) },
    ...{ group_id: of.request_id, event_source: sourceOf(of) },
  };
  return by.map(({ id: webhook_id, target_url }): NewDelivery => {
    const id = deliveryId(event.id, type, webhook_id);
    const source = { id: webhook_id, object: "webhook" as const, target_url };
    return {
      ...{ id, webhook_id, event_id: event.id, type, object_id: objectOf(one), customer_id, created_at, place },
      holder_id: holder === customer_id ? null : holder,
      people: others.length > 0 ? others : null,
      ...envelopeText({ id, project_id: projectId, created_at, type, data: text, source, event: told }),
      number_from: Date.parse(of.now) * 1000,
    };
  });
}
