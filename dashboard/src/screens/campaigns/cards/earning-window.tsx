import { Switch, TextInput } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import {
  type CampaignEarningRule,
  createCampaignEarningRules,
  getCampaignEarningRule,
  listCustomEventSchemas,
  updateCampaignEarningRule,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp, useRecord } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { PeriodField } from "../../../kit/form/period-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { type RecordForm as RecordState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { Select } from "../../../kit/later/fields.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { RuleSelect } from "../../../registry/conditions/rule-select.tsx";
import { useText } from "../../../text/text.ts";
import { AboutField } from "./about-field.tsx";
import {
  canWait,
  type EarningValues,
  EVENTS,
  type EventKind,
  earningChanges,
  earningFaults,
  earningSays,
  earningValuesOf,
  eventWord,
  NEW_EARNING,
  newEarning,
} from "./earning-values.ts";
import { CountInput, PartWindow } from "./part.tsx";

// The parser of formulas comes with it.
const FormulaField = lazy(() => import("../../../registry/formula/formula-field.tsx"));

type Props = { campaignId: string; onClose: () => void };
type FieldsProps = Props & { rule: CampaignEarningRule | null; from: Version<EarningValues> };
type State = RecordState<EarningValues>;

const versionOf = ({ body, etag }: { body: CampaignEarningRule; etag: string | null }): Version<EarningValues> => ({
  values: earningValuesOf(body),
  etag,
});

/** The shop's own events: their names by the ids of their schemas. */
function useShopEvents(): ReadonlyMap<string, string> {
  const can = useCan();
  const { id: projectId } = useProject();
  const { data } = useOp(listCustomEventSchemas, { projectId }, { enabled: can("listCustomEventSchemas") });
  return new Map(data?.data.map(({ id, name }) => [id, name]));
}

function useEarningForm(props: FieldsProps, events: ReadonlyMap<string, string>, onEdit: (v: EarningValues) => void) {
  const { campaignId, rule, from, onClose } = props;
  const t = useText();
  const params = { campaignId, campaignEarningRuleId: rule?.id ?? "" };
  const state: State = useRecordForm<EarningValues>({
    record: `card-earning-rule:${rule?.id ?? `new:${campaignId}`}`,
    from,
    validate: (typed) => earningFaults(typed, t),
    save: async (send, changes, version) => {
      const values = state.form.getValues();
      if (rule) return send(updateCampaignEarningRule, { params, body: earningChanges(changes, values), ...version });
      return send(createCampaignEarningRules, { params: { campaignId }, body: [newEarning(values, events)] });
    },
    ...(rule && { readAgain: async () => versionOf(await sendFor(getCampaignEarningRule, params)) }),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      onClose();
    },
    onEdit,
  });
  return state;
}

type PartProps = { state: State; shown: EarningValues; rule: CampaignEarningRule | null };

/** What has to happen. It cannot change later. */
function When({
  state: { form },
  shown,
  rule,
  campaignId,
  events,
}: PartProps & Pick<Props, "campaignId"> & EventsProps) {
  const t = useText();
  const kinds = Object.keys(EVENTS) as EventKind[];
  return (
    <>
      <Select
        label={t("cards.when")}
        {...(rule && { description: t("cards.eventFixed"), disabled: true })}
        allowDeselect={false}
        data={kinds.map((kind) => ({ value: kind, label: t(eventWord(kind)) }))}
        value={shown.event}
        onChange={(kind) => {
          form.setFieldValue("event", (kind ?? shown.event) as never);
          form.setFieldValue("about", "" as never);
          // Only an order has an amount.
          if (kind !== "order.paid") form.setFieldValue("gives", "points" as never);
          if (!canWait((kind ?? shown.event) as EventKind)) form.setFieldValue("pending_points", null as never);
        }}
      />
      <AboutField
        key={shown.event}
        of={EVENTS[shown.event]}
        {...{ campaignId, events, disabled: rule !== null }}
        value={shown.about}
        onChange={(id) => form.setFieldValue("about", id as never)}
        error={form.errors.about}
      />
    </>
  );
}
type EventsProps = { events: ReadonlyMap<string, string> };

/** How many points. What the fields cannot show stays as it is. */
function Gives({ state: { form }, shown, rule }: PartProps) {
  const t = useText();
  const { currency } = useProject();
  const [hasFormula, setFormula] = useState(shown.formula !== "");
  const ways = shown.event === "order.paid" ? (["amount", "total", "points"] as const) : (["points"] as const);
  if (shown.gives === "kept" && rule)
    return <TextInput label={t("cards.gives")} readOnly value={earningSays(rule, t, currency)} />;
  return (
    <>
      <Select
        label={t("cards.gives")}
        allowDeselect={false}
        data={ways.map((way) => ({ value: way, label: t(`cards.ways.${way}`) }))}
        value={shown.gives}
        onChange={(way) => form.setFieldValue("gives", (way ?? shown.gives) as never)}
        error={form.errors.gives}
      />
      <CountInput key={form.key("points")} label={t("cards.points")} required {...form.getInputProps("points")} />
      {shown.gives !== "points" && (
        <MoneyField
          key={form.key("every")}
          label={t("cards.every")}
          required
          maw={240}
          {...form.getInputProps("every")}
        />
      )}
      <Switch
        label={t("discounts.byFormula")}
        checked={hasFormula}
        onChange={({ currentTarget }) => {
          setFormula(currentTarget.checked);
          if (!currentTarget.checked) form.setFieldValue("formula", "" as never);
        }}
      />
      {hasFormula && (
        <Suspense>
          <FormulaField
            label={t("cards.formula")}
            description={t("discounts.formulaHelp")}
            defaultValue={shown.formula}
            onChange={(text) => form.setFieldValue("formula", text as never)}
          />
        </Suspense>
      )}
    </>
  );
}

function Fields(props: FieldsProps) {
  const t = useText();
  const can = useCan();
  const { rule, from, campaignId } = props;
  const events = useShopEvents();
  const [shown, setShown] = useState(from.values);
  const state = useEarningForm(props, events, (values) => setShown({ ...values }));
  const { form } = state;
  return (
    <RecordForm state={state} {...(rule === null && { saveText: t("cards.addRule") })}>
      <When {...{ state, shown, rule, campaignId, events }} />
      <Gives {...{ state, shown, rule }} />
      {canWait(shown.event) && (
        <CountInput
          key={form.key("pending_points")}
          label={t("cards.pending")}
          description={t("cards.pendingHelp")}
          maw={400}
          {...form.getInputProps("pending_points")}
        />
      )}
      {can("listValidationRules") && (
        <RuleSelect
          label={t("conditions.title")}
          description={t("cards.ruleHelp")}
          value={shown.rule}
          onChange={(id) => form.setFieldValue("rule", id as never)}
          error={form.errors.rule}
        />
      )}
      <TextInput
        key={form.key("banner")}
        label={t("campaigns.banner")}
        description={t("cards.bannerHelp")}
        {...form.getInputProps("banner")}
      />
      <PeriodField
        start={{ fieldKey: form.key("start_date"), ...form.getInputProps("start_date") }}
        end={{ fieldKey: form.key("expiration_date"), ...form.getInputProps("expiration_date") }}
      />
      <Switch
        key={form.key("active")}
        label={t("offers.active")}
        description={t("cards.activeHelp")}
        {...form.getInputProps("active", { type: "checkbox" })}
      />
    </RecordForm>
  );
}

function SavedRule({ id, ...props }: Props & { id: string }) {
  const record = useRecord(getCampaignEarningRule, { campaignId: props.campaignId, campaignEarningRuleId: id });
  return <Edited of={record}>{(read) => <Fields {...props} rule={read.body} from={versionOf(read)} />}</Edited>;
}

/** One way to earn points: a new one, or one that is changed. */
export default function EarningWindow({ id, ...props }: Props & { id: string | null }) {
  const t = useText();
  return (
    <PartWindow title={t(id === null ? "cards.addRule" : "cards.editRule")} onClose={props.onClose}>
      {id === null ? (
        <Fields {...props} rule={null} from={{ values: NEW_EARNING, etag: null }} />
      ) : (
        <SavedRule {...props} id={id} />
      )}
    </PartWindow>
  );
}
