import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { METRICS } from "../../src/http/metrics.ts";
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

test("every alert leads to a section of the operating guide", () => {
  for (const { alert, labels, annotations } of alerts) {
    const [path, anchor] = annotations.runbook.split("#") as [string, string];
    assert.equal(anchor, alert.toLowerCase());
    assert.match(read(path), new RegExp(`^### ${alert}$`, "m"));
    assert.ok(["page", "ticket"].includes(labels.severity));
  }
});

test("redemptions, refusals by reason, batches, connections, catalogs and jobs are counted", async () => {
  const { url: DATABASE_URL } = await testDatabase();
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
});
