import { retryAt } from "../core/webhooks/retries.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool, Tx } from "../db/db.ts";
import type { SecretBox } from "../db/secrets/secret-box.ts";
import {
  type Attempted,
  type DueDelivery,
  dueDeliveries,
  leaveWebhook,
  lockToSend,
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
  secretBox: SecretBox;
  transport: Transport;
  now(): string;
  /** The name of this process. */
  sender: string;
  userAgent: string;
  signal?: AbortSignal | undefined;
  observe?: ((outcome: "delivered" | "failed", lagSeconds: number) => void) | undefined;
  /** Switches a webhook off for which a delivery was given up, in the transaction that says so. False: it was off. */
  switchOff?(tx: Tx, webhook: WebhookToSend, deliveryId: string): Promise<boolean>;
};
/** What a round brought: its attempts, and whether it switched the webhook off. */
type Round = { attempts: readonly (Attempted & { type: string })[]; off: WebhookToSend | null };

/**
 * Sends what is due for a webhook, as long as there is some and somebody takes it. One process at a time does, so first attempts
 * for an object are made one after the other, in the order of its events. Where others wait for the place it
 * ends after a round. Returns the webhook if it was switched off.
 */
export async function sendDue(
  c: Sending,
  { project_id, id: webhookId }: DueWebhook,
  mayGoOn: () => boolean,
): Promise<WebhookToSend | null> {
  const until = () => new Date(Date.parse(c.now()) + TAKEN_MS).toISOString();
  try {
    while (!c.signal?.aborted) {
      const taken = { webhookId, sender: c.sender, now: c.now(), until: until() };
      if (!(await takeWebhook(c.db, project_id, taken))) return null;
      const { attempts, off } = await sendRound(c, { project_id, id: webhookId });
      // Whoever takes nothing is left alone until the next look: others may wait for the place.
      if (off || !mayGoOn() || !attempts.some(({ status }) => status === "DELIVERED")) return off;
    }
    return null;
  } finally {
    // Also when a round fails: nobody else sends for the webhook while it is ours.
    await leaveWebhook(c.db, project_id, { webhookId, sender: c.sender });
  }
}

/** Sends some of what is due for a webhook that is ours, and says what became of each. One that is off is sent only tests. */
export async function sendRound(c: Sending, { project_id, id: webhookId }: DueWebhook): Promise<Round> {
  const webhook = await webhookToSend(c.db, project_id, webhookId);
  if (!webhook) return { attempts: [], off: null };
  const due = await dueDeliveries(c.db, project_id, { webhook, now: c.now(), limit: ROUND });
  if (due.length === 0) return { attempts: [], off: null };
  const secrets = await signingSecrets(c.db, c.secretBox, { projectId: project_id, now: c.now() });
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
  const isOff = await transaction(c.db, (tx) => saveRound(c, { tx, webhook }, done));
  return { attempts: done, off: isOff ? webhook : null };
}

/** Writes down what became of a round. Whether the webhook is off now. */
async function saveRound(
  c: Sending,
  { tx, webhook }: { tx: Tx; webhook: WebhookToSend },
  done: Round["attempts"],
): Promise<boolean> {
  const rows = done.map(({ type: _, ...one }) => one);
  // The webhook is locked before its deliveries, as where it is switched on.
  if (rows.some(({ status }) => status === "FAILED")) await lockToSend(tx, webhook);
  const [givenUp] = await saveAttempts(tx, webhook.project_id, rows);
  return givenUp !== undefined && (await c.switchOff?.(tx, webhook, givenUp)) === true;
}

/** A first attempt is due when its event happens; a retry says when. One that is sent again by hand is due at once. */
function lagOf({ attempts, created_at, due_at }: DueDelivery, now: string): number {
  const due = Date.parse(due_at);
  const since = due > 0 ? due : Date.parse(attempts === 0 ? created_at : now);
  return (Date.parse(now) - since) / 1000;
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
  c.observe?.(isDelivered ? "delivered" : "failed", lagOf(delivery, created_at));
  const times = { firstAttemptAt: first_attempt_at, lastAttemptAt: created_at };
  const due_at = isDelivered || delivery.is_test ? null : retryAt(times, number - delivery.resent_after);
  const status = isDelivered ? "DELIVERED" : due_at === null ? "FAILED" : "WAITING";
  const about = { delivery_id: id, number, webhook_id: webhook.id, target_url: webhook.target_url, headers };
  return { ...about, ...result, created_at, status, first_attempt_at, due_at, resends: delivery.resends };
}
