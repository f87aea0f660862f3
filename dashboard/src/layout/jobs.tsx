import { ActionIcon, Anchor, Indicator, Popover, Stack, Text } from "@mantine/core";
import { IconProgress } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { listAsyncActions } from "../api/operations.gen.ts";
import { useCan } from "../api/session.ts";
import { useOp } from "../api/use-op.ts";
import { UsedBar } from "../kit/chart/small.tsx";
import { StatusBadge } from "../kit/status/status-badge.tsx";
import { useText } from "../text/text.ts";
import classes from "./layout.module.css";

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
  return (
    <Popover position="bottom-end" width={320} trapFocus returnFocus>
      <Indicator label={count} disabled={count === 0} size={16} offset={4}>
        <Popover.Target>
          <ActionIcon aria-label={label} title={label}>
            <IconProgress size={20} stroke={1.75} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label={t("layout.jobs")}>
        <Stack gap="sm">
          {jobs.map(({ id, type, status, progress }) => (
            <div key={id} className={classes.job}>
              <Anchor component={Link} to={`/settings/jobs/${id}`} size="sm" className="mono" underline="always">
                {type}
              </Anchor>
              {UNDER_WAY.includes(status) ? (
                <UsedBar isWork share={progress / 100} label={`${Math.floor(progress)}%`} />
              ) : (
                <StatusBadge status={status} />
              )}
            </div>
          ))}
          <Text size="xs" c="dimmed">
            {t("layout.jobsHelp")}
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
