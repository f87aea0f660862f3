import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { type Campaign, duplicateCampaign } from "../../api/operations.gen.ts";
import { useSend } from "../../api/use-op.ts";
import { WindowForm } from "../../kit/form/window-form.tsx";
import { NumberInput } from "../../kit/later/fields.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

/** A campaign like this one. The name is asked for, since it cannot be changed later. */
export default function DuplicateWindow({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const t = useText();
  const navigate = useNavigate();
  const { mutate, error, isPending } = useSend(duplicateCampaign);
  const [name, setName] = useState(t("campaigns.copyOf", { name: campaign.name }));
  const [code, setCode] = useState("");
  const [count, setCount] = useState<number | string>(campaign.vouchers_count);
  const [isPressed, setPressed] = useState(false);
  const [isOneCode, isManyCodes] = [campaign.type === "STANDALONE", campaign.type === "STATIC" && !campaign.promotion];
  const save = () => {
    setPressed(true);
    if (name.trim() === "") return;
    const body = {
      name: name.trim(),
      ...(isOneCode && code.trim() !== "" && { code: code.trim() }),
      ...(isManyCodes && count !== "" && { vouchers_count: Number(count) }),
    };
    const onSuccess = ({ id }: Campaign) => {
      notifyDone(t("campaigns.duplicated"));
      onClose();
      void navigate(`/campaigns/${id}`);
    };
    mutate({ params: { campaignId: campaign.id }, body }, { onSuccess });
  };
  return (
    <WindowForm
      title={t("campaigns.duplicateTitle", { name: campaign.name })}
      act={t("campaigns.duplicateAct")}
      error={error}
      isBusy={isPending}
      onClose={onClose}
      onSubmit={save}
    >
      <Text size="sm">{t("campaigns.duplicateHelp")}</Text>
      <TextInput
        label={t("campaigns.name")}
        required
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={isPressed && name.trim() === "" && t("kit.form.required")}
        data-autofocus
      />
      {isOneCode && (
        <TextInput
          label={t("campaigns.code")}
          description={t("campaigns.newCodeHelp")}
          classNames={{ input: "mono" }}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
      )}
      {isManyCodes && (
        <NumberInput label={t("campaigns.count")} min={0} allowDecimal={false} value={count} onChange={setCount} />
      )}
    </WindowForm>
  );
}
