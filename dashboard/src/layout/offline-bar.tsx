import { onlineManager } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { formatTime } from "../kit/date/date.ts";
import { useText } from "../text/text.ts";
import classes from "./offline-bar.module.css";

/** Stands on top while the server does not answer. Everything that was read stays. */
export function OfflineBar() {
  const t = useText();
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  const [since, setSince] = useState("");
  useEffect(() => {
    if (!isOnline) setSince(new Date().toISOString());
  }, [isOnline]);
  return (
    <div role="status">
      {!isOnline && <div className={classes.bar}>{t("layout.offline", { time: since && formatTime(since) })}</div>}
    </div>
  );
}
