import { Checkbox, TextInput } from "@mantine/core";
import { useNavigate } from "react-router";
import { createCardDefinition, createEarningRule, createProgram } from "../../api/operations.gen.ts";
import { RecordForm } from "../../kit/form/record-form.tsx";
import type { SendStep } from "../../kit/form/steps.ts";
import { type RecordForm as RecordFormState, useRecordForm } from "../../kit/form/use-record-form.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { type Text, useText } from "../../text/text.ts";
import { earningBodyOf, newEarning } from "./design/ways.ts";

type Values = { name: string; hasStart: boolean };

/** Makes the program, at wish with a wallet and a first rule. What was made before a refusal is not made again. */
async function make(send: SendStep, { name, hasStart }: Values, t: Text): Promise<{ id: string }> {
  const params = {};
  if (!hasStart) return send(createProgram, { params, body: { name } });
  const points = { name: t("designer.startWallet"), type: "INDIVIDUAL" as const };
  const wallet = await send(createCardDefinition, { params, body: points }, "wallet");
  const earnings = [earningBodyOf(newEarning(0, wallet.id), null)];
  const orders = { name: t("designer.startRule"), trigger: { event: "customer.order.paid" as const }, earnings };
  const rule = await send(createEarningRule, { params, body: orders }, "rule");
  const body = { name, card_definitions: [{ id: wallet.id }], earning_rules: [{ id: rule.id }] };
  return send(createProgram, { params, body });
}

/** Begins a program, which is then put together in the designer. */
export default function NewProgram() {
  const t = useText();
  const navigate = useNavigate();
  const state: RecordFormState<Values> = useRecordForm<Values, { id: string }>({
    record: "program:new",
    from: { values: { name: "", hasStart: true }, etag: null },
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: (send) => make(send, state.form.getValues(), t),
    onSaved: (made) => {
      if (made !== null) void navigate(`/loyalty/${made.id}/design`);
    },
  });
  const { form } = state;
  return (
    <>
      <PageHead title={t("designer.newProgram")} />
      <Panel width={752}>
        <RecordForm state={state} saveText={t("designer.createProgram")}>
          <TextInput key={form.key("name")} label={t("designer.name")} {...form.getInputProps("name")} />
          <Checkbox
            key={form.key("hasStart")}
            label={t("designer.start")}
            description={t("designer.startHelp")}
            {...form.getInputProps("hasStart", { type: "checkbox" })}
          />
        </RecordForm>
      </Panel>
    </>
  );
}
