import { useState } from "react";
import type { BodyOf } from "../../../api/op.ts";
import {
  createEarningRule,
  type EarningRule,
  getEarningRule,
  listCustomEventSchemas,
  updateEarningRule,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { SEGMENTS } from "../../../api/sources.ts";
import { useOp, useRecord } from "../../../api/use-op.ts";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { Select } from "../../../kit/later/fields.ts";
import { RecordSelect } from "../../../kit/pick/record-select.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { type TextKey, useText } from "../../../text/text.ts";
import { assignNew } from "./assign.ts";
import { EarningsField } from "./earnings-field.tsx";
import { Fault, NameField } from "./fields.tsx";
import type { PartFormProps } from "./part-window.tsx";
import { type EarningValue, earningBodyOf, earningValueOf, fitting, newEarning } from "./ways.ts";

type Event = EarningRule["trigger"]["event"];
const EVENTS: readonly Event[] = ["customer.order.paid", "customer.custom_event", "customer.segment.entered"];
/** `about`: the event of the shop or the segment, by its id. */
type Values = { name: string; event: Event; about: string; earnings: EarningValue[] };

const valuesOf = (rule: EarningRule | null, wallet: string): Values => ({
  name: rule?.name ?? "",
  event: rule?.trigger.event ?? "customer.order.paid",
  about: rule?.trigger.custom_event?.schema_id ?? rule?.trigger.segment?.id ?? "",
  earnings: rule?.earnings.map(earningValueOf) ?? [newEarning(0, wallet)],
});
const triggerOf = ({ event, about }: Values): BodyOf<typeof createEarningRule>["trigger"] => ({
  event,
  ...(event === "customer.custom_event" && { custom_event: { schema_id: about } }),
  ...(event === "customer.segment.entered" && { segment: { id: about } }),
});

function EventSelect({ first, disabled, onChange }: PickProps) {
  const t = useText();
  const can = useCan();
  const { id: projectId } = useProject();
  const [chosen, setChosen] = useState(first);
  const schemas = useOp(listCustomEventSchemas, { projectId }, { enabled: can("listCustomEventSchemas") });
  return (
    <Select
      label={t("designer.whichEvent")}
      disabled={disabled}
      allowDeselect={false}
      data={schemas.data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      value={chosen === "" ? null : chosen}
      onChange={(id) => {
        setChosen(id ?? "");
        onChange(id ?? "");
      }}
    />
  );
}

type FieldsProps = PartFormProps & { rule: EarningRule | null; from: Version<Values> };

/** The form of a rule: a new one is made and put into the program, of an old one the changes are sent. */
function useRuleForm({ program, design, rule, from, onDone }: FieldsProps): RecordState<Values> {
  const t = useText();
  const bodies = (earnings: EarningValue[]) => earnings.map((one) => earningBodyOf(one, design.structure?.id ?? null));
  const add = async (send: SendStep, values: Values) => {
    const body = { name: values.name, trigger: triggerOf(values), earnings: bodies(values.earnings) };
    const status = program.status === "ACTIVE" ? ("ACTIVE" as const) : ("DRAFT" as const);
    // What was refused after it was made is not made again.
    const { id } = await send(createEarningRule, { params: {}, body: { ...body, status } }, "rule");
    return assignNew(send, "rule", program.id, id);
  };
  const state: RecordState<Values> = useRecordForm<Values>({
    record: `earning-rule:${rule?.id ?? `new:${program.id}`}`,
    from,
    validate: ({ name, event, about, earnings }) => ({
      ...(name.trim() === "" && { name: t("kit.form.required") }),
      ...(event !== "customer.order.paid" && about === "" && { about: t("kit.form.required") }),
      ...(earnings.some(({ gives, points }) => gives !== "kept" && !points) && { earnings: t("designer.noPoints") }),
    }),
    save: async (send, changes, version) => {
      const values = state.form.getValues();
      if (!rule) return add(send, values);
      const body = {
        ...(changes.name !== undefined && { name: values.name }),
        ...((changes.event !== undefined || changes.about !== undefined) && { trigger: triggerOf(values) }),
        ...(changes.earnings && { earnings: bodies(values.earnings) }),
      };
      return send(updateEarningRule, { params: { earningRuleId: rule.id }, body, ...version });
    },
    ...(rule && {
      readAgain: async () => {
        const { body, etag } = await sendFor(getEarningRule, { earningRuleId: rule.id });
        return { values: valuesOf(body, ""), etag };
      },
    }),
    onSaved: onDone,
  });
  return state;
}

type WhenProps = {
  form: RecordState<Values>["form"];
  event: Event;
  onEvent: (event: Event) => void;
  disabled: boolean;
};
/** What has to happen, and which event or segment it is about. */
function When({ form, event, onEvent, disabled }: WhenProps) {
  const t = useText();
  const choose = (id: string) => form.setFieldValue("about", id as never);
  const { about } = form.getValues();
  return (
    <>
      <Select
        label={t("designer.when")}
        {...(disabled && { description: t("designer.fixed") })}
        disabled={disabled}
        allowDeselect={false}
        data={EVENTS.map((one) => ({ value: one, label: t(`designer.event.${one.replaceAll(".", "_")}` as TextKey) }))}
        value={event}
        onChange={(next) => {
          const isOrder = next === "customer.order.paid";
          const earnings = form.getValues().earnings.map((one) => fitting(one, isOrder));
          form.setFieldValue("event", next as never);
          form.setFieldValue("earnings", earnings as never);
          choose("");
          onEvent(next as Event);
        }}
      />
      {event === "customer.custom_event" && <EventSelect first={about} disabled={disabled} onChange={choose} />}
      {event === "customer.segment.entered" && <SegmentSelect first={about} disabled={disabled} onChange={choose} />}
      <Fault says={form.errors.about} />
    </>
  );
}

function Fields(props: FieldsProps) {
  const { program, rule, from } = props;
  const t = useText();
  const state = useRuleForm(props);
  const [event, setEvent] = useState(from.values.event);
  const { form } = state;
  const add = program.status === "ACTIVE" ? "designer.addNow.rule" : "designer.add.rule";
  return (
    <RecordForm
      state={state}
      labels={{ name: t("designer.name"), earnings: t("designer.ways") }}
      saveText={t(rule ? "kit.form.save" : add)}
    >
      <NameField form={form} />
      <When form={form} event={event} onEvent={setEvent} disabled={rule !== null && rule.status !== "DRAFT"} />
      <EarningsField
        {...props}
        key={`${form.key("earnings")} ${event}`}
        event={event}
        first={form.getValues().earnings}
        onChange={(earnings) => form.setFieldValue("earnings", earnings as never)}
      />
      <Fault says={form.errors.earnings} />
    </RecordForm>
  );
}

type PickProps = { first: string; disabled: boolean; onChange: (id: string) => void };

function SegmentSelect({ first, disabled, onChange }: PickProps) {
  const t = useText();
  const [chosen, setChosen] = useState(first === "" ? null : { value: first, label: first });
  return (
    <RecordSelect
      source={SEGMENTS}
      label={t("designer.whichSegment")}
      disabled={disabled}
      value={chosen}
      onChange={(option) => {
        setChosen(option);
        onChange(option?.value ?? "");
      }}
    />
  );
}

function EditRule(props: PartFormProps & { id: string }) {
  const record = useRecord(getEarningRule, { earningRuleId: props.id });
  return (
    <Loaded of={record}>
      {({ body, etag }) => <Fields {...props} rule={body} from={{ values: valuesOf(body, ""), etag }} />}
    </Loaded>
  );
}

/** What earns points: when, how many, into which wallet and for whom. */
export default function RuleForm({ id, ...props }: PartFormProps & { id: string | null }) {
  if (id !== null) return <EditRule {...props} id={id} />;
  const values = valuesOf(null, props.design.wallets[0]?.id ?? "");
  return <Fields {...props} rule={null} from={{ values, etag: null }} />;
}
