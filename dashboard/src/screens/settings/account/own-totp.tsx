import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { statusOf } from "../../../api/errors.ts";
import { confirmTotp, setUpTotp, type TotpSetUp } from "../../../api/operations.gen.ts";
import { send } from "../../../api/send.ts";
import { getSession, type Session, signedIn } from "../../../api/session.ts";
import { useSend } from "../../../api/use-op.ts";
import { JsonBlock } from "../../../kit/json/json-block.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { StatusBadge } from "../../../kit/status/status-badge.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { type TextKey, useText } from "../../../text/text.ts";
import { RemoveTotp } from "./remove-totp.tsx";

const SecretWindow = lazy(() => import("../../../kit/form/secret-window.tsx"));

/** The picture for the app, and the first code that it shows. */
function Confirm({ made, onDone }: { made: TotpSetUp; onDone: (codes: readonly string[]) => void }) {
  const t = useText();
  const [code, setCode] = useState("");
  const [fault, setFault] = useState<TextKey | null>(null);
  const confirm = useSend(confirmTotp);
  const submit = async () => {
    setFault(null);
    try {
      onDone((await confirm.mutateAsync({ params: {}, body: { code: code.trim() } })).codes);
    } catch (error) {
      setFault(statusOf(error) === 400 ? "account.wrongCode" : "kit.noAnswer");
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      noValidate
    >
      <Stack>
        <Text size="sm">{t("account.scan")}</Text>
        <Group align="start">
          {/* Dark modules on white, also on a dark page: cameras read nothing else. */}
          <img
            src={`data:image/svg+xml;utf8,${encodeURIComponent(made.picture)}`}
            alt={t("account.qr")}
            width={200}
            height={200}
            style={{ background: "#fff", borderRadius: 8 }}
          />
          <Stack flex={1} miw={220}>
            <JsonBlock value={made.secret} label={t("account.secret")} />
            <TextInput
              label={t("signIn.code")}
              autoComplete="one-time-code"
              inputMode="numeric"
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              error={fault && t(fault)}
            />
            <Button type="submit" loading={confirm.isPending} disabled={code.trim() === ""}>
              {t("account.confirm")}
            </Button>
          </Stack>
        </Group>
      </Stack>
    </form>
  );
}

/** A second factor: set up with an app, confirmed with a code, and switched off with the password. */
export function OwnTotp({ user }: { user: Session["user"] }) {
  const t = useText();
  const setUp = useAct(setUpTotp);
  const [made, setMade] = useState<TotpSetUp | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = async () => setMade((await setUp.run({ params: {} }))?.answer ?? null);
  const done = async (shown: readonly string[]) => {
    setCodes(shown);
    setMade(null);
    signedIn(await send(getSession, {}));
  };
  const start = (
    <Button loading={setUp.isPending} disabled={!user.has_password} onClick={() => void begin()}>
      {t("account.setUp")}
    </Button>
  );
  return (
    <Section title={t("account.factor")} help={t("account.factorHelp")}>
      <Stack align="start">
        <StatusBadge status={user.has_totp ? "ACTIVE" : "DISABLED"} />
        {!user.has_password && <Text size="sm">{t("account.passwordFirst")}</Text>}
        {user.has_totp ? <RemoveTotp /> : made ? <Confirm made={made} onDone={(all) => void done(all)} /> : start}
      </Stack>
      <Suspense>
        {codes && (
          <SecretWindow
            title={t("account.recovery")}
            warns={t("account.recoveryHelp")}
            value={codes.join("\n")}
            kept={t("account.kept")}
            onClose={() => setCodes(null)}
          />
        )}
      </Suspense>
    </Section>
  );
}
