import { Alert, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { isRefused, statusOf } from "../../api/errors.ts";
import { confirmSingleSignOn, type SingleSignOn } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { type TextKey, useText } from "../../text/text.ts";

const faultOf = (error: unknown): TextKey => {
  if (statusOf(error) === 429) return "signIn.tooMany";
  if (isRefused(error, "second_factor_required")) return "signIn.wrongCode";
  if (isRefused(error, "unauthorized")) return "signIn.wrongPassword";
  return statusOf(error) === 0 ? "kit.noAnswer" : "signIn.providerFailed";
};

/** Asks for what shows that the account is theirs: its password once, and a code where it has a second factor. */
export function ProofForm({ asked, onDone }: { asked: SingleSignOn; onDone: (done: SingleSignOn) => void }) {
  const t = useText();
  const needsPassword = asked.status === "PASSWORD_REQUIRED";
  const [needsCode, setNeedsCode] = useState(!needsPassword);
  const [fault, setFault] = useState<TextKey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const filled = (value: string) => (value.trim() === "" ? t("signIn.missing") : null);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { password: "", code: "" },
    validate: {
      password: (value) => (needsPassword ? filled(value) : null),
      code: (value) => (needsCode ? filled(value) : null),
    },
  });
  const submit = form.onSubmit(async ({ password, code }) => {
    setBusy(true);
    setFault(null);
    try {
      const body = { ...(needsPassword && { password }), ...(needsCode && { code: code.trim() }) };
      onDone(await send(confirmSingleSignOn, {}, { body }));
    } catch (error) {
      if (!needsCode && isRefused(error, "second_factor_required")) setNeedsCode(true);
      else setFault(faultOf(error));
      setBusy(false);
    }
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <Text size="sm">{t(needsPassword ? "signIn.linkHelp" : "signIn.codeAsked", { email: asked.email })}</Text>
        {fault && (
          <Alert color="red" variant="light" role="alert">
            {t(fault)}
          </Alert>
        )}
        {needsPassword && (
          <PasswordInput
            label={t("signIn.password")}
            autoComplete="current-password"
            autoFocus
            key={form.key("password")}
            {...form.getInputProps("password")}
          />
        )}
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
          {t(needsPassword ? "signIn.link" : "signIn.submit")}
        </Button>
      </Stack>
    </form>
  );
}
