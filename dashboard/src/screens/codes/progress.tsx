import { Alert, Anchor, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type AsyncAction, getAsyncAction, importVouchersCsv } from "../../api/operations.gen.ts";
import { askAgainAfter, useOp } from "../../api/use-op.ts";
import { type Column, text } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { Failure } from "../../kit/states/states.tsx";
import { jobSays } from "../../registry/job-name.ts";
import { useText } from "../../text/text.ts";

const EVERY_MS = 700;
type FailedRow = NonNullable<NonNullable<AsyncAction["result"]>["failed"]>[number];

const COLUMNS: readonly Column<FailedRow>[] = [
  text<FailedRow>("codes.line", "line"),
  text<FailedRow>("codes.column", "column"),
  text<FailedRow>("codes.code", "code"),
  text<FailedRow>("codes.fault", "reason"),
];

const isOver = (action: AsyncAction | undefined) => action?.status === "DONE" || action?.status === "FAILED";

/** Work that goes on after the answer: how far it is, and in the end what was done and what was not. */
export function ActionProgress({ id, onDone }: { id: string; onDone?: (action: AsyncAction) => void }) {
  const t = useText();
  const client = useQueryClient();
  const [isWaiting, setWaiting] = useState(true);
  const { data, error, refetch } = useOp(getAsyncAction, { asyncActionId: id }, isWaiting ? { everyMs: EVERY_MS } : {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: only its end counts.
  useEffect(() => {
    if (!isOver(data)) return;
    setWaiting(false);
    void askAgainAfter(client, importVouchersCsv);
    onDone?.(data!);
  }, [data?.status]);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  const { progress = 0, result, status } = data ?? {};
  const failed = result?.failed ?? [];
  const report = result?.reports?.[0];
  return (
    <Stack gap="md">
      {!isOver(data) && (
        <Stack gap={4} role="status">
          <Text size="sm">{t("codes.working", { percent: Math.floor(progress) })}</Text>
          <Progress value={progress} aria-label={t("codes.progress")} />
        </Stack>
      )}
      {isOver(data) && (
        <Alert
          role="status"
          variant="light"
          color={status === "FAILED" ? "red" : (result?.failed_count ?? 0) > 0 ? "yellow" : "laurel"}
        >
          {jobSays(t, result ?? null) ?? t(status === "FAILED" ? "codes.actionFailed" : "codes.actionDone")}
        </Alert>
      )}
      {failed.length > 0 && (
        <SmallTable
          label={t("codes.faults")}
          rows={failed}
          columns={COLUMNS}
          idOf={({ line, row, index, code, column }) => [line, row, index, code, column].join()}
        />
      )}
      {report && (
        <Anchor
          href={new URL(report, location.origin).pathname + new URL(report, location.origin).search}
          size="sm"
          download
        >
          {t("codes.report")}
        </Anchor>
      )}
    </Stack>
  );
}
