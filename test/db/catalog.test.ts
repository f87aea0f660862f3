import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import { raiseRevision } from "../../src/catalog/changes.ts";
import type { Pool } from "../../src/db/db.ts";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { until } from "../support/storage.ts";

const { db, open } = await testDatabase();
const MEGABYTE = 2 ** 20;

/** Catalogs of a process of its own, with the statements it sends. */
function process(options: { bytesMax?: number; max?: number } = {}) {
  const statements: string[] = [];
  const pool = open({ max: options.max ?? 3, onQuery: (text) => void statements.push(text) });
  const { catalogOf, size } = createCatalogs(pool, { bytesMax: options.bytesMax ?? MEGABYTE });
  /** The catalog as a request gets it: at the revision that it saw with its credentials. */
  const current = async (id: string) => catalogOf({ id, catalog_revision: await revisionOf(id) });
  const reset = () => void statements.splice(0);
  const loads = () => statements.filter((text) => text.startsWith("begin")).length;
  const reads = (table: string) => statements.filter((text) => text.includes(`from "${table}"`));
  return { catalogOf, current, size, statements, reset, loads, reads };
}
async function revisionOf(id: string): Promise<number> {
  const [row] = await db<
    { revision: number }[]
  >`select catalog_revision as revision from tenants where project_id = ${id}`;
  return row!.revision;
}
type CategoryFields = { id?: string; name: string; hierarchy?: number };
/** Writes a category as a route does: the row, then the revision. */
const writeCategory = (pool: Pool, project_id: string, { id = newId("cat"), name, hierarchy = 1 }: CategoryFields) =>
  pool.begin(async (tx) => {
    const row = { project_id, id, name, hierarchy, created_at: NOW, updated_at: null };
    await tx`insert into categories ${tx(row)} on conflict (project_id, id) do update set name = ${name}`;
    await raiseRevision(tx, project_id, [{ kind: "category", id }]);
    return id;
  }) as Promise<string>;
const namesIn = ({ categories }: { categories: ReadonlyMap<string, { name: string }> }) =>
  [...categories.values()].map(({ name }) => name).sort();

/** What the process of this request decides on. */
const look = read("GET /v1/categories-in-catalog", { id: "look", summary: "", ok: Type.Any() }, async (c) => {
  const { revision, categories, stacking_rules } = await c.catalog();
  return { revision, names: namesIn({ categories }), rules: stacking_rules?.rules.exclusive_categories ?? null };
});

test("a request that starts after a configuration write was answered decides on it, in every process", async () => {
  const project = await testProject(db);
  const routes = [...ALL_ROUTES, look];
  const [one, two] = [
    await testEngine(open({ max: 2 }), project, { routes }),
    await testEngine(open({ max: 2 }), project, { routes }),
  ];
  const seen = async () => {
    const bodies = await Promise.all([one, two].map(async ({ call }) => (await call(`GET ${look.path}`)).body));
    assert.deepEqual(bodies[0], bodies[1]);
    return bodies[0];
  };
  assert.deepEqual(await seen(), { revision: 0, names: [], rules: null });
  const { id } = (await one.call("POST /v1/categories", { name: "Summer", hierarchy: 1 })).body;
  assert.deepEqual(await seen(), { revision: 1, names: ["Summer"], rules: null });
  await two.call(`PUT /v1/categories/${id}`, { name: "Winter" });
  assert.deepEqual(await seen(), { revision: 2, names: ["Winter"], rules: null });
  const path = `/management/v1/projects/${project.id}/stacking-rules`;
  await one.call(`POST ${path}`, { exclusive_categories: [id] });
  assert.deepEqual(await seen(), { revision: 3, names: ["Winter"], rules: [id] });
  assert.equal((await two.call(`PUT /v1/categories/${id}`, { name: "" })).status, 400);
  assert.equal((await seen()).revision, 3, "a refused write changes nothing");
  await two.call(`DELETE /v1/categories/${id}?remove_from_stacking_rules=true`);
  assert.deepEqual(await seen(), { revision: 4, names: [], rules: [] });
});

test("an unchanged catalog is the same object and costs no statement", async () => {
  const { id } = await testProject(db);
  await writeCategory(db, id, { name: "Summer" });
  const { current, reset, statements } = process();
  const first = await current(id);
  reset();
  assert.equal(await current(id), first);
  assert.deepEqual(statements, []);
  assert.ok(Object.isFrozen(first));
  assert.ok(Object.isFrozen([...first.categories.values()][0]));
});

test("only the kinds and objects that changed are read again, and deleted ones disappear", async () => {
  const { id: project } = await testProject(db);
  const ids: string[] = [];
  for (const name of ["A", "B", "C"]) ids.push(await writeCategory(db, project, { name }));
  const { current, reset, reads, loads } = process();
  const before = await current(project);
  for (const table of ["categories", "custom_event_schemas", "metadata_schemas", "stacking_rules"])
    assert.equal(reads(table).length, 1, `the first load reads ${table}`);

  reset();
  await writeCategory(db, project, { id: ids[1]!, name: "B2" });
  const after = await current(project);
  assert.deepEqual(namesIn(after), ["A", "B2", "C"]);
  assert.deepEqual(namesIn(before), ["A", "B", "C"], "who holds the old one goes on with it");
  assert.equal(after.categories.get(ids[0]!), before.categories.get(ids[0]!), "what did not change was not read");
  assert.equal(loads(), 1);
  assert.match(reads("categories")[0]!, /id = any/);
  for (const table of ["custom_event_schemas", "metadata_schemas", "stacking_rules"])
    assert.equal(reads(table).length, 0, `${table} is not read`);

  await db.begin(async (tx) => {
    await tx`delete from categories where project_id = ${project} and id = ${ids[0]!}`;
    await raiseRevision(tx, project, [{ kind: "category", id: ids[0]! }]);
  });
  assert.deepEqual(namesIn(await current(project)), ["B2", "C"]);
});

test("when changes are no longer known, everything is read", async () => {
  const { id: project } = await testProject(db);
  await writeCategory(db, project, { name: "A" });
  const { current, reset, reads } = process();
  await current(project);
  await writeCategory(db, project, { name: "B" });
  await writeCategory(db, project, { name: "C" });
  const middle = (await revisionOf(project)) - 1;
  await db`delete from catalog_changes where project_id = ${project} and revision = ${middle}`;
  reset();
  assert.deepEqual(namesIn(await current(project)), ["A", "B", "C"]);
  assert.equal(reads("categories").length, 1);
  assert.doesNotMatch(reads("categories")[0]!, /id = any/);
  assert.equal(reads("stacking_rules").length, 1);
});

test("many requests that wait cause one load", async () => {
  const { id: project } = await testProject(db);
  await writeCategory(db, project, { name: "A" });
  const { current, reset, loads } = process();
  await Promise.all(Array.from({ length: 50 }, () => current(project)));
  assert.equal(loads(), 1);
  reset();
  await writeCategory(db, project, { name: "B" });
  const catalogs = await Promise.all(Array.from({ length: 50 }, () => current(project)));
  assert.equal(loads(), 1);
  assert.equal(new Set(catalogs).size, 1);
});

test("above the memory that is allowed, the projects that were not used for longest are dropped", async () => {
  const projects = [];
  for (const _ of [1, 2, 3, 4]) {
    const { id } = await testProject(db);
    await writeCategory(db, id, { name: "x".repeat(200) });
    projects.push(id);
  }
  const [a, b, c, d] = projects as [string, string, string, string];
  // Each takes about 400 bytes, so that two fit.
  const { current, size, loads, reset } = process({ bytesMax: 1000 });
  await current(a);
  await current(b);
  await current(a);
  await current(c);
  assert.equal(size(), 2);
  const isHeld = async (id: string) => {
    reset();
    await current(id);
    return loads() === 0;
  };
  assert.deepEqual([await isHeld(a), await isHeld(c)], [true, true]);
  assert.equal(await isHeld(b), false, "b was used before a, and went");
  const tiny = process({ bytesMax: 1 });
  for (const id of [a, b, c, d]) assert.equal((await tiny.current(id)).revision, 1, "one that does not fit works too");
  assert.equal(tiny.size(), 1);
  const catalogs = await Promise.all([a, b, c, d, a, b, c, d].map(tiny.current));
  assert.equal(catalogs.length, 8);
  assert.ok(tiny.loads() <= 12, "projects that push each other out are not loaded in circles");
});

test("writes that race loads never leave a catalog that is older than asked for, or torn", async () => {
  const { id: project } = await testProject(db);
  const { catalogOf } = process();
  const id = await writeCategory(db, project, { name: "1" });
  // The name of the category is the revision that it was written at, and so it must be in every catalog.
  const write = () =>
    db.begin(async (tx) => {
      const [row] = await tx<{ revision: number }[]>`
        update tenants set catalog_revision = catalog_revision + 1 where project_id = ${project}
        returning catalog_revision as revision`;
      await tx`update categories set name = ${String(row!.revision)} where project_id = ${project} and id = ${id}`;
      await tx`insert into catalog_changes values (${project}, ${row!.revision}, 'category', ${id})`;
    });
  let writing = true;
  const writer = (async () => {
    for (let n = 0; n < 150; n += 1) await write();
    writing = false;
  })();
  const reader = async () => {
    let read = 0;
    while (writing) {
      const asked = await revisionOf(project);
      const catalog = await catalogOf({ id: project, catalog_revision: asked });
      assert.ok(catalog.revision >= asked, `asked for ${asked}, got ${catalog.revision}`);
      assert.equal(catalog.categories.get(id)?.name, String(catalog.revision));
      read += 1;
    }
    return read;
  };
  const [, ...counts] = await Promise.all([writer, reader(), reader(), reader()]);
  assert.ok(counts.every((count) => count > 10));
});

test("a load that began before the write of a waiting request is not given to it", async () => {
  const { id: project } = await testProject(db);
  await writeCategory(db, project, { name: "A" });
  const { catalogOf, loads, reads } = process();
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  // Stops a load in its middle: its snapshot is taken, and one table cannot be read yet.
  const holder = db.begin(async (tx) => {
    await tx`lock table stacking_rules in access exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const early = catalogOf({ id: project, catalog_revision: 1 });
  await until("the load is under way", () => reads("stacking_rules").length === 1);
  await writeCategory(db, project, { name: "B" });
  const late = catalogOf({ id: project, catalog_revision: 2 });
  release.resolve();
  await holder;
  assert.deepEqual([(await early).revision, namesIn(await early)], [1, ["A"]]);
  assert.deepEqual([(await late).revision, namesIn(await late)], [2, ["A", "B"]]);
  assert.equal(loads(), 2);
});

test("a revision that the database no longer has is an error and not an endless loop", async () => {
  const { id: project } = await testProject(db);
  const { catalogOf, loads } = process();
  await assert.rejects(catalogOf({ id: project, catalog_revision: 7 }), /the revision 7 .* is no longer/);
  assert.equal(loads(), 2);
});

test("a load that fails is told to those who wait, and the next request loads again", async () => {
  const { id: project } = await testProject(db);
  await writeCategory(db, project, { name: "A" });
  const { current } = process({ max: 1 });
  await db`alter table categories rename to categories_away`;
  const replies = await Promise.allSettled([current(project), current(project)]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  await db`alter table categories_away rename to categories`;
  assert.deepEqual(namesIn(await current(project)), ["A"]);
});
