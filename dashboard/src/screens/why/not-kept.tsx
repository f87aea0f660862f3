import { Text } from "@mantine/core";
import { getRefusalSummary } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { usePeriod } from "../../kit/chart/use-period.ts";
import { useText } from "../../text/text.ts";

/** What is not found may have been counted only: of the refusals of a busy minute not all are kept. */
export function NotKept({ campaign }: { campaign: string | null }) {
  const t = useText();
  const { from, to } = usePeriod();
  const params = { from, to, ...(campaign !== null && { campaign }) };
  const { data } = useOp(getRefusalSummary, params, { enabled: useCan()("getRefusalSummary") });
  if (data === undefined || data.not_kept === 0) return null;
  const all = t("campaigns.refusedTimes", { count: data.count });
  return (
    <Text size="sm" c="dimmed">
      {t(campaign === null ? "why.inProject" : "why.inCampaign", { all })}{" "}
      {t("campaigns.notKept", { count: data.not_kept })}
    </Text>
  );
}
