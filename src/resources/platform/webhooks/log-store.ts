import { notFound } from "../../../core/errors.ts";
import { type CursorAsked, type CursorPage, cursorPage } from "../../../db/cursor.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { Attempt, Delivery, DeliveryWithBody } from "./delivery-schema.ts";
import type { AttemptRow } from "./sending-store.ts";

/** A delivery as it is read: when it is due says nothing before its first attempt. */
type DeliveryRow = Omit<DeliveryWithBody, "next_attempt_at" | "object"> & { due_at: string | null };
type ByWebhook = { webhookId: string };

const COLUMNS: string[] = [
  "id",
  "webhook_id",
  "type",
  "event_id",
  "object_id",
  "number",
  "status",
  "attempts",
  "due_at",
  "created_at",
];

const WITH_BODY = [...COLUMNS, "body"];

export const listDeliveries = (
  db: Db,
  c: { project: { id: string; secret: string }; now: string },
  { webhookId }: ByWebhook,
  asked: CursorAsked,
): Promise<CursorPage<DeliveryRow>> =>
  cursorPage<DeliveryRow>(
    db,
    c,
    {
      prefix: "lcrswhd",
      from: (own) => own`(
        select ${own(COLUMNS)} from webhook_deliveries
        where project_id = ${c.project.id} and webhook_id = ${webhookId}) as d`,
      where: (own) => own`true`,
      sortable: ["created_at"],
      fields: { id: "id", type: "string", status: "enum", object_id: "string", event_id: "string", created_at: "date" },
    },
    asked,
  );

export async function getDelivery(
  db: Db,
  projectId: string,
  { webhookId, deliveryId }: ByWebhook & { deliveryId: string },
): Promise<DeliveryRow> {
  const [row] = await db<DeliveryRow[]>`
    select ${db(WITH_BODY)} from webhook_deliveries
    where project_id = ${projectId} and webhook_id = ${webhookId} and id = ${deliveryId}`;
  if (!row) throw notFound("webhook_delivery", deliveryId);
  return row;
}

const EPOCH = 0;

export const deliveryView = ({ body: _, due_at, ...row }: DeliveryRow): Delivery => ({
  ...row,
  next_attempt_at: due_at === null || Date.parse(due_at) === EPOCH ? null : due_at,
  object: "webhook_delivery",
});

/** The attempts of a delivery, the first first. */
export const listAttempts = (db: Db, projectId: string, deliveryId: string) =>
  db<AttemptRow[]>`
    select * from webhook_attempts where project_id = ${projectId} and delivery_id = ${deliveryId} order by number`;

export const attemptView = (row: AttemptRow): Attempt => {
  const { number, target_url, headers, status_code, error, answer, latency_ms, created_at } = row;
  return { number, target_url, headers, status_code, error, answer, latency_ms, created_at, object: "webhook_attempt" };
};

/**
 * Has deliveries sent again at once, each with all its retries. They go out beside first attempts, as retries do: what happens
 * now is not kept waiting by what happened before. One that was not tried yet keeps its turn among first attempts. Returns how
 * many there were.
 */
export async function resend(
  tx: Tx,
  projectId: string,
  { ids, now }: { ids: readonly string[]; now: string },
): Promise<number> {
  const { count } = await tx`
    update webhook_deliveries set status = 'WAITING', due_at = case when attempts = 0 and due_at = 'epoch' then due_at else ${now} end,
      first_attempt_at = null, resent_after = attempts, resends = resends + 1
    where project_id = ${projectId} and id in (
      select id from webhook_deliveries where project_id = ${projectId} and id = any(${ids}) order by id for no key update)`;
  return count;
}

/** Has all that waits for a retry sent now, each with all its retries again: a webhook was switched on. */
export const restartRetries = (tx: Tx, projectId: string, { webhookId, now }: ByWebhook & { now: string }) => tx`
  update webhook_deliveries set due_at = ${now}, first_attempt_at = null, resent_after = attempts, resends = resends + 1
  where project_id = ${projectId} and id in (
    select id from webhook_deliveries
    where project_id = ${projectId} and webhook_id = ${webhookId} and due_at > 'epoch' order by id for no key update)`;

type Range = {
  from: string;
  to: string;
  status?: string | undefined;
  /** Only those that come behind this one. */
  after: Pick<DeliveryRow, "id" | "created_at"> | null;
};

/** Deliveries of a webhook from a moment on, up to another and without it, the oldest first. */
export async function deliveriesBetween(
  db: Db,
  projectId: string,
  { webhookId, from, to, status, after, limit }: ByWebhook & Range & { limit: number },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from webhook_deliveries
    where project_id = ${projectId} and webhook_id = ${webhookId} and created_at >= ${from} and created_at < ${to}
      and ${status === undefined ? db`true` : db`status = ${status}`}
      and ${after === null ? db`true` : db`(created_at, id) > (${after.created_at}, ${after.id})`}
    order by created_at, id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Until when the secret before the current one is good; null: there is none. */
export async function overlapOf(db: Db, projectId: string, now: string): Promise<string | null> {
  const [row] = await db<{ until: string }[]>`
    select until from webhook_secrets where project_id = ${projectId} and until > ${now}`;
  return row?.until ?? null;
}

/** Keeps the secret that webhooks were signed with before. */
export const keepSecret = (tx: Tx, projectId: string, { previous, until }: { previous: string; until: string }) => tx`
  insert into webhook_secrets (project_id, previous, until) values (${projectId}, ${previous}, ${until})
  on conflict (project_id) do update set previous = excluded.previous, until = excluded.until`;

/** Removes a webhook and all that was written for it. */
export async function removeWithDeliveries(tx: Tx, projectId: string, webhookId: string): Promise<void> {
  await tx`
    delete from webhook_attempts where project_id = ${projectId} and delivery_id in (
      select id from webhook_deliveries where project_id = ${projectId} and webhook_id = ${webhookId})`;
  await tx`delete from webhook_deliveries where project_id = ${projectId} and webhook_id = ${webhookId}`;
  await tx`delete from webhook_senders where project_id = ${projectId} and webhook_id = ${webhookId}`;
  await tx`delete from webhooks where project_id = ${projectId} and id = ${webhookId}`;
}

/** Says of a delivery that it is a test: it is sent once, also while its webhook is off. */
export const markAsTest = (tx: Tx, projectId: string, id: string) =>
  tx`update webhook_deliveries set is_test = true where project_id = ${projectId} and id = ${id}`;
