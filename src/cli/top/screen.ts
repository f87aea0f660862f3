import type { Figures } from "./figures.ts";

export type SlowStatement = { ms: number; state: string; wait: string | null; text: string };
/** Null: it could not be asked. */
export type DatabaseState = { connections: number; connectionsMax: number; slow: readonly SlowStatement[] } | null;

type Cell = string | number;
type View = { url: string; time: string; width: number };

const count = (value: number): string => (value >= 100 || value === 0 ? `${Math.round(value)}` : value.toFixed(1));
const ms = (value: number | null): string =>
  value === null ? "–" : value === Infinity ? "> 5 s" : `≤ ${count(value)} ms`;

/** Columns of the width that their cells need; the first is text, the others are numbers. */
function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  if (rows.length === 0) return ["  nothing"];
  const all = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, n) => Math.max(...all.map((row) => row[n]!.length)));
  return all.map(
    (row) => `  ${row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!))).join("  ")}`,
  );
}

function databaseLines(database: DatabaseState): string[] {
  if (database === null) return ["Database      not asked: it could not be reached"];
  const { connections, connectionsMax, slow } = database;
  return [
    `Database      ${connections} of ${connectionsMax} connections`,
    "",
    "Slow statements (running for more than 100 ms)",
    ...table(
      ["statement", "state", "waits for", "ms"],
      slow.map((one) => [one.text, one.state, one.wait ?? "–", Math.round(one.ms)]),
    ),
  ];
}

/** One picture of the server, as lines of text no wider than the terminal. A text stands for figures that there are none of. */
export function screenOf(figures: Figures | string, database: DatabaseState, { url, time, width }: View): string[] {
  const head = [`laurel top    ${url}    ${time}`, ""];
  const lines =
    typeof figures === "string"
      ? [...head, figures, "", ...databaseLines(database)]
      : [...head, ...figureLines(figures, database)];
  return lines.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line));
}

function figureLines(figures: Figures, database: DatabaseState): string[] {
  const { operations, flows, jobs, lanes, connections, webhooks } = figures;
  return [
    `Requests      ${count(figures.perSecond)}/s, of which ${count(figures.refused)}/s refused and ${count(figures.failed)}/s failed`,
    `Latency       half ${ms(figures.p50)}, 99 of 100 ${ms(figures.p99)}`,
    `Redemptions   ${count(figures.redemptions)}/s`,
    `Lanes         ${lanes.busy} busy, ${count(lanes.aside)}/s set aside, ${lanes.failures} batches failed`,
    `Connections   ${connections.busy} busy, ${connections.waiting} wait for one`,
    `Webhooks      ${webhooks.delivered} delivered, ${webhooks.failed} failed since the start`,
    `Memory        ${Math.round(figures.memoryBytes / 2 ** 20)} MB, event loop late by ${count(figures.loopLagMs)} ms`,
    ...databaseLines(database),
    "",
    "Operations",
    ...table(
      ["operation", "per second", "half", "99 of 100", "failed/s"],
      operations.map((one) => [one.name, count(one.perSecond), ms(one.p50), ms(one.p99), count(one.failed)]),
    ),
    "",
    "Batches",
    ...table(
      ["flow", "per second", "commands", "waited", "took"],
      flows.map((one) => [one.name, count(one.perSecond), count(one.size), ms(one.waitP99), ms(one.p99)]),
    ),
    "",
    "Jobs",
    ...table(
      ["job", "done", "failed", "last"],
      jobs.map((one) => [
        one.name,
        one.done,
        one.failed,
        one.agoSeconds === null ? "never" : `${one.agoSeconds} s ago`,
      ]),
    ),
  ];
}
