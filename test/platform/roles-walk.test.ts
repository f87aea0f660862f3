import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN_ROLES, permits } from "../../src/core/users/roles.ts";
import type { Route } from "../../src/http/route.ts";
import { permissionOf } from "../../src/http/users/permissions.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, FORM, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertErrorBody, assertRefused } from "../support/http.ts";
import { okOf } from "../support/shop.ts";
import { makeUser, NO_KEYS, signIn } from "../support/sign-in.ts";
import { UPLOAD } from "../support/uploads.ts";

// Every operation with every role. The requests name what is not there or say nothing that could be done: who may come in
// is told by what they are refused with.
const { db } = await testDatabase();
const project = await testProject(db, { client_trusted_domains: ["*"] });
const foreign = await testProject(db);
const { call } = await testEngine(db, project);

const CUSTOM = ["categories.manage", "vouchers.read", "customers.export", "branding.update"];
const { id: custom } = await okOf(call)("POST /management/v1/roles", { name: "walks", permissions: CUSTOM });
type Walker = { role: string; permissions: readonly string[]; is_owner: boolean; as: Call };
const walkers: Walker[] = [];
for (const [role, permissions, is_owner] of [
  ...Object.entries(BUILT_IN_ROLES).map(([role, { permissions }]) => [role, permissions, false] as const),
  [custom, CUSTOM, false] as const,
  ["ADMIN", BUILT_IN_ROLES.ADMIN!.permissions, true] as const,
  ["VIEWER", BUILT_IN_ROLES.VIEWER!.permissions, true] as const,
]) {
  const { email } = await makeUser(db, { [project.id]: role }, { is_owner });
  walkers.push({ role: is_owner ? `${role}, owner` : role, permissions, is_owner, as: (await signIn(call, email)).as });
}

const WALKED = ALL_ROUTES.filter(({ access }) => access !== "none" && access !== "session");
const isKeysOnly = ({ path, access }: Route) => access === "client" || path.startsWith("/v1/oauth/");
const isV = ({ access }: Route) => access === "app" || access === "v2";

/** A body that no operation takes, and ids that nothing has: whoever comes in is refused for that, or reads. */
function ask(as: Call, route: Route, headers: Record<string, string> = {}, projectId = project.id) {
  const { method, path } = route;
  const url = path.replaceAll("{projectId}", projectId).replace(/\{\w+\}/g, "none");
  const body = method === "GET" || method === "DELETE" ? undefined : "[[";
  const type = route.upload ? UPLOAD : route.form ? FORM : {};
  const more = { origin: "https://shop.example", ...(isV(route) && { "x-laurel-project": projectId }), ...type };
  return as(`${method} ${url}`, body, { ...more, ...headers });
}

/** The rule, once more and on its own. */
function mayCall({ permissions, is_owner }: Walker, route: Route): boolean {
  if (route.access === "management" && !route.path.includes("{projectId}")) return is_owner;
  const permission = permissionOf(route);
  const isOfTeam = /^(?:users|roles)\./.test(permission);
  return permits(permissions, permission) || (is_owner && isOfTeam);
}

/** What deletes or writes without a body, and names no object that could be missing: it is asked of another project. */
const ACTS = new Set(["deleteProject", "rotateWebhookSecret"]);

test("a role opens the operations that its permissions name, and no others, on every route", async (t) => {
  for (const route of WALKED.filter((one) => !ACTS.has(one.id)))
    await t.test(`${route.method} ${route.path}`, async () => {
      for (const walker of walkers) {
        const reply = await ask(walker.as, route);
        assert.ok(reply.status < 500, reply.text);
        if (reply.status >= 400) assertErrorBody(reply);
        const isOpen = reply.status !== 401 && reply.body?.key !== "missing_required_permission";
        assert.equal(isOpen, !isKeysOnly(route) && mayCall(walker, route), `${walker.role}: ${reply.text}`);
        if (!isOpen && !isKeysOnly(route))
          assertRefused(reply, "missing_required_permission", new RegExp(permissionOf(route)));
      }
    });
});

test("operations that act at once are refused before they act", async () => {
  for (const route of WALKED.filter(({ id }) => ACTS.has(id)))
    for (const walker of walkers.filter((one) => !mayCall(one, route)))
      assertRefused(await ask(walker.as, route), "missing_required_permission");
  assert.equal(ACTS.size, WALKED.filter(({ id }) => ACTS.has(id)).length);
});

test("without the token against forged requests nothing but a GET is done, on every route", async () => {
  const { as } = walkers.find(({ role }) => role === "ADMIN, owner")!;
  for (const route of ALL_ROUTES.filter(({ access }) => access !== "none")) {
    if (isKeysOnly(route)) continue;
    const reply = await ask(as, route, { "x-laurel-csrf": "" });
    if (route.method === "GET") assert.notEqual(reply.body?.key, "csrf_token_missing", route.id);
    else assertRefused(reply, "csrf_token_missing");
  }
  assert.equal((await as("GET /management/v1/session")).status, 200, "nobody was signed out");
});

test("without a project, or with one that the user is not in, no operation of a project runs", async () => {
  const { as } = walkers.find(({ role }) => role === "ADMIN, owner")!;
  for (const route of WALKED.filter((one) => !isKeysOnly(one))) {
    if (isV(route))
      assertRefused(await ask(as, route, { "x-laurel-project": "" }), "invalid_payload", /X-Laurel-Project/);
    if (!isV(route) && !route.path.includes("{projectId}")) continue;
    const [there, nowhere] = [await ask(as, route, {}, foreign.id), await ask(as, route, {}, "proj_nowhere")];
    const shown = ({ body, status }: typeof there, id: string) => {
      const { request_id: _, ...rest } = body;
      return JSON.stringify([status, rest]).replaceAll(id, "ID");
    };
    assert.ok([400, 404].includes(there.status), `${route.id}: ${there.text}`);
    assert.equal(shown(there, foreign.id), shown(nowhere, "proj_nowhere"), "as one that does not exist");
  }
});

test("the list of operations in a session is what its user may call", async () => {
  for (const walker of walkers) {
    const { projects, operations } = (await walker.as("GET /management/v1/session")).body;
    const mine = WALKED.filter((route) => !isKeysOnly(route) && mayCall(walker, route)).map(({ id }) => id);
    assert.deepEqual([...projects[0].operations, ...operations].sort(), mine.sort(), walker.role);
  }
});

test("a session is no key: none of its headers opens anything without it", async () => {
  const reply = await call("GET /v1/categories", undefined, { ...NO_KEYS, "x-laurel-project": project.id });
  assertRefused(reply, "unauthorized");
});
