import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import { getRefusalSummary } from "../../../api/operations.gen.ts";
import { useOp } from "../../../api/use-op.ts";
import { Bars } from "../../../kit/chart/bars.tsx";
import { formatCount } from "../../../kit/money/count.ts";
import { Section } from "../../../kit/page/section.tsx";
import { Failure, LoadingRows } from "../../../kit/states/states.tsx";
import { reasonWord } from "../../../registry/words.ts";
import { useText } from "../../../text/text.ts";

/** Why codes of a campaign were refused, and how often. */
export function ReasonsCard({ campaign, from, to }: { campaign: string; from: string; to: string }) {
  const t = useText();
  const { data, error, refetch } = useOp(getRefusalSummary, { campaign, from, to }, { keepOld: true });
  const most = Math.max(1, ...(data?.reasons ?? []).map(({ count }) => count));
  return (
    <Section
      title={t("campaigns.refusedTitle")}
      {...(data && data.count > 0 && { help: t("campaigns.refusedTimes", { count: data.count }) })}
    >
      {data === undefined ? (
        error ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : (
          <LoadingRows rows={3} />
        )
      ) : data.count === 0 ? (
        <Text c="dimmed">{t("campaigns.noRefusals")}</Text>
      ) : (
        <Bars
          of={data.reasons.map(({ reason, count }) => ({
            id: reason,
            name: (
              <Anchor component={Link} to={`?tab=refusals&reason=${encodeURIComponent(reason)}`} size="sm">
                {reasonWord(t, reason) ?? reason}
              </Anchor>
            ),
            shown: formatCount(count),
            share: count / most,
          }))}
        />
      )}
      {data !== undefined && data.not_kept > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {t("campaigns.notKept", { count: data.not_kept })}
        </Text>
      )}
    </Section>
  );
}
