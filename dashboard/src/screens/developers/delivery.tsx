import { Alert, Anchor, Button, Text } from "@mantine/core";
import { Link, useParams } from "react-router";
import {
  getWebhookDelivery,
  listWebhookAttempts,
  resendWebhookDelivery,
  type WebhookAttempt,
} from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { JsonBlock } from "../../kit/json/json-block.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { Can } from "../../kit/page/can.tsx";
import { Facts } from "../../kit/page/facts.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { HttpStatus } from "../../kit/status/http-status.tsx";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";
import classes from "./developers.module.css";

/** While it is on its way the page looks again by itself. */
const WAITING_MS = 2_000;

function Attempt({ attempt, isOpen }: { attempt: WebhookAttempt; isOpen: boolean }) {
  const t = useText();
  const { timezone } = useProject();
  const { number, status_code, error, answer, latency_ms, headers } = attempt;
  return (
    <details className={classes.attempt} open={isOpen}>
      <summary>
        <strong>{t("developers.attempt", { number })}</strong>
        {status_code === null ? <StatusBadge status="FAILED" /> : <HttpStatus status={status_code} />}
        <span>{formatMoment(attempt.created_at, timezone)}</span>
        <span className={classes.dimmed}>{t("developers.ms", { ms: formatCount(latency_ms) })}</span>
      </summary>
      <div className={classes.inside}>
        {error && (
          <Alert variant="light" color="red">
            {error}
          </Alert>
        )}
        <div>
          <Text size="sm" fw={600} mb={4}>
            {t("developers.sentHeaders")}
          </Text>
          <JsonBlock value={headers} label={t("developers.sentHeaders")} />
        </div>
        {status_code !== null && (
          <div>
            <Text size="sm" fw={600} mb={4}>
              {t("developers.answer")}
            </Text>
            <JsonBlock value={answer} label={t("developers.answer")} />
          </div>
        )}
      </div>
    </details>
  );
}

function Attempts({ params }: { params: { projectId: string; webhookId: string; deliveryId: string } }) {
  const t = useText();
  const { data, error, refetch } = useOp(listWebhookAttempts, params, { everyMs: WAITING_MS });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={2} />;
  if (data.data.length === 0) return <Text c="dimmed">{t("developers.noAttempts")}</Text>;
  const newest = [...data.data].sort((a, b) => b.number - a.number);
  return newest.map((attempt, place) => <Attempt key={attempt.number} attempt={attempt} isOpen={place === 0} />);
}

export default function DeliveryPage() {
  const t = useText();
  const { id: projectId, timezone } = useProject();
  const { webhookId = "", deliveryId = "" } = useParams();
  const params = { projectId, webhookId, deliveryId };
  const delivery = useOp(getWebhookDelivery, params, { everyMs: WAITING_MS });
  const resend = useAct(resendWebhookDelivery);
  return (
    <Page
      of={delivery}
      title={(one) => one.type}
      status={(one) => one.status}
      below={(one) => (
        <>
          {formatMoment(one.created_at, timezone)} ·{" "}
          <Anchor component={Link} to={`/webhooks/${webhookId}`} inherit underline="always">
            {t("developers.toWebhook")}
          </Anchor>
        </>
      )}
      actions={() => (
        <Can do="resendWebhookDelivery">
          <Button
            loading={resend.isPending}
            onClick={() => void resend.run({ params }, t("developers.resent", { count: 1 }))}
          >
            {t("developers.resend")}
          </Button>
        </Can>
      )}
      call={[getWebhookDelivery, params]}
    >
      {(one) => (
        <div className={classes.columns}>
          <div className={classes.stack}>
            <Section title={t("developers.attempts")}>
              <Attempts params={params} />
            </Section>
            <Section title={t("developers.delivery")}>
              <Facts
                of={{
                  [t("developers.about")]: <span className="mono">{one.object_id}</span>,
                  [t("developers.eventId")]: <span className="mono">{one.event_id}</span>,
                  [t("developers.nextAttempt")]: one.next_attempt_at && formatMoment(one.next_attempt_at, timezone),
                  ID: <span className="mono">{one.id}</span>,
                }}
              />
            </Section>
          </div>
          <Section title={t("developers.body")}>
            <JsonBlock value={one.body} label={t("developers.body")} />
          </Section>
        </div>
      )}
    </Page>
  );
}
