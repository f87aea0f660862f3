import { recordVersions } from "../../catalog/audit.ts";
import { raiseRevision } from "../../catalog/changes.ts";
import type { Tx } from "../../db/db.ts";
import { record } from "../../events/events.ts";
import type { NewId } from "../../request.ts";
import { switchOffWebhook } from "../../resources/platform/webhooks/store.ts";

/** By the time of the project, and by that of the server. */
type Deactivating = { db: Tx; now: string; server_now: string; newId: NewId };
type GivenUp = { project_id: string; id: string; delivery_id: string };

/** Switches a webhook off whose address has not taken a delivery for a day, and says so. False: it was off already. */
export async function deactivateWebhook(c: Deactivating, { project_id, id, delivery_id }: GivenUp): Promise<boolean> {
  const { server_now, ...own } = c;
  if (!(await switchOffWebhook(c.db, project_id, id, c.now))) return false;
  const payload = { webhook_id: id, delivery_id };
  await record({ ...own, project: { id: project_id }, request_id: "send-webhooks" }, [
    { kind: "webhook.deactivated", subject_id: id, payload },
  ]);
  await raiseRevision(c.db, project_id, [{ kind: "webhook", id }]);
  const actor = { type: "engine" as const, id: "send-webhooks" };
  const origin = { actor, operation: "send-webhooks", request_id: null, created_at: server_now, newId: c.newId };
  await recordVersions(c.db, origin, [{ project_id, kind: "webhook", id }]);
  return true;
}
