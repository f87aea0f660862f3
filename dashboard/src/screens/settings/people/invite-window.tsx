import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { fieldOf, RequestError } from "../../../api/errors.ts";
import { inviteUser, listRoles } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { useOp, useSend } from "../../../api/use-op.ts";
import { WindowForm } from "../../../kit/form/window-form.tsx";
import { Select } from "../../../kit/later/fields.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { useText } from "../../../text/text.ts";

const NAMES = ["email", "first_name", "last_name"] as const;

export default function InviteWindow({ onClose }: { onClose: () => void }) {
  const t = useText();
  const { id: projectId } = useProject();
  const roles = useOp(listRoles, {});
  const invite = useSend(inviteUser);
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
  const submit = form.onSubmit(({ role, ...person }) =>
    invite.mutate(
      { params: {}, body: { ...person, projects: { [projectId]: role } } },
      {
        onSuccess: () => {
          notifyDone(t("settings.invited", { email: person.email }));
          onClose();
        },
        onError: (error) => {
          const field = fieldOf(error, NAMES);
          if (field !== null) form.setFieldError(field, (error as RequestError).details);
        },
      },
    ),
  );
  const data = (roles.data?.data ?? []).map(({ id, name, is_built_in }) => ({
    value: id,
    label: is_built_in ? `${id} – ${name}` : name,
  }));
  const isOfField = invite.error instanceof RequestError && fieldOf(invite.error, NAMES) !== null;
  return (
    <WindowForm
      title={t("settings.invite")}
      act={t("settings.inviteAct")}
      error={isOfField ? null : invite.error}
      isBusy={invite.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
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
    </WindowForm>
  );
}
