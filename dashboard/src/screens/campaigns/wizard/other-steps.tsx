import { Radio, Stack, Text, TextInput } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useCan } from "../../../api/session.ts";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { PeriodField } from "../../../kit/form/period-field.tsx";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { CategoryField } from "../../../registry/category-field.tsx";
import { useText } from "../../../text/text.ts";
import type { Kind } from "../kinds.ts";
import { CountField, Elsewhere, SegmentField } from "./fields.tsx";
import { bind } from "./labels.ts";
import type { StepProps } from "./steps.tsx";
import { typeOf, type Values } from "./values.ts";

const TimesField = lazy(() => import("../../../kit/form/times-field.tsx"));

export function WhenStep({ form, asks }: StepProps) {
  const t = useText();
  return (
    <Stack gap="lg">
      <Suspense fallback={<LoadingRows rows={4} />}>
        <PeriodField
          start={{ fieldKey: form.key("start_date"), ...bind(form, "start_date") }}
          end={{ fieldKey: form.key("expiration_date"), ...bind(form, "expiration_date") }}
        />
        <TimesField key={form.key("times")} {...bind(form, "times")} />
      </Suspense>
      {asks.conditions ? (
        <>
          <SegmentField
            key={form.key("segment")}
            label={t("campaigns.who")}
            placeholder={t("campaigns.whoAll")}
            {...bind(form, "segment")}
          />
          <MoneyField key={form.key("spends")} label={t("campaigns.spends")} {...bind(form, "spends")} />
        </>
      ) : (
        <Elsewhere text="campaigns.rulesElsewhere" to="" link="conditions.title" />
      )}
    </Stack>
  );
}

const CODE_KINDS: Partial<Record<Kind, readonly Values["type"][]>> = {
  DISCOUNT_COUPONS: ["STATIC", "STANDALONE", "AUTO_UPDATE"],
  GIFT_VOUCHERS: ["STATIC", "AUTO_UPDATE"],
};

export function CodesStep({ form, values }: StepProps) {
  const t = useText();
  const kinds = CODE_KINDS[values.campaign_type];
  const type = typeOf(values);
  const { onChange, ...bound } = bind(form, "type");
  const choose = (chosen: string) => {
    onChange(chosen);
    // One code for everybody that works once would be used up by the first customer.
    if (chosen === "STANDALONE" && values.uses === 1) form.setFieldValue("uses", null);
    if (chosen !== "STANDALONE" && type === "STANDALONE" && values.uses === null) form.setFieldValue("uses", 1);
  };
  return (
    <Stack gap="lg">
      {kinds === undefined ? (
        <Text>{t("campaigns.onlyAutomatic")}</Text>
      ) : (
        <Radio.Group key={form.key("type")} label={t("campaigns.codeKind")} {...bound} onChange={choose}>
          <Stack gap="sm" mt="sm">
            {kinds.map((one) => (
              <Radio key={one} value={one} label={t(`campaigns.codeKinds.${one}`)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {type === "STANDALONE" && (
        <TextInput
          key={form.key("code")}
          label={t("campaigns.code")}
          description={t("campaigns.codeHelp")}
          required
          classNames={{ input: "mono" }}
          {...bind(form, "code")}
        />
      )}
      {type === "STATIC" && (
        <CountField
          key={form.key("vouchers_count")}
          {...{ form, field: "vouchers_count", label: t("campaigns.count"), required: true }}
        />
      )}
      {type !== "STANDALONE" && (
        <TextInput
          key={form.key("pattern")}
          label={t("campaigns.pattern")}
          description={t("campaigns.patternHelp")}
          classNames={{ input: "mono" }}
          {...bind(form, "pattern")}
        />
      )}
    </Stack>
  );
}

export function LimitsStep({ form, values, asks }: StepProps) {
  const t = useText();
  const can = useCan();
  const kind = values.campaign_type;
  return (
    <Stack gap="lg">
      {kind === "DISCOUNT_COUPONS" && (
        <CountField
          key={form.key("uses")}
          {...{ form, field: "uses", label: t("campaigns.usesEach"), help: t("campaigns.usesHelp") }}
        />
      )}
      {asks.conditions && (
        <CountField
          key={form.key("per_customer")}
          {...{ form, field: "per_customer", label: t("campaigns.perCustomer"), help: t("campaigns.usesHelp") }}
        />
      )}
      {asks.budget && kind !== "GIFT_VOUCHERS" && kind !== "LOYALTY_PROGRAM" && (
        <MoneyField
          key={form.key("budget")}
          label={t("campaigns.budget")}
          description={t("campaigns.budgetHelp")}
          {...bind(form, "budget")}
        />
      )}
      {!asks.conditions && <Elsewhere text="campaigns.rulesElsewhere" to="" link="conditions.title" />}
      {can("listCategories") && <CategoryField key={form.key("category")} {...bind(form, "category")} />}
    </Stack>
  );
}
