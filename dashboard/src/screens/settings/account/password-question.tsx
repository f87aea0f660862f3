import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { statusOf } from "../../../api/errors.ts";
import { send } from "../../../api/send.ts";
import { getSession, signedIn } from "../../../api/session.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { type TextKey, useText } from "../../../text/text.ts";

export type PasswordTexts = { act: TextKey; says: TextKey; done: TextKey };
type Props = { texts: PasswordTexts; run: (password: string) => Promise<unknown>; onClose: () => void };

export default function PasswordQuestion({ texts, run, onClose }: Props) {
  const t = useText();
  const [isBusy, setBusy] = useState(false);
  const [password, setPassword] = useState("");
  const [fault, setFault] = useState<TextKey | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (password === "") return setFault("kit.form.required");
    setFault(null);
    setBusy(true);
    try {
      await run(password);
      onClose();
      notifyDone(t(texts.done));
      signedIn(await send(getSession, {}));
    } catch (error) {
      setFault(statusOf(error) === 401 ? "account.wrongPassword" : "kit.noAnswer");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t(texts.act)} closeButtonProps={{ "aria-label": t("kit.close") }}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack>
          <Text size="sm">{t(texts.says)}</Text>
          <PasswordInput
            label={t("account.current")}
            autoComplete="current-password"
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fault && t(fault)}
          />
          <Group justify="flex-end">
            <Button type="submit" color="red.8" loading={isBusy}>
              {t(texts.act)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
