import { Anchor } from "@mantine/core";
import { Link, useParams, useSearchParams } from "react-router";
import { getAuditEntry, getAuditEntryOfInstallation } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { DifferenceTable } from "../../kit/json/difference-table.tsx";
import { Facts } from "../../kit/page/facts.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Section } from "../../kit/page/section.tsx";
import { operationWord } from "../../registry/operation-word.ts";
import { actorWord, kindWord } from "../../registry/words.ts";
import { useText } from "../../text/text.ts";
import { ACTIONS, INSTALLATION } from "./audit-words.ts";
import { SettingsFrame } from "./frame.tsx";
import classes from "./settings.module.css";

const mono = (value: string | null) => value && <span className="mono">{value}</span>;

/** One change: who, when, by which operation, and each field before and after. */
export default function AuditEntryPage() {
  const t = useText();
  const can = useCan();
  const { timezone } = useProject();
  const { auditEntryId = "" } = useParams();
  const [query] = useSearchParams();
  const read = query.get("view") === INSTALLATION ? getAuditEntryOfInstallation : getAuditEntry;
  const entry = useOp(read, { auditEntryId });
  return (
    <SettingsFrame>
      <Page
        of={entry}
        title={(one) => `${kindWord(t, one.kind)}: ${t(ACTIONS[one.action]!)}`}
        below={(one) => formatMoment(one.created_at, timezone)}
        call={[read, { auditEntryId }]}
      >
        {(one) => (
          <div className={classes.stack}>
            <Section title={t("settings.whatChanged")}>
              {/* biome-ignore lint/a11y: it scrolls, so it must be reached by keyboard. */}
              <div className={classes.scroll} tabIndex={0} role="group" aria-label={t("settings.whatChanged")}>
                <DifferenceTable before={one.before} after={one.after} />
              </div>
            </Section>
            <Section title={t("settings.who")}>
              <Facts
                of={{
                  [t("settings.actor")]: <span title={one.actor.id}>{actorWord(t, one.actor)}</span>,
                  [t("settings.operation")]: <span title={one.operation}>{operationWord(t, one.operation)}</span>,
                  [t("settings.objectId")]: (
                    <Anchor
                      component={Link}
                      to={`/settings/audit?${new URLSearchParams([...query, ["object_id", one.object_id]])}`}
                      inherit
                      className="mono"
                    >
                      {one.object_id}
                    </Anchor>
                  ),
                  [t("settings.version")]: `${one.version_before ?? "–"} → ${one.version_after ?? "–"}`,
                  [t("settings.requestId")]:
                    one.request_id && can("getLoggedRequest") ? (
                      <Anchor component={Link} to={`/requests/${one.request_id}`} inherit className="mono">
                        {one.request_id}
                      </Anchor>
                    ) : (
                      mono(one.request_id)
                    ),
                }}
              />
            </Section>
          </div>
        )}
      </Page>
    </SettingsFrame>
  );
}
