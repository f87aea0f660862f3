import { ActionIcon, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useText } from "../../text/text.ts";
import classes from "./json.module.css";

/** A value as text: JSON with its lines, and what is a text already as it is. */
export function printed(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? "";
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** What was sent or answered, to be read and copied. `label` names it for who does not see it. */
export function JsonBlock({ value, label }: { value: unknown; label: string }) {
  const t = useText();
  const text = printed(value);
  return (
    <div className={classes.frame}>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon
            title={t(copied ? "kit.call.copied" : "kit.call.copy")}
            className={classes.copy!}
            size="md"
            onClick={copy}
            aria-label={`${t(copied ? "kit.call.copied" : "kit.call.copy")}: ${label}`}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} stroke={1.75} />}
          </ActionIcon>
        )}
      </CopyButton>
      {/* It scrolls, so it must be reached by keyboard. */}
      {/* biome-ignore lint/a11y: it is no form, and it scrolls. */}
      <div className={classes.block} tabIndex={0} role="group" aria-label={label}>
        <pre>{text === "" ? "–" : text}</pre>
      </div>
    </div>
  );
}
