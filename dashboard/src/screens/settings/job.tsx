import { Anchor } from "@mantine/core";
import { useParams } from "react-router";
import { getAsyncAction } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { UsedBar } from "../../kit/chart/small.tsx";
import { formatMoment } from "../../kit/date/date.ts";
import { JsonBlock } from "../../kit/json/json-block.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { Facts } from "../../kit/page/facts.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Section } from "../../kit/page/section.tsx";
import { jobName, jobSays } from "../../registry/job-name.ts";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";
import classes from "./settings.module.css";

const EVERY_MS = 2_000;
const counted = (value: number | undefined) => (value === undefined ? null : formatCount(value));

/** One long work: how far it is, what it did, and the files that tell what it could not do. */
export default function JobPage() {
  const t = useText();
  const { timezone } = useProject();
  const { asyncActionId = "" } = useParams();
  const job = useOp(getAsyncAction, { asyncActionId }, { everyMs: EVERY_MS });
  return (
    <SettingsFrame>
      <Page
        of={job}
        title={(one) => t(jobName(one.type))}
        status={(one) => (one.operation_status === "UNKNOWN" ? one.status : one.operation_status)}
        below={(one) => formatMoment(one.created_at, timezone)}
        call={[getAsyncAction, { asyncActionId }]}
      >
        {({ result, ...one }) => (
          <div className={classes.stack}>
            <Section title={t("settings.progress")}>
              <Facts
                of={{
                  [t("settings.progress")]: (
                    <UsedBar isWork share={one.progress / 100} label={`${Math.floor(one.progress)}%`} />
                  ),
                  [t("settings.done")]: counted(result?.done_count),
                  [t("settings.failed")]: counted(result?.failed_count),
                  [t("settings.message")]: jobSays(t, result),
                  [t("settings.reports")]: result?.reports?.map((url) => (
                    <div key={url}>
                      <Anchor href={url} download inherit>
                        {url.split("?")[0]!.split("/").at(-1)}
                      </Anchor>
                    </div>
                  )),
                  [t("settings.took")]: t("settings.ms", { ms: formatCount(one.processing_time) }),
                  ID: <span className="mono">{one.id}</span>,
                }}
              />
            </Section>
            {(result?.failed ?? result?.errors ?? []).length > 0 && (
              <Section title={t("settings.faults")}>
                <JsonBlock value={result?.failed ?? result?.errors} label={t("settings.faults")} />
              </Section>
            )}
          </div>
        )}
      </Page>
    </SettingsFrame>
  );
}
