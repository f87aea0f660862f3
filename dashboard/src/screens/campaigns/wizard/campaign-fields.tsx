import { Button, Group, Tabs } from "@mantine/core";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useNavigate, useSearchParams } from "react-router";
import type { Campaign } from "../../../api/operations.gen.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { Panel } from "../../../kit/page/panel.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { campaignSentence } from "../../../registry/campaign-sentence.ts";
import { useText } from "../../../text/text.ts";
import type { Place } from "../goods/values.ts";
import { useHolder } from "../referral/use-holder.ts";
import { CreateOff } from "./create-off.tsx";
import classes from "./form.module.css";
import { LABELS } from "./labels.ts";
import { PATHS } from "./paths.ts";
import { STEP_PARTS, type StepProps } from "./steps.tsx";
import { useAsks } from "./use-asks.ts";
import {
  type Field,
  faultsIn,
  faultsInChanges,
  offerIn,
  START,
  STEPS,
  type Step,
  stepOf,
  type Values,
} from "./values.ts";

const FIELDS = Object.keys(START) as Field[];

type TabsProps = {
  steps: readonly Step[];
  step: Step;
  open: (step: Step) => void;
  parts: Omit<StepProps, "isOpen" | "open">;
};

/** The steps of the form. All of them are there, and one is shown. */
function StepTabs({ steps, step, open, parts }: TabsProps) {
  const t = useText();
  const place = steps.indexOf(step);
  const next = steps[place + 1];
  return (
    <>
      <Tabs value={step} onChange={(one) => open((one ?? step) as Step)} keepMounted>
        <Tabs.List mb="lg" aria-label={t("campaigns.stepOf")}>
          {steps.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`campaigns.steps.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {steps.map((one) => {
          const Part = STEP_PARTS[one];
          return (
            <Tabs.Panel key={one} value={one}>
              <Part {...parts} isOpen={one === step} open={open} />
            </Tabs.Panel>
          );
        })}
      </Tabs>
      <Group>
        {place > 0 && (
          <Button variant="default" onClick={() => open(steps[place - 1]!)}>
            {t("campaigns.back")}
          </Button>
        )}
        {next !== undefined && (
          <Button variant="default" onClick={() => open(next)}>
            {t("campaigns.next", { step: t(`campaigns.steps.${next}`) })}
          </Button>
        )}
      </Group>
    </>
  );
}

type FieldsProps = { campaign: Campaign | null; from: Version<Values>; place?: Place };

/** The form of a campaign, new or saved. */
export function CampaignFields({ campaign, from, place = { kind: "new" } }: FieldsProps) {
  const t = useText();
  const navigate = useNavigate();
  const { currency, timezone } = useProject();
  const [query] = useSearchParams();
  // A link may lead to the offer.
  const [step, setStep] = useState<Step>(query.get("step") === "offer" ? "offer" : "kind");
  const [values, setValues] = useState(from.values);
  const isNew = campaign === null;
  const can = useCan();
  // As it was last read: somebody else may make a rule, or share one, while the form is open.
  const lastPlace = useRef(place);
  const asks = useAsks(campaign, lastPlace.current);
  const words = { budget: t("campaigns.budget"), goods: t("goods.title") };
  const isOff = useRef(false);
  const holder = useHolder(values.campaign_type === "REFERRAL_PROGRAM");
  const faults = (typed: Values) => (isNew ? faultsIn(typed, t) : faultsInChanges(typed, from.values, t));
  const state: RecordFormState<Values> = useRecordForm<Values, { id: string }>({
    record: `campaign:${campaign?.id ?? "new"}`,
    from,
    validate: (typed) => faults(typed),
    paths: PATHS,
    // The field must be there before it can get the focus.
    show: (field) => flushSync(() => setStep(stepOf(field))),
    save: async (send, changes, version) => {
      // It comes when something is saved: the page is quite large without it.
      const { create, update } = await import("./save.ts");
      return campaign === null
        ? create(send, state.form.getValues(), { isOff: isOff.current, holder })
        : update(send, campaign, { changes, place: lastPlace.current, words, holder, version });
    },
    ...(campaign !== null && {
      readAgain: async () => {
        const { readVersion } = await import("./edit.tsx");
        const read = await readVersion(campaign.id, can);
        lastPlace.current = read.place;
        return read.version;
      },
      beside: ["goods"],
    }),
    onSaved: (saved) => {
      notifyDone(t(!isNew ? "kit.form.saved" : isOff.current ? "campaigns.nowThereOff" : "campaigns.nowThere"));
      void navigate(`/campaigns/${saved?.id ?? campaign?.id}`);
    },
  });
  const { form } = state;
  // Every field, always in this order: the sentence follows what is typed.
  for (const field of FIELDS) form.watch(field, () => setValues({ ...form.getValues() }));
  const isShown = (one: Step) =>
    (one !== "codes" || (isNew && values.campaign_type !== "PROMOTION")) && (one !== "check" || isNew);
  const steps = (Object.keys(STEPS) as Step[]).filter(isShown);
  const submit = async (event?: React.FormEvent, isSwitchedOff = false) => {
    event?.preventDefault();
    isOff.current = isSwitchedOff;
    const [first] = Object.keys(faults(form.getValues()));
    if (first !== undefined) flushSync(() => setStep(stepOf(first)));
    await state.submit();
  };
  const labels = Object.fromEntries(FIELDS.map((field) => [field, t(LABELS[field])]));
  return (
    <>
      <p className={classes.sentence}>
        <small>{t("campaigns.soFar")}</small>
        {campaignSentence(offerIn(values), { t, currency, zone: timezone })}
      </p>
      <Panel width={752}>
        <RecordForm
          state={{ ...state, submit }}
          labels={labels}
          {...(isNew && {
            saveText: t("campaigns.create"),
            beside: <CreateOff isBusy={state.isBusy} onClick={() => void submit(undefined, true)} />,
          })}
        >
          <StepTabs steps={steps} step={step} open={setStep} parts={{ form, values, isNew, asks }} />
        </RecordForm>
      </Panel>
    </>
  );
}
