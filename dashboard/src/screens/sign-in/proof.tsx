import { Button, Stack, Text } from "@mantine/core";
import { isRefused, statusOf } from "../../api/errors.ts";
import { confirmSingleSignOn, type SingleSignOn } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { ProofFault, ProofFields, useProof } from "./proof-fields.tsx";

const faultOf = (error: unknown): TextKey => {
  if (statusOf(error) === 429) return "signIn.tooMany";
  if (isRefused(error, "second_factor_required")) return "signIn.wrongCode";
  if (isRefused(error, "unauthorized")) return "signIn.wrongPassword";
  return statusOf(error) === 0 ? "kit.noAnswer" : "signIn.providerFailed";
};

/** Asks for what shows that the account is theirs: its password once, and a code where it has a second factor. */
export function ProofForm({ asked, onDone }: { asked: SingleSignOn; onDone: (done: SingleSignOn) => void }) {
  const t = useText();
  const asksPassword = asked.status === "PASSWORD_REQUIRED";
  const proof = useProof({
    asksEmail: false,
    asksPassword,
    faultOf,
    run: async ({ password, code }) => {
      const body = { ...(asksPassword && { password }), ...(code !== "" && { code }) };
      onDone(await send(confirmSingleSignOn, {}, { body }));
    },
  });
  return (
    <form onSubmit={proof.submit} noValidate>
      <Stack gap="lg">
        <Text size="sm">{t(asksPassword ? "signIn.linkHelp" : "signIn.codeAsked", { email: asked.email })}</Text>
        <ProofFault fault={proof.fault} />
        <ProofFields of={proof} isFirst />
        <Button type="submit" loading={proof.isBusy} fullWidth>
          {t(asksPassword ? "signIn.link" : "signIn.submit")}
        </Button>
      </Stack>
    </form>
  );
}
