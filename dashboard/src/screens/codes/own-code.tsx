import { SimpleGrid, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { createVoucher, type Voucher } from "../../api/operations.gen.ts";
import { MomentField } from "../../kit/form/moment-field.tsx";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm } from "../../kit/form/use-record-form.ts";
import { NumberInput, Select } from "../../kit/later/fields.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

const KINDS = ["PERCENT", "AMOUNT", "GIFT"] as const;
type Values = {
  kind: string;
  code: string;
  percent: string | number;
  amount: number | null;
  uses: string | number;
  start_date: string | null;
  expiration_date: string | null;
};
const FIRST: Values = {
  ...{ kind: "PERCENT", code: "", percent: "", amount: null, uses: 1 },
  ...{ start_date: null, expiration_date: null },
};

const PATHS = {
  ...{ "discount.percent_off": "percent", "discount.amount_off": "amount", "gift.amount": "amount" },
  redemption: "uses",
};

/** What a code gives, as the interface takes it. */
const worthOfForm = ({ kind, percent, amount }: Values) =>
  kind === "GIFT"
    ? { type: "GIFT_VOUCHER" as const, gift: { amount: amount ?? 0 } }
    : {
        type: "DISCOUNT_VOUCHER" as const,
        discount:
          kind === "PERCENT"
            ? { type: "PERCENT" as const, percent_off: Number(percent) }
            : { type: "AMOUNT" as const, amount_off: amount ?? 0 },
      };

/** A code that belongs to no campaign. */
export function OwnCode() {
  const t = useText();
  const navigate = useNavigate();
  const [kind, setKind] = useState(FIRST.kind);
  const state: RecordFormState<Values> = useRecordForm<Values, Voucher>({
    record: "code:new",
    from: { values: FIRST, etag: null },
    validate: (values) => ({
      ...(values.kind === "PERCENT" &&
        !(Number(values.percent) > 0 && Number(values.percent) <= 100) && { percent: t("codes.percentHelp") }),
      ...(values.kind !== "PERCENT" && !values.amount && { amount: t("kit.form.money") }),
    }),
    paths: PATHS,
    save: (send) => {
      const values = state.form.getValues();
      const { code, uses, start_date, expiration_date } = values;
      return send(createVoucher, {
        params: {},
        body: {
          ...worthOfForm(values),
          ...(code.trim() !== "" && { code: code.trim() }),
          redemption: { quantity: uses === "" ? null : Number(uses) },
          ...(start_date && { start_date }),
          ...(expiration_date && { expiration_date }),
        },
      });
    },
    onSaved: (made) => {
      if (made === null) return;
      notifyDone(t("codes.made", { code: made.code }));
      void navigate(`/codes/${encodeURIComponent(made.code)}`);
    },
  });
  const { form } = state;
  return (
    <RecordForm state={state} saveText={t("codes.makeMany", { count: 1, shown: "1" })}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          key={form.key("kind")}
          label={t("codes.gives")}
          data={KINDS.map((value) => ({ value, label: t(`codes.kinds.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps("kind")}
          onChange={(next) => {
            setKind(next ?? FIRST.kind);
            form.setFieldValue("kind", next ?? FIRST.kind);
          }}
        />
        {kind === "PERCENT" ? (
          <NumberInput
            key={form.key("percent")}
            label={t("codes.percent")}
            suffix=" %"
            hideControls
            {...form.getInputProps("percent")}
          />
        ) : (
          <MoneyField key={form.key("amount")} label={t("codes.amount")} {...form.getInputProps("amount")} />
        )}
        <TextInput
          key={form.key("code")}
          label={t("codes.code")}
          description={t("codes.codeHelp")}
          {...form.getInputProps("code")}
        />
        <NumberInput
          key={form.key("uses")}
          label={t("codes.uses")}
          description={t("codes.usesHelp")}
          min={1}
          allowDecimal={false}
          {...form.getInputProps("uses")}
        />
        <MomentField key={form.key("start_date")} label={t("codes.starts")} {...form.getInputProps("start_date")} />
        <MomentField
          key={form.key("expiration_date")}
          label={t("codes.ends")}
          {...form.getInputProps("expiration_date")}
        />
      </SimpleGrid>
    </RecordForm>
  );
}
