import fs from "node:fs";

const TICKS_A_SECOND = 100; // Fixed for user space on Linux.

type Stat = { parent: number; own: number; ended: number };

/** CPU seconds of a process and of its children that ended, from `/proc`. */
function statOf(pid: number): Stat | null {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces and brackets, so the fields are counted from its end.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const seconds = (...at: number[]) => at.reduce((sum, n) => sum + Number(fields[n]), 0) / TICKS_A_SECOND;
    return { parent: Number(fields[1]), own: seconds(11, 12), ended: seconds(13, 14) };
  } catch {
    return null;
  }
}

export const cpuOf = (pid: number): number | null => statOf(pid)?.own ?? null;

/** CPU seconds of a process with all its children, those that ended included. */
export function cpuOfFamily(pid: number): number | null {
  const head = statOf(pid);
  if (!head) return null;
  const all = fs.readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const children = all.filter(({ parent }) => parent === pid);
  return head.own + head.ended + children.reduce((sum, { own, ended }) => sum + own + ended, 0);
}

/** The process that started a connection's, if that is a PostgreSQL of this machine. */
export function postmasterOf(backendPid: number): number | null {
  try {
    const isPostgres = fs.readFileSync(`/proc/${backendPid}/comm`, "utf8").startsWith("postgres");
    return isPostgres ? (statOf(backendPid)?.parent ?? null) : null;
  } catch {
    return null;
  }
}
