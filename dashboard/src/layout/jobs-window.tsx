import { Anchor, Popover, Stack, Text } from "@mantine/core";
import { cloneElement, type ReactElement, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import type { RowOf } from "../api/op.ts";
import type { listAsyncActions } from "../api/operations.gen.ts";
import { UsedBar } from "../kit/chart/small.tsx";
import { StatusBadge } from "../kit/status/status-badge.tsx";
import { jobName } from "../registry/job-name.ts";
import { useText } from "../text/text.ts";
import classes from "./layout.module.css";

type Job = RowOf<typeof listAsyncActions>;
const UNDER_WAY = ["ENQUEUED", "IN_PROGRESS"];
const isUnderWay = ({ status }: Job): boolean => UNDER_WAY.includes(status);

/** The jobs of late, below their button. It opens as soon as it is there. */
export default function JobsWindow({ jobs, button }: { jobs: readonly Job[]; button: ReactElement<object> }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    target.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={320} trapFocus returnFocus>
      <Popover.Target>
        {cloneElement(button, { ref: target, onClick: () => setOpen((before) => !before) } as object)}
      </Popover.Target>
      <Popover.Dropdown aria-label={t("layout.jobs")}>
        <Stack gap="sm">
          {jobs.map((job) => (
            <div key={job.id} className={classes.job}>
              <Anchor component={Link} to={`/settings/jobs/${job.id}`} size="sm" underline="always">
                {t(jobName(job.type))}
              </Anchor>
              {isUnderWay(job) ? (
                <UsedBar isWork share={job.progress / 100} label={`${Math.floor(job.progress)}%`} />
              ) : (
                <StatusBadge status={job.status} />
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
