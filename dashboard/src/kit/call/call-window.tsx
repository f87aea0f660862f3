import { Button, CopyButton, Group, Modal, Text } from "@mantine/core";
import type { AnyOp } from "../../api/op.ts";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import classes from "./call-window.module.css";
import { curlOf } from "./curl.ts";

function Copy({ value, label }: { value: string; label: string }) {
  const t = useText();
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? t("kit.call.copied") : label}
        </Button>
      )}
    </CopyButton>
  );
}

/** The address of the page, with its project: it opens the same for a colleague who was elsewhere. */
function linkOf(project: string): string {
  const url = new URL(location.href);
  url.searchParams.set("project", project);
  return url.href;
}

type Props = { operation: AnyOp; params: object; body?: unknown; onClose: () => void };

export default function CallWindow({ operation, params, body, onClose }: Props) {
  const t = useText();
  const project = useProject();
  const text = curlOf(operation, params, { body, origin: location.origin });
  return (
    <Modal opened onClose={onClose} title={t("kit.call.title")} size="lg">
      <pre className={classes.call}>{text}</pre>
      <Text size="sm" c="dimmed" mb="lg">
        {t("kit.call.help")}
      </Text>
      <Group>
        <Copy value={text} label={t("kit.call.copy")} />
        <Copy value={linkOf(project.id)} label={t("kit.call.link")} />
      </Group>
    </Modal>
  );
}
