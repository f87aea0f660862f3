import { Alert, Button, Group, Modal, Stack, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import { RequestError } from "../../api/errors.ts";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import { formatMoment } from "../date/date.ts";
import type { Values } from "./changes.ts";
import type { RecordForm as State } from "./use-record-form.ts";

const shown = (value: unknown): string =>
  value === null || value === undefined || value === ""
    ? "–"
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** Somebody else was faster: what was there, what they made of it and what you did, and three ways out. */
function ConflictWindow<V extends Values>({ state, labels }: { state: State<V>; labels: Record<string, string> }) {
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

type Props<V extends Values> = {
  state: State<V>;
  /** The names of the fields, for who has to choose between two changes. */
  labels?: Record<string, string>;
  children: ReactNode;
  saveText?: string;
};

/** The frame of a form: an offered draft, a fault that belongs to no field, the fields, and Save, which is never grey. */
export function RecordForm<V extends Values>({ state, labels = {}, children, saveText }: Props<V>) {
  const t = useText();
  const { timezone } = useProject();
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
      event.preventDefault();
      element.current?.requestSubmit();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  const { draft, fault } = state;
  return (
    <form ref={element} onSubmit={(event) => void state.submit(event)} noValidate>
      <Stack gap="lg" maw={720}>
        {draft && (
          <Alert color="blue" variant="light">
            <Group justify="space-between">
              <span>{t("kit.form.draft", { time: formatMoment(draft.savedAt, timezone) })}</span>
              <Group gap="sm">
                <Button size="xs" variant="default" onClick={state.restore}>
                  {t("kit.form.restore")}
                </Button>
                <Button size="xs" variant="default" onClick={state.discard}>
                  {t("kit.form.discard")}
                </Button>
              </Group>
            </Group>
          </Alert>
        )}
        {fault !== null && (
          <Alert color="red" variant="light" role="alert" title={t("kit.form.notSaved")}>
            {fault instanceof RequestError ? fault.details || t("kit.noAnswer") : String(fault)}
          </Alert>
        )}
        {children}
        <Group>
          <Button type="submit" loading={state.isBusy}>
            {saveText ?? t("kit.form.save")}
          </Button>
        </Group>
      </Stack>
      <ConflictWindow state={state} labels={labels} />
    </form>
  );
}
