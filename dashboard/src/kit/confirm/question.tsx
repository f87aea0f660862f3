import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { modals } from "@mantine/modals";
import { type ReactNode, useState } from "react";
import { textOf } from "../../text/text.ts";

export type Act = {
  title: string;
  /** What will happen, with numbers. */
  says: ReactNode;
  /** The button says the act: "Roll back 3 redemptions". */
  act: string;
  /** What must be typed, for what cannot come back. */
  word?: string;
  isDangerous?: boolean;
};

function Question({ says, act, word, isDangerous, onEnd }: Act & { onEnd: (isMeant: boolean) => void }) {
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const press = () => {
    if (word !== undefined && typed.trim() !== word) setWrong(true);
    else onEnd(true);
  };
  return (
    <Stack gap="lg">
      {typeof says === "string" ? <Text size="sm">{says}</Text> : says}
      {word !== undefined && (
        <TextInput
          label={textOf("kit.confirm.type", { word })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={isWrong ? textOf("kit.confirm.type", { word }) : null}
          data-autofocus
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onEnd(false)}>
          {textOf("kit.confirm.cancel")}
        </Button>
        <Button {...(isDangerous && { color: "red.8" })} onClick={press}>
          {act}
        </Button>
      </Group>
    </Stack>
  );
}

/** Opens the question. `onEnd` is told whether it is meant. */
export function openQuestion(act: Act, onEnd: (isMeant: boolean) => void): void {
  const id = modals.open({
    title: act.title,
    onClose: () => onEnd(false),
    children: (
      <Question
        {...act}
        onEnd={(isMeant) => {
          onEnd(isMeant);
          modals.close(id);
        }}
      />
    ),
  });
}
