import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { isRefused, statusOf } from "../../api/errors.ts";
import { useOffer } from "../../api/offer.ts";
import { send } from "../../api/send.ts";
import { createSession, signedIn } from "../../api/session.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { Forgotten } from "./forgotten.tsx";
import { keepLogin, lastLogin } from "./last-login.ts";
import { ProofFault, ProofFields, useProof } from "./proof-fields.tsx";
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
  const proof = useProof({
    login: login || lastLogin(),
    asksEmail: true,
    asksPassword: true,
    faultOf,
    run: async ({ email, password, code }) => {
      signedIn(await send(createSession, {}, { body: { email, password, ...(code !== "" && { code }) } }));
      keepLogin(email);
    },
  });
  const { form, fault, isBusy, submit } = proof;
  const { data: offer } = useOffer();
  const [isForgotten, setForgotten] = useState(false);
  if (isForgotten) return <Forgotten login={form.getValues().email.trim()} onBack={() => setForgotten(false)} />;
  return (
    <>
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          <ProofFault fault={fault} />
          <TextInput
            label={t("signIn.email")}
            type="email"
            autoComplete="username"
            readOnly={login !== ""}
            key={form.key("email")}
            {...form.getInputProps("email")}
          />
          <ProofFields of={proof} isFirst={(login || lastLogin()) !== ""} />
          <Button type="submit" loading={isBusy} fullWidth>
            {t("signIn.submit")}
          </Button>
          {offer?.sends_mail && (
            <div>
              <Anchor component="button" type="button" size="sm" onClick={() => setForgotten(true)}>
                {t("signIn.forgottenMail")}
              </Anchor>
            </div>
          )}
          {offer?.sends_mail === false && (
            <Text size="xs" c="dimmed">
              {t("signIn.forgotten")}
            </Text>
          )}
        </Stack>
      </form>
      <ProviderButton />
    </>
  );
}
