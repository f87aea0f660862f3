import { Title } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { CampaignEarningRule } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { type TextKey, useText } from "../../../text/text.ts";
import { earningSays } from "./earning-values.ts";
import type { Mapped, MappingKind } from "./mapping.ts";
import { MappingField } from "./mapping-field.tsx";
import { isCoin } from "./reward-values.ts";
import type { TierValues } from "./tier-values.ts";
import type { AssignedReward } from "./use-rewards.ts";

type Kinds = Partial<Record<MappingKind, TextKey>>;
const EARNS: Kinds = { none: "cards.asOthers", MULTIPLY: "cards.timesPoints", CUSTOM: "cards.ownPoints" };
const PAYS: Kinds = { none: "cards.asOthers", MULTIPLY: "cards.timesPrice", NOT_AVAILABLE: "cards.notForTier" };
const PAYS_POINTS: Kinds = { ...PAYS, CUSTOM: "cards.ownPrice" };

type Props = {
  rules: readonly CampaignEarningRule[];
  rewards: readonly AssignedReward[];
  form: UseFormReturnType<TierValues>;
};

/** What is different for members of a tier. Points that are paid as money have no price of their own. */
export function TierMappings({ rules, rewards, form }: Props) {
  const t = useText();
  const { currency } = useProject();
  const bind = (path: string) => form.getInputProps(path as "earns") as { onChange: (mapped: Mapped) => void };
  return (
    <>
      {rules.length > 0 && <Title order={3}>{t("cards.members")}</Title>}
      {rules.map((rule) => (
        <MappingField
          key={form.key(`earns.${rule.id}` as "earns")}
          name={rule.source.banner ?? earningSays(rule, t, currency)}
          kinds={EARNS}
          {...bind(`earns.${rule.id}`)}
        />
      ))}
      {rewards.length > 0 && <Title order={3}>{t("cards.membersPay")}</Title>}
      {rewards.map(({ reward, assigned: { id } }) => (
        <MappingField
          key={form.key(`pays.${id}` as "pays")}
          name={reward.name}
          kinds={isCoin(reward) ? PAYS : PAYS_POINTS}
          {...bind(`pays.${id}`)}
        />
      ))}
    </>
  );
}
