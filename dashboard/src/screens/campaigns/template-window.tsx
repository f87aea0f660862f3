import { Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Campaign, createCampaignTemplate } from "../../api/operations.gen.ts";
import { useSend } from "../../api/use-op.ts";
import { WindowForm } from "../../kit/form/window-form.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

/** Keeps the settings and rules of a campaign, for others to begin with. */
export default function TemplateWindow({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const t = useText();
  const { mutate, error, isPending } = useSend(createCampaignTemplate);
  const [name, setName] = useState(campaign.name);
  const [description, setDescription] = useState(campaign.description ?? "");
  const [isPressed, setPressed] = useState(false);
  const save = () => {
    setPressed(true);
    if (name.trim() === "") return;
    const body = {
      ...{ name: name.trim(), campaign_id: campaign.id },
      ...(description.trim() !== "" && { description: description.trim() }),
    };
    const onSuccess = () => {
      notifyDone(t("templates.saved"));
      onClose();
    };
    mutate({ params: {}, body }, { onSuccess });
  };
  return (
    <WindowForm
      title={t("templates.saveTitle")}
      act={t("templates.saveAct")}
      error={error}
      isBusy={isPending}
      onClose={onClose}
      onSubmit={save}
    >
      <Text size="sm">{t("templates.saveHelp")}</Text>
      <TextInput
        label={t("templates.name")}
        required
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={isPressed && name.trim() === "" && t("kit.form.required")}
        data-autofocus
      />
      <Textarea
        label={t("campaigns.description")}
        autosize
        minRows={2}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
    </WindowForm>
  );
}
