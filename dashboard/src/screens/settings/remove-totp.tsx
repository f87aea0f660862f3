import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { statusOf } from "../../api/errors.ts";
import { removeTotp } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { getSession, signedIn } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { type TextKey, useText } from "../../text/text.ts";

/** Switches the second factor off, for who knows the password. */
export function RemoveTotp() {
  const t = useText();
  const remove = useSend(removeTotp);
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const [fault, setFault] = useState<TextKey | null>(null);
  const close = () => {
    setOpen(false);
    setPassword("");
    setFault(null);
  };
  const submit = async () => {
    setFault(null);
    try {
      await remove.mutateAsync({ params: {}, body: { password } });
      close();
      notifyDone(t("account.factorOff"));
      signedIn(await send(getSession, {}));
    } catch (error) {
      setFault(statusOf(error) === 401 ? "account.wrongPassword" : "kit.noAnswer");
    }
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t("account.switchOff")}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t("account.switchOff")}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
          noValidate
        >
          <Stack>
            <Text size="sm">{t("account.switchOffSays")}</Text>
            <PasswordInput
              label={t("account.current")}
              autoComplete="current-password"
              data-autofocus
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={fault && t(fault)}
            />
            <Group justify="flex-end">
              <Button type="submit" color="red" loading={remove.isPending} disabled={password === ""}>
                {t("account.switchOff")}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
