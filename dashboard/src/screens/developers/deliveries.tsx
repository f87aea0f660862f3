import type { RowOf } from "../../api/op.ts";
import { listWebhookDeliveries, resendWebhookDelivery, type Webhook } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { count, link, moment, mono, status } from "../../kit/list/columns.tsx";
import { tabs } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import type { TextKey } from "../../text/text.ts";

type Delivery = RowOf<typeof listWebhookDeliveries>;

const STATUSES: Record<string, TextKey> = {
  DELIVERED: "kit.status.delivered",
  WAITING: "kit.status.waiting",
  FAILED: "kit.status.failed",
};
const COLUMNS = [
  link<Delivery>("developers.event", "type", ({ id, webhook_id }) => `/webhooks/${webhook_id}/deliveries/${id}`),
  status<Delivery>("developers.status", "status"),
  moment<Delivery>("developers.time", "created_at", { sort: "created_at" }),
  count<Delivery>("developers.attempts", "attempts"),
  moment<Delivery>("developers.nextAttempt", "next_attempt_at"),
  mono<Delivery>("developers.about", "object_id"),
  mono<Delivery>("developers.eventId", "event_id", { isExtra: true }),
];

export default function Deliveries({ record }: { record: Webhook }) {
  const { id: projectId } = useProject();
  const fixed = { projectId, webhookId: record.id, order: ["-created_at" as const] };
  const list = useList(listWebhookDeliveries, fixed, { paging: "cursor" });
  return (
    <ListScreen
      isPart
      list={list}
      title="developers.deliveries"
      filters={[tabs("filters[status][conditions][$is]", "developers.status", STATUSES)]}
      columns={COLUMNS}
      bulk={[
        {
          text: "developers.resend",
          done: "developers.resent",
          operation: resendWebhookDelivery,
          params: ({ id, webhook_id }) => ({ projectId, webhookId: webhook_id, deliveryId: id }),
        },
      ]}
      empty={{ title: "developers.noDeliveries", help: "developers.noDeliveriesHelp" }}
    />
  );
}
