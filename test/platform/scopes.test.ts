import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { type Route, read } from "../../src/http/route.ts";
import { SCOPES } from "../../src/http/scopes.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Reply, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertErrorBody, tokenOf } from "../support/http.ts";

const { db } = await testDatabase();
const project = await testProject(db, { client_trusted_domains: ["*"] });
const PATHS = [
  "/v1/validation-rules-assignments/{id}",
  "/v1/vouchers/{id}/things",
  "/client/v1/validate/{id}",
  "/client/v1/vouchers/{id}",
  "/v2/loyalties/things",
  "/v2/loyalties/things/{id}",
];
const tried = PATHS.map((path) =>
  read(`GET ${path as "/x"}`, { id: path, summary: "", ok: Type.Object({}) }, async () => ({})),
);
// What only a session opens is walked in `roles-walk.test.ts`.
const routes = [...ALL_ROUTES.filter(({ access }) => access !== "none" && access !== "session"), ...tried];
const { call } = await testEngine(db, project, { routes });
const tokens = await Promise.all(SCOPES.map(async (scope) => [scope, await tokenOf(call, scope)] as const));

/** The rule, once more and on its own: the umbrella, or the scope that is named as the first segment. */
function scopesOf(path: string): string[] {
  const [, first, second, third] = path.split("/");
  if (first === "management" || second === "oauth") return [];
  return first === "client" ? ["client_api", `client_${third}`] : ["api", second!];
}
const kindOf = (path: string) =>
  ({ v1: "app", v2: "v2", client: "client", management: "management" })[path.split("/")[1]!];

const PAIRS = {
  app: ["x-app-id", "x-app-token"],
  client: ["x-client-application-id", "x-client-token"],
  management: ["x-management-id", "x-management-token"],
};
const none = Object.fromEntries(
  Object.values(PAIRS)
    .flat()
    .map((name) => [name, ""]),
);
const only = (kind: keyof typeof PAIRS) => ({
  ...none,
  ...Object.fromEntries(PAIRS[kind].map((name) => [name, project.headers[name]!])),
});

const ask = async ({ method, path }: Route, headers: Record<string, string>): Promise<Reply> => {
  const reply = await call(`${method} ${path.replace(/\{\w+\}/g, "none")}`, undefined, {
    origin: "https://a.example",
    ...headers,
  });
  assert.ok(reply.status < 500, `${method} ${path}: ${reply.text}`);
  if (reply.status >= 400) assertErrorBody(reply);
  return reply;
};

test("a token opens a path exactly when it has the umbrella scope or the scope of the first segment", async (t) => {
  for (const route of routes) {
    await t.test(`${route.method} ${route.path}`, async () => {
      const granted = scopesOf(route.path);
      const pair = kindOf(route.path) === "v2" ? only("app") : none;
      await Promise.all(
        tokens.map(async ([scope, token]) => {
          const reply = await ask(route, { ...pair, authorization: `Bearer ${token}` });
          const expected =
            granted.length === 0 ? "unauthorized" : granted.includes(scope) ? "open" : "missing_required_permission";
          const key =
            reply.status === 401 || reply.body?.key === "missing_required_permission" ? reply.body.key : "open";
          assert.equal(key, expected, `scope ${scope}: ${reply.text}`);
        }),
      );
    });
  }
});

test("a key pair opens the paths of its kind and no other, on every route; nothing opens none", async (t) => {
  for (const route of routes) {
    await t.test(`${route.method} ${route.path}`, async () => {
      for (const kind of Object.keys(PAIRS) as (keyof typeof PAIRS)[]) {
        const reply = await ask(route, only(kind));
        // The public interface lists this one with server-side keys, so it takes both.
        const isOpen = kind === kindOf(route.path) || (route.path === "/client/v1/publish" && kind === "app");
        assert.equal(reply.status === 401, !isOpen, `${kind}: ${reply.text}`);
      }
      assert.equal((await ask(route, none)).status, 401);
      assert.equal((await ask(route, { ...none, authorization: "Bearer x" })).status, 401);
    });
  }
});

test("the scope of every route is the one that the rule names", () => {
  assert.equal(new Set(SCOPES).size, 51);
  for (const { path, scope } of routes) assert.deepEqual(scope === null ? [] : [scope], scopesOf(path).slice(1), path);
});
