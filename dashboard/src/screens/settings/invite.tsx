import { Alert, Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { fieldOf, RequestError } from "../../api/errors.ts";
import { inviteUser, listRoles } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp, useSend } from "../../api/use-op.ts";
import { Can } from "../../kit/page/can.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

function InviteForm({ onDone }: { onDone: () => void }) {
  const t = useText();
  const { id: projectId } = useProject();
  const roles = useOp(listRoles, {});
  const invite = useSend(inviteUser);
  const [fault, setFault] = useState<string | null>(null);
  const filled = (value: string) => (value.trim() === "" ? t("kit.form.required") : null);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: "", first_name: "", last_name: "", role: "VIEWER" },
    validate: {
      email: (value) => (/^[^\s@]+@[^\s@]+$/.test(value.trim()) ? null : t("settings.badEmail")),
      first_name: filled,
      last_name: filled,
    },
  });
  const submit = form.onSubmit(async ({ role, ...person }) => {
    setFault(null);
    try {
      await invite.mutateAsync({ params: {}, body: { ...person, projects: { [projectId]: role } } });
      notifyDone(t("settings.invited", { email: person.email }));
      onDone();
    } catch (error) {
      const field = fieldOf(error, Object.keys(person));
      const says = error instanceof RequestError ? error.details || t("kit.noAnswer") : String(error);
      if (field === null) setFault(says);
      else form.setFieldError(field, says);
    }
  });
  const data = (roles.data?.data ?? []).map(({ id, name, is_built_in }) => ({
    value: id,
    label: is_built_in ? `${id} – ${name}` : name,
  }));
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {fault && (
          <Alert color="red" variant="light" role="alert">
            {fault}
          </Alert>
        )}
        <TextInput
          label={t("settings.email")}
          type="email"
          required
          data-autofocus
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <TextInput
          label={t("settings.firstName")}
          required
          key={form.key("first_name")}
          {...form.getInputProps("first_name")}
        />
        <TextInput
          label={t("settings.lastName")}
          required
          key={form.key("last_name")}
          {...form.getInputProps("last_name")}
        />
        <Select
          label={t("settings.role")}
          data={data}
          allowDeselect={false}
          key={form.key("role")}
          {...form.getInputProps("role")}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={invite.isPending}>
            {t("settings.inviteAct")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Sends a link with which somebody chooses a password. Without a mail server the link is in the log. */
export function InviteButton() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <Can do="inviteUser">
      <Button onClick={() => setOpen(true)}>{t("settings.invite")}</Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("settings.invite")}>
        {isOpen && <InviteForm onDone={() => setOpen(false)} />}
      </Modal>
    </Can>
  );
}
