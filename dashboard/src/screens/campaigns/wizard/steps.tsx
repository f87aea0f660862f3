import { Radio, Stack, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { lazy, type ReactNode, Suspense } from "react";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { useText } from "../../../text/text.ts";
import type { Place } from "../goods/values.ts";
import { KINDS, type Kind } from "../kinds.ts";
import { CheckStep } from "./check/check-step.tsx";
import { bind } from "./labels.ts";
import type { Step, Values } from "./values.ts";

// What is on a step that is not shown first comes after the page.
const Offer = lazy(() => import("./offer-step.tsx"));

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

const step = (name: "WhenStep" | "CodesStep" | "LimitsStep") => {
  const Part = lazy(async () => ({ default: (await import("./other-steps.tsx"))[name] }));
  return (props: StepProps) => (
    <Suspense fallback={<LoadingRows rows={4} />}>
      <Part {...props} />
    </Suspense>
  );
};

export const STEP_PARTS: Record<Step, (props: StepProps) => ReactNode> = {
  kind: KindStep,
  offer: OfferStep,
  when: step("WhenStep"),
  codes: step("CodesStep"),
  limits: step("LimitsStep"),
  check: CheckStep,
};
