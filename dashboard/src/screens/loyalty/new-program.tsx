import { Checkbox, TextInput } from "@mantine/core";
import { useRef } from "react";
import { useNavigate } from "react-router";
import { createCardDefinition, createEarningRule, createProgram } from "../../api/operations.gen.ts";
import { useSend } from "../../api/use-op.ts";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm } from "../../kit/form/use-record-form.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { useText } from "../../text/text.ts";
import { earningBodyOf, newEarning } from "./design/ways.ts";

type Values = { name: string; hasStart: boolean };

/** Makes the program, at wish with a wallet and a first rule. What was made before a refusal is not made again. */
function useMake() {
  const t = useText();
  const [wallet, rule, program] = [useSend(createCardDefinition), useSend(createEarningRule), useSend(createProgram)];
  const made = useRef<{ wallet?: string; rule?: string }>({});
  return async ({ name, hasStart }: Values) => {
    if (!hasStart) return program.mutateAsync({ params: {}, body: { name } });
    const points = { name: t("designer.startWallet"), type: "INDIVIDUAL" as const };
    made.current.wallet ??= (await wallet.mutateAsync({ params: {}, body: points })).id;
    const earnings = [earningBodyOf(newEarning(0, made.current.wallet), null)];
    const orders = { name: t("designer.startRule"), trigger: { event: "customer.order.paid" as const }, earnings };
    made.current.rule ??= (await rule.mutateAsync({ params: {}, body: orders })).id;
    const { wallet: walletId, rule: ruleId } = made.current;
    const body = { name, card_definitions: [{ id: walletId! }], earning_rules: [{ id: ruleId! }] };
    return program.mutateAsync({ params: {}, body });
  };
}

/** Begins a program, which is then put together in the designer. */
export default function NewProgram() {
  const t = useText();
  const navigate = useNavigate();
  const make = useMake();
  const state = useRecordForm<Values>({
    record: "program:new",
    from: { values: { name: "", hasStart: true }, etag: null },
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: async () => {
      const { id } = await make(state.form.getValues());
      void navigate(`/loyalty/${id}/design`);
    },
    onSaved: () => {},
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
