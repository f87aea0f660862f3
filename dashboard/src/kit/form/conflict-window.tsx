import { Button, Group, Modal, Table, Text } from "@mantine/core";
import { useText } from "../../text/text.ts";
import type { Values } from "./changes.ts";
import type { RecordForm as State } from "./use-record-form.ts";

const shown = (value: unknown): string =>
  value === null || value === undefined || value === ""
    ? "–"
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** Somebody else was faster: what was there, what they made of it and what you did, and three ways out. */
export default function ConflictWindow({ state, labels }: { state: State<Values>; labels: Record<string, string> }) {
  const t = useText();
  const { conflict, settle } = state;
  const rows = conflict?.changes ?? [];
  return (
    <Modal
      opened={conflict !== null}
      onClose={() => void settle("later")}
      withCloseButton={false}
      closeOnClickOutside={false}
      title={t("kit.form.conflict")}
      size="xl"
    >
      <Text size="sm" mb="md">
        {t("kit.form.conflictHelp")}
      </Text>
      <Table.ScrollContainer minWidth={320}>
        <Table
          data={{
            head: [t("kit.form.field"), t("kit.form.was"), t("kit.form.theirs"), t("kit.form.yours")],
            body: rows.map(({ field, was, theirs, yours }) => [
              labels[field] ?? field,
              shown(was),
              shown(theirs),
              shown(yours),
            ]),
          }}
        />
      </Table.ScrollContainer>
      <Group mt="lg" justify="flex-end">
        <Button variant="default" onClick={() => void settle("theirs")}>
          {t("kit.form.takeTheirs")}
        </Button>
        <Button onClick={() => void settle("yours")}>
          {t(conflict?.collisions.length ? "kit.form.overwrite" : "kit.form.keepBoth")}
        </Button>
      </Group>
    </Modal>
  );
}
