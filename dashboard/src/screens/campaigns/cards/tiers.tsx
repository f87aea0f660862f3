import { Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import {
  type CampaignEarningRule,
  type CampaignTier,
  deleteCampaignTier,
  listCampaignEarningRules,
  listCampaignTiers,
} from "../../../api/operations.gen.ts";
import { useOp } from "../../../api/use-op.ts";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { type Column, text } from "../../../kit/list/columns.tsx";
import { SmallTable } from "../../../kit/list/small-table.tsx";
import { MoreMenu } from "../../../kit/page/more-menu.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { useText } from "../../../text/text.ts";
import { earningSays } from "./earning-values.ts";
import { AddButton, ALL, OpenName } from "./part.tsx";
import { byPoints, rangeSays } from "./tier-values.ts";

const TierWindow = lazy(() => import("./tier-window.tsx"));

type ColumnsProps = { campaignId: string; rules: readonly CampaignEarningRule[]; open: (id: string) => void };

function useColumns({ campaignId, rules, open }: ColumnsProps): Column<CampaignTier>[] {
  const t = useText();
  const remove = useAct(deleteCampaignTier);
  const drop = async ({ id, name }: CampaignTier) => {
    const question = { title: t("cards.deleteTier"), says: t("cards.deleteTierSays", { name }) };
    if (await confirm({ ...question, act: t("offers.deleteAct", { name }), isDangerous: true }))
      await remove.run({ params: { campaignId, loyaltyTierId: id } }, t("offers.deleted", { name }));
  };
  return [
    text("campaigns.name", "name", {
      cell: ({ id, name }) => <OpenName can="updateCampaignTier" name={name} onClick={() => open(id)} />,
    }),
    text("cards.points", "points", { cell: (tier) => rangeSays(tier, t) }),
    text("cards.members", "earning_rules", {
      cell: ({ earning_rules }, { currency }) =>
        rules
          .flatMap((rule) => {
            const times = earning_rules[rule.id]?.multiplier;
            const name = rule.source.banner ?? earningSays(rule, t, currency);
            return times ? [t("cards.timesRule", { times, name })] : [];
          })
          .join(", ") || t("cards.asEverybody"),
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
export function Tiers({ campaignId }: { campaignId: string }) {
  const t = useText();
  /** The id of a tier; an empty one is a new tier. */
  const [opened, open] = useState<string | null>(null);
  const tiers = useOp(listCampaignTiers, { campaignId, limit: ALL });
  const rules = useOp(listCampaignEarningRules, { campaignId, limit: ALL, order: "created_at" }).data?.data ?? [];
  const columns = useColumns({ campaignId, rules, open });
  return (
    <Section
      title={t("cards.tiers")}
      help={t("cards.tiersHelp")}
      actions={<AddButton can="createCampaignTiers" text={t("cards.addTier")} onClick={() => open("")} />}
    >
      <Loaded of={tiers} rows={2}>
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <Text c="dimmed">{t("cards.noTiers")}</Text>
            ) : (
              <SmallTable rows={byPoints(data)} columns={columns} idOf={({ id }) => id} label={t("cards.tiers")} />
            )}
            {opened !== null && (
              <Suspense>
                <TierWindow
                  key={opened}
                  {...{ campaignId, rules, tiers: data, id: opened || null }}
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
