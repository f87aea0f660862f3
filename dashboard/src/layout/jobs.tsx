import { ActionIcon, Indicator } from "@mantine/core";
import { IconProgress } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { cloneElement, lazy, Suspense, useEffect, useState } from "react";
import { listAsyncActions } from "../api/operations.gen.ts";
import { useCan } from "../api/session.ts";
import { useOp } from "../api/use-op.ts";
import { useText } from "../text/text.ts";

const JobsWindow = lazy(() => import("./jobs-window.tsx"));

const SHOWN = 6;
const IDLE_MS = 30_000;
const WORKING_MS = 2_000;
const UNDER_WAY = ["ENQUEUED", "IN_PROGRESS"];

/** Long work: how far it is, on every page. It goes on when the page is closed. */
export default function Jobs() {
  const t = useText();
  const can = useCan();
  const client = useQueryClient();
  const [working, setWorking] = useState(0);
  const { data, refetch } = useOp(
    listAsyncActions,
    { limit: SHOWN },
    { enabled: can("listAsyncActions"), everyMs: working > 0 ? WORKING_MS : IDLE_MS },
  );
  const jobs = data?.async_actions ?? [];
  const count = jobs.filter(({ status }) => UNDER_WAY.includes(status)).length;
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    // What the work has changed is shown when it is done.
    if (count < working) void client.invalidateQueries();
    setWorking(count);
  }, [count, working, client]);
  useEffect(
    () =>
      client.getMutationCache().subscribe(({ type, mutation }) => {
        // Whatever was started here is seen at once.
        const answer = mutation?.state.data as { async_action_id?: string } | null | undefined;
        if (type === "updated" && answer?.async_action_id) void refetch();
      }),
    [client, refetch],
  );
  if (!can("listAsyncActions") || jobs.length === 0) return null;
  const label = count === 0 ? t("layout.jobs") : t("layout.jobsRunning", { count });
  const button = (
    <ActionIcon aria-label={label} title={label}>
      <IconProgress size={20} stroke={1.75} />
    </ActionIcon>
  );
  const plain = cloneElement(button, {
    "aria-haspopup": "dialog",
    "aria-expanded": false,
    onClick: () => setWanted(true),
  } as object);
  return (
    <Indicator label={count} disabled={count === 0} size={16} offset={4}>
      <Suspense fallback={plain}>{isWanted ? <JobsWindow jobs={jobs} button={button} /> : plain}</Suspense>
    </Indicator>
  );
}
