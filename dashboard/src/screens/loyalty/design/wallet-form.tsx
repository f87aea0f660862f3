import { useState } from "react";
import {
  createCardDefinition,
  getCardDefinition,
  type LoyaltyCardDefinition,
  updateCardDefinition,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useRecord } from "../../../api/use-op.ts";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { type RecordForm as RecordState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { Select } from "../../../kit/later/fields.ts";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { useText } from "../../../text/text.ts";
import { assignNew } from "./assign.ts";
import { NameField, type Period, PeriodField } from "./fields.tsx";
import type { PartFormProps } from "./part-window.tsx";

/** At once or never, after a period, or something that is set elsewhere and stays. */
type After = { kind: "none" | "after" | "kept"; period: Period };
type Values = { name: string; expires: After; pending: After };

const HALF_A_YEAR: Period = { value: 6, unit: "MONTH" };
const TWO_WEEKS: Period = { value: 14, unit: "DAY" };

const valuesOf = (wallet: LoyaltyCardDefinition | null): Values => {
  const { type: expires = "NO_EXPIRATION", rolling_expiration } = wallet?.points_expiration ?? {};
  const { type: pending = "IMMEDIATE", period_based } = wallet?.pending_points ?? {};
  return {
    name: wallet?.name ?? "",
    expires: {
      kind:
        expires === "NO_EXPIRATION" ? "none" : rolling_expiration && !rolling_expiration.rounding ? "after" : "kept",
      period: rolling_expiration?.period ?? HALF_A_YEAR,
    },
    pending: {
      kind: pending === "IMMEDIATE" ? "none" : period_based ? "after" : "kept",
      period: period_based?.period ?? TWO_WEEKS,
    },
  };
};
const expirationOf = ({ kind, period }: After) =>
  kind === "after"
    ? { type: "ROLLING_EXPIRATION" as const, rolling_expiration: { period } }
    : { type: "NO_EXPIRATION" as const };
const pendingOf = ({ kind, period }: After) =>
  kind === "after" ? { type: "PERIOD_BASED" as const, period_based: { period } } : { type: "IMMEDIATE" as const };

type AfterProps = { name: "expires" | "pending"; first: After; disabled: boolean; onChange: (after: After) => void };
function AfterField({ name, first, disabled, onChange }: AfterProps) {
  const t = useText();
  const [after, setAfter] = useState(first);
  const put = (next: After) => {
    setAfter(next);
    onChange(next);
  };
  const kinds = ["none", "after", ...(first.kind === "kept" ? ["kept"] : [])];
  return (
    <>
      <Select
        label={t(`designer.${name}`)}
        disabled={disabled}
        allowDeselect={false}
        data={kinds.map((kind) => ({ value: kind, label: t(`designer.${name}Kind.${kind}` as never) }))}
        value={after.kind}
        onChange={(kind) => put({ ...after, kind: kind as After["kind"] })}
      />
      {after.kind === "after" && (
        <PeriodField
          label={t("designer.after")}
          disabled={disabled}
          value={after.period}
          onChange={(period) => put({ ...after, period })}
        />
      )}
    </>
  );
}

type FieldsProps = PartFormProps & { wallet: LoyaltyCardDefinition | null; from: Version<Values> };
function Fields({ program, wallet, from, onDone }: FieldsProps) {
  const t = useText();
  const isFixed = wallet !== null && wallet.status !== "DRAFT";
  const state: RecordState<Values> = useRecordForm<Values>({
    record: `wallet:${wallet?.id ?? `new:${program.id}`}`,
    from,
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: async (send, changes, version) => {
      const body = {
        ...(changes.name !== undefined && { name: changes.name }),
        ...(changes.expires && { points_expiration: expirationOf(changes.expires) }),
        ...(changes.pending && { pending_points: pendingOf(changes.pending) }),
      };
      if (wallet) return send(updateCardDefinition, { params: { cardDefinitionId: wallet.id }, body, ...version });
      const { name } = state.form.getValues();
      const { id } = await send(
        createCardDefinition,
        { params: {}, body: { ...body, name, type: "INDIVIDUAL" } },
        "wallet",
      );
      return assignNew(send, "wallet", program.id, id);
    },
    ...(wallet && {
      readAgain: async () => {
        const { body, etag } = await sendFor(getCardDefinition, { cardDefinitionId: wallet.id });
        return { values: valuesOf(body), etag };
      },
    }),
    onSaved: onDone,
  });
  const { form } = state;
  return (
    <RecordForm
      state={state}
      labels={{ name: t("designer.name"), expires: t("designer.expires"), pending: t("designer.pending") }}
      saveText={t(wallet ? "kit.form.save" : "designer.add.wallet")}
    >
      <NameField form={form} isFixed={isFixed} />
      {(["expires", "pending"] as const).map((name) => (
        <AfterField
          key={form.key(name)}
          name={name}
          disabled={isFixed}
          first={form.getValues()[name]}
          onChange={(after) => form.setFieldValue(name, after as never)}
        />
      ))}
    </RecordForm>
  );
}

function EditWallet(props: PartFormProps & { id: string }) {
  const record = useRecord(getCardDefinition, { cardDefinitionId: props.id });
  return (
    <Loaded of={record}>
      {({ body, etag }) => <Fields {...props} wallet={body} from={{ values: valuesOf(body), etag }} />}
    </Loaded>
  );
}

/** Where points are kept: how long they last, and when they can be spent. */
export default function WalletForm({ id, ...props }: PartFormProps & { id: string | null }) {
  if (id !== null) return <EditWallet {...props} id={id} />;
  return <Fields {...props} wallet={null} from={{ values: valuesOf(null), etag: null }} />;
}
