import type { Db, Tx } from "../../../db/db.ts";
import { insertOf } from "../../../db/records.ts";
import type { SecretBox } from "../../../db/secrets/secret-box.ts";

/** A delivery that is to be sent now. */
export type DueDelivery = {
  id: string;
  type: string;
  object_id: string;
  body: string;
  attempts: number;
  /** How many attempts it had when it was last sent again by hand. */
  resent_after: number;
  /** How often it was. */
  resends: number;
  is_test: boolean;
  first_attempt_at: string | null;
  created_at: string;
  /** 1970: as soon as possible. */
  due_at: string;
};

/** What became of an attempt, and of its delivery with it. */
export type AttemptRow = {
  delivery_id: string;
  number: number;
  webhook_id: string;
  target_url: string;
  headers: Record<string, string>;
  status_code: number | null;
  error: string | null;
  answer: string;
  latency_ms: number;
  created_at: string;
};
export type Attempted = AttemptRow & {
  resends: number;
  status: "WAITING" | "DELIVERED" | "FAILED";
  first_attempt_at: string;
  due_at: string | null;
};

const COLUMNS = [
  "id",
  "type",
  "object_id",
  "body",
  "attempts",
  "resent_after",
  "resends",
  "is_test",
  "first_attempt_at",
  "created_at",
  "due_at",
];

/**
 * What a webhook is to be sent next, only tests where it is off: first attempts in the order of their events, and retries that are due. So many of each at
 * most, so that neither keeps the other waiting.
 */
export const dueDeliveries = async (
  db: Db,
  projectId: string,
  { webhook, now, limit }: { webhook: Pick<WebhookToSend, "id" | "active">; now: string; limit: number },
): Promise<DueDelivery[]> => {
  const own = db`webhook_id = ${webhook.id} and ${webhook.active ? db`true` : db`is_test`}`;
  const [first, again] = await Promise.all([
    db<DueDelivery[]>`
      select ${db(COLUMNS)} from webhook_deliveries
      where project_id = ${projectId} and ${own} and due_at = 'epoch'
      order by number, id limit ${limit}`,
    db<DueDelivery[]>`
      select ${db(COLUMNS)} from webhook_deliveries
      where project_id = ${projectId} and ${own} and due_at > 'epoch' and due_at <= ${now}
      order by due_at, number limit ${limit}`,
  ]);
  return [...first, ...again];
};

/**
 * Writes attempts, and what became of their deliveries. One that was sent again by hand meanwhile stays due, with all its retries;
 * one that was erased meanwhile leaves nothing. Returns the deliveries that are given up, but for tests.
 */
export async function saveAttempts(tx: Tx, projectId: string, rows: readonly Attempted[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.delivery_id);
  // Whoever erases a customer waits until this is committed, and then finds the attempts too.
  const kept = await tx<{ id: string }[]>`
    select id from webhook_deliveries where project_id = ${projectId} and id = any(${ids}) order by id for no key update`;
  const keptIds = new Set(kept.map(({ id }) => id));
  const attempts = rows
    .filter((row) => keptIds.has(row.delivery_id))
    .map(({ status: _, first_attempt_at: __, due_at: ___, resends: ____, ...row }): AttemptRow => row);
  if (attempts.length === 0) return [];
  await tx`
    insert into webhook_attempts ${insertOf(tx, "webhook_attempts", projectId, attempts)}
    on conflict (project_id, delivery_id, number) do nothing`;
  await tx`
    update webhook_deliveries d set attempts = x.number, resent_after = x.number
    from unnest(${ids}::text[], ${rows.map((row) => row.number)}::int[], ${rows.map((row) => row.resends)}::int[])
      as x (id, number, resends)
    where d.project_id = ${projectId} and d.id = x.id and d.attempts = x.number - 1 and d.resends <> x.resends`;
  const saved = await tx<{ id: string; status: string; is_test: boolean }[]>`
    update webhook_deliveries d set status = x.status, attempts = x.number, due_at = x.due_at,
      first_attempt_at = x.first_attempt_at
    from unnest(${ids}::text[], ${rows.map((row) => row.number)}::int[], ${rows.map((row) => row.resends)}::int[],
      ${rows.map((row) => row.status as string)}::text[], ${rows.map((row) => row.first_attempt_at)}::timestamptz[],
      ${rows.map((row) => row.due_at)}::timestamptz[]) as x (id, number, resends, status, first_attempt_at, due_at)
    where d.project_id = ${projectId} and d.id = x.id and d.attempts = x.number - 1 and d.resends = x.resends
    returning d.id, d.status, d.is_test`;
  return saved.filter(({ status, is_test }) => status === "FAILED" && !is_test).map(({ id }) => id);
}

/** Where deliveries of a webhook go. */
export type WebhookToSend = {
  project_id: string;
  id: string;
  active: boolean;
  target_url: string;
  headers: Record<string, string>;
};

/** A webhook that may be sent to; null: it is gone, or its project is. */
export async function webhookToSend(db: Db, projectId: string, id: string): Promise<WebhookToSend | null> {
  const [row] = await db<WebhookToSend[]>`
    select w.project_id, w.id, w.active, w.target_url, w.headers
    from webhooks w join projects p on p.id = w.project_id and p.deleted_at is null
    where w.project_id = ${projectId} and w.id = ${id}`;
  return row ?? null;
}

/** Locks a webhook, if it is still there. */
export const lockToSend = (tx: Tx, { project_id, id }: { project_id: string; id: string }) =>
  tx`select id from webhooks where project_id = ${project_id} and id = ${id} order by id for no key update`;

/** Takes a webhook for a process, for some time. False: another process has it. */
export async function takeWebhook(
  db: Db,
  projectId: string,
  { webhookId, sender, now, until }: { webhookId: string; sender: string; now: string; until: string },
): Promise<boolean> {
  const taken = await db`
    insert into webhook_senders (project_id, webhook_id, sender, until)
    values (${projectId}, ${webhookId}, ${sender}, ${until})
    on conflict (project_id, webhook_id) do update set sender = excluded.sender, until = excluded.until
      where webhook_senders.until <= ${now} or webhook_senders.sender = excluded.sender
    returning webhook_id`;
  return taken.length > 0;
}

/** Leaves a webhook to whoever comes next. */
export const leaveWebhook = (db: Db, projectId: string, { webhookId, sender }: { webhookId: string; sender: string }) =>
  db`delete from webhook_senders where project_id = ${projectId} and webhook_id = ${webhookId} and sender = ${sender}`;

/** What deliveries of a project are signed with at a moment. */
export async function signingSecrets(
  db: Db,
  secretBox: SecretBox,
  { projectId, now }: { projectId: string; now: string },
) {
  const [project] = await db<{ webhook_token: string }[]>`select webhook_token from projects where id = ${projectId}`;
  const [before] = await db<{ previous: string }[]>`
    select previous from webhook_secrets where project_id = ${projectId} and until > ${now}`;
  return {
    current: secretBox.open(["projects", projectId], project!.webhook_token),
    previous: before ? secretBox.open(["webhook_secrets", projectId], before.previous) : null,
  };
}
