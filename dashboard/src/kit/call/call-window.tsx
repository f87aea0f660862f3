import { Button, CopyButton, Group, Modal, SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import type { AnyOp } from "../../api/op.ts";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import classes from "./call-window.module.css";
import { curlOf } from "./curl.ts";
import { programOf } from "./program.ts";

/** What a call can be shown as. */
const WAYS = { curl: curlOf, TypeScript: programOf } as const;
type Way = keyof typeof WAYS;

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
  const [way, setWay] = useState<Way>("curl");
  const text = WAYS[way](operation, params, { body, origin: location.origin });
  return (
    <Modal opened onClose={onClose} title={t("kit.call.title")} size="lg">
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label={t("kit.call.as")}
        data={Object.keys(WAYS)}
        value={way}
        onChange={(next) => setWay(next as Way)}
      />
      <pre className={classes.call}>{text}</pre>
      <Text size="sm" c="dimmed" mb="lg">
        {t(way === "curl" ? "kit.call.help" : "kit.call.programHelp")}
      </Text>
      <Group>
        <Copy value={text} label={t("kit.call.copy")} />
        <Copy value={linkOf(project.id)} label={t("kit.call.link")} />
      </Group>
    </Modal>
  );
}
