import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { fieldOf, RequestError } from "../../../api/errors.ts";
import { useOffer } from "../../../api/offer.ts";
import { inviteUser, listRoles } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { useOp, useSend } from "../../../api/use-op.ts";
import { WindowForm } from "../../../kit/form/window-form.tsx";
import { Select } from "../../../kit/later/fields.ts";
import { errorWord } from "../../../kit/states/error-word.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { roleSays, roleWord } from "../../../registry/words.ts";
import { useText } from "../../../text/text.ts";

const NAMES = ["email", "first_name", "last_name"] as const;

type Props = {
  /** No mail server took the invitation to them. */
  onUnsent: (userId: string, email: string) => Promise<void>;
  onClose: () => void;
};

export default function InviteWindow({ onUnsent, onClose }: Props) {
  const t = useText();
  const { id: projectId } = useProject();
  const roles = useOp(listRoles, {});
  const invite = useSend(inviteUser);
  const { data: offer } = useOffer();
  const isMailed = offer?.sends_mail !== false;
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
          if (isMailed) notifyDone(t("settings.invited", { email: person.email }));
          // Their address is their login.
          else void onUnsent(person.email, person.email);
          onClose();
        },
        onError: (error) => {
          const field = fieldOf(error, NAMES);
          if (field !== null) form.setFieldError(field, errorWord(t, error));
        },
      },
    ),
  );
  const data = (roles.data?.data ?? []).map((one) => ({
    value: one.id,
    label: one.is_built_in ? `${roleWord(t, one)} – ${roleSays(t, one)}` : one.name,
  }));
  const isOfField = invite.error instanceof RequestError && fieldOf(invite.error, NAMES) !== null;
  return (
    <WindowForm
      title={t("settings.invite")}
      act={t(isMailed ? "settings.inviteAct" : "settings.inviteLinkAct")}
      error={isOfField ? null : invite.error}
      isBusy={invite.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      {!isMailed && (
        <Text size="sm" c="dimmed">
          {t("settings.inviteNoMail")}
        </Text>
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
    </WindowForm>
  );
}
