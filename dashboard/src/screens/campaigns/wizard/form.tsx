import { Button, Group, Stack, Tabs } from "@mantine/core";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useNavigate, useParams, useSearchParams } from "react-router";
import {
  type Campaign,
  createCampaign,
  createCampaignEarningRules,
  createValidationRule,
  getCampaign,
  updateCampaign,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useProject } from "../../../api/session.ts";
import { useRecord } from "../../../api/use-op.ts";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordFormState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { PageHead } from "../../../kit/page/page-head.tsx";
import { Panel } from "../../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../../kit/states/states.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { campaignSentence } from "../../../registry/campaign-sentence.ts";
import { useText } from "../../../text/text.ts";
import { LABELS } from "./fields.tsx";
import classes from "./form.module.css";
import { startOf } from "./starts.ts";
import { STEP_PARTS } from "./steps.tsx";
import {
  bodyOf,
  changesOf,
  type Field,
  faultsIn,
  offerIn,
  ruleOf,
  START,
  STEPS,
  type Step,
  stepOf,
  type Values,
  valuesOf,
} from "./values.ts";

const FIELDS = Object.keys(START) as Field[];

/** Makes a campaign: its rule, itself, how points are earned. After a refusal it goes on where it stopped. */
async function create(send: SendStep, values: Values): Promise<{ id: string }> {
  const rule = ruleOf(values);
  const params = {};
  const ruleId = rule && (await send(createValidationRule, { params, body: rule }, `rule ${JSON.stringify(rule)}`)).id;
  const { id } = await send(createCampaign, { params, body: bodyOf(values, ruleId) }, "campaign");
  const { earn_points: points, earn_every: every } = values;
  if (values.campaign_type === "LOYALTY_PROGRAM" && points && every) {
    const amount = { every, points };
    const loyalty = {
      ...{ type: "PROPORTIONAL" as const, calculation_type: "ORDER_AMOUNT" as const },
      order: { amount },
    };
    const body = [{ event: "order.paid" as const, loyalty }];
    await send(createCampaignEarningRules, { params: { campaignId: id }, body });
  }
  return { id };
}

function CampaignFields({ campaign, from }: { campaign: Campaign | null; from: Version<Values> }) {
  const t = useText();
  const navigate = useNavigate();
  const { currency, timezone } = useProject();
  const [step, setStep] = useState<Step>("kind");
  const [values, setValues] = useState(from.values);
  const isNew = campaign === null;
  const state: RecordFormState<Values> = useRecordForm<Values, { id: string }>({
    record: `campaign:${campaign?.id ?? "new"}`,
    from,
    validate: (typed) => (isNew ? faultsIn(typed, t) : {}),
    save: async (send, changes, version) =>
      campaign === null
        ? create(send, state.form.getValues())
        : send(updateCampaign, {
            ...{ params: { campaignId: campaign.id }, body: changesOf(changes, campaign), ...version },
          }),
    ...(campaign !== null && {
      readAgain: async () => versionOf(await sendFor(getCampaign, { campaignId: campaign.id })),
    }),
    onSaved: (saved) => {
      notifyDone(t(isNew ? "campaigns.nowThere" : "kit.form.saved"));
      void navigate(`/campaigns/${saved?.id ?? campaign?.id}`);
    },
  });
  const { form } = state;
  // Every field, always in this order: the sentence follows what is typed.
  for (const field of FIELDS) form.watch(field, () => setValues({ ...form.getValues() }));
  const isShown = (one: Step) =>
    (one !== "codes" || (isNew && values.campaign_type !== "PROMOTION")) && (one !== "check" || isNew);
  const steps = (Object.keys(STEPS) as Step[]).filter(isShown);
  const place = steps.indexOf(step);
  const next = steps[place + 1];
  const submit = async (event?: React.FormEvent) => {
    event?.preventDefault();
    const [first] = isNew ? Object.keys(faultsIn(form.getValues(), t)) : [];
    // The field must be there before it can get the focus.
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
        <RecordForm state={{ ...state, submit }} labels={labels} {...(isNew && { saveText: t("campaigns.create") })}>
          <Tabs value={step} onChange={(one) => setStep((one ?? step) as Step)} keepMounted>
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
                  <Part form={form} values={values} isNew={isNew} isOpen={one === step} open={setStep} />
                </Tabs.Panel>
              );
            })}
          </Tabs>
          <Group>
            {place > 0 && (
              <Button variant="default" onClick={() => setStep(steps[place - 1]!)}>
                {t("campaigns.back")}
              </Button>
            )}
            {next !== undefined && (
              <Button variant="default" onClick={() => setStep(next)}>
                {t("campaigns.next", { step: t(`campaigns.steps.${next}`) })}
              </Button>
            )}
          </Group>
        </RecordForm>
      </Panel>
    </>
  );
}

const versionOf = ({ body, etag }: { body: Campaign; etag: string | null }): Version<Values> => ({
  values: valuesOf(body),
  etag,
});

function EditCampaign({ campaignId }: { campaignId: string }) {
  const { data, error, isFetching, refetch } = useRecord(getCampaign, { campaignId });
  // The form begins with what the server says now, and is not reloaded under the hands later.
  const begun = useRef<typeof data>(undefined);
  if (!isFetching) begun.current ??= data;
  if (begun.current) return <CampaignFields campaign={begun.current.body} from={versionOf(begun.current)} />;
  return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows />;
}

export default function CampaignForm() {
  const t = useText();
  const { campaignId } = useParams();
  const [query] = useSearchParams();
  return (
    <Stack gap={0}>
      <PageHead title={t(campaignId === undefined ? "campaigns.new" : "campaigns.editTitle")} />
      {campaignId === undefined ? (
        <CampaignFields campaign={null} from={{ values: startOf(query.get("start")), etag: null }} />
      ) : (
        <EditCampaign campaignId={campaignId} />
      )}
    </Stack>
  );
}
