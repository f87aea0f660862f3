import { Alert, Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { RequestError } from "../../api/errors.ts";
import { createKey, type KeyWithSecret } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { Can } from "../../kit/page/can.tsx";
import { useText } from "../../text/text.ts";
import { KeySecret } from "./key-secret.tsx";

type Values = { name: string; kind: KeyWithSecret["kind"] };

function KeyForm({ onMade }: { onMade: (made: KeyWithSecret) => void }) {
  const t = useText();
  const { id: projectId } = useProject();
  const create = useSend(createKey);
  const [fault, setFault] = useState<string | null>(null);
  const initialValues: Values = { name: "", kind: "app" };
  const form = useForm<Values>({
    mode: "uncontrolled",
    initialValues,
    validate: { name: (value) => (value.trim() === "" ? t("kit.form.required") : null) },
  });
  const submit = form.onSubmit(async ({ name, kind }) => {
    setFault(null);
    try {
      onMade(await create.mutateAsync({ params: { projectId }, body: { name: name.trim(), kind } }));
    } catch (error) {
      setFault((error instanceof RequestError && error.details) || t("kit.noAnswer"));
    }
  });
  const kinds = [
    { value: "app", label: t("developers.keyAppHelp") },
    { value: "client", label: t("developers.keyClientHelp") },
  ];
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {fault && (
          <Alert color="red" variant="light" role="alert">
            {fault}
          </Alert>
        )}
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
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            {t("developers.createKey")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Makes a key pair and shows its secret, this once. */
export function NewKey() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<KeyWithSecret | null>(null);
  const done = (key: KeyWithSecret) => {
    setOpen(false);
    setMade(key);
  };
  return (
    <Can do="createKey">
      <Button onClick={() => setOpen(true)}>{t("developers.newKey")}</Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("developers.newKey")}>
        {isOpen && <KeyForm onMade={done} />}
      </Modal>
      <KeySecret made={made} onClose={() => setMade(null)} />
    </Can>
  );
}
