import { Alert, Button, Modal, Stack, Text } from "@mantine/core";
import type { KeyWithSecret } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { JsonBlock } from "../../kit/json/json-block.tsx";
import { useText } from "../../text/text.ts";

/** The headers that a key is sent with. */
const HEADERS = {
  app: ["X-App-Id", "X-App-Token"],
  client: ["X-Client-Application-Id", "X-Client-Token"],
} as const;

/** The secret of a key: this once, ready to be copied. */
export function KeySecret({ made, onClose }: { made: KeyWithSecret | null; onClose: () => void }) {
  const t = useText();
  const { timezone } = useProject();
  const [id, secret] = HEADERS[made?.kind ?? "app"];
  return (
    <Modal opened={made !== null} onClose={onClose} closeOnClickOutside={false} title={t("developers.keySecret")}>
      {made && (
        <Stack>
          <Alert variant="light" color="yellow">
            {t("developers.keyOnce")}
          </Alert>
          <JsonBlock value={`${id}: ${made.id}\n${secret}: ${made.secret}`} label={t("developers.keySecret")} />
          {made.previous_until && (
            <Text size="sm">{t("developers.keyOldUntil", { time: formatMoment(made.previous_until, timezone) })}</Text>
          )}
          <Button onClick={onClose}>{t("developers.keyKept")}</Button>
        </Stack>
      )}
    </Modal>
  );
}
