import type { WriteCtx } from "../../ctx.ts";
import { lockProject, updateProject } from "../../resources/platform/projects/store.ts";
import { keepSecret } from "../../resources/platform/webhooks/log-store.ts";

const OVERLAP_MS = 24 * 3_600_000;

/** Gives a project another secret for its webhooks. The one before is good for a day. */
export async function rotateWebhookSecret(c: WriteCtx) {
  const before = await lockProject(c.db, c.project.id);
  const webhook_token = c.newSecret();
  const previous_until = new Date(Date.parse(c.now) + OVERLAP_MS).toISOString();
  await keepSecret(c.db, before.id, { previous: before.webhook_token, until: previous_until });
  await updateProject(c.db, before.id, { webhook_token, updated_at: c.now });
  c.changed("webhook_secret", before.id);
  return { webhook_token, previous_until, object: "webhook_secret" as const };
}
