import { Button, CopyButton, Group, Modal, SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import type { Call } from "../../api/op.ts";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import classes from "./call-window.module.css";
import { credentialOf, curlOf } from "./curl.ts";
import { programOf } from "./program.ts";
import { withoutSecrets } from "./secrets.ts";

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

type Props = { calls: readonly Call[]; isForm?: boolean; onClose: () => void };

export default function CallWindow({ calls, isForm = false, onClose }: Props) {
  const t = useText();
  const project = useProject();
  const [way, setWay] = useState<Way>("curl");
  const { origin } = location;
  const isOfSession = calls.some(({ operation }) => credentialOf(operation) === "session");
  const text = calls
    .map(({ operation, params, body, file }, index) => {
      const place = calls.length > 1 ? index + 1 : undefined;
      return WAYS[way](operation, params, { body: withoutSecrets(body), file, origin, place });
    })
    .join("\n\n");
  return (
    <Modal opened onClose={onClose} title={t(isForm ? "kit.call.formTitle" : "kit.call.title")} size="lg">
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label={t("kit.call.as")}
        data={Object.keys(WAYS)}
        value={way}
        onChange={(next) => setWay(next as Way)}
      />
      <pre className={classes.call}>{text}</pre>
      {calls.length > 1 && (
        <Text size="sm" mb="sm">
          {t("kit.call.several", { count: calls.length })}
        </Text>
      )}
      <Text size="sm" c="dimmed" mb="lg">
        {t(way !== "curl" ? "kit.call.programHelp" : isOfSession ? "kit.call.sessionHelp" : "kit.call.help")}
      </Text>
      <Group>
        <Copy value={text} label={t("kit.call.copy")} />
        <Copy value={linkOf(project.id)} label={t("kit.call.link")} />
      </Group>
    </Modal>
  );
}
