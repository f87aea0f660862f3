import { Alert, Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { statusOf } from "../../api/errors.ts";
import { askPasswordReset } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { ProofFault } from "./proof-fields.tsx";

const FAULTS: Readonly<Record<number, TextKey>> = { 400: "signIn.badEmail", 429: "signIn.tooMany" };

/** Asks for a link to a new password. What it says afterwards is the same for an address that nobody has. */
export function Forgotten({ login, onBack }: { login: string; onBack: () => void }) {
  const t = useText();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [fault, setFault] = useState<TextKey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: login },
    validate: { email: (value) => (value.trim() === "" ? t("signIn.missing") : null) },
  });
  const submit = form.onSubmit(async (values) => {
    const email = values.email.trim();
    setBusy(true);
    setFault(null);
    try {
      await send(askPasswordReset, {}, { body: { email } });
      setSentTo(email);
    } catch (error) {
      setFault(FAULTS[statusOf(error) ?? 0] ?? "kit.noAnswer");
    } finally {
      setBusy(false);
    }
  });
  const back = (
    <Anchor component="button" type="button" size="sm" onClick={onBack}>
      {t("signIn.again")}
    </Anchor>
  );
  if (sentTo !== null)
    return (
      <Stack gap="lg" align="flex-start">
        <Alert variant="light" role="status">
          {t("signIn.resetAsked", { email: sentTo })}
        </Alert>
        {back}
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <Text size="sm">{t("signIn.resetHelp")}</Text>
        <ProofFault fault={fault} />
        <TextInput
          label={t("signIn.email")}
          type="email"
          autoComplete="username"
          autoFocus
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <Button type="submit" loading={isBusy} fullWidth>
          {t("signIn.resetSubmit")}
        </Button>
        <div>{back}</div>
      </Stack>
    </form>
  );
}
