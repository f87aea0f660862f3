import { Button, Fieldset, Group, Stack, Text } from "@mantine/core";
import { useProject } from "../../../api/session.ts";
import { campaignsOf } from "../../../api/sources.ts";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { NumberInput, Select } from "../../../kit/later/fields.ts";
import { RecordSelect } from "../../../kit/pick/record-select.tsx";
import { giftSays } from "../../../registry/campaign-sentence.ts";
import { useText } from "../../../text/text.ts";
import type { Gift, GiftKind, ReferrerReward } from "./values.ts";

const REFERRER_KINDS = ["LOYALTY_PROGRAM", "GIFT_VOUCHERS", "DISCOUNT_COUPONS"] as const;
const numberOf = (typed: number | string) => (typed === "" ? null : Number(typed));

/** Of which campaign a gift is, and how much of it. */
export function GiftFields({ gift, onChange }: { gift: Gift; onChange: (change: Partial<Gift>) => void }) {
  const t = useText();
  const { kind } = gift;
  if (kind === "PRODUCT") return null;
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <RecordSelect
        key={kind}
        source={campaignsOf(kind)}
        label={t("referrals.campaign")}
        required
        value={gift.campaign}
        onChange={(campaign) => onChange({ campaign })}
      />
      {kind === "LOYALTY_PROGRAM" && (
        <NumberInput
          label={t("referrals.points")}
          required
          min={1}
          allowDecimal={false}
          value={gift.amount ?? ""}
          onChange={(typed) => onChange({ amount: numberOf(typed) })}
        />
      )}
      {kind === "GIFT_VOUCHERS" && (
        <MoneyField
          label={t("referrals.credits")}
          required
          defaultValue={gift.amount}
          onChange={(amount) => onChange({ amount })}
        />
      )}
    </Group>
  );
}

type RewardProps = {
  reward: ReferrerReward;
  number: number;
  change: (change: Partial<ReferrerReward>) => void;
  drop: () => void;
};

/** One reward of the referrer. What a saved one gives stays: another one is put in its place. */
export function RewardFields({ reward, number, change, drop }: RewardProps) {
  const t = useText();
  const { currency } = useProject();
  const { kind, tier, isOnce, min, amount, campaign } = reward;
  return (
    <Fieldset legend={t("referrals.reward", { number })}>
      <Stack gap="md">
        {tier ? (
          <Text size="sm">{giftSays({ kind, amount, name: campaign?.label ?? null }, { t, currency })}</Text>
        ) : (
          <>
            <Select
              label={t("referrals.gets")}
              allowDeselect={false}
              data={REFERRER_KINDS.map((value) => ({ value, label: t(`referrals.gifts.${value}`) }))}
              value={kind}
              onChange={(chosen) => change({ kind: chosen as GiftKind, campaign: null, amount: null })}
            />
            <GiftFields key={kind} gift={reward} onChange={change} />
          </>
        )}
        <Group align="flex-start">
          <Select
            label={t("referrals.when")}
            allowDeselect={false}
            data={[
              { value: "each", label: t("referrals.each") },
              { value: "once", label: t("referrals.once") },
            ]}
            value={isOnce ? "once" : "each"}
            onChange={(chosen) => change({ isOnce: chosen === "once", min: chosen === "once" ? (min ?? 5) : null })}
          />
          {isOnce && (
            <NumberInput
              label={t("referrals.friends")}
              required
              min={1}
              allowDecimal={false}
              maw={160}
              value={min ?? ""}
              onChange={(typed) => change({ min: numberOf(typed) })}
            />
          )}
        </Group>
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: "flex-start" }}
          aria-label={t("referrals.removeReward", { number })}
          onClick={drop}
        >
          {t("referrals.remove")}
        </Button>
      </Stack>
    </Fieldset>
  );
}
