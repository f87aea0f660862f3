import { Alert, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { isRefused, statusOf } from "../../api/errors.ts";
import { send } from "../../api/send.ts";
import { createSession, signedIn } from "../../api/session.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { ProviderButton } from "./provider.tsx";

const faultOf = (error: unknown): TextKey => {
  if (statusOf(error) === 429) return "signIn.tooMany";
  if (isRefused(error, "second_factor_required")) return "signIn.wrongCode";
  if (statusOf(error) === 401) return "signIn.wrong";
  return "kit.noAnswer";
};

/** Asks for e-mail and password, then for a code where the account has a second factor. */
export function SignInForm({ login = "" }: { login?: string }) {
  const t = useText();
  const [needsCode, setNeedsCode] = useState(false);
  const [fault, setFault] = useState<TextKey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const filled = (value: string) => (value.trim() === "" ? t("signIn.missing") : null);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: login, password: "", code: "" },
    validate: { email: filled, password: filled, code: (value) => (needsCode ? filled(value) : null) },
  });
  const submit = form.onSubmit(async ({ email, password, code }) => {
    setBusy(true);
    setFault(null);
    try {
      const body = { email: email.trim(), password, ...(needsCode && { code: code.trim() }) };
      signedIn(await send(createSession, {}, { body }));
    } catch (error) {
      if (!needsCode && isRefused(error, "second_factor_required")) setNeedsCode(true);
      else setFault(faultOf(error));
    } finally {
      setBusy(false);
    }
  });
  return (
    <>
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          {fault && (
            <Alert color="red" variant="light" role="alert">
              {t(fault)}
            </Alert>
          )}
          <TextInput
            label={t("signIn.email")}
            type="email"
            autoComplete="username"
            readOnly={login !== ""}
            key={form.key("email")}
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label={t("signIn.password")}
            autoComplete="current-password"
            data-autofocus={login !== "" || undefined}
            key={form.key("password")}
            {...form.getInputProps("password")}
          />
          {needsCode && (
            <TextInput
              label={t("signIn.code")}
              description={t("signIn.codeHelp")}
              autoComplete="one-time-code"
              inputMode="numeric"
              autoFocus
              key={form.key("code")}
              {...form.getInputProps("code")}
            />
          )}
          <Button type="submit" loading={isBusy} fullWidth>
            {t("signIn.submit")}
          </Button>
          <Text size="xs" c="dimmed">
            {t("signIn.forgotten")}
          </Text>
        </Stack>
      </form>
      <ProviderButton />
    </>
  );
}
