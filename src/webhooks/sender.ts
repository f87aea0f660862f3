import { retryAt } from "../core/webhooks/retries.ts";
import { transaction } from "../db/commit.ts";
import type { Pool } from "../db/db.ts";
import {
  type Attempted,
  type DueDelivery,
  dueDeliveries,
  leaveWebhook,
  saveAttempts,
  signingSecrets,
  takeWebhook,
  type WebhookToSend,
  webhookToSend,
} from "../resources/platform/webhooks/sending-store.ts";
import type { WebhookRow } from "../resources/platform/webhooks/store.ts";
import { type Secrets, signatureHeaders } from "./signatures.ts";
import type { Transport } from "./transport.ts";

/** How many deliveries of a webhook are in memory at a time: as many first attempts, and as many retries. */
const ROUND = 16;
/** How many of them are under way at a time. */
const PARALLEL = 8;
/** A round begins no new attempt after this time, so that it ends while the webhook is ours. */
const ROUND_MS = 20_000;
const TAKEN_MS = 60_000;

/** A webhook that something is due for. Where it leads to is read for each round: it may change between two. */
export type DueWebhook = Pick<WebhookRow, "project_id" | "id">;
export type Sending = {
  db: Pool;
  transport: Transport;
  now(): string;
  /** The name of this process. */
  sender: string;
  userAgent: string;
  signal?: AbortSignal | undefined;
};
/** How sending ended: how many were delivered, and the delivery that was given up, if any. */
export type SendResult = { delivered: number; given_up: string | null };

/**
 * Sends what is due for a webhook, as long as there is some and somebody takes it. One process at a time does, so first attempts
 * for an object are made one after the other, in the order of its events.
 */
export async function sendDue(c: Sending, webhook: DueWebhook): Promise<SendResult> {
  const { project_id, id: webhookId } = webhook;
  const until = () => new Date(Date.parse(c.now()) + TAKEN_MS).toISOString();
  const result: SendResult = { delivered: 0, given_up: null };
  try {
    while (!c.signal?.aborted) {
      const taken = { webhookId, sender: c.sender, now: c.now(), until: until() };
      if (!(await takeWebhook(c.db, project_id, taken))) return result;
      const round = await sendRound(c, webhook);
      result.delivered += round.filter(({ status }) => status === "DELIVERED").length;
      result.given_up = round.find(({ status }) => status === "FAILED")?.delivery_id ?? null;
      // Whoever takes nothing is left alone until the next look: others may wait for the place.
      if (result.given_up !== null || !round.some(({ status }) => status === "DELIVERED")) break;
    }
  } finally {
    // Also when a round fails: nobody else sends for the webhook while it is ours.
    await leaveWebhook(c.db, project_id, { webhookId, sender: c.sender });
  }
  return result;
}

/** Sends some of what is due for a webhook that is ours, and says what became of each. One that is off or gone is sent nothing. */
export async function sendRound(
  c: Sending,
  { project_id, id: webhookId }: DueWebhook,
): Promise<(Attempted & { type: string })[]> {
  const webhook = await webhookToSend(c.db, project_id, webhookId);
  if (!webhook) return [];
  const due = await dueDeliveries(c.db, project_id, { webhookId, now: c.now(), limit: ROUND });
  if (due.length === 0) return [];
  const secrets = await signingSecrets(c.db, project_id, c.now());
  const objects = [...Map.groupBy(due, ({ object_id }) => object_id).values()];
  const ended = Date.parse(c.now()) + ROUND_MS;
  const done: (Attempted & { type: string })[] = [];
  const work = async () => {
    for (let own = objects.shift(); own; own = objects.shift())
      for (const delivery of own) {
        if (c.signal?.aborted || Date.parse(c.now()) > ended) return;
        done.push({ ...(await attempt(c, { webhook, secrets, delivery })), type: delivery.type });
      }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  await transaction(c.db, (tx) =>
    saveAttempts(
      tx,
      project_id,
      done.map(({ type: _, ...one }) => one),
    ),
  );
  return done;
}

type Attempting = { webhook: WebhookToSend; secrets: Secrets; delivery: DueDelivery };

async function attempt(c: Sending, { webhook, secrets, delivery }: Attempting): Promise<Attempted> {
  const { id, body } = delivery;
  const created_at = c.now();
  const headers = {
    ...webhook.headers,
    "content-type": "application/json",
    "user-agent": c.userAgent,
    ...signatureHeaders(secrets, { id, at: new Date(created_at), body }),
  };
  const result = await c.transport.send(webhook.id, { url: webhook.target_url, headers, body });
  const number = delivery.attempts + 1;
  const first_attempt_at = delivery.first_attempt_at ?? created_at;
  const isDelivered = result.status_code !== null && result.status_code >= 200 && result.status_code < 300;
  const times = { firstAttemptAt: first_attempt_at, lastAttemptAt: created_at };
  const due_at = isDelivered ? null : retryAt(times, number - delivery.resent_after);
  const status = isDelivered ? "DELIVERED" : due_at === null ? "FAILED" : "WAITING";
  const about = { delivery_id: id, number, webhook_id: webhook.id, target_url: webhook.target_url, headers };
  return { ...about, ...result, created_at, status, first_attempt_at, due_at };
}
