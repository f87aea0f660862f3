import { Alert, Button, Modal, Stack, Text } from "@mantine/core";
import { useText } from "../../text/text.ts";
import { JsonBlock } from "../json/json-block.tsx";

type Props = {
  title: string;
  value: string;
  /** Above it, and on the button, where something else has to be said. */
  warns?: string;
  kept?: string;
  /** What to know before the window is closed. */
  says?: readonly string[];
  onClose: () => void;
};

/** A secret that is shown this once, ready to be copied. A click beside the window does not close it. */
export default function SecretWindow({ title, value, warns, kept, says = [], onClose }: Props) {
  const t = useText();
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={false} title={title}>
      <Stack>
        <Alert variant="light" color="yellow">
          {warns ?? t("kit.secret.once")}
        </Alert>
        <JsonBlock value={value} label={title} />
        {says.map((one) => (
          <Text key={one} size="sm">
            {one}
          </Text>
        ))}
        <Button onClick={onClose}>{kept ?? t("kit.secret.kept")}</Button>
      </Stack>
    </Modal>
  );
}
