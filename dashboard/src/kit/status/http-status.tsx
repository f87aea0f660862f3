import classes from "./status-badge.module.css";

const LOOKS: Record<string, string> = { "2": "active", "3": "scheduled", "4": "disabled", "5": "failed" };

/** A status of HTTP. Only what went wrong at the server is red. */
export const HttpStatus = ({ status }: { status: number }) => (
  <span className={`${classes.badge} ${classes[LOOKS[String(status)[0]!] ?? "expired"]}`}>{status}</span>
);
