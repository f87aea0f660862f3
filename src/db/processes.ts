import { spawnSync } from "node:child_process";
import fs from "node:fs";

/** The user to run as; undefined when it is the one we are. */
export type Who = { uid: number; gid: number } | undefined;

/** PostgreSQL refuses to run as root, so root starts it as `postgres` or `nobody`, whichever the machine has. */
export function databaseUser(): Who {
  if (process.getuid?.() !== 0) return undefined;
  const users = fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!user) throw new Error("Started by root, and there is no user `postgres` or `nobody` to run PostgreSQL as.");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** Whether that user can work in the folder. A home directory of mode 700 above it is enough to say no. */
export const canUse = (who: Who, dir: string): boolean =>
  spawnSync("/bin/sh", ["-c", 'cd "$0" && test -w .', dir], { ...who }).status === 0;

export type ProcessInfo = { command: string; started: string };

/** The command line and start of a process, or undefined when there is none. A zombie's command line is empty. */
export function processInfo(pid: number): ProcessInfo | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (!fs.existsSync("/proc/self/stat")) {
    const ps = (field: string) => spawnSync("ps", ["-ww", "-o", `${field}=`, "-p", `${pid}`], { encoding: "utf8" });
    const command = ps("command").stdout.trim();
    return command === "" ? undefined : { command, started: ps("lstart").stdout.trim() };
  }
  try {
    // The name in brackets may hold spaces and brackets, so the fields are counted from its end; the 20th is the start.
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    return { command: fs.readFileSync(`/proc/${pid}/cmdline`, "utf8"), started };
  } catch {
    return undefined;
  }
}
