import { Stack, Text } from "@mantine/core";
import { unlinkSingleSignOn } from "../../../api/operations.gen.ts";
import type { Session } from "../../../api/session.ts";
import { useSend } from "../../../api/use-op.ts";
import { Section } from "../../../kit/page/section.tsx";
import { useText } from "../../../text/text.ts";
import { PasswordWindow } from "./password-window.tsx";

const TEXTS = { act: "account.unlink", says: "account.unlinkSays", done: "account.unlinked" } as const;

/** The account of another provider that signs this user in, and the end of that. */
export function OwnProvider({ user }: { user: Session["user"] }) {
  const t = useText();
  const { mutateAsync } = useSend(unlinkSingleSignOn);
  if (!user.has_identity) return null;
  return (
    <Section title={t("account.signOn")} help={t("account.signOnHelp")}>
      <Stack align="start">
        {user.has_password ? (
          <PasswordWindow texts={TEXTS} run={(password) => mutateAsync({ params: {}, body: { password } })} />
        ) : (
          <Text size="sm">{t("account.passwordFirst")}</Text>
        )}
      </Stack>
    </Section>
  );
}
