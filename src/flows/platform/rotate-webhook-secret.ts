import { ApiError } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { lockProject, updateProject, webhookTokenOf } from "../../resources/platform/projects/store.ts";
import { keepSecret, overlapOf } from "../../resources/platform/webhooks/log-store.ts";

const OVERLAP_MS = 24 * 3_600_000;

/**
 * Gives a project another secret for its webhooks. The one before is good for a day. There is room for one: a second change
 * within that day would cut off receivers that still have the first, so it has to be asked for.
 */
export async function rotateWebhookSecret(c: WriteCtx, { endsOverlap }: { endsOverlap: boolean }) {
  const before = await lockProject(c.db, c.project.id);
  const overlap = await overlapOf(c.db, before.id, c.now);
  if (overlap !== null && !endsOverlap)
    throw new ApiError("resource_protected", {
      details:
        "The secret was changed less than 24 hours ago, and receivers may still have the one before. " +
        "Send end_overlap=true to end its time now",
    });
  const webhook_token = c.newSecret();
  const previous_until = new Date(Date.parse(c.now) + OVERLAP_MS).toISOString();
  // One whose key is lost cannot be read: this operation is the way out, and one that nobody has stands in its place.
  const isReadable = c.secretBox.canOpen(["projects", before.id], before.webhook_token);
  const previous = isReadable ? webhookTokenOf(before, c.secretBox) : c.newSecret();
  const stored = c.secretBox.seal(["webhook_secrets", before.id], previous);
  await keepSecret(c.db, before.id, { previous: stored, until: previous_until });
  const sealed = c.secretBox.seal(["projects", before.id], webhook_token);
  await updateProject(c.db, before.id, { webhook_token: sealed, updated_at: c.now });
  c.changed("webhook_secret", before.id);
  return { webhook_token, previous_until, object: "webhook_secret" as const };
}
