import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { INTERFACE, type Row } from "./interface.ts";

const sources = new Map<string, string>();
const sourceOf = (file: string): string => {
  const read = () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");
  return sources.getOrInsertComputed(file, read);
};

/** Whether a file has a test of exactly this name. */
function exists(named: string): boolean {
  const [file, name, row, ...more] = named.split(" › ");
  if (!file || !name || more.length > 0) return false;
  const [, body] = sourceOf(file).split(new RegExp(`\\btest\\(\\s*${RegExp.escape(JSON.stringify(name))}`));
  if (body === undefined || row === undefined) return body !== undefined;
  // Rows have subtests: the run notes which of them ran, and this looks for what starts them.
  const prefix = RegExp.escape(row.replace(/\.\w+$/, ""));
  const inside = body.split(/\n(?:test|for)\b/)[0]!;
  return (
    new RegExp(`\\bholds(?:Rows|Fields)\\(\\w+, "${prefix}",`).test(inside) ||
    (inside.includes("holdsRows(t, prefix,") && new RegExp(`^ {2}"?${prefix}"?: \\{$`, "m").test(sourceOf(file)))
  );
}

function faultsIn(rows: readonly Row[]): string[] {
  const ids = new Set<string>();
  return rows.flatMap(({ id, says, tests, open }) => {
    const faults = tests.filter((named) => !exists(named)).map((named) => `${id}: there is no test ${named}`);
    if (ids.has(id)) faults.push(`${id}: stands twice`);
    if (says === "") faults.push(`${id}: says nothing`);
    const isUndecided = typeof open === "string";
    if (tests.length === 0 && !isUndecided) faults.push(`${id}: no test holds it`);
    if (tests.length > 0 && isUndecided) faults.push(`${id}: a test holds it, though ${open}`);
    ids.add(id);
    return faults;
  });
}

test("interface: every row has its tests, every named test exists, and no id stands twice", () => {
  assert.deepEqual(faultsIn(INTERFACE), []);
});

test("interface: the check finds a row without a test, a test that does not exist, and an id that stands twice", () => {
  const row: Row = { id: "a", says: "x", tests: [] };
  const here =
    "test/house/interface.test.ts › interface: every row has its tests, every named test exists, and no id stands twice";
  assert.deepEqual(faultsIn([{ ...row, tests: [here] }]), []);
  assert.deepEqual(faultsIn([row]), ["a: no test holds it"]);
  assert.deepEqual(faultsIn([{ ...row, open: true }]), ["a: no test holds it"]);
  assert.deepEqual(faultsIn([{ ...row, open: "nothing yet" }]), []);
  assert.deepEqual(faultsIn([{ ...row, open: "nothing yet", tests: [here] }]), [
    "a: a test holds it, though nothing yet",
  ]);
  for (const named of ["test/none.test.ts › x", here.slice(0, -1), "test/house/interface.test.ts", `${here} › x`])
    assert.deepEqual(faultsIn([{ ...row, tests: [named] }]), [`a: there is no test ${named}`]);
  assert.deepEqual(faultsIn([row, row].map((one) => ({ ...one, tests: [here] }))), ["a: stands twice"]);
});

test("interface: every row has a test or a subtest that holds it alone", () => {
  const rowsOf = Map.groupBy(
    INTERFACE.flatMap(({ id, tests }) => tests.map((named) => ({ id, named }))),
    ({ named }) => named,
  );
  const sharing = INTERFACE.filter(
    ({ tests, open }) => !open && !tests.some((named) => rowsOf.get(named)!.length === 1),
  );
  assert.deepEqual(
    sharing.map(({ id }) => id),
    [],
  );
});

test("interface: every part of the interface is in the table", () => {
  const parts = new Set(INTERFACE.map(({ id }) => id.split(".")[0]));
  for (const part of [
    ...["tier_structure", "card_definition", "earning_rule", "member", "project", "campaign_template", "oauth_token"],
    ...["event", "redemption", "redeemable_holder", "stacking_rules", "calculated_order", "state", "qualification"],
    ...["validation", "redemptions", "holders", "oauth", "authentication", "events", "error", "limit", "versioning"],
  ])
    assert.ok(parts.has(part), part);
  assert.equal(INTERFACE.filter(({ id }) => /^project\.[a-z_]+$/.test(id)).length, 23);
});
