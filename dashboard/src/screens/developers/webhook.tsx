import { Button } from "@mantine/core";
import { Link, useNavigate, useParams } from "react-router";
import type { ParamsOf } from "../../api/op.ts";
import {
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  resendWebhookDeliveries,
  testWebhook,
  updateWebhook,
  type Webhook,
} from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { known } from "../../kit/confirm/known.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { Can } from "../../kit/page/can.tsx";
import { MoreMenu } from "../../kit/page/more-menu.tsx";
import { Page } from "../../kit/page/page.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";
import { useWebhookStatus } from "./webhook-status.ts";

const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;
/** As many are counted before a question; of more it is said that they are more. */
const COUNTED = 100;

function Actions({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const navigate = useNavigate();
  const { id: projectId } = useProject();
  const params = { projectId, webhookId: webhook.id };
  const test = useAct(testWebhook);
  const resend = useAct(resendWebhookDeliveries);
  const update = useAct(updateWebhook);
  const remove = useAct(deleteWebhook);
  const tryIt = async () => {
    const tried = await test.run({ params, body: {} }, t("developers.tested"));
    if (tried) void navigate(`/webhooks/${webhook.id}/deliveries/${tried.answer.id}`);
  };
  const bodyWith = (active: boolean) => {
    const { target_url, events, headers } = webhook;
    return { target_url, events, headers, active };
  };
  const toggle = () =>
    update.run(
      { params, body: bodyWith(!webhook.active) },
      t(webhook.active ? "developers.wasDisabled" : "developers.wasEnabled"),
      () => update.run({ params, body: bodyWith(webhook.active) }),
    );
  const counted = async (which: Pick<ParamsOf<typeof listWebhookDeliveries>, "filters">) => {
    const found = await known(send(listWebhookDeliveries, { ...params, ...which, limit: COUNTED }));
    return found && { count: found.data.length, hasMore: found.cursor !== null };
  };
  const resendFailed = async () => {
    const failed = await counted({ filters: { status: { conditions: { $is: ["FAILED"] } } } });
    const says = failed
      ? t(failed.hasMore ? "developers.resendMany" : "developers.resendCount", { ...failed, days: KEPT_DAYS })
      : t("developers.resendSays", { days: KEPT_DAYS });
    if (!(await confirm({ title: t("developers.resendFailed"), says, act: t("developers.resendFailed") }))) return;
    const [from, to] = [new Date(Date.now() - KEPT_DAYS * DAY_MS), new Date()].map((date) => date.toISOString());
    const sent = await resend.run({ params, body: { from: from!, to: to!, status: "FAILED" } });
    if (!sent) return;
    let { count, has_more, more_starting_after } = sent.answer;
    // 10,000 at a time: the server says where it stopped.
    while (has_more && more_starting_after !== undefined) {
      const body = { from: from!, to: to!, status: "FAILED" as const, starting_after_id: more_starting_after };
      const next = await send(resendWebhookDeliveries, params, { body });
      count += next.count;
      ({ has_more, more_starting_after } = next);
    }
    notifyDone(t("developers.resent", { count }));
  };
  const erase = async () => {
    const lost = await counted({});
    const says = [
      lost && t(lost.hasMore ? "developers.deleteMany" : "developers.deleteCount", { count: lost.count }),
      t("developers.deleteSays"),
    ];
    const act = t("developers.deleteWebhook");
    if (!(await confirm({ title: webhook.target_url, says: says.filter(Boolean).join(" "), act, isDangerous: true })))
      return;
    if (await remove.run({ params }, t("developers.deleted"))) void navigate("/webhooks");
  };
  return (
    <>
      <Can do="testWebhook">
        <Button variant="default" loading={test.isPending} onClick={() => void tryIt()}>
          {t("developers.test")}
        </Button>
      </Can>
      <Can do="updateWebhook">
        <Button variant="default" loading={update.isPending} onClick={() => void toggle()}>
          {t(webhook.active ? "developers.disable" : "developers.enable")}
        </Button>
        <Button component={Link} to={`/webhooks/${webhook.id}/edit`}>
          {t("developers.edit")}
        </Button>
      </Can>
      <MoreMenu
        items={[
          { text: t("developers.resendFailed"), can: "resendWebhookDeliveries", run: () => void resendFailed() },
          { text: t("developers.deleteWebhook"), can: "deleteWebhook", run: () => void erase(), isDangerous: true },
        ]}
      />
    </>
  );
}

export default function WebhookPage() {
  const t = useText();
  const { id: projectId, timezone } = useProject();
  const { webhookId = "" } = useParams();
  const webhook = useOp(getWebhook, { projectId, webhookId });
  const statusOf = useWebhookStatus();
  return (
    <Page
      of={webhook}
      title={(one) => one.target_url}
      status={statusOf}
      below={(one) =>
        [
          t("developers.eventCount", { count: one.events.length }),
          t("developers.since", { time: formatMoment(one.created_at, timezone) }),
        ].join(" · ")
      }
      actions={(one) => <Actions webhook={one} />}
      call={[getWebhook, { projectId, webhookId }]}
      tabs={{
        deliveries: { title: "developers.deliveries", load: () => import("./deliveries.tsx") },
        settings: { title: "developers.settings", load: () => import("./webhook-settings.tsx") },
      }}
    />
  );
}
