import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createKey, type KeyWithSecret } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { WindowForm } from "../../kit/form/window-form.tsx";
import { Select } from "../../kit/later/fields.ts";
import { useText } from "../../text/text.ts";

type Values = { name: string; kind: KeyWithSecret["kind"] };
type Props = { onMade: (made: KeyWithSecret) => void; onClose: () => void };

export default function NewKeyWindow({ onMade, onClose }: Props) {
  const t = useText();
  const { id: projectId } = useProject();
  const create = useSend(createKey);
  const initialValues: Values = { name: "", kind: "app" };
  const form = useForm<Values>({
    mode: "uncontrolled",
    initialValues,
    validate: { name: (value) => (value.trim() === "" ? t("kit.form.required") : null) },
  });
  const submit = form.onSubmit(({ name, kind }) =>
    create.mutate({ params: { projectId }, body: { name: name.trim(), kind } }, { onSuccess: onMade }),
  );
  const kinds = [
    { value: "app", label: t("developers.keyAppHelp") },
    { value: "client", label: t("developers.keyClientHelp") },
  ];
  return (
    <WindowForm
      title={t("developers.newKey")}
      act={t("developers.createKey")}
      error={create.error}
      isBusy={create.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextInput
        label={t("developers.keyName")}
        description={t("developers.keyNameHelp")}
        required
        data-autofocus
        maxLength={200}
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <Select
        label={t("developers.keyKind")}
        data={kinds}
        allowDeselect={false}
        key={form.key("kind")}
        {...form.getInputProps("kind")}
      />
    </WindowForm>
  );
}
