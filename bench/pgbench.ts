import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { compare, perSecond } from "./compare.ts";
import { cpuOfFamily } from "./cpu.ts";
import type { Lab, Server } from "./lab.ts";
import type { Cpu, Measured } from "./line.ts";
import type { Outcome, Requests } from "./load.ts";

// What PostgreSQL itself can do of the same work: one statement that takes a use of a code, and keeps the redemption and
// the event of it. Driven by PostgreSQL's own tool, which is not a part of the embedded server.

const CODES = 100_000;
const CLIENTS = 16;
const QUICK = 10;

export const hasPgbench = (): boolean => {
  try {
    execFileSync("pgbench", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const TRANSACTION = `
\\set code random(1, ${CODES})
with taken as (
  update least_codes set redeemed = redeemed + 1 where id = :code and redeemed < quantity returning id),
kept as (
  insert into least_redemptions (code_id, customer_id, payload)
  select id, 'cust_' || id, repeat('x', 330) from taken returning id)
insert into least_events (redemption_id, payload) select id, repeat('x', 330) from kept;
`;

export async function makeLeastTables({ db }: Lab): Promise<void> {
  await db.unsafe(`
    create table if not exists least_codes (id bigint primary key, code text unique, quantity bigint, redeemed bigint);
    insert into least_codes select n, 'LEAST-' || n, 1000000000, 0 from generate_series(1, ${CODES}) n
      on conflict do nothing;
    create table if not exists least_redemptions (id bigserial primary key, code_id bigint, customer_id text,
      payload text, created_at timestamptz not null default now());
    create index if not exists least_redemptions_by_code on least_redemptions (code_id, created_at);
    create index if not exists least_redemptions_by_customer on least_redemptions (customer_id, created_at);
    create table if not exists least_events (id bigserial primary key, redemption_id bigint, payload text,
      created_at timestamptz not null default now());`);
}

/** Runs the transaction for some seconds, with as many clients as suit it best, or alone. */
export async function runLeast(
  { url, postmaster }: Lab,
  { seconds, clients = CLIENTS }: { seconds: number; clients?: number },
): Promise<Outcome & { cpu: Cpu }> {
  const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-pgbench-"));
  try {
    fs.writeFileSync(join(dir, "least.sql"), TRANSACTION);
    const before = postmaster === null ? null : cpuOfFamily(postmaster);
    const threads = String(Math.min(clients, os.availableParallelism()));
    // The tool counts whole seconds: what is quicker is a few transactions.
    const amount = seconds < 1 ? ["-t", String(QUICK)] : ["-T", String(Math.round(seconds))];
    const options = ["-n", "-M", "prepared", "-c", String(clients), "-j", threads, ...amount, "-l"];
    const args = [...options, "--log-prefix", join(dir, "log"), "-f", join(dir, "least.sql"), url];
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      const env = { ...process.env, PGOPTIONS: "-c search_path=laurel" };
      const child = spawn("pgbench", args, { env, stdio: ["ignore", "ignore", "inherit"] });
      child.once("error", reject);
      child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`pgbench ended with ${code}`))));
    });
    const took = seconds < 1 ? (performance.now() - began) / 1000 : Math.round(seconds);
    const after = postmaster === null ? null : cpuOfFamily(postmaster);
    // "client transaction microseconds …"
    const files = fs.readdirSync(dir).filter((name) => name.startsWith("log"));
    const lines = files.flatMap((name) => fs.readFileSync(join(dir, name), "utf8").trim().split("\n"));
    const times = Float64Array.from(lines, (line) => Number(line.split(" ")[2]) / 1000).sort();
    const spent = before === null || after === null ? null : ((after - before) * 1_000_000) / times.length;
    return { count: times.length, seconds: took, times, cpu: { node: null, postgres: spent } };
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** Requests against that statement; without its tool there is nothing to hold them against. */
export async function againstLeast(
  lab: Lab,
  server: Server,
  { requests, quick, title }: { requests: Requests; quick: boolean; title: string },
): Promise<Measured> {
  const unit = "req/s";
  const seconds = quick ? 0.2 : 8;
  if (!hasPgbench()) {
    const engine = perSecond(await server.measure(requests, { seconds }));
    return { title, unit, baseline: null, engine, ratio: null, notes: ["no pgbench on this machine"] };
  }
  await makeLeastTables(lab);
  const sides = { baseline: () => runLeast(lab, { seconds }), engine: () => server.measure(requests, { seconds }) };
  return { title, unit, ...(await compare(sides, perSecond)) };
}
