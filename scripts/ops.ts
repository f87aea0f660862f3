import "./temp-dir.ts";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createLab, type Lab } from "../test/ops/lab/lab.ts";
import { requirePackages } from "../test/ops/lab/packages.ts";

// npm run test:ops -- NAME: tries what `docs/reference/reliability.md` promises, with the programs of Debian that operators use.
// These take minutes and install packages, so `npm test` leaves them out.
type Numbers = Partial<Record<"rounds" | "rows" | "restarts" | "seed" | "seconds" | "minutes", number>>;
type Promised = {
  summary: string;
  packages: readonly string[];
  /** It lays out a network of its own, which needs root. */
  hasNetwork?: true;
  load(): Promise<{ run(lab: Lab, options: Numbers & { from?: string; only?: string }): Promise<void> }>;
};

const PROMISES: Record<string, Promised> = {
  "rolling-restart": {
    summary: "Two servers behind HAProxy are restarted 20 times under load: no request fails (--restarts).",
    packages: ["haproxy"],
    load: () => import("../test/ops/promises/rolling-restart.ts"),
  },
  upgrade: {
    summary: "The release before and this one side by side on one database, then this one alone (--from REVISION).",
    packages: ["haproxy"],
    load: () => import("../test/ops/promises/upgrade.ts"),
  },
  "migration-locks": {
    summary: "Migrations of a table with 1,000,000 rows, beside a long reader: writers go on (--rows).",
    packages: [],
    load: () => import("../test/ops/promises/migration-locks.ts"),
  },
  conversion: {
    summary: "A database of 0.2.0 with 1,000,000 redemptions: laurel migrate is killed and goes on (--rows).",
    packages: [],
    load: () => import("../test/ops/promises/conversion.ts"),
  },
  failover: {
    summary:
      "Three PostgreSQL machines with Patroni: kills, freezes, cuts, switchovers (--rounds, 50; --seed; --only FAULT).",
    packages: ["patroni", "python3-etcd", "etcd-server", "etcd-client", "haproxy", "postgresql-15", "iproute2"],
    hasNetwork: true,
    load: () => import("../test/ops/promises/failover.ts"),
  },
  "several-machines": {
    summary: "Two Laurel machines on one database: keys, tokens, sessions, catalog and jobs hold across them.",
    packages: ["iproute2"],
    hasNetwork: true,
    load: () => import("../test/ops/promises/several-machines.ts"),
  },
  pgbouncer: {
    summary: "Laurel behind PgBouncer in transaction mode: operations, jobs and a restart of the pooler.",
    packages: ["pgbouncer"],
    load: () => import("../test/ops/promises/pgbouncer.ts"),
  },
  citus: {
    summary:
      "On a Citus cluster, which is built by hand, a project moves while its codes are redeemed (--rounds, 4); then a machine is lost.",
    packages: ["postgresql-15"],
    load: () => import("../test/ops/promises/citus.ts"),
  },
  overload: {
    summary: "Ten times of what a server can do: good answers go on, the rest is refused at once (--seconds, 60).",
    packages: [],
    load: () => import("../test/ops/promises/overload.ts"),
  },
  soak: {
    summary: "Half of what a server can do, for long: memory, descriptors and times stay (--minutes, 10).",
    packages: [],
    load: () => import("../test/ops/promises/soak.ts"),
  },
  faults: {
    summary: "A held row, a slow disk, a full disk, no connection left, a jumping clock: only what needs it suffers.",
    packages: ["postgresql-15", "gcc", "libc6-dev", "faketime", "haproxy"],
    load: () => import("../test/ops/promises/faults.ts"),
  },
  recovery: {
    summary: "A backup of pgBackRest and its archive bring back a chosen second.",
    packages: ["postgresql-15", "pgbackrest"],
    load: () => import("../test/ops/promises/recovery.ts"),
  },
  package: {
    summary: "A release is packed, checked, and started by npx in an empty folder.",
    packages: [],
    load: () => import("../test/ops/promises/package.ts"),
  },
  systemd: {
    summary: "systemd finds no fault in the unit, and little that it could still take away.",
    packages: ["systemd"],
    load: () => import("../test/ops/promises/systemd.ts"),
  },
  helm: {
    summary: "The chart is rendered as Helm does and held against the schemas of Kubernetes.",
    packages: ["golang-go", "golang-github-masterminds-sprig-dev", "golang-gopkg-yaml.v3-dev"],
    load: () => import("../test/ops/promises/helm.ts"),
  },
};

const number = { type: "string" } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean" },
    from: { type: "string" },
    only: { type: "string" },
    ...{ rounds: number, rows: number, restarts: number, seed: number, seconds: number, minutes: number },
  },
});
const [name] = positionals;
const promised = name === undefined ? undefined : PROMISES[name];
if (values.help || name === undefined || !promised) {
  const lines = Object.entries(PROMISES).map(([one, { summary }]) => `  ${one.padEnd(18)}${summary}`);
  console.log(
    ["npm run test:ops -- NAME", "", ...lines, "", "Figures are also written to data/ops/NAME.json."].join("\n"),
  );
  process.exit(values.help ? 0 : 2);
}

requirePackages(promised.packages);
// Nothing of it can be seen from outside, and all of it is gone with the process.
const INSIDE = "OPS_INSIDE";
if (promised.hasNetwork && process.env[INSIDE] === undefined) {
  const again = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { status } = spawnSync("unshare", ["--net", ...again], {
    stdio: "inherit",
    env: { ...process.env, [INSIDE]: "1" },
  });
  process.exit(status ?? 1);
}
delete process.env[INSIDE];

const lab = createLab(name);
const numbers = Object.fromEntries(
  (["rounds", "rows", "restarts", "seed", "seconds", "minutes"] as const).flatMap((key) =>
    values[key] === undefined ? [] : [[key, Number(values[key])]],
  ),
);
const from = values.from !== undefined && { from: values.from };
const only = values.only !== undefined && { only: values.only };
try {
  const { run } = await promised.load();
  await run(lab, { ...numbers, ...only, ...from });
} catch (error) {
  lab.fail(error);
} finally {
  await lab.end();
}
process.exit(lab.report() ? 0 : 1);
