import type { Catalog } from "../catalog/catalog.ts";
import type { Caller, Ctx } from "../ctx.ts";
import type { Db } from "../db/db.ts";
import { tenantOf } from "../db/records.ts";
import { together, type Writes, writeLater } from "../db/together.ts";
import { insertDeliveries } from "../resources/platform/webhooks/delivery-store.ts";
import { foldEvents, nameEvents } from "./fold.ts";
import type { EventKind } from "./kinds.ts";
import type { Shown } from "./parts.ts";
import { deliveriesOf } from "./tell.ts";

export type { EventKind };

/** What is told of an order that enters a status. */
export const ORDER_STATUS_EVENTS = {
  CREATED: null,
  PAID: "customer.order.paid",
  FULFILLED: "customer.order.fulfilled",
  CANCELED: "customer.order.canceled",
} as const satisfies Record<string, EventKind | null>;

/** An event to be recorded: what happened, to whom. The payload holds ids and values, never a person's name or address. */
export type NewEvent<K extends EventKind = EventKind> = {
  /** Given where something else names the event; otherwise `record` makes one. */
  id?: string;
  kind: K;
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  /** What it happened to, where that has a list of activities of its own. */
  subject_id?: string | null;
  payload?: Readonly<Record<string, unknown>>;
  /** When it happened, where that was before the request: time brought it. */
  at?: string;
  /** What webhooks are shown of it, where that is at hand. It is asked for when one listens, and never stored. */
  shown?: () => Shown;
};
/** An event under its id, so that something else can name it. */
export type NamedEvent<K extends EventKind = EventKind> = NewEvent<K> & { id: string };
/** The events of one request of a batch. */
export type EventsOf<O, E extends NewEvent = NewEvent> = { of: O; happened: readonly E[] };

/** Who records. Where the catalog is at hand, it says which webhooks listen; otherwise they are read. */
export type Recording = Pick<Ctx, "request_id" | "now" | "newId"> & {
  catalog?: Pick<Catalog, "webhooks_of"> | Ctx["catalog"];
  /** Left out: the engine itself. */
  caller?: Caller;
};

/** Names events in their order. Lists are in the order of ids, so the events before a named one need an id too. */
export const withIds = <E extends NewEvent>(
  { newId }: Pick<Ctx, "newId">,
  events: readonly E[],
): (E & { id: string })[] => nameEvents(newId, events);

/** Written with the change, through the caller's handle: an event exists exactly when its change does. */
export const record = (
  c: Recording & { db: Db; project: { id: string } },
  happened: readonly NewEvent[],
): Promise<void> => recordAll(c.db, c.project.id, [{ of: c, happened }]);

/** The same for the requests of a batch, in one statement; and in another what webhooks are told of it, if one listens. */
export async function recordAll(db: Db, projectId: string, requests: readonly EventsOf<Recording>[]): Promise<void> {
  await startRecording(db, projectId, requests).done;
}

/** What is under way: `done` is when all of it is written, `sent` when the last statement of it is on its way. */
type UnderWay = { done: Promise<unknown>; sent: Promise<void> | null };

/**
 * The same for who does not wait for what is written before COMMIT is sent. Where something has to be read for webhooks,
 * there is a `sent` to wait for; otherwise all is sent as this is called.
 */
export function startRecording(db: Db, projectId: string, requests: readonly EventsOf<Recording>[]): UnderWay {
  const named = requests.map(({ of, happened }) => ({ of, happened: withIds(of, happened) }));
  const recorded = insertEvents(db, projectId, named);
  const deliveries = deliveriesOf(db, projectId, named);
  if (!(deliveries instanceof Promise))
    return { done: together([recorded, insertDeliveries(db, projectId, deliveries)]), sent: null };
  const inserting = deliveries.then((rows) => ({ inserted: insertDeliveries(db, projectId, rows) }));
  const done = together([recorded, inserting.then(({ inserted }) => inserted)]);
  return { done, sent: inserting.then(() => {}) };
}

/** The same for who puts what is under way into `written`, which the end of the batch waits for. */
export async function recordInto(
  written: Writes,
  db: Db,
  projectId: string,
  requests: readonly EventsOf<Recording>[],
): Promise<void> {
  const { done, sent } = startRecording(db, projectId, requests);
  writeLater(written, done);
  await sent;
}

async function insertEvents(
  db: Db,
  projectId: string,
  requests: readonly EventsOf<Recording, NamedEvent>[],
): Promise<void> {
  const rows = requests.flatMap(({ of, happened }) =>
    foldEvents(happened).map(({ at = of.now, payload = {}, shown: _, ...row }) => ({
      ...row,
      payload,
      group_id: of.request_id,
      created_at: at,
    })),
  );
  if (rows.length === 0) return;
  await db`
    insert into events (project_id, id, kind, group_id, customer_id, voucher_id, campaign_id, subject_id, payload, created_at,
      also, also_payloads)
    select p.project_id, x.id, x.kind, x.group_id, x.customer_id, x.voucher_id, x.campaign_id, x.subject_id, x.payload,
      x.created_at, x.also, x.also_payloads
    from ${tenantOf(db, projectId)} cross join json_to_recordset(${JSON.stringify(rows)}::text::json)
      as x (id text, kind text, group_id text, customer_id text, voucher_id text, campaign_id text, subject_id text, payload json,
        created_at timestamptz, also text[], also_payloads json[])`;
}
