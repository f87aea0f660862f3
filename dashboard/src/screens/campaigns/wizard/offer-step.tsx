import { Group, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { useText } from "../../../text/text.ts";
import { DiscountOnGoods } from "../goods/discount-on-goods.tsx";
import { CountField, Elsewhere } from "./fields.tsx";
import { bind } from "./labels.ts";
import type { StepProps } from "./steps.tsx";

const PointsExpiryField = lazy(() => import("../../../registry/points-expiry-field.tsx"));
const ReferralField = lazy(() => import("../referral/referral-field.tsx"));
const TiersField = lazy(() => import("./tiers-field.tsx"));

/** What people get. */
export default function OfferStep({ form, values, isNew, asks }: StepProps) {
  const t = useText();
  const kind = values.campaign_type;
  if (kind === "PROMOTION")
    return isNew ? (
      <Suspense fallback={<LoadingRows rows={3} />}>
        <TiersField key={form.key("tiers")} place={asks.goods} {...bind(form, "tiers")} />
      </Suspense>
    ) : (
      <Elsewhere text="campaigns.offersElsewhere" to="?tab=tiers" link="campaigns.tiers" />
    );
  if (kind === "GIFT_VOUCHERS")
    return <MoneyField key={form.key("gift")} label={t("campaigns.giftAmount")} required {...bind(form, "gift")} />;
  if (kind === "LOYALTY_PROGRAM")
    return (
      <Stack gap="lg">
        <CountField key={form.key("points")} form={form} field="points" label={t("campaigns.startPoints")} />
        <Suspense fallback={<LoadingRows rows={1} />}>
          <PointsExpiryField key={form.key("expires")} {...bind(form, "expires")} />
        </Suspense>
        {!isNew && <Elsewhere text="campaigns.earningElsewhere" to="?tab=program" link="cards.program" />}
        {isNew && (
          <Text size="sm" c="dimmed">
            {t("campaigns.earnHelp")}
          </Text>
        )}
        {isNew && (
          <Group align="flex-start">
            <CountField
              key={form.key("earn_points")}
              {...{ form, field: "earn_points", label: t("campaigns.earnPoints"), required: true }}
            />
            <MoneyField
              key={form.key("earn_every")}
              label={t("campaigns.earnEvery")}
              required
              {...bind(form, "earn_every")}
            />
          </Group>
        )}
      </Stack>
    );
  const discount = (
    <DiscountOnGoods
      key={`${form.key("discount")} ${form.key("goods")}`}
      discount={bind(form, "discount")}
      goods={bind(form, "goods")}
      place={asks.goods}
    />
  );
  if (kind !== "REFERRAL_PROGRAM") return discount;
  return (
    <Stack gap="xl">
      {discount}
      <Suspense fallback={<LoadingRows rows={3} />}>
        <ReferralField key={form.key("referral")} {...bind(form, "referral")} />
      </Suspense>
    </Stack>
  );
}
