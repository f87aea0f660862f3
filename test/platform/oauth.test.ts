import assert from "node:assert/strict";
import { test } from "node:test";
import { SCOPES } from "../../src/http/scopes.ts";
import { type Call, FORM, form, NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const ISSUE = "POST /v1/oauth/token";
const post = (call: Call, request: string, fields: Record<string, string> | string, headers = {}) =>
  call(request, typeof fields === "string" ? fields : form(fields), { ...FORM, ...headers });
const issue = (call: Call, scope: string) => post(call, ISSUE, { grant_type: "client_credentials", scope });
const introspect = (call: Call, access_token: string) => post(call, "POST /v1/oauth/introspect", { access_token });
const revoke = (call: Call, access_token: string) => post(call, "POST /v1/oauth/token/revoke", { access_token });
const later = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();
/** The names of interface.md, written out once more. */
const NAMES =
  "api assets async-actions campaigns categories client_api client_consents client_customers client_events " +
  "client_promotions client_publish client_qualifications client_redeem client_redemptions client_validate " +
  "client_validations client_vouchers consents customers events exports locations loyalties metadata-schemas orders " +
  "product-collections products promotions publications qualifications redemptions referrals rewards segments skus " +
  "task-results templates trash-bin validation-rules-assignments validation-rules validations vouchers";

test("a token has exactly the fields of the interface and lives 900 seconds", async (t) => {
  const { call, project } = await testShop(db);
  const { status, body } = await issue(call, "api");
  await holdsRows(t, "oauth.token", { path: () => assert.equal(status, 200) });
  const { access_token, ...rest } = body;
  const expires_at = Date.parse(NOW) / 1000 + 900;
  const expected = { client_id: project.app.id, expires_at, expires_in: 900, scope: "api", token_type: "Bearer" };
  await holdsFields(t, "oauth_token", rest, expected);
  await holdsRows(t, "oauth_token", {
    access_token: () => assert.match(access_token, /^[\w-]+\.[\w-]+\.[\w-]{43}$/, "a JWT"),
  });
  await holdsRows(t, "oauth.token", { answer: () => assert.deepEqual(rest, expected) });
  assert.notEqual((await issue(call, "api")).body.access_token, access_token);
});

test("each of the 42 scopes is accepted, alone and all together", async () => {
  const { call } = await testShop(db);
  const OURS = [
    "audit-log",
    "conflicts",
    "gift-cards",
    "project-summary",
    "refusals",
    "registry",
    "request-log",
    "search",
    "time-series",
  ];
  assert.deepEqual(
    SCOPES.filter((scope) => !OURS.includes(scope)),
    NAMES.split(" "),
  );
  assert.equal(SCOPES.length, NAMES.split(" ").length + OURS.length);
  for (const scope of SCOPES) assert.equal((await issue(call, scope)).body.scope, scope);
  assert.equal((await issue(call, NAMES)).body.scope, NAMES);
});

test("scopes are separated by spaces, as + or %20, each kept once in the order it was sent", async () => {
  const { call } = await testShop(db);
  const scopeOf = async (text: string) =>
    (await post(call, ISSUE, `grant_type=client_credentials&scope=${text}`)).body.scope;
  assert.equal(await scopeOf("vouchers+api"), "vouchers api");
  assert.equal(await scopeOf("vouchers%20api"), "vouchers api");
  assert.equal(await scopeOf("+api++vouchers%20+api+"), "api vouchers");
});

test("a scope that is unknown, joined by commas or only blank is refused with what was sent", async () => {
  const { call } = await testShop(db);
  for (const scope of [
    "nothing",
    "api,vouchers",
    "api, vouchers",
    "API",
    "api nothing",
    "oauth",
    "management",
    " ",
    "*",
  ])
    assertRefused(await issue(call, scope), "invalid_scope", `Invalid scope: ${scope}`);
});

test("a missing or empty field is missing_parameters, another grant type invalid_grant_type", async (t) => {
  const { call } = await testShop(db);
  const missing: [string, string][] = [
    ["", "grant_type"],
    ["scope=api", "grant_type"],
    ["grant_type=&scope=api", "grant_type"],
    ["grant_type=client_credentials", "scope"],
    ["grant_type=client_credentials&scope=", "scope"],
  ];
  for (const [body, field] of missing)
    assertRefused(await post(call, ISSUE, body), "missing_parameters", `The form field ${field} is missing`);
  assertRefused(await call(ISSUE), "missing_parameters");
  const needsToken = (request: string) => async () => {
    for (const body of ["", "access_token=", "token=x"])
      assertRefused(await post(call, request, body), "missing_parameters", "The form field access_token is missing");
  };
  await holdsRows(t, "oauth.introspect", { access_token: needsToken("POST /v1/oauth/introspect") });
  await needsToken("POST /v1/oauth/token/revoke")();
  await holdsRows(t, "oauth.token", {
    grant_type: async () => {
      assertRefused(await post(call, ISSUE, "scope=api"), "missing_parameters", "The form field grant_type is missing");
      for (const grant of ["password", "authorization_code", "CLIENT_CREDENTIALS", "client_credentials "])
        assertRefused(await post(call, ISSUE, { grant_type: grant, scope: "api" }), "invalid_grant_type");
    },
  });
});

test("a field that stands twice or is nested is refused, and one that is unknown is ignored", async () => {
  const { call } = await testShop(db);
  const start = "grant_type=client_credentials";
  assertRefused(
    await post(call, ISSUE, `${start}&scope=api&scope=vouchers`),
    "invalid_payload",
    "Property .scope must be string",
  );
  assertRefused(await post(call, ISSUE, `${start}&scope[a]=api`), "invalid_payload", "Property .scope must be string");
  assert.equal((await post(call, ISSUE, `${start}&scope=api&client_secret=x`)).status, 200);
});

test("the three operations take forms only, and the key pair only", async (t) => {
  const { call } = await testShop(db);
  const token = await tokenOf(call, "api client_api");
  const bare = { "x-app-id": "", "x-app-token": "" };
  const takesFormsOnly = (path: string) => async () => {
    const body = { grant_type: "client_credentials", scope: "api", access_token: token };
    assertRefused(await call(`POST /v1/oauth/${path}`, body), "unsupported_media_type");
    const headers = { "content-type": "text/plain" };
    assertRefused(await call(`POST /v1/oauth/${path}`, form(body), headers), "unsupported_media_type");
  };
  await holdsRows(t, "oauth.token", { form: takesFormsOnly("token") });
  await holdsRows(t, "oauth.introspect", { form: takesFormsOnly("introspect") });
  await takesFormsOnly("token/revoke")();
  for (const path of ["token", "introspect", "token/revoke"]) {
    const request = `POST /v1/oauth/${path}`;
    const body = { grant_type: "client_credentials", scope: "api", access_token: token };
    assertRefused(await post(call, request, body, { ...bare, authorization: `Bearer ${token}` }), "unauthorized");
    assertRefused(
      await post(call, request, body, { ...bare, "x-voucherify-oauth": `Bearer ${token}` }),
      "unauthorized",
    );
    assertRefused(await post(call, request, body, bare), "unauthorized");
    assertRefused(await post(call, request, "", { "x-app-token": "wrong" }), "unauthorized");
  }
  assert.equal((await introspect(call, token)).body.active, true);
});

test("introspection tells the whole token; its seconds count down while the end stays", async (t) => {
  const project = await testProject(db);
  let now = NOW;
  const { call } = await testEngine(db, project, { now: () => now });
  const issued = (await issue(call, "vouchers api")).body;
  for (const [seconds, left] of [
    [0, 900],
    [1, 899],
    [300, 600],
    [899, 1],
  ] as const) {
    now = later(seconds);
    assert.deepEqual((await introspect(call, issued.access_token)).body, { ...issued, expires_in: left, active: true });
  }
  now = later(300);
  const { status, body } = await introspect(call, issued.access_token);
  await holdsRows(t, "oauth.introspect", {
    path: () => assert.equal(status, 200),
    answer: () => assert.deepEqual(body, { ...issued, expires_in: 600, active: true }),
  });
  now = later(900);
  await holdsRows(t, "oauth_token", {
    active: async () => {
      assert.equal(body.active, true);
      assert.equal((await introspect(call, issued.access_token)).text, '{"active":false}');
    },
  });
});

test("of a token that is not alive only that is told, whatever the reason", async (t) => {
  const [mine, other] = [await testProject(db), await testProject(db)];
  const [{ call }, others] = [await testEngine(db, mine), await testEngine(db, other)];
  const token = await tokenOf(call, "api");
  const [head, body, signature = ""] = token.split(".");
  const revoked = await tokenOf(call, "api");
  await revoke(call, revoked);
  const nul = Buffer.from(JSON.stringify({ jti: "\0" })).toString("base64url");
  const dead: Record<string, string> = {
    unknown: "x",
    blank: " ",
    revoked,
    "of another project": await tokenOf(others.call, "api"),
    tampered: `${head}.${body}.${signature.slice(0, 5)}${signature[5] === "A" ? "B" : "A"}${signature.slice(6)}`,
    unsigned: `${head}.${body}.`,
    "with NUL": `${head}.${nul}.${signature}`,
    "a NUL": "\0",
  };
  for (const [what, text] of Object.entries(dead)) {
    const reply = await introspect(call, text);
    assert.deepEqual([reply.status, reply.text], [200, '{"active":false}'], what);
    assertRefused(await revoke(call, text), "not_found", "Cannot find a live access token");
  }
  await holdsRows(t, "oauth.introspect", {
    nonexistent: async () => assert.equal((await introspect(call, "x")).text, '{"active":false}'),
  });
  await holdsRows(t, "state.oauth_token", {
    active: async () => {
      const active = async (one: string) => (await introspect(call, one)).body.active;
      assert.deepEqual([await active(token), await active(revoked)], [true, false]);
    },
  });
  assert.equal((await introspect(others.call, dead["of another project"]!)).body.active, true);
});

test("a token of a disabled key is not active, and a new pair of the project can say so", async () => {
  const { call, project } = await testShop(db);
  const token = await tokenOf(call, "api");
  await db`
    insert into keys (kind, id, project_id, name, secret_hash, created_at)
    select kind, 'second', project_id, name, secret_hash, created_at from keys where id = ${project.app.id}`;
  const second = { "x-app-id": "second" };
  const ask = () => post(call, "POST /v1/oauth/introspect", { access_token: token }, second);
  assert.equal((await ask()).body.client_id, project.app.id);
  await db`update keys set disabled_at = ${NOW} where id = ${project.app.id}`;
  assert.equal((await ask()).text, '{"active":false}');
  const revoking = await post(call, "POST /v1/oauth/token/revoke", { access_token: token }, second);
  assertRefused(revoking, "not_found");
});

test("a revoked token is dead at once in every process; revoking it again is a 404 with the error body", async () => {
  const project = await testProject(db);
  const [one, two] = [await testEngine(db, project), await testEngine(db, project)];
  const token = await tokenOf(one.call, "categories");
  const use = (call: Call) =>
    call("GET /v1/categories", undefined, { "x-app-id": "", "x-app-token": "", authorization: `Bearer ${token}` });
  assert.deepEqual([(await use(one.call)).status, (await use(two.call)).status], [200, 200]);
  const reply = await revoke(one.call, token);
  assert.deepEqual([reply.status, reply.text], [204, ""]);
  for (const { call } of [two, one]) {
    assertRefused(await use(call), "unauthorized");
    assert.equal((await introspect(call, token)).text, '{"active":false}');
    assertRefused(await revoke(call, token), "not_found");
  }
});

/** Fills a project with tokens that were issued one second after the other, the last one at NOW. */
async function fill(projectId: string, keyId: string, count: number, lifetime: string) {
  await db`
    insert into oauth_tokens (project_id, id, key_id, signing_key_id, scope, created_at, expires_at)
    select ${projectId}, 'old_' || n, ${keyId}, (select max(id) from signing_keys), 'api',
      ${NOW}::timestamptz - make_interval(secs => ${count} - n), ${NOW}::timestamptz + ${lifetime}::interval
    from generate_series(1, ${count}) n`;
}
const idsOf = async (projectId: string) =>
  (await db`select id from oauth_tokens where project_id = ${projectId} order by created_at, id`).map(({ id }) => id);

test("a project has at most 1,000 live tokens: the oldest goes, also when several processes issue at once", async () => {
  const [project, other] = [await testProject(db), await testProject(db)];
  const engines = [await testEngine(db, project), await testEngine(db, project)];
  const kept = await tokenOf((await testEngine(db, other)).call, "api");
  await fill(project.id, project.app.id, 990, "900 seconds");
  const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => issue(engines[n % 2]!.call, "api")));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  const ids = await idsOf(project.id);
  assert.equal(ids.length, 1000);
  assert.equal(ids[0], "old_21", "the twenty oldest went");
  for (const { body } of replies)
    assert.equal((await introspect(engines[0]!.call, body.access_token)).body.active, true);
  assert.equal((await introspect((await testEngine(db, other)).call, kept)).body.active, true);
});

test("expired tokens do not count among the 1,000 and are cleared away", async () => {
  const { call, project } = await testShop(db);
  const live = await tokenOf(call, "api");
  await fill(project.id, project.app.id, 1200, "-1 seconds");
  await issue(call, "api");
  assert.equal((await idsOf(project.id)).length, 2);
  assert.equal((await introspect(call, live)).body.active, true);
});

test("after 30 days another key signs, and the tokens of the one before it go on working", async () => {
  const project = await testProject(db);
  let now = NOW;
  const { call } = await testEngine(db, project, { now: () => now });
  const kidOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()).kid;
  const use = async (token: string) =>
    (
      await call("GET /v1/categories", undefined, {
        "x-app-id": "",
        "x-app-token": "",
        authorization: `Bearer ${token}`,
      })
    ).status;
  const month = 30 * 86_400;
  const first = kidOf(await tokenOf(call, "api"));
  now = later(month - 60);
  const last = await tokenOf(call, "api");
  assert.equal(kidOf(last), first);
  now = later(month + 60);
  const next = await tokenOf(call, "api");
  assert.notEqual(kidOf(next), first);
  assert.deepEqual([await use(last), await use(next)], [200, 200]);
  for (const token of [last, next]) assert.equal((await introspect(call, token)).body.active, true);
  assert.equal(kidOf(await tokenOf(call, "api")), kidOf(next));
});
