import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { Type } from "typebox";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, NOW, type TestProject, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";

const { db } = await testDatabase();
const ok = Type.Object({ project_id: Type.String(), key_id: Type.String(), kind: Type.String() });
const routes = [
  ...ALL_ROUTES,
  ...["/v1/orders/me", "/client/v1/orders/me", "/v2/loyalties/me"].map((path) =>
    read(`GET ${path as "/x"}`, { id: `get${path}`, summary: "", ok }, async (c) => ({
      project_id: c.project.id,
      key_id: c.caller.key_id,
      kind: c.caller.kind,
    })),
  ),
];
const [V1, CLIENT, V2] = ["GET /v1/orders/me", "GET /client/v1/orders/me", "GET /v2/loyalties/me"];
const MANAGEMENT = "GET /management/v1/projects";
const ORIGIN = { origin: "https://shop.example" };
const NO_PAIRS = Object.fromEntries(
  ["x-app-id", "x-app-token", "x-client-application-id", "x-client-token", "x-management-id", "x-management-token"].map(
    (name) => [name, ""],
  ),
);
const PAIRS = {
  app: ["x-app-id", "x-app-token"],
  client: ["x-client-application-id", "x-client-token"],
  management: ["x-management-id", "x-management-token"],
} as const;
const pairOf = (project: TestProject, kind: keyof typeof PAIRS) =>
  Object.fromEntries(PAIRS[kind].map((name) => [name, project.headers[name]!]));
const make = () => testProject(db, { client_trusted_domains: ["*"] });
const engineOf = (project: TestProject, options = {}) => testEngine(db, project, { routes, ...options });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const hash = (text: string) => createHash("sha256").update(text).digest("hex");
/** A call that sends these headers and no credentials of its own. */
const alone = (call: Call, request: string, headers: Record<string, string>) =>
  call(request, undefined, { ...NO_PAIRS, ...ORIGIN, ...headers });

test("each operation takes the key pair of its kind, both halves of it, and no other pair", async (t) => {
  const [mine, other] = [await make(), await make()];
  const { call } = await engineOf(mine);
  for (const [request, kind] of [
    [V1, "app"],
    [CLIENT, "client"],
    [MANAGEMENT, "management"],
  ] as const) {
    const [id, secret] = PAIRS[kind];
    const pair = pairOf(mine, kind);
    await t.test(kind, async () => {
      assert.equal((await alone(call, request, pair)).status, 200);
      const upper = Object.fromEntries(Object.entries(pair).map(([name, value]) => [name.toUpperCase(), value]));
      assert.equal((await call(request, undefined, { ...ORIGIN, ...upper })).status, 200);
      const wrong: Record<string, Record<string, string>> = {
        nothing: {},
        "the id alone": { ...pair, [secret]: "" },
        "the secret alone": { ...pair, [id]: "" },
        "a wrong secret": { ...pair, [secret]: `${pair[secret]}x` },
        "the hash of the secret": { ...pair, [secret]: hash(pair[secret]!) },
        "an unknown id": { ...pair, [id]: "00000000-0000-0000-0000-000000000000" },
        "the two halves swapped": { [id]: pair[secret]!, [secret]: pair[id]! },
        "the secret of another project": { ...pair, [secret]: pairOf(other, kind)[secret]! },
        "the id in upper case": { ...pair, [id]: pair[id]!.toUpperCase() },
      };
      for (const others of Object.keys(PAIRS) as (keyof typeof PAIRS)[])
        if (others !== kind) wrong[`the pair of ${others}`] = pairOf(mine, others);
      const [a, b] = Object.values(pairOf(mine, kind === "app" ? "client" : "app"));
      wrong["the values of another kind"] = { [id]: a!, [secret]: b! };
      for (const [what, headers] of Object.entries(wrong)) {
        const reply = await alone(call, request, headers);
        assert.equal(reply.status, 401, what);
        assertRefused(reply, "unauthorized");
      }
    });
  }
});

test("a 401 names the header that is missing, and the kind of key that was sent in place of another", async () => {
  const project = await make();
  const { call } = await engineOf(project);
  const [app, client, management] = (["app", "client", "management"] as const).map((kind) => pairOf(project, kind));
  const token = bearer(await tokenOf(call, "api"));
  const details = async (request: string, headers: Record<string, string>) => {
    const reply = await alone(call, request, headers);
    assertRefused(reply, "unauthorized");
    return reply.body.details;
  };
  const send = "Send the headers X-App-Id and X-App-Token";
  const bearerText = "Authorization: Bearer with an access token";
  assert.equal(await details(V1, {}), `${send}, or ${bearerText}`);
  assert.equal(await details("POST /v1/oauth/token", {}), send);
  assert.equal(
    await details(V1, { ...app, "x-app-token": "" }),
    "The header X-App-Token is missing; X-App-Id and X-App-Token go together",
  );
  assert.equal(
    await details(V1, { ...app, "x-app-id": "" }),
    "The header X-App-Id is missing; X-App-Id and X-App-Token go together",
  );
  assert.equal(await details(MANAGEMENT, {}), "Send the headers X-Management-Id and X-Management-Token");
  assert.match(
    await details(V1, client!),
    /^This path takes a server-side key pair, and a client-side key pair was sent\. Send the headers X-App-Id and /,
  );
  assert.match(await details(CLIENT, app!), /takes a client-side key pair, and a server-side key pair was sent/);
  assert.match(await details(MANAGEMENT, app!), /takes a management key pair, and a server-side key pair was sent/);
  // The values of one kind in the headers of another.
  const [id, secret] = Object.values(client!) as [string, string];
  const swapped = { "x-app-id": id, "x-app-token": secret };
  assert.match(
    await details(V1, swapped),
    /^These are the values of a client-side key pair: send them as X-Client-Application-Id and X-Client-Token/,
  );
  assert.match(
    await details(V1, {
      "x-app-id": management!["x-management-id"]!,
      "x-app-token": management!["x-management-token"]!,
    }),
    /^These are the values of a management key pair/,
  );
  assert.equal(await details(V2, {}), `${send}, and ${bearerText}`);
  assert.match(await details(V2, app!), /^\/v2 also needs a bearer token: .*POST \/v1\/oauth\/token$/);
  assert.equal(await details(V2, token), `${send}, and ${bearerText}`);
  assert.match(await details(V2, { ...app, ...bearer("x") }), /^The bearer token was not accepted/);
  const other = await make();
  assert.match(await details(V2, { ...pairOf(other, "app"), ...token }), /belong to two projects$/);
  assert.match(await details(V1, bearer("x")), /^The bearer token was not accepted: it is unknown, expired or revoked/);
});

test("a 401 says the same of an unknown id, a wrong or close secret, a disabled key and a key of another kind", async () => {
  const [project, disabled] = [await make(), await make()];
  const { call } = await engineOf(project);
  await db`update keys set disabled_at = ${NOW} where id = any(${[disabled.app.id, disabled.client.id]})`;
  const { id, secret } = project.app;
  const close = `${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`;
  const pairs: Record<string, [id: string, secret: string]> = {
    "an unknown id": ["00000000-0000-0000-0000-000000000000", secret],
    "a close secret": [id, close],
    "a distant secret": [id, "x"],
    "a disabled key": [disabled.app.id, disabled.app.secret],
    "a disabled key of another kind": [disabled.client.id, disabled.client.secret],
    "the id of another kind with a wrong secret": [project.client.id, "x"],
    "the id of another kind with a close secret": [project.client.id, project.client.secret.slice(1)],
  };
  const answers = await Promise.all(
    Object.values(pairs).map(async ([id, secret]) => {
      const { status, body } = await alone(call, V1, { "x-app-id": id, "x-app-token": secret });
      return `${status} ${body.details}`;
    }),
  );
  assert.deepEqual(
    [...new Set(answers)],
    [
      "401 X-App-Id and X-App-Token were not accepted: the id is unknown, the token is not its token, or the key is disabled",
    ],
  );
});

test("the caller is the project of its key, whatever else is sent", async () => {
  const [a, b] = [await make(), await make()];
  const { call } = await engineOf(a);
  assert.deepEqual((await alone(call, V1, pairOf(b, "app"))).body, { project_id: b.id, key_id: b.app.id, kind: "app" });
  const mixed = { ...pairOf(a, "client"), ...pairOf(b, "app") };
  assert.equal((await alone(call, CLIENT, mixed)).body.project_id, a.id);
  assert.equal((await alone(call, V1, mixed)).body.project_id, b.id);
});

test("a disabled key stops at once in every process, and so do its tokens", async () => {
  const project = await make();
  const [one, two] = [await engineOf(project), await engineOf(project)];
  const token = bearer(await tokenOf(one.call, "api client_api"));
  const requests = [V1, CLIENT, MANAGEMENT];
  for (const { call } of [one, two])
    for (const request of requests) assert.equal((await alone(call, request, project.headers)).status, 200);
  for (const { call } of [one, two]) assert.equal((await alone(call, V1, token)).status, 200);
  const ids = [project.app.id, project.client.id, project.management.id];
  await db`update keys set disabled_at = ${NOW} where id = any(${ids})`;
  for (const { call } of [one, two]) {
    for (const request of requests) assertRefused(await alone(call, request, project.headers), "unauthorized");
    for (const request of [V1, CLIENT]) assertRefused(await alone(call, request, token), "unauthorized");
  }
});

test("after a rotation the new secret works at once and the old one until its time, in every process", async () => {
  const project = await make();
  let now = NOW;
  const engines = [await engineOf(project, { now: () => now }), await engineOf(project, { now: () => now })];
  const token = bearer(await tokenOf(engines[0]!.call, "api"));
  const until = "2026-01-01T13:00:00.000Z";
  await db`
    update keys set previous_secret_hash = secret_hash, previous_until = ${until}, secret_hash = ${hash("new")}
    where id = ${project.app.id}`;
  const statuses = async (headers: Record<string, string>) =>
    Promise.all(engines.map(async ({ call }) => (await alone(call, V1, headers)).status));
  const fresh = { ...pairOf(project, "app"), "x-app-token": "new" };
  assert.deepEqual(await statuses(fresh), [200, 200]);
  assert.deepEqual(await statuses(pairOf(project, "app")), [200, 200]);
  assert.deepEqual(await statuses(token), [200, 200]);
  now = until;
  assert.deepEqual(await statuses(pairOf(project, "app")), [401, 401]);
  assert.deepEqual(await statuses(fresh), [200, 200]);
});

test("a bearer token works in place of the pair on v1 and client, in either header", async () => {
  const project = await make();
  const { call } = await engineOf(project);
  const token = await tokenOf(call, "api client_api");
  const caller = { project_id: project.id, key_id: project.app.id };
  for (const headers of [
    { authorization: `Bearer ${token}` },
    { authorization: `bearer ${token}` },
    { "x-voucherify-oauth": `Bearer ${token}` },
    { authorization: "Basic YTpi", "x-voucherify-oauth": `Bearer ${token}` },
  ] as Record<string, string>[]) {
    assert.deepEqual((await alone(call, V1, headers)).body, { ...caller, kind: "app" });
    assert.deepEqual((await alone(call, CLIENT, headers)).body, { ...caller, kind: "client" });
    assertRefused(await alone(call, MANAGEMENT, headers), "unauthorized");
    assertRefused(await alone(call, V2, headers), "unauthorized");
  }
  for (const authorization of [token, `Bearer${token}`, `Basic ${token}`, "Bearer", "Bearer ", `Bearer ${token} x`])
    assertRefused(await alone(call, V1, { authorization }), "unauthorized");
});

test("a pair that is sent decides: a wrong one is refused beside a good token, a good one needs none", async () => {
  const [project, other] = [await make(), await make()];
  const { call } = await engineOf(project);
  const good = bearer(await tokenOf(call, "api client_api"));
  for (const [request, [id, secret]] of [
    [V1, PAIRS.app],
    [CLIENT, PAIRS.client],
  ] as const) {
    assertRefused(
      await alone(call, request, { ...good, [id]: project.headers[id]!, [secret]: "wrong" }),
      "unauthorized",
    );
    assertRefused(await alone(call, request, { ...good, [id]: project.headers[id]! }), "unauthorized");
    assertRefused(await alone(call, request, { ...good, [secret]: project.headers[secret]! }), "unauthorized");
    assert.equal((await alone(call, request, { ...project.headers, ...bearer("garbage") })).status, 200);
  }
  const foreign = await alone(call, V1, { ...pairOf(other, "app"), ...good });
  assert.equal(foreign.body.project_id, other.id);
});

test("v2 needs the pair and the token, of one project, unless it is told to take either", async () => {
  const [project, other] = [await make(), await make()];
  const { call } = await engineOf(project);
  const pair = pairOf(project, "app");
  const good = bearer(await tokenOf(call, "loyalties"));
  const foreign = bearer(await tokenOf((await engineOf(other)).call, "api"));
  const narrow = bearer(await tokenOf(call, "vouchers client_api"));
  const wrong = { ...pair, "x-app-token": "wrong" };
  const elsewhere = { "x-voucherify-oauth": good.authorization };
  assert.equal((await alone(call, V2, { ...pair, ...good })).body.project_id, project.id);
  for (const headers of [
    { ...pair, ...elsewhere },
    pair,
    good,
    { ...pair, ...bearer("x") },
    { ...wrong, ...good },
    { ...pair, ...foreign },
    {},
  ])
    assertRefused(await alone(call, V2, headers), "unauthorized");
  assertRefused(await alone(call, V2, { ...pair, ...narrow }), "missing_required_permission", /api or loyalties/);

  const either = (await engineOf(project, { v2Auth: "either" })).call;
  for (const headers of [pair, good, { ...pair, ...good }, { ...pair, ...bearer("x") }, { ...pair, ...narrow }])
    assert.equal((await alone(either, V2, headers)).body.project_id, project.id);
  for (const headers of [{ ...wrong, ...good }, bearer("x"), {}, pairOf(project, "client")])
    assertRefused(await alone(either, V2, headers), "unauthorized");
  assertRefused(await alone(either, V2, narrow), "missing_required_permission");
});

test("with LOYALTY_V2 off every v2 operation is forbidden, after the credentials and not before", async () => {
  const project = await make();
  const { call } = await engineOf(project);
  const both = { ...pairOf(project, "app"), ...bearer(await tokenOf(call, "api")) };
  await db`update projects set features = '{}' where id = ${project.id}`;
  assertRefused(await alone(call, V2, both), "feature_not_enabled", "The feature LOYALTY_V2 is off for this project");
  assertRefused(await alone(call, V2, { ...both, "x-app-token": "wrong" }), "unauthorized");
  assertRefused(await alone(call, V2, {}), "unauthorized");
  assert.equal((await alone(call, V1, both)).status, 200);
  await db`update projects set features = '{LOYALTY_V2}' where id = ${project.id}`;
  assert.equal((await alone(call, V2, both)).status, 200);
});

test("the keys and tokens of a deleted project are strangers, and its management path is a 404", async () => {
  const project = await testProject(db, { is_sandbox: false, client_trusted_domains: ["*"] });
  const { call } = await engineOf(project);
  const token = bearer(await tokenOf(call, "api client_api"));
  const path = `/management/v1/projects/${project.id}`;
  assert.equal((await call(`DELETE ${path}`)).status, 204);
  for (const request of [V1, CLIENT]) {
    assertRefused(await alone(call, request, project.headers), "unauthorized");
    assertRefused(await alone(call, request, token), "unauthorized");
  }
  assertRefused(await alone(call, V2, { ...project.headers, ...token }), "unauthorized");
  assertRefused(await call(`GET ${path}`), "not_found", `Cannot find project with id ${project.id}`);
  assertRefused(await call(`GET ${path}/stacking-rules`), "not_found");
});

test("a management path of a project that does not exist is a 404, but only to who may ask", async () => {
  const project = await make();
  const { call } = await engineOf(project);
  const path = "GET /management/v1/projects/proj_none/custom-event-schemas";
  assertRefused(await call(path), "not_found", "Cannot find project with id proj_none");
  assertRefused(await call(path, undefined, { "x-management-token": "wrong" }), "unauthorized");
});

test("when a key was last used is written, also when its token was used", async () => {
  const project = await make();
  const token = bearer(await tokenOf((await engineOf(project)).call, "client_api"));
  const now = "2026-01-01T12:05:00.000Z";
  const { app, call } = await engineOf(project, { now: () => now });
  const lastUsed = async () => {
    const rows = await db`select kind, last_used_at from keys where id = any(${[project.app.id, project.client.id]})`;
    return Object.fromEntries(rows.map((row) => [row.kind, row.last_used_at]));
  };
  assert.deepEqual(await lastUsed(), { app: null, client: null });
  assert.equal((await alone(call, CLIENT, token)).status, 200);
  await alone(call, CLIENT, { ...pairOf(project, "client"), "x-client-token": "wrong" });
  await app.close();
  assert.deepEqual(await lastUsed(), { app: now, client: null });
});

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signed = (header: object, payload: object, secret: string, algorithm = "sha256") => {
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac(algorithm, secret).update(text).digest("base64url")}`;
};

test("a token that was changed in any part is refused, also with the right secret behind another algorithm", async () => {
  const [project, other] = [await make(), await make()];
  let now = NOW;
  const { call } = await engineOf(project, { now: () => now });
  const token = await tokenOf(call, "api");
  const foreign = await tokenOf((await engineOf(other)).call, "api");
  const [head = "", body = "", signature = ""] = token.split(".");
  const [header, payload] = [head, body].map((text) => JSON.parse(Buffer.from(text, "base64url").toString())) as [
    object,
    object,
  ];
  const foreignPayload = JSON.parse(Buffer.from(foreign.split(".")[1]!, "base64url").toString());
  const [{ secret }] = (await db`select secret from signing_keys order by created_at desc limit 1`) as unknown as [
    { secret: string },
  ];
  assert.equal(signed(header, payload, secret), token, "the test signs as the engine does");
  const flipped = `${signature.slice(0, 9)}${signature[9] === "A" ? "B" : "A"}${signature.slice(10)}`;
  const texts: Record<string, string> = {
    "alg none": `${part({ ...header, alg: "none" })}.${body}.`,
    "alg none with the signature": `${part({ ...header, alg: "none" })}.${body}.${signature}`,
    "another algorithm": signed({ ...header, alg: "HS512" }, payload, secret, "sha512"),
    "another algorithm that is only named": signed({ ...header, alg: "HS384" }, payload, secret),
    "another secret": signed(header, payload, "guess"),
    "an empty secret": signed(header, payload, ""),
    "a flipped bit": `${head}.${body}.${flipped}`,
    "no signature": `${head}.${body}.`,
    "two parts": `${head}.${body}`,
    "a wider scope": `${head}.${part({ ...payload, scope: "api client_api" })}.${signature}`,
    "the id of another project's token": signed(header, { ...payload, jti: foreignPayload.jti }, secret),
    "another project": signed(header, { ...payload, sub: other.id }, secret),
    "another issuer": signed(header, { ...payload, iss: "someone" }, secret),
    "an unknown critical header": signed({ ...header, crit: ["x"], x: 1 }, payload, secret),
    "an id that is no text": signed(header, { ...payload, jti: { a: 1 } }, secret),
    "an id with NUL": signed(header, { ...payload, jti: "tok_\0" }, secret),
    "a lone surrogate": signed(header, { ...payload, sub: "\ud800" }, secret),
    "no JSON": `${head}.${Buffer.from("{").toString("base64url")}.${signature}`,
    garbage: "x.y.z",
    long: "x".repeat(8000),
  };
  for (const [what, text] of Object.entries(texts)) {
    const reply = await alone(call, V1, bearer(text));
    assert.equal(reply.status, 401, `${what}: ${reply.text}`);
    assertRefused(reply, "unauthorized");
  }
  assert.equal((await alone(call, V1, bearer(token))).status, 200);
  now = "2026-01-01T12:14:59.999Z";
  assert.equal((await alone(call, V1, bearer(token))).status, 200);
  now = "2026-01-01T12:15:00.000Z";
  assertRefused(await alone(call, V1, bearer(token)), "unauthorized");
});

test("what a stranger sends does not fail the requests that are checked in the same statement", async () => {
  const project = await make();
  const { call } = await engineOf(project);
  const poison = bearer(`${part({ alg: "HS256" })}.${part({ sub: "a\0", jti: "b\0" })}.x`);
  for (let round = 0; round < 5; round += 1) {
    const replies = await Promise.all([
      alone(call, V1, poison),
      alone(call, "GET /management/v1/projects/%00", { "x-management-id": "x", "x-management-token": "y" }),
      ...Array.from({ length: 10 }, () => call(V1)),
    ]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [401, 401, ...Array(10).fill(200)],
    );
  }
});
