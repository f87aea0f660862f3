import { Link } from "react-router";
import { getTestClock } from "../api/operations.gen.ts";
import { useCan, useProject } from "../api/session.ts";
import { useOp } from "../api/use-op.ts";
import { formatShort } from "../kit/date/date.ts";
import { useText } from "../text/text.ts";
import classes from "./layout.module.css";

const EVERY_MS = 60_000;

/** What time it is in a sandbox whose clock was moved: everything on the page is as of then. */
export default function TestClock() {
  const t = useText();
  const can = useCan();
  const { id: projectId, timezone } = useProject();
  const { data } = useOp(getTestClock, { projectId }, { enabled: can("getTestClock"), everyMs: EVERY_MS });
  if (!data || data.offset_ms === 0) return null;
  return (
    <Link to="/settings/sandbox" className={classes.clock!} title={t("layout.clockHelp")}>
      <time dateTime={data.now}>{t("layout.clock", { time: formatShort(data.now, timezone) })}</time>
    </Link>
  );
}
