import { Anchor, Button, Text } from "@mantine/core";
import { IconAlertTriangle, IconArrowsCross, IconBan } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { Link } from "react-router";
import { type Conflict, getCampaign } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { formatPeriod } from "../../../kit/date/date.ts";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { useText } from "../../../text/text.ts";
import classes from "./timeline.module.css";

type List = { conflicts: readonly Conflict[]; has_more: boolean };
type Names = ReadonlyMap<string, string>;
type Props = { of: Pick<UseQueryResult<List, Error>, "data" | "error" | "refetch">; names: Names };

const FEW = 10;
const ICONS = { overlap: IconAlertTriangle, exclusion: IconArrowsCross, never_applies: IconBan } as const;

function CampaignLink({ id, names }: { id: string; names: Names }) {
  const { data } = useOp(getCampaign, { campaignId: id }, { enabled: !names.has(id) });
  return (
    <Anchor component={Link} to={`/campaigns/${id}`} size="sm" underline="always">
      {names.get(id) ?? data?.name ?? id}
    </Anchor>
  );
}

function ConflictLine({ conflict, names }: { conflict: Conflict; names: Names }) {
  const t = useText();
  const { timezone } = useProject();
  const { kind, campaigns, reason, from, to } = conflict;
  const Icon = ICONS[kind];
  const words = {
    from: (day: string) => t("kit.date.from", { day }),
    until: (day: string) => t("kit.date.until", { day }),
  };
  return (
    <li>
      <Icon size={16} stroke={1.75} aria-hidden />
      <span>
        {campaigns.map((id, place) => (
          <Fragment key={id}>
            {place > 0 && t("timeline.and")}
            <CampaignLink id={id} names={names} />
          </Fragment>
        ))}
        {": "}
        {t(`timeline.reasons.${reason}`)}
        {kind !== "never_applies" && (
          <span className={classes.when}> · {formatPeriod(from, to, timezone, words) ?? t("kit.date.always")}</span>
        )}
      </span>
    </li>
  );
}

/** What gets in the way of what, as sentences. */
export function Conflicts({ of, names }: Props) {
  const t = useText();
  const [isAll, setAll] = useState(false);
  return (
    <div id="conflicts">
      <Section title={t("timeline.conflicts")} help={t("timeline.conflictsHelp")}>
        <Loaded of={of}>
          {({ conflicts, has_more }) =>
            conflicts.length === 0 ? (
              <Text c="dimmed">{t("timeline.noConflicts")}</Text>
            ) : (
              <>
                <ul className={classes.list}>
                  {(isAll ? conflicts : conflicts.slice(0, FEW)).map((conflict) => {
                    const { kind, campaigns, tiers = [], reason } = conflict;
                    const key = [kind, reason, ...campaigns, ...tiers].join(" ");
                    return <ConflictLine key={key} conflict={conflict} names={names} />;
                  })}
                </ul>
                {!isAll && conflicts.length > FEW && (
                  <Button variant="default" size="xs" mt="sm" onClick={() => setAll(true)}>
                    {t("timeline.showAll", { count: conflicts.length })}
                  </Button>
                )}
                {has_more && (
                  <Text size="xs" c="dimmed" mt="sm">
                    {t("timeline.more")}
                  </Text>
                )}
              </>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}
