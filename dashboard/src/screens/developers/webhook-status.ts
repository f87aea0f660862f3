import { listFailingWebhooks, type Webhook } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";

/** Whether webhooks are on, off, or on and nothing of theirs arrives: the server says which those are. */
export function useWebhookStatus(): (webhook: Pick<Webhook, "id" | "active">) => string {
  const can = useCan();
  const { id: projectId } = useProject();
  const { data } = useOp(listFailingWebhooks, { projectId }, { enabled: can("listFailingWebhooks") });
  const failing = new Set(data?.data.map(({ id }) => id));
  return ({ id, active }) => (!active ? "DISABLED" : failing.has(id) ? "FAILING" : "ACTIVE");
}
