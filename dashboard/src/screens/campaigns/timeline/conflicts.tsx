import { Anchor, Button, Text } from "@mantine/core";
import { IconArrowsCross, IconBan, IconInfoCircle } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { Link } from "react-router";
import { type Campaign, type Conflict, getCampaign } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { formatPeriod } from "../../../kit/date/date.ts";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { RecordName } from "../../../registry/record-name.tsx";
import { useText } from "../../../text/text.ts";
import classes from "./timeline.module.css";

type List = { conflicts: readonly Conflict[]; has_more: boolean };
type Named = Pick<Campaign, "name" | "campaign_type">;
type Campaigns = ReadonlyMap<string, Named>;
type Props = { of: Pick<UseQueryResult<List, Error>, "data" | "error" | "refetch">; known: Campaigns };

const FEW = 10;
const ICONS = { overlap: IconInfoCircle, exclusion: IconArrowsCross, never_applies: IconBan } as const;

/** That two campaigns apply together is how shops want most of them. The others need somebody who looks. */
export const needsAttention = ({ kind }: Conflict): boolean => kind !== "overlap";

type OfferProps = { id: string; known: Campaigns; tier: string | undefined };
/** A campaign, and of a promotion also the tier that it is about. */
function OfferLink({ id, known, tier }: OfferProps) {
  const { data } = useOp(getCampaign, { campaignId: id }, { enabled: !known.has(id) });
  const campaign: Named | undefined = known.get(id) ?? data;
  return (
    <>
      <Anchor component={Link} to={`/campaigns/${id}`} size="sm" underline="always">
        {campaign?.name ?? id}
      </Anchor>
      {tier !== undefined && campaign?.campaign_type === "PROMOTION" && (
        <>
          {" ("}
          <RecordName of={tier} />)
        </>
      )}
    </>
  );
}

function ConflictLine({ conflict, known }: { conflict: Conflict; known: Campaigns }) {
  const t = useText();
  const { timezone } = useProject();
  const { kind, campaigns, tiers = [], reason, from, to } = conflict;
  const Icon = ICONS[kind];
  const words = {
    from: (day: string) => t("kit.date.from", { day }),
    until: (day: string) => t("kit.date.until", { day }),
  };
  return (
    <li data-attention={needsAttention(conflict) || undefined}>
      <Icon size={16} stroke={1.75} aria-hidden />
      <span>
        {campaigns.map((id, place) => (
          // One campaign may be named twice, with two of its tiers. A single tier is the one of the only promotion.
          <Fragment key={`${id} ${tiers[place]}`}>
            {place > 0 && t("timeline.and")}
            <OfferLink id={id} known={known} tier={tiers.length === campaigns.length ? tiers[place] : tiers[0]} />
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

function Lines({ conflicts, known }: { conflicts: readonly Conflict[]; known: Campaigns }) {
  const t = useText();
  const [isAll, setAll] = useState(false);
  return (
    <>
      <ul className={classes.list}>
        {(isAll ? conflicts : conflicts.slice(0, FEW)).map((conflict) => {
          const { kind, campaigns, tiers = [], reason } = conflict;
          const key = [kind, reason, ...campaigns, ...tiers].join(" ");
          return <ConflictLine key={key} conflict={conflict} known={known} />;
        })}
      </ul>
      {!isAll && conflicts.length > FEW && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setAll(true)}>
          {t("timeline.showAll", { count: conflicts.length })}
        </Button>
      )}
    </>
  );
}

/** What gets in the way of what, as sentences; and folded, what applies together. */
export function Conflicts({ of, known }: Props) {
  const t = useText();
  return (
    <div id="conflicts">
      <Section title={t("timeline.conflicts")} help={t("timeline.conflictsHelp")}>
        <Loaded of={of}>
          {({ conflicts, has_more }) => {
            const warnings = conflicts.filter(needsAttention);
            const together = conflicts.filter((one) => !needsAttention(one));
            return (
              <>
                {warnings.length === 0 ? (
                  <Text c="dimmed">{t("timeline.noConflicts")}</Text>
                ) : (
                  <Lines conflicts={warnings} known={known} />
                )}
                {together.length > 0 && (
                  <details className={classes.folded}>
                    <summary>{t("timeline.together", { count: together.length })}</summary>
                    <Lines conflicts={together} known={known} />
                  </details>
                )}
                {has_more && (
                  <Text size="xs" c="dimmed" mt="sm">
                    {t("timeline.more")}
                  </Text>
                )}
              </>
            );
          }}
        </Loaded>
      </Section>
    </div>
  );
}
