import { Alert, Button, Group, Stack } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import { ShowFormAsCall } from "../call/show-as-call.tsx";
import { formatMoment } from "../date/date.ts";
import { errorWord } from "../states/error-word.ts";
import type { Values } from "./changes.ts";
import type { RecordForm as State } from "./use-record-form.ts";

// Seldom needed, and with it a window and a table.
const ConflictWindow = lazy(() => import("./conflict-window.tsx"));

type Props<V extends Values> = {
  state: State<V>;
  /** The names of the fields, for who has to choose between two changes. */
  labels?: Record<string, string>;
  children: ReactNode;
  saveText?: string;
  /** Another way to save, beside the first one. */
  beside?: ReactNode;
};

/** The frame of a form: an offered draft, a fault that belongs to no field, the fields, and Save, which is never grey. */
export function RecordForm<V extends Values>({ state, labels = {}, children, saveText, beside }: Props<V>) {
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
            {errorWord(t, fault)}
          </Alert>
        )}
        {children}
        <Group>
          <Button type="submit" loading={state.isBusy}>
            {saveText ?? t("kit.form.save")}
          </Button>
          {beside}
          <ShowFormAsCall of={state.calls} />
        </Group>
      </Stack>
      {state.conflict !== null && (
        <Suspense>
          <ConflictWindow state={state as unknown as State<Values>} labels={labels} />
        </Suspense>
      )}
    </form>
  );
}
