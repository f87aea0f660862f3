import { Divider, Title } from "@mantine/core";
import {
  getRewardOfCampaign,
  listValidationRuleAssignments,
  updateRewardOfCampaign,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useCan } from "../../../api/session.ts";
import { useOp, useRecord } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { AssignedRules } from "../../../registry/conditions/assigned-rules.tsx";
import { useText } from "../../../text/text.ts";
import { ALL, CountInput, PartWindow } from "./part.tsx";

type Values = { cost: number | null };
type Props = { campaignId: string; id: string; onClose: () => void };
type Read = { body: { parameters?: { loyalty: { points: number } } }; etag: string | null };

const versionOf = ({ body, etag }: Read): Version<Values> => ({
  values: { cost: body.parameters?.loyalty.points ?? null },
  etag,
});

function Fields({ campaignId, id, from, onClose }: Props & { from: Version<Values> }) {
  const t = useText();
  const params = { campaignId, rewardAssignmentId: id };
  const state = useRecordForm<Values>({
    record: `card-reward:${id}`,
    from,
    validate: ({ cost }) => (cost ? {} : { cost: t("designer.noPoints") }),
    save: (send, { cost }, version) =>
      send(updateRewardOfCampaign, { params, body: { parameters: { loyalty: { points: cost! } } }, ...version }),
    readAgain: async () => versionOf(await sendFor(getRewardOfCampaign, params)),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      onClose();
    },
  });
  const { form } = state;
  return (
    <RecordForm state={state} labels={{ cost: t("cards.cost") }}>
      <CountInput
        key={form.key("cost")}
        label={t("cards.cost")}
        required
        data-autofocus
        {...form.getInputProps("cost")}
      />
    </RecordForm>
  );
}

/** Which rules decide who can buy it. They change at once, while the form stays as it is. */
function Conditions({ id }: { id: string }) {
  const t = useText();
  const rules = useOp(listValidationRuleAssignments, { related_object_id: id, limit: ALL });
  return (
    <>
      <Divider my="lg" />
      <Title order={3} mb="md">
        {t("conditions.title")}
      </Title>
      <Loaded of={rules} rows={1}>
        {({ data }) => (
          <AssignedRules of={{ type: "reward_assignment", id }} assigned={data} none="cards.forEverybody" />
        )}
      </Loaded>
    </>
  );
}

/** A reward of a campaign: how many points it costs, and who can buy it. Points that are paid as money have no other price. */
export default function RewardCost({ hasCost, ...props }: Props & { hasCost: boolean }) {
  const t = useText();
  const can = useCan();
  const record = useRecord(getRewardOfCampaign, { campaignId: props.campaignId, rewardAssignmentId: props.id });
  return (
    <PartWindow title={t("cards.editReward")} onClose={props.onClose}>
      {hasCost && <Edited of={record}>{(read) => <Fields {...props} from={versionOf(read)} />}</Edited>}
      {can("listValidationRuleAssignments") && can("getValidationRule") && <Conditions id={props.id} />}
    </PartWindow>
  );
}
