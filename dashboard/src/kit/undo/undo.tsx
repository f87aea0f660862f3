import { Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { textOf } from "../../text/text.ts";
import { want } from "../floating/wanted.ts";
import { errorWord } from "../states/error-word.ts";

const UNDO_MS = 10_000;

/** Says what was done, and for ten seconds offers the opposite. The write has happened: nothing waits for the time to pass. */
export function notifyDone(message: string, undo?: () => Promise<unknown>): void {
  want("notices");
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{message}</span>
        {undo && (
          <Button size="compact-sm" variant="default" onClick={() => void takeBack()}>
            {textOf("kit.undo.undo")}
          </Button>
        )}
      </Group>
    ),
    color: "laurel",
    autoClose: undo ? UNDO_MS : 4_000,
  });
  const takeBack = async () => {
    notifications.hide(id);
    try {
      await undo?.();
      notifications.show({ message: textOf("kit.undo.undone"), color: "gray" });
    } catch (error) {
      notifyFailed(error);
    }
  };
}

export function notifyFailed(error: unknown): void {
  want("notices");
  const reason = errorWord(textOf, error);
  notifications.show({ message: textOf("kit.undo.failed", { reason }), color: "red", autoClose: false });
}
