import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseJson } from "../../src/core/json.ts";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { type Route, read } from "../../src/http/route.ts";
import { Metadata } from "../../src/http/schemas.ts";
import { compileBody } from "../../src/http/validation.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, FORM, type Reply, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { formOf, valid } from "../support/fuzz.ts";
import { assertErrorBody, tokenOf } from "../support/http.ts";
import { idsOn, MARKER, makeOneOfEverything, parametersOf } from "../support/one-of-everything.ts";
import { UPLOAD, uploadText } from "../support/uploads.ts";

const { db } = await testDatabase();
const [a, b] = [await testProject(db, { name: MARKER }), await testProject(db, { client_trusted_domains: ["*"] })];
const owner = await testEngine(db, a);
const made = await makeOneOfEverything(owner.call, a);
const token = await tokenOf(owner.call, "api");

/** Everything that is stored for a project. */
async function rowsOf(projectId: string): Promise<unknown> {
  const tables = await tenantTables(db);
  const rows = tables.map(async (table) => [
    table,
    await db`select to_jsonb(x) as row from ${db(table)} x where project_id = ${projectId} order by to_jsonb(x)::text`,
  ]);
  const [project] = await db`select to_jsonb(p) as row from projects p where id = ${projectId}`;
  return { project, ...Object.fromEntries(await Promise.all(rows)) };
}

/** The path for the other project: management paths name their project, and there it is the caller's own. */
const pathWith = (path: string, ids: Record<string, string>) =>
  path.replace(/\{(\w+)\}/g, (_, name) => (name === "projectId" ? b.id : idsOn(path, ids)[name]!));
const own = { origin: "https://shop.example" };

/** Free JSON may hold numbers that no body may have. */
function isTaken(body: unknown): boolean {
  try {
    parseJson(JSON.stringify(body));
    return true;
  } catch {
    return false;
  }
}
/** A body as it should be, with every free text of it an id of the other project. */
function bodyOf(route: Route): string | undefined {
  if (!route.body) return undefined;
  const fits = compileBody(route.body as object);
  const fitting = valid(route.body as object, Object.values(made)).filter((body) => isTaken(body) && fits(body));
  const [body] = fc.sample(fitting, { numRuns: 1, seed: 7 });
  return (route.upload ? uploadText : route.form ? formOf : JSON.stringify)(body);
}
/** What a report has to be asked for. */
const queryOf = ({ query }: Route) =>
  (query as { required?: string[] } | undefined)?.required?.includes("start_date")
    ? "?start_date=2026-01-01&end_date=2026-01-02&resolution=day"
    : "";
const send = (
  call: Call,
  route: Route,
  path: string,
  body = CHECKS_THE_BODY_FIRST.includes(route.id) ? "{}" : bodyOf(route),
) =>
  call(`${route.method} ${path}${queryOf(route)}`, body, { ...own, ...(route.upload ? UPLOAD : route.form && FORM) });

/** What an id that is not there looks like: the same shape, another end. */
const unknown = Object.fromEntries(
  Object.entries(made).map(([name, id]) => [name, name === "resource" ? "customer" : id.replace(/.{4}$/, "ffff")]),
);
const withoutIds = ({ text, body }: Reply) => {
  let plain = text.replaceAll(String(body?.request_id ?? body?.error?.request_id), "REQUEST");
  for (const id of [...Object.values(made), ...Object.values(unknown)].sort((x, y) => y.length - x.length))
    plain = plain.replaceAll(id, "ID");
  return plain;
};

/** Lists that are empty, and answers that say no, instead of a 404, when what they are of does not exist. */
const EMPTY_OF_NOTHING = ["listAssignmentsOfValidationRule", "validateVoucher"];

/** What makes the code that its path names: the id of a voucher is no code, whoever has it. */
const MAKES_WHAT_IT_NAMES = ["createVoucherWithCode"];

/** What checks the whole of a body before it looks for what its path names: it is asked with one that says nothing. */
const CHECKS_THE_BODY_FIRST = ["updateTierStructure", "validateVoucher"];

/** What belongs to the whole installation: whoever keeps it sees and changes it, whatever project they think of. */
const OF_THE_INSTALLATION = [
  "listProjects",
  "listRoles",
  "getRole",
  "updateRole",
  "deleteRole",
  "updateUserRole",
  "unassignUser",
];

/** Asks every route as the other project; throws where it learns or changes something of the first. */
async function pry(call: Call, route: Route): Promise<void> {
  const foreign = parametersOf(route.path).filter((name) => name !== "projectId");
  const reply = await send(call, route, pathWith(route.path, made));
  if (!OF_THE_INSTALLATION.includes(route.id))
    assert.ok(!reply.text.includes(MARKER), `it shows what is not its own: ${reply.text}`);
  assert.ok(reply.status < 500, reply.text);
  if (reply.status >= 400) assertErrorBody(reply);
  if (foreign.length === 0 || OF_THE_INSTALLATION.includes(route.id)) return;
  const refusals = EMPTY_OF_NOTHING.includes(route.id)
    ? [200]
    : MAKES_WHAT_IT_NAMES.includes(route.id)
      ? [400]
      : [401, 403, 404];
  assert.ok(refusals.includes(reply.status), `${reply.status} ${reply.text}`);
  const missing = await send(call, route, pathWith(route.path, unknown));
  assert.equal(withoutIds(reply), withoutIds(missing), "the same answer as for an id that does not exist");
}

test("no operation tells or changes anything of another project, whatever ids it is sent", async (t) => {
  const { call } = await testEngine(db, b);
  const before = await rowsOf(a.id);
  assert.match(JSON.stringify(before), new RegExp(MARKER));
  for (const route of ALL_ROUTES) await t.test(`${route.method} ${route.path}`, () => pry(call, route));
  assert.deepEqual(await rowsOf(a.id), before);
});

test("ids of another project in a body are ids that do not exist", async () => {
  const { call } = await testEngine(db, b);
  const path = `POST /management/v1/projects/${b.id}/stacking-rules`;
  const texts = [];
  for (const id of [made.categoryId!, unknown.categoryId!]) {
    const reply = await call(path, { exclusive_categories: [id] });
    assert.equal(reply.status, 400, reply.text);
    texts.push(withoutIds(reply));
  }
  assert.equal(texts[0], texts[1]);
  for (const path of ["introspect", "token/revoke"]) {
    const reply = await call(`POST /v1/oauth/${path}`, new URLSearchParams({ access_token: token }).toString(), FORM);
    assert.ok(reply.status === 404 || reply.text === '{"active":false}', reply.text);
  }
  const mine = await owner.call("GET /v1/categories", undefined, {
    "x-app-id": "",
    "x-app-token": "",
    authorization: `Bearer ${token}`,
  });
  assert.equal(mine.body.total, 1);
});

test("the check finds an operation that forgets the project", async () => {
  const leak = (path: "/v1/categories/{categoryId}" | "/v1/categories") =>
    read(`GET ${path}`, { id: "leak", summary: "", ok: Metadata }, async (c) => {
      const [row] = await c.db`select * from categories where project_id <> ${c.project.id} limit 1`;
      return row as object as Record<string, unknown>;
    });
  for (const route of [leak("/v1/categories/{categoryId}"), leak("/v1/categories")]) {
    const { call } = await testEngine(db, b, { routes: [route] });
    await assert.rejects(pry(call, route), /it shows what is not its own/);
  }
});
