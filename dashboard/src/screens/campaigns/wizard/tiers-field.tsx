import { Button, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { useText } from "../../../text/text.ts";
import { DiscountOnGoods } from "../goods/discount-on-goods.tsx";
import { goodsFault, type Place } from "../goods/values.ts";
import classes from "./form.module.css";
import { NEW_TIER, type TierValue } from "./values.ts";

type Props = {
  defaultValue?: TierValue[];
  onChange?: (tiers: TierValue[]) => void;
  error?: ReactNode;
  "data-path"?: string;
  place: Place | null;
};
const MANY = 20;

/** The offers of a promotion, each with its name and its discount. */
export default function TiersField({ defaultValue = [], onChange, error, place, "data-path": path }: Props) {
  const t = useText();
  const [tiers, setTiers] = useState(defaultValue);
  // A discount and its products may change in one go: the second starts from what the first left.
  const latest = useRef(tiers);
  const put = (next: TierValue[]) => {
    latest.current = next;
    setTiers(next);
    onChange?.(next);
  };
  const change = (key: number, more: Partial<TierValue>) =>
    put(latest.current.map((tier) => (tier.key === key ? { ...tier, ...more } : tier)));
  const add = () => {
    const key = Math.max(0, ...tiers.map((tier) => tier.key)) + 1;
    put([...tiers, { ...NEW_TIER, key }]);
  };
  return (
    <Stack gap="lg">
      {tiers.map(({ key, name, banner, discount, goods }, at) => (
        <fieldset key={key} className={classes.tier}>
          <legend>{t("campaigns.offer", { number: at + 1 })}</legend>
          <Stack gap="md">
            <TextInput
              label={t("campaigns.offerName")}
              required
              defaultValue={name}
              {...(at === 0 && path !== undefined && { "data-path": path })}
              onChange={({ currentTarget }) => change(key, { name: currentTarget.value })}
            />
            <TextInput
              label={t("campaigns.banner")}
              defaultValue={banner}
              onChange={({ currentTarget }) => change(key, { banner: currentTarget.value })}
            />
            <DiscountOnGoods
              discount={{ defaultValue: discount, onChange: (next) => change(key, { discount: next }) }}
              goods={{
                ...{ defaultValue: goods, onChange: (next) => change(key, { goods: next }) },
                ...(error && { error: goodsFault(goods, discount, t) }),
              }}
              place={place}
            />
            {tiers.length > 1 && (
              <Button
                variant="default"
                size="xs"
                aria-label={t("campaigns.removeOffer", { number: at + 1 })}
                onClick={() => put(tiers.filter((tier) => tier.key !== key))}
              >
                {t("campaigns.removeOffer", { number: at + 1 })}
              </Button>
            )}
          </Stack>
        </fieldset>
      ))}
      {error && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {error}
        </Text>
      )}
      {tiers.length < MANY && (
        <div>
          <Button variant="default" leftSection={<IconPlus size={16} stroke={1.75} />} onClick={add}>
            {t("campaigns.addOffer")}
          </Button>
        </div>
      )}
    </Stack>
  );
}
