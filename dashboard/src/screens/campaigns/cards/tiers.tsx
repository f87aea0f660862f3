import { Button, Group, Text as Words } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import {
  type Campaign,
  type CampaignEarningRule,
  type CampaignTier,
  deleteCampaignTier,
  listCampaignEarningRules,
  listCampaignTiers,
} from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { type Column, text } from "../../../kit/list/columns.tsx";
import { SmallTable } from "../../../kit/list/small-table.tsx";
import { Can } from "../../../kit/page/can.tsx";
import { MoreMenu } from "../../../kit/page/more-menu.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { type Text, useText } from "../../../text/text.ts";
import { cardsSay } from "./cards-say.ts";
import { earningSays } from "./earning-values.ts";
import { mappingSays } from "./mapping.ts";
import { AddButton, ALL, OpenName } from "./part.tsx";
import { termsOf, termsSay } from "./terms.ts";
import { byPoints, rangeSays } from "./tier-values.ts";
import { type AssignedReward, useRewards } from "./use-rewards.ts";

const TermsWindow = lazy(() => import("./terms-window.tsx"));
const TierWindow = lazy(() => import("./tier-window.tsx"));

type Parts = { rules: readonly CampaignEarningRule[]; rewards: readonly AssignedReward[] };
type ColumnsProps = Parts & { campaignId: string; open: (id: string) => void };

/** What is different for members of a tier, in words. */
function differs(
  { earning_rules, rewards: prices }: CampaignTier,
  { rules, rewards }: Parts,
  t: Text,
  currency: string,
) {
  const earns = rules.flatMap((rule) => {
    const name = rule.source.banner ?? earningSays(rule, t, currency);
    return mappingSays(earning_rules[rule.id], name, "earns", t);
  });
  const pays = rewards.flatMap(({ reward, assigned }) => mappingSays(prices[assigned.id], reward.name, "pays", t));
  return [...earns, ...pays];
}

function useColumns({ campaignId, open, ...parts }: ColumnsProps): Column<CampaignTier>[] {
  const t = useText();
  const remove = useAct(deleteCampaignTier);
  const drop = async ({ id, name }: CampaignTier) => {
    const says = [await cardsSay(campaignId, t), t("cards.deleteTierSays", { name })].filter(Boolean).join(" ");
    const question = { title: t("cards.deleteTier"), says };
    if (await confirm({ ...question, act: t("offers.deleteAct", { name }), isDangerous: true }))
      await remove.run({ params: { campaignId, loyaltyTierId: id } }, t("offers.deleted", { name }));
  };
  return [
    text("campaigns.name", "name", {
      cell: ({ id, name }) => <OpenName can="updateCampaignTier" name={name} onClick={() => open(id)} />,
    }),
    text("cards.points", "points", { cell: (tier) => rangeSays(tier, t) }),
    text("cards.differs", "earning_rules", {
      cell: (tier, { currency }) => {
        const says = differs(tier, parts, t, currency);
        return says.length === 0 ? t("cards.asEverybody") : says.map((one) => <div key={one}>{one}</div>);
      },
    }),
    text("kit.more", "id", {
      cell: (tier) => (
        <MoreMenu
          label={t("offers.actions", { name: tier.name })}
          items={[
            { text: t("cards.edit"), can: "updateCampaignTier", run: () => open(tier.id) },
            { text: t("cards.deleteTier"), can: "deleteCampaignTier", isDangerous: true, run: () => void drop(tier) },
          ]}
        />
      ),
    }),
  ];
}

/** Where members stand by their points, from the lowest. */
export function Tiers({ campaign: { id: campaignId, loyalty_tiers_expiration } }: { campaign: Campaign }) {
  const t = useText();
  const [hasTerms, setTerms] = useState(false);
  /** The id of a tier; an empty one is a new tier. */
  const [opened, open] = useState<string | null>(null);
  const tiers = useOp(listCampaignTiers, { campaignId, limit: ALL });
  const rules = useOp(listCampaignEarningRules, { campaignId, limit: ALL, order: "created_at" }).data?.data ?? [];
  const can = useCan();
  const rewards = useRewards(campaignId, can("listRewardsOfCampaign") && can("getCampaignReward")).data ?? [];
  const columns = useColumns({ campaignId, rules, rewards, open });
  return (
    <Section
      title={t("cards.tiers")}
      help={`${t("cards.tiersHelp")} ${termsSay(termsOf(loyalty_tiers_expiration), t)}`}
      actions={
        <Group gap="xs">
          <Can do="updateCampaign">
            <Button size="xs" variant="default" onClick={() => setTerms(true)}>
              {t("terms.title")}
            </Button>
          </Can>
          <AddButton can="createCampaignTiers" text={t("cards.addTier")} onClick={() => open("")} />
        </Group>
      }
    >
      {hasTerms && (
        <Suspense>
          <TermsWindow campaignId={campaignId} onClose={() => setTerms(false)} />
        </Suspense>
      )}
      <Loaded of={tiers} rows={2}>
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <Words c="dimmed">{t("cards.noTiers")}</Words>
            ) : (
              <SmallTable rows={byPoints(data)} columns={columns} idOf={({ id }) => id} label={t("cards.tiers")} />
            )}
            {opened !== null && (
              <Suspense>
                <TierWindow
                  key={opened}
                  {...{ campaignId, rules, rewards, tiers: data, id: opened || null }}
                  onClose={() => open(null)}
                />
              </Suspense>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}
