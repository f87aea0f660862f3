import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { examine } from "../../src/cli/doctor.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { createMetrics, METRICS } from "../../src/http/metrics.ts";
import { JOB_NAMES } from "../../src/jobs/registry.ts";
import { eventually, headersIn, serve, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => fs.readFileSync(join(ROOT, path), "utf8");

type Alert = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
};
const alerts = (parse(read("ops/prometheus/alerts.yaml")) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const panels = (JSON.parse(read("ops/grafana/laurel.json")) as { panels: { targets: { expr: string }[] }[] }).panels;
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

const SERIES: Record<string, RegExp> = { histogram: /_(?:bucket|sum|count)$/, counter: /^$/, gauge: /^$/ };
const metricOf = (series: string) =>
  Object.entries(METRICS).find(
    ([name, { kind }]) => series === name || (kind === "histogram" && series.replace(SERIES.histogram!, "") === name),
  );

/** What an expression uses that Laurel does not have: series, and labels in braces and in `by`. */
function unknownIn(expr: string): string[] {
  const series = [...expr.matchAll(/\blaurel_\w+/g)].map(([name]) => name);
  const known = series.map((one) => metricOf(one)?.[1] as { kind: string; labels?: readonly string[] } | undefined);
  const labels = new Set(["le", ...known.flatMap((metric) => metric?.labels ?? [])]);
  const used = [
    ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner]) =>
      [...inner!.matchAll(/(\w+)\s*=/g)].map(([, name]) => name!),
    ),
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(",").map((name) => name.trim())),
  ];
  const whole = series.filter((one, n) => known[n]?.kind === "histogram" && !SERIES.histogram!.test(one));
  return [...series.filter((_, n) => !known[n]), ...whole, ...used.filter((label) => !labels.has(label))];
}

test("alerts and the dashboard use metrics and labels that there are, and every metric is shown", () => {
  assert.ok(alerts.length > 8 && panels.length > 12);
  for (const expr of expressions) assert.deepEqual(unknownIn(expr), [], expr);
  const text = expressions.join("\n");
  for (const name of Object.keys(METRICS)) assert.ok(text.includes(name), `${name} is in no alert and no panel`);
  assert.deepEqual(unknownIn("rate(laurel_nothing_total{flow=~'x'}[5m])"), ["laurel_nothing_total", "flow"]);
  assert.deepEqual(unknownIn("sum by (jobs) (laurel_job_duration_seconds)"), ["laurel_job_duration_seconds", "jobs"]);
});

const GUIDE = "docs/guides/operating.md";
/** The sections below a heading, with their names. */
const sectionsOf = (heading: string): Map<string, string> => {
  const [, below = ""] = read(GUIDE).split(`\n## ${heading}\n`);
  const [own = ""] = below.split(/^## /m);
  return new Map(
    own
      .split(/^### /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf("\n")), text]),
  );
};

test("every alert leads to a section of the operating guide, and every section there is of an alert", () => {
  for (const { alert, labels, annotations } of alerts) {
    assert.equal(annotations.runbook, `${GUIDE}#${alert.toLowerCase()}`);
    assert.ok(["page", "ticket"].includes(labels.severity));
  }
  assert.deepEqual(
    [...sectionsOf("When an alert fires").keys()],
    alerts.map(({ alert }) => alert),
  );
});

test("who is woken reads what they see, where to look and what to do, with something to run", () => {
  const lost = sectionsOf("When a machine is lost");
  for (const name of [
    "The disk is full",
    "The disk is slow",
    "The archive fails",
    "A machine of the Citus cluster is gone",
  ])
    assert.ok(lost.has(name), name);
  const wrong = sectionsOf("When something is wrong");
  assert.ok(wrong.has("Doctor says BAD"));
  for (const [name, text] of [...wrong, ...lost, ...sectionsOf("When an alert fires")]) {
    const parts = ["*Symptom.*", "*Look*", "*Do*"].map((part) => text.indexOf(part));
    assert.ok(
      parts.every((at, n) => at > 0 && at > (parts[n - 1] ?? 0)),
      `${name} says all three in their order`,
    );
    assert.match(text.slice(parts[1]), /`[^`]+`/, `${name} names what to run`);
  }
});

test("the runbook knows every line of doctor that is not about the data", async () => {
  const { db } = await testDatabase();
  const text = sectionsOf("When something is wrong").get("Doctor says BAD")!;
  const found = (await examine(db)).map(({ name }) => name).filter((name) => !Object.hasOwn(INVARIANTS, name));
  assert.ok(found.includes("migrations"));
  // It says nothing else when the database cannot be asked.
  const others = ["secrets", "every table is on the machines that it belongs on"];
  for (const name of [...found.filter((one) => one !== "database"), ...others])
    assert.ok(text.includes(`- \`${name}\`:`), name);
  const examples = [...text.matchAll(/such as `([^`]+)`/g)].map(([, name]) => name!.replaceAll(/\s+/g, " "));
  assert.ok(examples.length > 0 && examples.every((name) => Object.hasOwn(INVARIANTS, name)), examples.join());
});

test("every query of these sections runs", async () => {
  const { db } = await testDatabase();
  const text = [...sectionsOf("When a machine is lost").values(), ...sectionsOf("When an alert fires").values()].join(
    "",
  );
  const queries = [...text.matchAll(/`(select [^`]+)`/g)].map(([, query]) => query!);
  // What ends or drops something, and what Citus brings, is not run here.
  const run = queries.filter((query) => !/pg_terminate|pg_cancel|pg_drop|citus|pg_dist/.test(query));
  assert.ok(run.length >= 15);
  for (const query of run) await db.unsafe(query).catch((error: Error) => assert.fail(`${query}: ${error.message}`));
});

test("an alert fires when no server is left, or one is lost, and counters that alerts watch are there before they count", async () => {
  assert.ok(alerts.some(({ expr, labels }) => /^absent\(\w+\)$/.test(expr) && labels.severity === "page"));
  // While others are left nothing is absent: Prometheus itself knows which of its targets is down.
  const [one] = alerts.filter(({ expr }) => /\bup\b/.test(expr));
  const [, told] = /^up == 0 and on \(job, instance\) last_over_time\((\w+)\[1d\]\)$/.exec(one?.expr ?? "") ?? [];
  assert.ok(told !== undefined && metricOf(told), "and it is one that has told what Laurel tells");
  const metrics = createMetrics();
  metrics.expectJobs(JOB_NAMES);
  const text = await metrics.registry.metrics();
  const born = text.split("\n").filter((line) => line.startsWith("laurel_"));
  const rising = alerts.flatMap(({ expr }) => [...expr.matchAll(/increase\((laurel_\w+)(\{[^}]*\})?/g)]);
  assert.ok(rising.length > 5);
  for (const [, name, labels = ""] of rising)
    assert.ok(
      born.some((line) => line.startsWith(name!) && line.includes(labels.slice(1, -1)) && line.endsWith(" 0")),
      `${name}${labels} is there with 0`,
    );
  for (const job of JOB_NAMES)
    assert.ok(
      born.includes(`laurel_job_last_success_timestamp_seconds{job="${job}"} 0`),
      `${job} has never ended well`,
    );
});

test("redemptions, refusals by reason, batches, connections, catalogs, jobs and errors are counted", async () => {
  const { url: DATABASE_URL, db } = await testDatabase();
  const LAUREL_DATA_DIR = tempDir();
  const server = await serve({ DATABASE_URL, LAUREL_DATA_DIR });
  const headers = {
    ...headersIn(join(LAUREL_DATA_DIR, "credentials/app.headers")),
    "content-type": "application/json",
  };
  const post = async (path: string, body: object) =>
    (await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) })).status;
  /** The sum of a series over all lines that have these labels. */
  const value = async (series: string, ...labels: string[]) => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith(`${series}{`) || line.startsWith(`${series} `));
    return lines
      .filter((line) => labels.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  const discount = { type: "AMOUNT", amount_off: 100 };
  assert.equal(
    await post("/v1/vouchers/ONCE", { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 1 } }),
    200,
  );
  const redeem = () =>
    post("/v1/redemptions", { redeemables: [{ object: "voucher", id: "ONCE" }], order: { amount: 1000 } });
  assert.deepEqual([await redeem(), await redeem()], [200, 400]);
  await eventually(async () => (await value("laurel_redemptions_total")) === 1, "one redemption is counted");
  await eventually(
    async () => (await value("laurel_refusals_total", 'kind="redemption"', 'reason="quantity_exceeded"')) === 1,
    "one refusal is counted by its reason",
  );
  for (const name of ["laurel_batch_wait_seconds", "laurel_batch_duration_seconds", "laurel_batch_commands"])
    assert.ok((await value(`${name}_count`, 'flow="redeem"')) >= 2, name);
  for (const name of ["laurel_lanes_busy", "laurel_connections_busy", "laurel_connections_waiting"])
    await eventually(async () => (await value(name)) === 0, `${name} comes back to 0`);
  assert.ok((await value("laurel_catalog_loads_total", 'part="all"')) >= 1);
  await eventually(
    async () => (await value("laurel_job_duration_seconds_count", 'job="count-rollups"', 'outcome="done"')) > 0,
    "a run of a job is counted",
  );
  assert.ok((await value("laurel_job_last_success_timestamp_seconds", 'job="count-rollups"')) > 1_700_000_000);
  await eventually(
    async () => (await value("laurel_job_duration_seconds_count", 'job="send-webhooks"', 'outcome="done"')) > 0,
    "a run of the job that sends webhooks is counted",
  );
  const counted = (await (await fetch(`${server.url}/metrics`)).text()).matchAll(
    /_duration_seconds_count\{job="([^"]+)"/g,
  );
  assert.deepEqual(
    new Set([...counted].map(([, job]) => job)),
    new Set(JOB_NAMES),
    "no job is there that is not expected",
  );

  const list = async () => (await fetch(`${server.url}/v1/categories`, { headers })).status;
  assert.equal(await list(), 200);
  for (const runs of ["list", "write"])
    assert.ok((await value("laurel_connection_held_seconds_count", `runs="${runs}"`)) > 0, runs);
  // A lone error moves a series that was there before.
  const has = async (line: string) => (await (await fetch(`${server.url}/metrics`)).text()).split("\n").includes(line);
  assert.ok(await has("laurel_errors_total 0"));
  await db`alter table categories rename to categories_away`;
  assert.equal(await list(), 500);
  await eventually(() => has("laurel_errors_total 1"), "the error is counted");
  await db`alter table categories_away rename to categories`;

  // What is asked of the database is told to the next reader.
  await eventually(() => has('laurel_job_lag_seconds{job="run-exports"} 0'), "how late jobs are");
});
