import type { RowOf } from "../../api/op.ts";
import { listWebhooks } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { type Column, count, link, moment } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { useWebhookStatus } from "./webhook-status.ts";

type Webhook = RowOf<typeof listWebhooks>;

function Status({ webhook }: { webhook: Webhook }) {
  return <StatusBadge status={useWebhookStatus()(webhook)} />;
}
const isOn: Column<Webhook> = {
  id: "active",
  title: "developers.status",
  cell: (webhook) => <Status webhook={webhook} />,
  csv: ({ active }) => String(active),
};
const COLUMNS = [
  link<Webhook>("developers.target", "target_url", ({ id }) => `/webhooks/${id}`),
  isOn,
  count<Webhook>("developers.events", "events.length"),
  moment<Webhook>("developers.created", "created_at"),
  moment<Webhook>("developers.changed", "updated_at", { isExtra: true }),
];

export default function Webhooks() {
  const { id } = useProject();
  const list = useList(listWebhooks, { projectId: id });
  return (
    <ListScreen
      list={list}
      title="developers.webhooks"
      create={{ to: "/webhooks/new", text: "developers.newWebhook", can: "createWebhook" }}
      actions={<RotateSecret />}
      columns={COLUMNS}
      empty={{ title: "developers.noWebhooks", help: "developers.noWebhooksHelp" }}
    />
  );
}
