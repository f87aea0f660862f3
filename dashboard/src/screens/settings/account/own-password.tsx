import { Alert, Button, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { statusOf } from "../../../api/errors.ts";
import { updateOwnPassword } from "../../../api/operations.gen.ts";
import { send } from "../../../api/send.ts";
import { getSession, type Session, signedIn } from "../../../api/session.ts";
import { useSend } from "../../../api/use-op.ts";
import { Section } from "../../../kit/page/section.tsx";
import { errorWord } from "../../../kit/states/error-word.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { useText } from "../../../text/text.ts";

const LENGTH_MIN = 12;

/** Chooses another password, or the first one. All other sessions end. */
export function OwnPassword({ user }: { user: Session["user"] }) {
  const t = useText();
  const [fault, setFault] = useState<string | null>(null);
  const update = useSend(updateOwnPassword);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { current: "", password: "" },
    validate: {
      current: (value) => (user.has_password && value === "" ? t("kit.form.required") : null),
      password: (value) => (value.length < LENGTH_MIN ? t("account.tooShort", { count: LENGTH_MIN }) : null),
    },
  });
  const submit = form.onSubmit(async ({ current, password }) => {
    setFault(null);
    try {
      await update.mutateAsync({ params: {}, body: { password, ...(user.has_password && { current }) } });
      form.reset();
      signedIn(await send(getSession, {}));
      notifyDone(t("account.passwordChanged"));
    } catch (error) {
      if (statusOf(error) === 401) form.setFieldError("current", t("account.wrongPassword"));
      else setFault(errorWord(t, error));
    }
  });
  return (
    <Section title={t("account.password")} help={t(user.has_password ? "account.passwordHelp" : "account.noPassword")}>
      <form onSubmit={submit} noValidate>
        <Stack maw={380}>
          {fault && (
            <Alert color="red" variant="light" role="alert">
              {fault}
            </Alert>
          )}
          {user.has_password && (
            <PasswordInput
              label={t("account.current")}
              autoComplete="current-password"
              key={form.key("current")}
              {...form.getInputProps("current")}
            />
          )}
          <PasswordInput
            label={t("account.newPassword")}
            description={t("account.tooShort", { count: LENGTH_MIN })}
            autoComplete="new-password"
            key={form.key("password")}
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={update.isPending} style={{ alignSelf: "start" }}>
            {t("account.changePassword")}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
