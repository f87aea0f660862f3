import { SegmentedControl, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { assignValidationRule, getCampaign } from "../../api/operations.gen.ts";
import { CAMPAIGNS } from "../../api/sources.ts";
import { useOp, useSend } from "../../api/use-op.ts";
import { WindowForm } from "../../kit/form/window-form.tsx";
import { Select } from "../../kit/later/fields.ts";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import type { Ruled } from "../../registry/conditions/assigned-rules.tsx";
import { useText } from "../../text/text.ts";

type Kind = "campaign" | "code";
type PartProps = { error: ReactNode; onChange: (of: Ruled | null) => void };

/** A campaign, and one of its offers where it has some. */
function CampaignPart({ error, onChange }: PartProps) {
  const t = useText();
  const [campaign, setCampaign] = useState<Option | null>(null);
  const [offer, setOffer] = useState<string | null>(null);
  const { data } = useOp(getCampaign, { campaignId: campaign?.value ?? "" }, { enabled: campaign !== null });
  const choose = (of: Option | null, tier: string | null) => {
    setCampaign(of);
    setOffer(tier);
    onChange(tier !== null ? { type: "promotion_tier", id: tier } : of && { type: "campaign", id: of.value });
  };
  const tiers = campaign === null ? [] : (data?.promotion?.tiers ?? []);
  return (
    <>
      <RecordSelect
        source={CAMPAIGNS}
        label={t("conditions.campaign")}
        required
        value={campaign}
        onChange={(option) => choose(option, null)}
        error={error}
      />
      {tiers.length > 0 && (
        <Select
          label={t("conditions.offer")}
          clearable
          placeholder={t("conditions.allOffers")}
          data={tiers.map(({ id, name }) => ({ value: id, label: name }))}
          value={offer}
          onChange={(tier) => choose(campaign, tier)}
        />
      )}
    </>
  );
}

function CodePart({ error, onChange }: PartProps) {
  const t = useText();
  return (
    <TextInput
      label={t("conditions.code")}
      required
      classNames={{ input: "mono" }}
      onChange={({ currentTarget: { value } }) =>
        onChange(value.trim() === "" ? null : { type: "voucher", id: value.trim() })
      }
      error={error}
    />
  );
}

/** What a rule gets to decide about: a campaign, one offer of a promotion, or one code. */
export default function AssignWindow({ rule, onClose }: { rule: string; onClose: () => void }) {
  const t = useText();
  const { mutate, error, isPending } = useSend(assignValidationRule);
  const [kind, setKind] = useState<Kind>("campaign");
  const [chosen, setChosen] = useState<Ruled | null>(null);
  const [isPressed, setPressed] = useState(false);
  const assign = () => {
    setPressed(true);
    if (chosen === null) return;
    const onSuccess = () => {
      notifyDone(t("conditions.added"));
      onClose();
    };
    const body = { related_object_type: chosen.type, related_object_id: chosen.id };
    mutate({ params: { validationRuleId: rule }, body }, { onSuccess });
  };
  const Part = kind === "code" ? CodePart : CampaignPart;
  return (
    <WindowForm
      title={t("conditions.assign")}
      act={t("conditions.assignAct")}
      error={error}
      isBusy={isPending}
      onClose={onClose}
      onSubmit={assign}
    >
      <SegmentedControl
        aria-label={t("conditions.assignTo")}
        data={[
          { value: "campaign", label: t("conditions.toCampaign") },
          { value: "code", label: t("conditions.toCode") },
        ]}
        value={kind}
        onChange={(next) => {
          setKind(next as Kind);
          setChosen(null);
        }}
      />
      <Part error={isPressed && chosen === null && t("kit.form.required")} onChange={setChosen} />
    </WindowForm>
  );
}
