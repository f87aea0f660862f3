import { Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { lazy, type ReactNode, Suspense } from "react";
import { useCan } from "../../../api/session.ts";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { CategoryField } from "../../../registry/category-field.tsx";
import { useText } from "../../../text/text.ts";
import type { Place } from "../goods/values.ts";
import { KINDS, type Kind } from "../kinds.ts";
import { CheckStep } from "./check-step.tsx";
import { bind, CountField, Elsewhere, SegmentField } from "./fields.tsx";
import { type Step, typeOf, type Values } from "./values.ts";

// What is on a step that is not shown first comes after the page.
const PeriodField = lazy(async () => ({ default: (await import("../../../kit/form/period-field.tsx")).PeriodField }));
const Offer = lazy(() => import("./offer-step.tsx"));
const TimesField = lazy(() => import("../../../kit/form/times-field.tsx"));

export type StepProps = {
  form: UseFormReturnType<Values>;
  /** What the form holds right now. */
  values: Values;
  isNew: boolean;
  /** What a saved campaign can still get: conditions and a budget where it has none. And where its products are said. */
  asks: { conditions: boolean; budget: boolean; goods: Place | null };
  /** Whether it is the step that is shown. */
  isOpen: boolean;
  open: (step: Step) => void;
};

function KindStep({ form, isNew }: StepProps) {
  const t = useText();
  return (
    <Stack gap="lg">
      {isNew && (
        <Radio.Group key={form.key("campaign_type")} label={t("campaigns.kind")} {...bind(form, "campaign_type")}>
          <Stack gap="sm" mt="sm">
            {(Object.keys(KINDS) as Kind[]).map((kind) => (
              <Radio key={kind} value={kind} label={t(KINDS[kind])} description={t(`campaigns.kindHelp.${kind}`)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <TextInput
        key={form.key("name")}
        label={t("campaigns.name")}
        required={isNew}
        {...(!isNew && { readOnly: true, description: t("campaigns.nameFixed") })}
        {...bind(form, "name")}
      />
      <Textarea
        key={form.key("description")}
        label={t("campaigns.description")}
        autosize
        minRows={2}
        {...bind(form, "description")}
      />
    </Stack>
  );
}

const OfferStep = (props: StepProps) => (
  <Suspense fallback={<LoadingRows rows={3} />}>
    <Offer {...props} />
  </Suspense>
);

function WhenStep({ form, asks }: StepProps) {
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

function CodesStep({ form, values }: StepProps) {
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

function LimitsStep({ form, values, asks }: StepProps) {
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

export const STEP_PARTS: Record<Step, (props: StepProps) => ReactNode> = {
  kind: KindStep,
  offer: OfferStep,
  when: WhenStep,
  codes: CodesStep,
  limits: LimitsStep,
  check: CheckStep,
};
