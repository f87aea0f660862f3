import { execFileSync } from "node:child_process";
import os from "node:os";
import { parseArgs } from "node:util";
import { VERSION } from "../src/version.ts";
import { type Lab, withLab } from "./lab.ts";
import { type Cpu, type Line, type Measured, reaches } from "./line.ts";
import { bulkUpdates } from "./lines/bulk-updates.ts";
import { cart, sessions } from "./lines/cart.ts";
import { codeLists } from "./lines/code-lists.ts";
import { configurationWrites } from "./lines/configuration-writes.ts";
import { dearestRequests } from "./lines/dearest-requests.ts";
import { events } from "./lines/events.ts";
import { expiry } from "./lines/expiry.ts";
import { exportRows } from "./lines/export.ts";
import { figures, figuresOfCustomers } from "./lines/figures.ts";
import { allocated, rss } from "./lines/footprint.ts";
import { generateCodes } from "./lines/generate-codes.ts";
import { importFile } from "./lines/import.ts";
import { memory } from "./lines/memory.ts";
import { ordinaryRequests } from "./lines/ordinary-requests.ts";
import { qualifications } from "./lines/qualifications.ts";
import { lists, listsOfCustomers, redemptionOrders } from "./lines/redemption-lists.ts";
import { cores, hotCode, loneRedemption, redemptions } from "./lines/redemptions.ts";
import { rollups } from "./lines/rollups.ts";
import { eventsRows, loneRedemptionRows, redemptionsRows } from "./lines/same-rows.ts";
import { eventsOnFew, redemptionsLarge, redemptionsOnFew, validationsOnFew } from "./lines/scale.ts";
import { search } from "./lines/search.ts";
import { start } from "./lines/start.ts";
import { toldRedemptions } from "./lines/told-redemptions.ts";
import { validationCpu, validations } from "./lines/validations.ts";
import { roundTrips, wal, walOfTenLines, walRecords, walRecordsOfTenLines } from "./lines/written.ts";

/** Every line of the table. A new one is a file and a word here. */
export const LINES: readonly Line[] = [
  validations,
  validationCpu,
  qualifications,
  configurationWrites,
  generateCodes,
  importFile,
  bulkUpdates,
  redemptions,
  cores,
  hotCode,
  toldRedemptions,
  loneRedemption,
  listsOfCustomers,
  lists,
  redemptionOrders,
  codeLists,
  exportRows,
  figures,
  figuresOfCustomers,
  rollups,
  search,
  events,
  redemptionsRows,
  eventsRows,
  loneRedemptionRows,
  cart,
  sessions,
  redemptionsOnFew,
  eventsOnFew,
  validationsOnFew,
  redemptionsLarge,
  expiry,
  memory,
  allocated,
  rss,
  start,
  dearestRequests,
  ordinaryRequests,
  wal,
  walRecords,
  walOfTenLines,
  walRecordsOfTenLines,
  roundTrips,
];

const HELP = `npm run bench -- [line …] [--quick]

Measures the engine against what the same machine can do at most, and exits with 1 when a floor is missed.

Lines:     ${LINES.map(({ name }) => name).join(", ")}; all of them without a name
--quick    a few requests each: proves that the bench works, and its figures say nothing
DATABASE_URL names the PostgreSQL server to use; without it an embedded one is started. A database of its own is made
there and dropped at the end.`;

type Row = { line: Line; measured: Measured };

const figure = (value: number | null): string =>
  value === null ? "-" : value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
const ratio = ({ isGrowth }: Line, value: number | null): string =>
  value === null ? "no baseline" : isGrowth ? `${(value * 100).toFixed(2)}%` : value.toFixed(2);
const limit = (line: Line, value: number | null): string =>
  value === null ? "-" : `${line.better === "higher" ? "≥" : "≤"} ${ratio(line, value)}`;
const cpu = (one: Cpu | undefined): string =>
  one
    ? `${one.node === null ? "-" : Math.round(one.node)} / ${one.postgres === null ? "-" : Math.round(one.postgres)}`
    : "-";

const COLUMNS: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ["Line", ({ line }) => line.name],
  ["Unit", ({ measured }) => measured.unit],
  ["Baseline", ({ measured }) => figure(measured.baseline)],
  ["Engine", ({ measured }) => figure(measured.engine)],
  ["Ratio", ({ line, measured }) => ratio(line, measured.ratio)],
  ["Floor", ({ line }) => limit(line, line.floor)],
  ["Aim", ({ line }) => limit(line, line.aim)],
  ["", ({ line, measured }) => verdict(line, measured)],
  ["CPU us baseline (node / pg)", ({ measured }) => cpu(measured.cpu?.baseline)],
  ["CPU us engine", ({ measured }) => cpu(measured.cpu?.engine)],
];

const verdict = (line: Line, { ratio: value }: Measured): string =>
  value === null || line.floor === null
    ? "-"
    : reaches(line, value, line.aim)
      ? "aim"
      : reaches(line, value, line.floor)
        ? "floor"
        : "MISSED";

export function tableOf(rows: readonly Row[]): string {
  const cells = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row)))];
  const widths = COLUMNS.map((_, n) => Math.max(...cells.map((line) => line[n]!.length)));
  const [head, ...body] = cells.map((line) => `| ${line.map((text, n) => text.padEnd(widths[n]!)).join(" | ")} |`);
  return [head, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...body].join("\n");
}

const revision = (): string => {
  try {
    const git = (...args: string[]) =>
      execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return git("describe", "--always", "--dirty").trim();
  } catch {
    return "unknown";
  }
};

const surroundings = ({ postgresVersion }: Lab): string =>
  [
    `Laurel ${VERSION} (${revision()})`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${postgresVersion}`,
    `${os.availableParallelism()} x ${os.cpus()[0]?.model.trim() ?? "unknown CPU"}, ${os.arch()}`,
    `load before ${os.loadavg()[0]!.toFixed(1)}`,
  ].join(", ");

/** Runs the lines one after the other and prints as it goes. Returns those that missed their floor. */
export async function runBench(
  names: readonly string[],
  { quick, print }: { quick: boolean; print(text: string): void },
): Promise<{ rows: Row[]; missed: Row[] }> {
  const unknown = names.find((name) => !LINES.some((line) => line.name === name));
  if (unknown !== undefined) throw new Error(`There is no line ${unknown}.\n\n${HELP}`);
  const chosen = names.length === 0 ? LINES : LINES.filter(({ name }) => names.includes(name));
  return withLab(process.env.DATABASE_URL, async (lab) => {
    print(surroundings(lab));
    const rows: Row[] = [];
    for (const line of chosen) {
      const measured = await line.run(lab, { quick });
      rows.push({ line, measured });
      const { title, unit, baseline, engine, notes = [] } = measured;
      print(`\n${line.name}: ${[title, ...notes].join("; ")}`);
      print(`  ${figure(engine)} ${unit} against ${figure(baseline)}: ${ratio(line, measured.ratio)}`);
    }
    print(`\n${tableOf(rows)}`);
    return { rows, missed: rows.filter(({ line, measured }) => !reaches(line, measured.ratio, line.floor)) };
  });
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) console.log(HELP);
  else {
    const { missed } = await runBench(positionals, { quick: values.quick, print: console.log });
    if (missed.length > 0 && !values.quick) process.exitCode = 1;
  }
}
