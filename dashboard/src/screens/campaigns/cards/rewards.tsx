import { Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { assignRewards, deleteRewardOfCampaign, listValidationRuleAssignments } from "../../../api/operations.gen.ts";
import { send } from "../../../api/send.ts";
import { useCan } from "../../../api/session.ts";
import { type Column, text } from "../../../kit/list/columns.tsx";
import { SmallTable } from "../../../kit/list/small-table.tsx";
import { formatCount } from "../../../kit/money/count.ts";
import { MoreMenu } from "../../../kit/page/more-menu.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { useText } from "../../../text/text.ts";
import { AddButton, ALL, OpenName } from "./part.tsx";
import { isCoin, rewardSays } from "./reward-values.ts";
import { type AssignedReward, useRewards } from "./use-rewards.ts";

const AddReward = lazy(() => import("./add-reward.tsx"));
const RewardCost = lazy(() => import("./reward-cost.tsx"));

const costOf = ({ assigned }: AssignedReward) => assigned.parameters?.loyalty.points ?? null;

/** Takes a reward away from the campaign. It stays what it is, so undo gives it back. */
function useRemove(campaignId: string) {
  const t = useText();
  const can = useCan();
  const [remove, assign] = [useAct(deleteRewardOfCampaign), useAct(assignRewards)];
  return async ({ assigned: { id, reward_id, parameters }, reward: { name } }: AssignedReward) => {
    // They go with the assignment, and come back with it.
    const rules = can("listValidationRuleAssignments")
      ? await send(listValidationRuleAssignments, { related_object_id: id, limit: ALL })
      : { data: [] };
    const again = {
      ...{ reward: reward_id, validation_rules: rules.data.map(({ rule_id }) => rule_id) },
      ...(parameters && { parameters }),
    };
    return remove.run({ params: { campaignId, rewardAssignmentId: id } }, t("cards.rewardRemoved", { name }), () =>
      assign.run({ params: { campaignId }, body: [again] }),
    );
  };
}

function useColumns(campaignId: string, open: (id: string) => void): Column<AssignedReward>[] {
  const t = useText();
  const remove = useRemove(campaignId);
  return [
    text("campaigns.name", "reward.name", {
      cell: (row) => (
        <OpenName can="updateRewardOfCampaign" name={row.reward.name} onClick={() => open(row.assigned.id)} />
      ),
    }),
    text("cards.what", "reward.type", { cell: ({ reward }, { currency }) => rewardSays(reward, t, currency) }),
    text("cards.costs", "assigned.parameters.loyalty.points", {
      cell: (row) => {
        const cost = costOf(row);
        return cost === null ? "–" : t("loyalty.gives", { count: cost });
      },
    }),
    text("cards.left", "reward.stock", {
      cell: ({ reward: { stock } }) => (stock === null ? t("cards.noStock") : formatCount(stock)),
    }),
    text("kit.more", "assigned.id", {
      cell: (row) => (
        <MoreMenu
          label={t("offers.actions", { name: row.reward.name })}
          items={[
            { text: t("cards.edit"), can: "updateRewardOfCampaign", run: () => open(row.assigned.id) },
            { text: t("cards.removeReward"), can: "deleteRewardOfCampaign", run: () => void remove(row) },
          ]}
        />
      ),
    }),
  ];
}

/** What points buy in a campaign. */
export function Rewards({ campaignId }: { campaignId: string }) {
  const t = useText();
  /** The id of an assignment; an empty one is a reward that is added. */
  const [opened, open] = useState<string | null>(null);
  const rewards = useRewards(campaignId);
  const rows = rewards.data;
  const columns = useColumns(campaignId, open);
  const close = () => open(null);
  return (
    <Section
      title={t("cards.rewards")}
      help={t("cards.rewardsHelp")}
      actions={<AddButton can="assignRewards" text={t("cards.addReward")} onClick={() => open("")} />}
    >
      <Loaded of={rewards} rows={2}>
        {(shown) =>
          shown.length === 0 ? (
            <Text c="dimmed">{t("cards.noRewards")}</Text>
          ) : (
            <SmallTable rows={shown} columns={columns} idOf={(row) => row.assigned.id} label={t("cards.rewards")} />
          )
        }
      </Loaded>
      <Suspense>
        {opened === "" && (
          <AddReward campaignId={campaignId} taken={rows?.map(({ reward }) => reward.id) ?? []} onClose={close} />
        )}
        {opened && (
          <RewardCost
            {...{ campaignId, id: opened, onClose: close }}
            hasCost={!isCoin(rows?.find(({ assigned: { id } }) => id === opened)?.reward)}
          />
        )}
      </Suspense>
    </Section>
  );
}
