import { ApiError } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { lockProject, updateProject } from "../../resources/platform/projects/store.ts";
import { keepSecret } from "../../resources/platform/webhooks/log-store.ts";
import { signingSecrets } from "../../resources/platform/webhooks/sending-store.ts";

const OVERLAP_MS = 24 * 3_600_000;

/**
 * Gives a project another secret for its webhooks. The one before is good for a day. There is room for one: a second change
 * within that day would cut off receivers that still have the first, so it has to be asked for.
 */
export async function rotateWebhookSecret(c: WriteCtx, { endsOverlap }: { endsOverlap: boolean }) {
  const before = await lockProject(c.db, c.project.id);
  const { previous } = await signingSecrets(c.db, before.id, c.now);
  if (previous !== null && !endsOverlap)
    throw new ApiError("resource_protected", {
      details:
        "The secret was changed less than 24 hours ago, and receivers may still have the one before. " +
        "Send end_overlap=true to end its time now",
    });
  const webhook_token = c.newSecret();
  const previous_until = new Date(Date.parse(c.now) + OVERLAP_MS).toISOString();
  await keepSecret(c.db, before.id, { previous: before.webhook_token, until: previous_until });
  await updateProject(c.db, before.id, { webhook_token, updated_at: c.now });
  c.changed("webhook_secret", before.id);
  return { webhook_token, previous_until, object: "webhook_secret" as const };
}
