import { invalid } from "../../../core/errors.ts";
import { parseTypes } from "../../../core/webhooks/event-names.ts";
import { webhookHeaderFault } from "../../../core/webhooks/headers.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { lockConfiguration } from "../../../steps/programs/lock-configuration.ts";
import { loadFailing } from "./failing-store.ts";
import { restartRetries } from "./log-store.ts";
import { ByWebhook, FailingWebhookList, InProject, Webhook, WebhookList, WebhookWrite } from "./schema.ts";
import { lockWebhook, webhooks as store, view } from "./store.ts";

const WEBHOOKS_MAX = 50;

/** What was sent, with the types spelled right. */
function parseWebhook({ target_url, events, active, headers }: WebhookWrite) {
  const fault = Object.keys(headers ?? {})
    .map(webhookHeaderFault)
    .find((one) => one !== null);
  if (fault) throw invalid(fault);
  return { target_url, events: parseTypes(events), active, headers };
}

export const webhookRoutes = [
  read(
    "GET /management/v1/projects/{projectId}/webhooks",
    { id: "listWebhooks", summary: "List webhooks", params: InProject, ok: WebhookList },
    async (c) => list(await store.list(c.db, c.project.id), view),
  ),
  read(
    "GET /management/v1/projects/{projectId}/webhooks/failing",
    {
      id: "listFailingWebhooks",
      summary: "List webhooks that need somebody",
      description:
        "Those whose newest deliveries do not arrive, and those that Laurel switched off because of it. What somebody switched off is not among them.",
      params: InProject,
      ok: FailingWebhookList,
    },
    async (c) => {
      const rows = await loadFailing(c.db, c.project.id);
      return list({ rows, total: rows.length }, (row) => row);
    },
  ),
  write(
    "POST /management/v1/projects/{projectId}/webhooks",
    {
      id: "createWebhook",
      summary: "Create a webhook",
      description: "From now on each event of the types that it names is sent to its address.",
      params: InProject,
      body: WebhookWrite,
      ok: Webhook,
    },
    async (c) => {
      const { active = true, headers = {}, ...sent } = parseWebhook(c.body);
      // Two at once are counted one after the other.
      await lockConfiguration(c);
      const { total } = await store.list(c.db, c.project.id);
      if (total >= WEBHOOKS_MAX) throw invalid(`A project has at most ${WEBHOOKS_MAX} webhooks`);
      const id = c.newId("wh");
      c.changed("webhook", id);
      const row = { ...sent, active, headers, id, project_id: c.project.id, created_at: c.now, updated_at: null };
      return view(await store.insert(c.db, row));
    },
  ),
  read(
    "GET /management/v1/projects/{projectId}/webhooks/{webhookId}",
    { id: "getWebhook", summary: "Read a webhook", params: ByWebhook, ok: Webhook },
    async (c) => view(await store.get(c.db, c.project.id, c.params.webhookId)),
  ),
  write(
    "PUT /management/v1/projects/{projectId}/webhooks/{webhookId}",
    {
      id: "updateWebhook",
      summary: "Update a webhook",
      description:
        "The list of events is replaced. `active` and `headers` stay as they are when they are not sent. " +
        "When it is switched on, what waits for it is sent at once, each delivery with all its retries.",
      params: ByWebhook,
      body: WebhookWrite,
      ok: Webhook,
    },
    async (c) => {
      const { webhookId } = c.params;
      const patch = { ...parseWebhook(c.body), updated_at: c.now };
      const before = await lockWebhook(c.db, c.project.id, webhookId);
      const after = await store.update(c.db, c.project.id, webhookId, patch);
      if (after.active && !before.active) await restartRetries(c.db, c.project.id, { webhookId, now: c.now });
      c.changed("webhook", webhookId);
      return view(after);
    },
  ),
  write(
    "DELETE /management/v1/projects/{projectId}/webhooks/{webhookId}",
    {
      id: "deleteWebhook",
      summary: "Delete a webhook",
      description: "What was recorded for it and not sent yet is not sent any more.",
      params: ByWebhook,
      ok: Empty,
    },
    async (c) => {
      await store.remove(c.db, c.project.id, c.params.webhookId);
      c.changed("webhook", c.params.webhookId);
      return null;
    },
  ),
];
