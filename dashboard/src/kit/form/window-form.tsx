import { Alert, Button, Modal, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useText } from "../../text/text.ts";
import { errorWord } from "../states/error-word.ts";

type Props = {
  title: string;
  /** What the button says. */
  act: string;
  error: Error | null;
  isBusy: boolean;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
};

/** A few fields over a page, with why they were refused and one button. */
export function WindowForm({ title, act, error, isBusy, onClose, onSubmit, children }: Props) {
  const t = useText();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": t("kit.close") }}>
      <form noValidate onSubmit={submit}>
        <Stack gap="lg">
          {error && (
            <Alert color="red" variant="light" role="alert">
              {errorWord(t, error)}
            </Alert>
          )}
          {children}
          <Button type="submit" loading={isBusy}>
            {act}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
