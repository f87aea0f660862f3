import { type ReactNode, useState } from "react";
import {
  createReward,
  getReward,
  type LoyaltyReward,
  updateProgramRewardAssignment,
  updateReward,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { campaignsOf, PRODUCTS } from "../../../api/sources.ts";
import { useRecord } from "../../../api/use-op.ts";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { Select } from "../../../kit/later/fields.ts";
import { type Option, RecordSelect, type RecordSource } from "../../../kit/pick/record-select.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { useText } from "../../../text/text.ts";
import { assignNew, stockOf } from "./assign.ts";
import { CostsField } from "./costs-field.tsx";
import { Fault, NameField, NumberField, WalletSelect } from "./fields.tsx";
import type { PartFormProps } from "./part-window.tsx";
import { handedOf, REWARD_KINDS, type RewardKind, type RewardValues, rewardValuesOf } from "./reward-values.ts";
import { costBodyOf } from "./ways.ts";

// biome-ignore lint/suspicious/noExplicitAny: lists of different records, all with an id and a name.
const SOURCES: Partial<Record<RewardKind, RecordSource<any>>> = {
  PRODUCT: PRODUCTS,
  DISCOUNT_COUPONS: campaignsOf("DISCOUNT_COUPONS"),
  GIFT_VOUCHERS: campaignsOf("GIFT_VOUCHERS"),
};
/** What a reward hands out, which is fixed once it is active. */
const HANDED = ["kind", "about", "given", "wallet"] as const;
/** These say how much. */
const GIVES: readonly RewardKind[] = ["GIFT_VOUCHERS", "LOYALTY_CARD_POINTS"];

type PickProps = {
  kind: RewardKind;
  first: string;
  disabled: boolean;
  error: ReactNode;
  onChange: (id: string) => void;
};
function AboutSelect({ kind, first, disabled, error, onChange }: PickProps) {
  const t = useText();
  const [chosen, setChosen] = useState<Option | null>(first === "" ? null : { value: first, label: first });
  const source = SOURCES[kind];
  if (!source) return null;
  return (
    <RecordSelect
      source={source}
      label={t(kind === "PRODUCT" ? "designer.product" : "designer.campaign")}
      disabled={disabled}
      error={error}
      value={chosen}
      onChange={(option) => {
        setChosen(option);
        onChange(option?.value ?? "");
      }}
    />
  );
}

type FieldsProps = PartFormProps & { reward: LoyaltyReward | null; from: Version<RewardValues> };

type Saving = { changes: Partial<RewardValues>; values: RewardValues; version: { ifMatch?: string } };
/** Sends what changed: the reward itself, and its stock in this program. */
async function saveReward(
  send: SendStep,
  { program, design, reward }: FieldsProps,
  { changes, values, version }: Saving,
): Promise<unknown> {
  const costs = values.costs.map((cost) => costBodyOf(cost, design.structure?.id ?? null));
  const { name, stock } = values;
  const handed = handedOf(values);
  if (!reward) {
    const status = program.status === "ACTIVE" ? ("ACTIVE" as const) : ("DRAFT" as const);
    const made = await send(createReward, { params: {}, body: { name, costs, status, ...handed! } }, "reward");
    return assignNew(send, "reward", program.id, made.id, stockOf(stock));
  }
  const body = {
    ...(changes.name !== undefined && { name }),
    ...(changes.costs && { costs }),
    ...(HANDED.some((field) => field in changes) && handed),
  };
  const params = { programId: program.id, rewardId: reward.id };
  if (Object.keys(body).length > 0) await send(updateReward, { params: { rewardId: reward.id }, body, ...version });
  return "stock" in changes ? send(updateProgramRewardAssignment, { params, body: { stock: stockOf(stock) } }) : null;
}

type State = RecordState<RewardValues>;

function useRewardForm(props: FieldsProps, onEdit: (values: RewardValues) => void): State {
  const { program, reward, from, onDone } = props;
  const t = useText();
  const state: State = useRecordForm<RewardValues>({
    record: `reward:${reward?.id ?? `new:${program.id}`}`,
    from,
    validate: ({ name, kind, about, given, costs }) => ({
      ...(name.trim() === "" && { name: t("kit.form.required") }),
      ...(kind in SOURCES && about === "" && { about: t("kit.form.required") }),
      ...(GIVES.includes(kind) && !given && { given: t("kit.form.required") }),
      ...(costs.some(({ points }) => !points) && { costs: t("designer.noPoints") }),
    }),
    save: (send, changes, version) => saveReward(send, props, { changes, values: state.form.getValues(), version }),
    ...(reward && {
      readAgain: async () => {
        const { body, etag } = await sendFor(getReward, { rewardId: reward.id });
        return { values: rewardValuesOf(body, from.values), etag };
      },
    }),
    onSaved: onDone,
    onEdit,
  });
  return state;
}

type HandedProps = FieldsProps & { form: State["form"]; shown: RewardValues };
/** What is handed out: a product, a code, a card or points. */
function HandedOut({ design, reward, form, shown }: HandedProps) {
  const t = useText();
  const disabled = reward !== null && reward.status !== "DRAFT";
  const put = (name: (typeof HANDED)[number], value: unknown) => form.setFieldValue(name, value as never);
  const given = { disabled, error: form.errors.given };
  return (
    <>
      {shown.kind !== "kept" && (
        <Select
          label={t("designer.handsOut")}
          {...(disabled && { description: t("designer.fixed") })}
          disabled={disabled}
          allowDeselect={false}
          data={REWARD_KINDS.map((kind) => ({ value: kind, label: t(`designer.rewardKind.${kind}`) }))}
          value={shown.kind}
          onChange={(kind) => {
            put("kind", kind);
            put("about", "");
          }}
        />
      )}
      <AboutSelect
        key={shown.kind}
        kind={shown.kind}
        first={shown.about}
        disabled={disabled}
        error={form.errors.about}
        onChange={(id) => put("about", id)}
      />
      {shown.kind === "GIFT_VOUCHERS" && (
        <MoneyField
          label={t("designer.onCard")}
          {...given}
          defaultValue={shown.given}
          onChange={(amount) => put("given", amount)}
        />
      )}
      {shown.kind === "LOYALTY_CARD_POINTS" && (
        <>
          <NumberField
            label={t("designer.pointsGiven")}
            {...given}
            value={shown.given}
            onChange={(points) => put("given", points)}
          />
          <WalletSelect
            design={design}
            label={t("designer.into")}
            disabled={disabled}
            value={shown.wallet}
            onChange={(id) => put("wallet", id)}
          />
        </>
      )}
    </>
  );
}

function Fields(props: FieldsProps) {
  const { program, reward, from } = props;
  const t = useText();
  const [shown, setShown] = useState(from.values);
  const state = useRewardForm(props, setShown);
  const { form } = state;
  const add = program.status === "ACTIVE" ? "designer.addNow.reward" : "designer.add.reward";
  return (
    <RecordForm
      state={state}
      labels={{ name: t("designer.name"), costs: t("designer.prices"), stock: t("designer.stock") }}
      saveText={t(reward ? "kit.form.save" : add)}
    >
      <NameField form={form} />
      <HandedOut {...props} form={form} shown={shown} />
      <CostsField
        {...props}
        key={form.key("costs")}
        first={form.getValues().costs}
        onChange={(costs) => form.setFieldValue("costs", costs as never)}
      />
      <Fault says={form.errors.costs} />
      <NumberField
        label={t("designer.stock")}
        description={t("designer.stockHelp")}
        value={shown.stock}
        onChange={(quantity) => form.setFieldValue("stock", quantity as never)}
      />
    </RecordForm>
  );
}

function EditReward(props: PartFormProps & { id: string }) {
  const record = useRecord(getReward, { rewardId: props.id });
  const assigned = props.design.rewards.find(({ reward }) => reward.id === props.id)?.assigned;
  const kept = { wallet: props.design.wallets[0]?.id ?? "", stock: assigned?.stock.limited?.quantity ?? null };
  return (
    <Loaded of={record}>
      {({ body, etag }) => <Fields {...props} reward={body} from={{ values: rewardValuesOf(body, kept), etag }} />}
    </Loaded>
  );
}

/** What points buy: what is handed out, for how many points, and how often. */
export default function RewardForm({ id, ...props }: PartFormProps & { id: string | null }) {
  if (id !== null) return <EditReward {...props} id={id} />;
  const values = rewardValuesOf(null, { wallet: props.design.wallets[0]?.id ?? "", stock: null });
  return <Fields {...props} reward={null} from={{ values, etag: null }} />;
}
