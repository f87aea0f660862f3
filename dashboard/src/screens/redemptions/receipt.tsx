import { Alert, Anchor, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Link, useParams } from "react-router";
import { statusOf } from "../../api/errors.ts";
import { getRedemption, getRedemptionReceipt, type Redemption } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { Can } from "../../kit/page/can.tsx";
import { Facts } from "../../kit/page/facts.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { CallerName } from "../../registry/caller-name.tsx";
import { reasonWord } from "../../registry/words.ts";
import { type Text, useText } from "../../text/text.ts";
import classes from "./receipt.module.css";
import { ReplayButton } from "./replay.tsx";
import { RollBackButton } from "./roll-back.tsx";

// What explains each amount opens over the slip, and brings much with it.
const Slip = lazy(() => import("./slip.tsx"));

/** What a failure was, in words; the server's own where there are none. */
const failureOf = ({ failure_code, failure_message }: Redemption, t: Text): string =>
  (failure_code && reasonWord(t, failure_code)) || (failure_message ?? failure_code ?? "");

/** Who undid it, and what they wrote. */
function WhyRolledBack({ rollback: { reason, channel } }: { rollback: Redemption }) {
  const t = useText();
  return (
    <Facts
      of={{
        [t("redemptions.rolledBackBy")]: <CallerName id={channel.channel_id} />,
        [t("redemptions.reason")]: reason || t("redemptions.noReason"),
      }}
    />
  );
}

function Rollback({ id, date }: { id: string; date: string }) {
  const t = useText();
  const { timezone } = useProject();
  const { data } = useOp(getRedemption, { redemptionId: id });
  return (
    <Alert variant="light" color="gray" title={t("redemptions.rollbacks", { date: formatMoment(date, timezone) })}>
      {data && <WhyRolledBack rollback={data} />}
    </Alert>
  );
}

function About({ redemption }: { redemption: Redemption }) {
  const t = useText();
  const rollbacks = redemption.related_redemptions?.rollbacks ?? [];
  return (
    <Stack gap="md" className={classes.about!}>
      {redemption.redemption && (
        <Alert variant="light" color="blue">
          {t("redemptions.partOf")}{" "}
          <Anchor component={Link} to={`/redemptions/${redemption.redemption}`} inherit underline="always">
            {t("redemptions.openStack")}
          </Anchor>
        </Alert>
      )}
      {redemption.status === "FAILED" && (
        <Alert variant="light" color="red" title={t("redemptions.why")}>
          <div>{failureOf(redemption, t)}</div>
          <Can do="listRefusals">
            <Anchor component={Link} to={`/why?q=${redemption.id}`} inherit underline="always">
              {t("redemptions.askWhy")}
            </Anchor>
          </Can>
        </Alert>
      )}
      {rollbacks.map((one) => (
        <Rollback key={one.id} {...one} />
      ))}
      {redemption.object === "redemption_rollback" && <WhyRolledBack rollback={redemption} />}
      <ReplayButton redemption={redemption} />
    </Stack>
  );
}

export default function ReceiptPage() {
  const t = useText();
  const { timezone } = useProject();
  const { redemptionId = "" } = useParams();
  const redemption = useOp(getRedemption, { redemptionId });
  // The parts of a stack were decided together: the stack has the receipt.
  const whole = redemption.data?.redemption ?? redemptionId;
  const receipt = useOp(getRedemptionReceipt, { redemptionId: whole }, { enabled: redemption.data !== undefined });
  const codes = (receipt.data?.trace ?? []).map(({ id }) => id);
  return (
    <Page
      of={redemption}
      title={(one) => one.voucher?.code ?? (codes.length > 0 ? codes.join(" + ") : one.id)}
      status={(one) => one.status}
      below={(one) =>
        [
          formatMoment(one.date, timezone),
          one.customer
            ? t("redemptions.by", { customer: one.customer.source_id ?? one.customer.id })
            : t("redemptions.nobody"),
          ...(one.order ? [t("redemptions.orderId", { order: one.order.source_id ?? one.order.id })] : []),
        ].join(" · ")
      }
      actions={(one) => (
        <RollBackButton redemption={one} receipt={receipt.data ?? null} isReading={receipt.isPending} />
      )}
      call={[getRedemption, { redemptionId }]}
    >
      {(one) => (
        <div className={classes.columns}>
          {receipt.data ? (
            <Suspense fallback={<LoadingRows />}>
              <Slip receipt={receipt.data} redemption={one} />
            </Suspense>
          ) : statusOf(receipt.error) === 410 ? (
            <Alert variant="light">{t("redemptions.erased")}</Alert>
          ) : receipt.error ? (
            <Failure error={receipt.error} retry={() => void receipt.refetch()} />
          ) : (
            <LoadingRows />
          )}
          <About redemption={one} />
        </div>
      )}
    </Page>
  );
}
