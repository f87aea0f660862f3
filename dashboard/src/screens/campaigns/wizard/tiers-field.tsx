import { Button, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { DiscountField } from "../../../registry/discount.ts";
import { useText } from "../../../text/text.ts";
import classes from "./form.module.css";
import type { TierValue } from "./values.ts";

type Props = {
  defaultValue?: TierValue[];
  onChange?: (tiers: TierValue[]) => void;
  error?: ReactNode;
  "data-path"?: string;
};
const MANY = 20;

/** The offers of a promotion, each with its name and its discount. */
export default function TiersField({ defaultValue = [], onChange, error, "data-path": path }: Props) {
  const t = useText();
  const [tiers, setTiers] = useState(defaultValue);
  const put = (next: TierValue[]) => {
    setTiers(next);
    onChange?.(next);
  };
  const change = (key: number, more: Partial<TierValue>) =>
    put(tiers.map((tier) => (tier.key === key ? { ...tier, ...more } : tier)));
  const add = () => {
    const key = Math.max(0, ...tiers.map((tier) => tier.key)) + 1;
    put([...tiers, { key, name: "", banner: "", discount: null }]);
  };
  return (
    <Stack gap="lg">
      {tiers.map(({ key, name, banner, discount }, place) => (
        <fieldset key={key} className={classes.tier}>
          <legend>{t("campaigns.offer", { number: place + 1 })}</legend>
          <Stack gap="md">
            <TextInput
              label={t("campaigns.offerName")}
              required
              defaultValue={name}
              {...(place === 0 && path !== undefined && { "data-path": path })}
              onChange={({ currentTarget }) => change(key, { name: currentTarget.value })}
            />
            <TextInput
              label={t("campaigns.banner")}
              defaultValue={banner}
              onChange={({ currentTarget }) => change(key, { banner: currentTarget.value })}
            />
            <DiscountField defaultValue={discount} onChange={(next) => change(key, { discount: next })} />
            {tiers.length > 1 && (
              <Button
                variant="default"
                size="xs"
                aria-label={t("campaigns.removeOffer", { number: place + 1 })}
                onClick={() => put(tiers.filter((tier) => tier.key !== key))}
              >
                {t("campaigns.removeOffer", { number: place + 1 })}
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
