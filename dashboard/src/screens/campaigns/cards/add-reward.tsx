import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { assignRewards, createCampaignReward, listCampaignRewards, type Reward } from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordState, useRecordForm } from "../../../kit/form/use-record-form.ts";
import { Select } from "../../../kit/later/fields.ts";
import { type Option, RecordSelect } from "../../../kit/pick/record-select.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { useText } from "../../../text/text.ts";
import { ALL, CountInput, PartWindow } from "./part.tsx";
import { isCoin, KINDS, NEW_REWARD, type RewardKind, type RewardValues, rewardFaults } from "./reward-values.ts";

type Props = { campaignId: string; taken: readonly string[]; onClose: () => void };
type State = RecordState<RewardValues>;

/** Gives the campaign a reward, which is made first where it is new. One that is there is not made again. */
async function add(send: SendStep, campaignId: string, values: RewardValues, isPriced: boolean): Promise<unknown> {
  const { name, stock, kind, cost } = values;
  const make = async () => {
    const body = { name: name.trim(), parameters: KINDS[kind].parameters(values), ...(stock !== null && { stock }) };
    return (await send(createCampaignReward, { params: {}, body }, `reward ${JSON.stringify(body)}`)).id;
  };
  const reward = values.reward || (await make());
  const parameters = { loyalty: { points: cost! } };
  return send(assignRewards, { params: { campaignId }, body: [{ reward, ...(isPriced && { parameters }) }] });
}

type AboutProps = { kind: RewardKind; error: ReactNode; onChange: (id: string) => void };
function AboutSelect({ kind, error, onChange }: AboutProps) {
  const t = useText();
  const [chosen, setChosen] = useState<Option | null>(null);
  const { source } = KINDS[kind];
  if (source === null) return null;
  const choose = (option: Option | null) => {
    setChosen(option);
    onChange(option?.value ?? "");
  };
  const label = t(kind === "PRODUCT" ? "designer.product" : "designer.campaign");
  return kind === "PRODUCT" ? (
    <RecordSelect source={KINDS.PRODUCT.source} required value={chosen} onChange={choose} {...{ label, error }} />
  ) : (
    <RecordSelect
      source={(KINDS[kind] as (typeof KINDS)["DISCOUNT_COUPONS"]).source}
      required
      value={chosen}
      onChange={choose}
      {...{ label, error }}
    />
  );
}

/** What a new reward is. */
function NewReward({ state: { form }, shown }: { state: State; shown: RewardValues }) {
  const t = useText();
  const kinds = Object.keys(KINDS) as RewardKind[];
  return (
    <>
      <TextInput key={form.key("name")} label={t("campaigns.name")} required {...form.getInputProps("name")} />
      <Select
        label={t("designer.handsOut")}
        allowDeselect={false}
        data={kinds.map((kind) => ({ value: kind, label: t(`cards.kinds.${kind}`) }))}
        value={shown.kind}
        onChange={(kind) => {
          form.setFieldValue("kind", (kind ?? shown.kind) as never);
          form.setFieldValue("about", "" as never);
        }}
      />
      <AboutSelect
        key={shown.kind}
        kind={shown.kind}
        error={form.errors.about}
        onChange={(id) => form.setFieldValue("about", id as never)}
      />
      {KINDS[shown.kind].hasAmount && (
        <MoneyField
          key={form.key("given")}
          label={t(shown.kind === "COIN" ? "cards.coinWorth" : "designer.onCard")}
          required
          maw={240}
          {...form.getInputProps("given")}
        />
      )}
      <CountInput
        key={form.key("stock")}
        label={t("designer.stock")}
        description={t("designer.stockHelp")}
        {...form.getInputProps("stock")}
      />
    </>
  );
}

function Fields({ campaignId, rewards, onClose }: Props & { rewards: readonly Reward[] }) {
  const t = useText();
  const can = useCan();
  const [shown, setShown] = useState(NEW_REWARD);
  const chosenOf = ({ reward }: RewardValues) => rewards.find(({ id }) => id === reward);
  const isPriced = (values: RewardValues) =>
    values.reward === "" ? KINDS[values.kind].hasCost : !isCoin(chosenOf(values));
  const state: State = useRecordForm<RewardValues>({
    record: `card-reward:new:${campaignId}`,
    from: { values: NEW_REWARD, etag: null },
    validate: (typed) => rewardFaults(typed, chosenOf(typed), t),
    save: (send) => add(send, campaignId, state.form.getValues(), isPriced(state.form.getValues())),
    onSaved: () => {
      notifyDone(t("cards.rewardAdded"));
      onClose();
    },
    onEdit: (values) => setShown({ ...values }),
  });
  const { form } = state;
  return (
    <RecordForm state={state} saveText={t("cards.addReward")}>
      {rewards.length > 0 && (
        <Select
          label={t("designer.existing.reward")}
          placeholder={t("cards.newReward")}
          searchable
          clearable
          data={rewards.map(({ id, name }) => ({ value: id, label: name }))}
          value={shown.reward === "" ? null : shown.reward}
          onChange={(id) => form.setFieldValue("reward", (id ?? "") as never)}
        />
      )}
      {shown.reward === "" && can("createCampaignReward") && <NewReward state={state} shown={shown} />}
      {(shown.reward === "" || isPriced(shown)) && (
        <CountInput
          key={form.key("cost")}
          label={t(isPriced(shown) ? "cards.cost" : "cards.coinPoints")}
          required
          {...form.getInputProps("cost")}
        />
      )}
    </RecordForm>
  );
}

/** A reward that a campaign gets: one that is there, or a new one. */
export default function AddReward(props: Props) {
  const t = useText();
  const { data } = useOp(listCampaignRewards, { limit: ALL, order: "name" });
  const free = data?.data.filter(({ id }) => !props.taken.includes(id));
  return (
    <PartWindow title={t("cards.addReward")} onClose={props.onClose}>
      {free && <Fields {...props} rewards={free} />}
    </PartWindow>
  );
}
