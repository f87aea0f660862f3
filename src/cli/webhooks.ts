import { setTimeout as wait } from "node:timers/promises";
import { raiseRevision } from "../catalog/changes.ts";
import { type Config, ConfigError } from "../config.ts";
import { parseTypes, WEBHOOK_TYPES } from "../core/webhooks/event-names.ts";
import { isWebAddress } from "../core/webhooks/headers.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import type { SecretBox } from "../db/secrets/secret-box.ts";
import { webhookTokenOf } from "../resources/platform/projects/store.ts";
import { removeWithDeliveries } from "../resources/platform/webhooks/log-store.ts";
import { takeWebhook } from "../resources/platform/webhooks/sending-store.ts";
import { type WebhookRow, webhooks } from "../resources/platform/webhooks/store.ts";
import { newId, now } from "../sources.ts";
import { VERSION } from "../version.ts";
import { sendRound } from "../webhooks/sender.ts";
import { createTransport } from "../webhooks/transport.ts";
import { logCommandIn } from "./audit.ts";
import { secretBoxOf } from "./credentials.ts";
import { withDatabase } from "./database.ts";
import { theProject } from "./project.ts";

const PAUSE_MS = 300;
const TAKEN_MS = 60_000;
/** Whoever runs the command says where to: on this machine, too. */
const ANYWHERE = "0.0.0.0/0,::/0";

type Listen = { forward: string; project?: string; events?: string };

/**
 * Forwards what happens in a project to an address of the developer's machine, as a webhook would be sent, until it is
 * interrupted. The webhook that it makes for that is sent to by this process alone, and goes with it.
 */
export async function listenCommand(config: Config, { forward, project, events }: Listen): Promise<void> {
  if (!isWebAddress(forward))
    throw new ConfigError("--forward must be an address such as http://localhost:8080/hooks.");
  const types = events === undefined ? [...WEBHOOK_TYPES] : requireTypes(events.split(",").map((type) => type.trim()));
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  await withDatabase(config, async (db) => {
    const own = await theProject(db, project);
    const [project_id, secretBox] = [own.id, secretBoxOf(config)];
    const webhook = await addWebhook(db, project_id, { target_url: forward, events: types });
    console.error(`Events of ${project_id} go to ${forward}. They are signed with ${webhookTokenOf(own, secretBox)}`);
    console.error("Press Ctrl-C to stop.");
    try {
      await forwardAll({ db, secretBox }, webhook, ending.signal);
    } finally {
      await removeWebhook(db, webhook);
    }
  });
}

/** Who misspells one of several types would wait for it in vain. */
function requireTypes(named: readonly string[]): string[] {
  const unknown = named.filter((type) => parseTypes([type]).length === 0);
  if (unknown.length > 0) throw new ConfigError(`--events: there are no events of the type ${unknown.join(", ")}.`);
  return parseTypes(named);
}

const addWebhook = (db: Pool, project_id: string, given: Pick<WebhookRow, "target_url" | "events">) =>
  transaction(db, async (tx) => {
    const row = {
      ...given,
      project_id,
      id: newId("wh"),
      headers: {},
      active: true,
      created_at: now(),
      updated_at: null,
    };
    const saved = await webhooks.insert(tx, row);
    await takeWebhook(tx, project_id, taking(saved));
    await raiseRevision(tx, project_id, [{ kind: "webhook", id: row.id }]);
    await logCommandIn(tx, "webhooks listen", { project_id, kind: "webhook", id: row.id });
    return saved;
  });

const removeWebhook = (db: Pool, { project_id, id }: WebhookRow) =>
  transaction(db, async (tx) => {
    await removeWithDeliveries(tx, project_id, id);
    await raiseRevision(tx, project_id, [{ kind: "webhook", id }]);
    await logCommandIn(tx, "webhooks listen", { project_id, kind: "webhook", id });
  });

/** As long as it is ours, no server sends for it. */
const taking = ({ id }: WebhookRow) => ({
  ...{ webhookId: id, sender: id, now: now() },
  until: new Date(Date.parse(now()) + TAKEN_MS).toISOString(),
});

async function forwardAll(
  { db, secretBox }: { db: Pool; secretBox: SecretBox },
  webhook: WebhookRow,
  signal: AbortSignal,
): Promise<void> {
  const transport = createTransport({ allow: ANYWHERE });
  const c = { db, secretBox, transport, now, sender: webhook.id, userAgent: `Laurel/${VERSION}`, signal };
  try {
    while (!signal.aborted) {
      await takeWebhook(db, webhook.project_id, taking(webhook));
      const { attempts } = await sendRound(c, webhook);
      for (const { type, delivery_id, status_code, error, latency_ms } of attempts)
        console.log(`${type}  ${delivery_id}  ${status_code ?? error}  ${latency_ms} ms`);
      if (attempts.length === 0) await wait(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await transport.close();
  }
}
