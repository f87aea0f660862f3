import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { FORM, form, NOW, testDatabase, testEngine, type testProject } from "../support/engine.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const MINIMUM = { name: "Shop", timezone: "Europe/Warsaw", currency: "PLN", case_sensitive_codes: true };
const CALLOUT = { email: false, in_app: false, emails: [] };
const USAGE = { enabled: false, value: 80, in_app: false, emails: [] };
const USAGE_KINDS = ["messages", "api_calls", "cycle_calls", "redemptions", "webhook_calls", "bulk_api_calls"];
const SWITCHES = [
  "client_redeem_enabled",
  "client_publish_enabled",
  "client_list_vouchers_enabled",
  "client_create_customer_enabled",
  "client_loyalty_events_enabled",
  "client_set_voucher_expiration_date_enabled",
];

/** A project of its own, and calls to its own path. */
async function setUp(given: Parameters<typeof testProject>[1] = {}) {
  const { call, engine, project } = await testShop(db, given);
  const path = `/management/v1/projects/${project.id}`;
  const put = (body: unknown) => call(`PUT ${path}`, body);
  const get = async () => (await call(`GET ${path}`)).body;
  return { project, call, engine, path, put, get };
}

test("projects: a created one has the sent fields, a default for every other field, and two key pairs", async () => {
  const { call } = await setUp();
  const { status, body } = await call("POST /management/v1/projects", MINIMUM);
  assert.equal(status, 200);
  const { id, webhook_token, server_side_key, client_side_key, ...rest } = body;
  assert.match(id, /^proj_[0-9a-f]{24}$/);
  assert.match(webhook_token, /^[0-9a-f]{64}$/);
  for (const pair of [server_side_key, client_side_key])
    assert.deepEqual(Object.keys(pair).sort(), ["app_id", "app_token"]);
  assert.notEqual(server_side_key.app_token, client_side_key.app_token);
  assert.deepEqual(rest, {
    ...MINIMUM,
    description: "",
    dial_code: null,
    webhook_version: "v2024-01-01",
    client_trusted_domains: [],
    ...Object.fromEntries(SWITCHES.map((name) => [name, false])),
    webhooks_callout_notifications: { webhooks: CALLOUT, distributions: CALLOUT },
    api_usage_notifications: Object.fromEntries(USAGE_KINDS.map((kind) => [kind, USAGE])),
    default_code_config: { charset: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" },
    cluster_id: "eu1",
    api_version: "v2018-08-01",
    is_sandbox: false,
  });
  const read = await call(`GET /management/v1/projects/${id}`);
  assert.deepEqual(read.body, { id, webhook_token, ...rest });
});

test("projects: the default character set has no lower-case letters where case does not count", async () => {
  const { call } = await setUp();
  const { body } = await call("POST /management/v1/projects", { ...MINIMUM, case_sensitive_codes: false });
  assert.equal(body.case_sensitive_codes, false);
  assert.equal(body.default_code_config.charset, "0123456789abcdefghijklmnopqrstuvwxyz");
});

test("projects: create takes every optional field", async () => {
  const { call } = await setUp();
  const sent = {
    ...MINIMUM,
    description: "A shop",
    dial_code: "+48",
    webhook_version: "v2024-01-01",
    api_version: "v2018-08-01",
    cluster_id: "eu1",
    client_trusted_domains: ["https://shop.example"],
    ...Object.fromEntries(SWITCHES.map((name) => [name, true])),
  };
  const notifications = {
    webhooks_callout_notifications: { webhooks: { email: true, emails: ["a@b.example"] } },
    api_usage_notifications: { redemptions: { value: 50, enabled: true } },
  };
  const { status, body } = await call("POST /management/v1/projects", { ...sent, ...notifications });
  assert.equal(status, 200);
  for (const [field, value] of Object.entries(sent)) assert.deepEqual(body[field], value, field);
  assert.deepEqual(body.webhooks_callout_notifications, {
    webhooks: { email: true, emails: ["a@b.example"], in_app: false },
    distributions: CALLOUT,
  });
  assert.deepEqual(body.api_usage_notifications.redemptions, { ...USAGE, value: 50, enabled: true });
  assert.deepEqual(body.api_usage_notifications.messages, USAGE);
});

test("projects: the key pairs of a created one work at once, and their secrets are stored only as hashes", async () => {
  const { call } = await setUp();
  const { body } = await call("POST /management/v1/projects", {
    ...MINIMUM,
    client_trusted_domains: ["https://shop.example"],
  });
  const { server_side_key: server, client_side_key: client } = body;
  const own = { "x-app-id": server.app_id, "x-app-token": server.app_token };
  assert.equal((await call("GET /v1/categories", undefined, own)).body.total, 0);
  const scope = { ...FORM, ...own };
  assert.equal(
    (await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), scope)).status,
    200,
  );
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const keys = await db`select kind, id, secret_hash from keys where project_id = ${body.id} order by kind`;
  assert.deepEqual(
    keys.map((key) => ({ ...key })),
    [
      { kind: "app", id: server.app_id, secret_hash: hash(server.app_token) },
      { kind: "client", id: client.app_id, secret_hash: hash(client.app_token) },
    ],
  );
  const everything = JSON.stringify([await db`select * from keys`, await db`select * from projects`]);
  for (const secret of [server.app_token, client.app_token]) assert.ok(!everything.includes(secret));
});

test("projects: a project for another cluster is forbidden", async () => {
  const { call } = await setUp();
  const { status, body } = await call("POST /management/v1/projects", { ...MINIMUM, cluster_id: "us1" });
  assert.deepEqual([status, body.code, body.key], [403, 403, "forbidden"]);
  assert.match(body.details, /^Project is bound to different region/);
});

test("projects: the list has every project, in full", async () => {
  const { call, get, project } = await setUp();
  const { body: made } = await call("POST /management/v1/projects", { ...MINIMUM, name: "Listed" });
  const { status, body } = await call("GET /management/v1/projects");
  assert.equal(status, 200);
  assert.deepEqual([body.object, body.data_ref, body.total], ["list", "data", body.data.length]);
  assert.deepEqual(
    body.data.find(({ id }: { id: string }) => id === project.id),
    await get(),
  );
  const { server_side_key: _, client_side_key: __, ...listed } = made;
  assert.deepEqual(
    body.data.find(({ id }: { id: string }) => id === made.id),
    listed,
  );
});

const UPDATES: [string, unknown][] = [
  ["name", "Another name"],
  ["name", "x".repeat(200)],
  ["description", "What it is for"],
  ["description", ""],
  ["currency", "JPY"],
  ["dial_code", "+1"],
  ["dial_code", "48"],
  ["dial_code", null],
  ["webhook_version", "v2024-01-01"],
  ["client_trusted_domains", ["https://shop.example", "http://localhost:3000"]],
  ["client_trusted_domains", ["*"]],
  ["client_trusted_domains", []],
  ...SWITCHES.flatMap((name): [string, unknown][] => [
    [name, true],
    [name, false],
  ]),
  ["default_code_config", { charset: "ABC123" }],
  ...["Europe/Warsaw", "Etc/GMT+1", "UTC", "GMT", "GMT+1", "GMT+01:00", "UTC-3", "+02:00"].map(
    (zone): [string, unknown] => ["timezone", zone],
  ),
];

test("projects: an update changes the field that is sent, as it was sent, and no other", async (t) => {
  const { put, get } = await setUp();
  const holds = async (field: string, value: unknown) => {
    const before = await get();
    const { status, body } = await put({ [field]: value });
    assert.equal(status, 200);
    assert.deepEqual(body, { ...before, [field]: value }, JSON.stringify(value).slice(0, 50));
    assert.deepEqual(await get(), body);
  };
  for (const [field, updates] of Map.groupBy<string, readonly [string, unknown]>(UPDATES, ([name]) => name))
    await holdsRows(t, "project", {
      [field]: async () => {
        for (const [, value] of updates) await holds(field, value);
      },
    });
});

test("projects: several fields can be updated at once, and an empty update changes nothing", async () => {
  const { put, get } = await setUp();
  const sent = { name: "New", timezone: "Asia/Tokyo", currency: "JPY", client_redeem_enabled: true };
  const before = await get();
  assert.deepEqual((await put(sent)).body, { ...before, ...sent });
  const { status, body } = await put({});
  assert.deepEqual([status, body], [200, { ...before, ...sent }]);
});

test("projects: trusted domains are kept in the form that a browser sends, each once", async () => {
  const { put } = await setUp();
  const sent = ["HTTPS://Shop.Example:443", "https://shop.example/", "http://shop.example:80", "http://[::1]:8080"];
  assert.deepEqual((await put({ client_trusted_domains: sent })).body.client_trusted_domains, [
    "https://shop.example",
    "http://shop.example",
    "http://[::1]:8080",
  ]);
});

test("projects: a character set of null brings the default back", async () => {
  const { put } = await setUp();
  await put({ default_code_config: { charset: "XYZ" } });
  assert.equal((await put({ default_code_config: {} })).body.default_code_config.charset, "XYZ");
  const { body } = await put({ default_code_config: { charset: null } });
  assert.equal(body.default_code_config.charset, "0123456789abcdefghijklmnopqrstuvwxyz");
});

test("projects: of the callout notifications any subset of keys is merged", async () => {
  const { put } = await setUp();
  const value = async (sent: object) =>
    (await put({ webhooks_callout_notifications: sent })).body.webhooks_callout_notifications;
  const webhooks = { email: true, emails: ["ops@shop.example"], in_app: false };
  assert.deepEqual(await value({ webhooks: { email: true, emails: ["ops@shop.example"] } }), {
    webhooks,
    distributions: CALLOUT,
  });
  const distributions = { ...CALLOUT, in_app: true };
  assert.deepEqual(await value({ distributions: { in_app: true } }), { webhooks, distributions });
  assert.deepEqual(await value({ webhooks: { emails: [] } }), { webhooks: { ...webhooks, emails: [] }, distributions });
  assert.deepEqual(await value({}), { webhooks: { ...webhooks, emails: [] }, distributions });
});

test("projects: of the usage notifications any subset of keys is merged, for each of the six kinds", async () => {
  const { put, get } = await setUp();
  for (const [n, kind] of USAGE_KINDS.entries()) {
    const before = (await get()).api_usage_notifications;
    const sent = { value: n * 20, emails: [`a${n}@shop.example`], in_app: true, enabled: true };
    const { status, body } = await put({ api_usage_notifications: { [kind]: sent } });
    assert.equal(status, 200);
    assert.deepEqual(body.api_usage_notifications, { ...before, [kind]: sent });
    const { body: again } = await put({ api_usage_notifications: { [kind]: { enabled: false } } });
    assert.deepEqual(again.api_usage_notifications[kind], { ...sent, enabled: false });
  }
});

test("projects: two updates of different notification keys at the same time both hold", async () => {
  const { put, get } = await setUp();
  for (let round = 1; round <= 5; round += 1) {
    const replies = await Promise.all(
      USAGE_KINDS.map((kind) => put({ api_usage_notifications: { [kind]: { value: round } } })),
    );
    for (const { status } of replies) assert.equal(status, 200);
    const values = Object.values((await get()).api_usage_notifications as Record<string, { value: number }>);
    assert.deepEqual(
      values.map(({ value }) => value),
      USAGE_KINDS.map(() => round),
    );
  }
});

const TOO_MANY_EMAILS = Array.from({ length: 51 }, (_, n) => `a${n}@shop.example`);
const ORIGIN = "must be an origin with its scheme, such as https://shop.example:8443, or *";
const ZONE = "must be a time zone such as Europe/Berlin, or GMT with an offset";
const REFUSALS: [object, string][] = [
  [{ name: "" }, "Property .name must NOT have fewer than 1 characters"],
  [{ name: "x".repeat(201) }, "Property .name must NOT have more than 200 characters"],
  [{ name: null }, "Property .name must be string"],
  [{ name: 5 }, "Property .name must be string"],
  [{ description: null }, "Property .description must be string"],
  [{ description: "x".repeat(2001) }, "Property .description must NOT have more than 2000 characters"],
  ...["Mars/Olympus", "GMT+25", "GMT+1:75", "", "+99:00", "2026-01-01T00:00:00Z[Europe/Warsaw]"].map(
    (timezone): [object, string] => [{ timezone }, `Property .timezone ${ZONE}`],
  ),
  [{ timezone: 1 }, "Property .timezone must be string"],
  [{ timezone: null }, "Property .timezone must be string"],
  ...["EURO", "eur", "XYZ", "", "US"].map((currency): [object, string] => [
    { currency },
    "Property .currency must be a 3-letter ISO 4217 code such as EUR",
  ]),
  [{ currency: null }, "Property .currency must be string"],
  ...["", "+999", "+", "abc", "+48 "].map((dial_code): [object, string] => [
    { dial_code },
    "Property .dial_code must be a country dial code such as 49",
  ]),
  [{ dial_code: 48 }, "Property .dial_code must be string,null"],
  [
    { webhook_version: "v2018-08-01" },
    "Property .webhook_version must be equal to one of the allowed values [ v2024-01-01 ]",
  ],
  [{ webhook_version: null }, "Property .webhook_version must be string"],
  ...["shop.example", "localhost:3000", "//shop.example", "https://shop.example/path", "https://", "", "null"].map(
    (domain): [object, string] => [
      { client_trusted_domains: [domain] },
      `Property .client_trusted_domains[0] ${ORIGIN}`,
    ],
  ),
  [{ client_trusted_domains: ["https://ok.example", 5] }, "Property .client_trusted_domains[1] must be string"],
  [{ client_trusted_domains: "https://shop.example" }, "Property .client_trusted_domains must be array"],
  [{ client_trusted_domains: null }, "Property .client_trusted_domains must be array"],
  [
    { client_trusted_domains: Array.from({ length: 101 }, (_, n) => `https://s${n}.example`) },
    "Property .client_trusted_domains must NOT have more than 100 items",
  ],
  ...SWITCHES.flatMap((name) =>
    ["true", 1, null, []].map((value): [object, string] => [{ [name]: value }, `Property .${name} must be boolean`]),
  ),
  [{ webhooks_callout_notifications: null }, "Property .webhooks_callout_notifications must be object"],
  [
    { webhooks_callout_notifications: { sms: {} } },
    "Property .webhooks_callout_notifications must NOT have additional property 'sms'",
  ],
  [
    { webhooks_callout_notifications: { webhooks: { sms: true } } },
    "Property .webhooks_callout_notifications.webhooks must NOT have additional property 'sms'",
  ],
  [
    { webhooks_callout_notifications: { webhooks: { email: "yes" } } },
    "Property .webhooks_callout_notifications.webhooks.email must be boolean",
  ],
  [
    { webhooks_callout_notifications: { distributions: { in_app: 0 } } },
    "Property .webhooks_callout_notifications.distributions.in_app must be boolean",
  ],
  [
    { webhooks_callout_notifications: { webhooks: { emails: ["nobody"] } } },
    "Property .webhooks_callout_notifications.webhooks.emails[0] must be an e-mail address such as ann@shop.example",
  ],
  [
    { webhooks_callout_notifications: { webhooks: { emails: TOO_MANY_EMAILS } } },
    "Property .webhooks_callout_notifications.webhooks.emails must NOT have more than 50 items",
  ],
  [{ api_usage_notifications: [] }, "Property .api_usage_notifications must be object"],
  [
    { api_usage_notifications: { calls: {} } },
    "Property .api_usage_notifications must NOT have additional property 'calls'",
  ],
  [
    { api_usage_notifications: { messages: { percent: 5 } } },
    "Property .api_usage_notifications.messages must NOT have additional property 'percent'",
  ],
  ...(
    [
      [-1, ">= 0"],
      [101, "<= 100"],
      [50.5, "integer"],
      ["50", "integer"],
      [null, "integer"],
    ] as const
  ).map(([value, must]): [object, string] => [
    { api_usage_notifications: { api_calls: { value } } },
    `Property .api_usage_notifications.api_calls.value must be ${must}`,
  ]),
  [
    { api_usage_notifications: { api_calls: { enabled: "true" } } },
    "Property .api_usage_notifications.api_calls.enabled must be boolean",
  ],
  [
    { api_usage_notifications: { api_calls: { in_app: 1 } } },
    "Property .api_usage_notifications.api_calls.in_app must be boolean",
  ],
  [
    { api_usage_notifications: { api_calls: { emails: "a@b.example" } } },
    "Property .api_usage_notifications.api_calls.emails must be array",
  ],
  [{ default_code_config: null }, "Property .default_code_config must be object"],
  [
    { default_code_config: { charset: "" } },
    "Property .default_code_config.charset must NOT have fewer than 1 characters",
  ],
  [
    { default_code_config: { charset: "AB\u200b" } },
    "Property .default_code_config.charset must not hold control, zero-width or bidirectional characters, or broken Unicode",
  ],
  [{ default_code_config: { charset: 123 } }, "Property .default_code_config.charset must be string,null"],
  [{ default_code_config: { length: 8 } }, "Property .default_code_config must NOT have additional property 'length'"],
  [{ nickname: "x" }, "Payload must NOT have additional property 'nickname'"],
];

test("projects: an update with a wrong value is refused with the field's name and changes nothing", async (t) => {
  const { put, get } = await setUp();
  const before = await get();
  for (const [body, details] of REFUSALS) {
    await t.test(`${JSON.stringify(body).slice(0, 90)} is refused`, async () => {
      const reply = await put(body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [400, 400, "invalid_payload"]);
      assert.equal(reply.body.details, details);
    });
  }
  assert.deepEqual(await get(), before);
});

test("projects: a read-only field in an update is refused, even with the value it has", async (t) => {
  const { put, get } = await setUp();
  const before = await get();
  const readOnly = { ...before, limits: {}, created_at: NOW };
  for (const field of [
    "id",
    "cluster_id",
    "case_sensitive_codes",
    "api_version",
    "is_sandbox",
    "webhook_token",
    "limits",
    "created_at",
  ]) {
    const refused = async () => {
      const { status, body } = await put({ name: "Changed", [field]: readOnly[field] });
      assert.deepEqual([status, body.key], [400, "invalid_payload"]);
      assert.equal(body.details, `Payload must NOT have additional property '${field}'`);
    };
    await holdsRows(t, "project", { [field]: refused });
  }
  assert.deepEqual(await get(), before);
});

test("projects: create refuses what is missing, wrong or not for the caller to choose", async (t) => {
  const { call } = await setUp();
  const { name: _, ...withoutName } = MINIMUM;
  const cases: [object, string][] = [
    [withoutName, "Payload must have required property 'name'"],
    [{ ...MINIMUM, timezone: undefined }, "Payload must have required property 'timezone'"],
    [{ ...MINIMUM, currency: undefined }, "Payload must have required property 'currency'"],
    [{ ...MINIMUM, case_sensitive_codes: undefined }, "Payload must have required property 'case_sensitive_codes'"],
    [{ ...MINIMUM, case_sensitive_codes: "true" }, "Property .case_sensitive_codes must be boolean"],
    [
      { ...MINIMUM, api_version: "v1" },
      "Property .api_version must be equal to one of the allowed values [ v2018-08-01 ]",
    ],
    [{ ...MINIMUM, timezone: "Nowhere" }, `Property .timezone ${ZONE}`],
    [{ ...MINIMUM, currency: "usd" }, "Property .currency must be a 3-letter ISO 4217 code such as EUR"],
    ...["id", "is_sandbox", "webhook_token", "limits", "secret", "features"].map((field): [object, string] => [
      { ...MINIMUM, [field]: "x" },
      `Payload must NOT have additional property '${field}'`,
    ]),
  ];
  const total = async () => (await call("GET /management/v1/projects")).body.total;
  const before = await total();
  for (const [body, details] of cases) {
    await t.test(details, async () => {
      const reply = await call("POST /management/v1/projects", body);
      assert.deepEqual([reply.status, reply.body.key, reply.body.details], [400, "invalid_payload", details]);
    });
  }
  assert.equal(await total(), before);
});

test("projects: an unknown one is 404 with the error body, whatever is done with it", async (t) => {
  const { call } = await setUp();
  for (const [request, body] of [
    ["GET /management/v1/projects/proj_none", undefined],
    ["PUT /management/v1/projects/proj_none", { name: "x" }],
    ["DELETE /management/v1/projects/proj_none", undefined],
    ["GET /management/v1/projects/proj_none/stacking-rules", undefined],
    ["POST /management/v1/projects/proj_none/metadata-schemas", { related_object: "order", properties: {} }],
  ] as const) {
    await t.test(request, async (inner) => {
      const { status, body: error, headers } = await call(request, body);
      assert.equal(status, 404);
      const expected = {
        code: 404,
        key: "not_found",
        message: "Resource not found",
        details: "Cannot find project with id proj_none",
        resource_id: "proj_none",
        resource_type: "project",
        request_id: headers["x-request-id"],
      };
      assert.deepEqual(error, expected);
      await holdsFields(inner, "error", error, expected);
    });
  }
});

test("projects: the sandbox project cannot be deleted", async () => {
  const { call, path } = await setUp({ is_sandbox: true });
  const { status, body } = await call(`DELETE ${path}`);
  assert.deepEqual([status, body.key, body.details], [403, "forbidden", "A sandbox project cannot be deleted"]);
  assert.equal((await call(`GET ${path}`)).body.is_sandbox, true);
});

test("projects: after a delete nothing of the project answers any more, for its keys, its tokens and the management key", async () => {
  const { call, path, project } = await setUp({ is_sandbox: false, client_trusted_domains: ["*"] });
  const token = (await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM))
    .body.access_token;
  const bearer = { authorization: `Bearer ${token}`, "x-app-id": "", "x-app-token": "" };
  assert.equal((await call("GET /v1/categories", undefined, bearer)).status, 200);
  const other = await testEngine(db, project);
  assert.equal((await other.call("GET /v1/categories")).status, 200);

  const deleted = await call(`DELETE ${path}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const engine of [call, other.call]) {
    assert.equal((await engine("GET /v1/categories")).status, 401);
    assert.equal((await engine("GET /v1/categories", undefined, bearer)).status, 401);
    for (const request of [`GET ${path}`, `DELETE ${path}`, `GET ${path}/metadata-schemas`])
      assert.equal((await engine(request)).status, 404, request);
    assert.equal((await engine(`PUT ${path}`, { name: "x" })).status, 404);
  }
  const { data } = (await call("GET /management/v1/projects")).body;
  assert.ok(!data.some(({ id }: { id: string }) => id === project.id));
});

test("projects: the secret of the project and its features are in no answer", async () => {
  const { call, path, project } = await setUp();
  const [row] = await db`select secret, features from projects where id = ${project.id}`;
  for (const request of [`GET ${path}`, "GET /management/v1/projects"]) {
    const { text } = await call(request);
    assert.ok(!text.includes(row!.secret));
    assert.ok(!text.includes("LOYALTY_V2"));
  }
});

test("projects: limits are absent unless they are set, and shown as they are when they are", async () => {
  const { get, project } = await setUp();
  assert.ok(!("limits" in (await get())));
  const limits = { api_calls: [{ value: 100, duration: "PT1H" }] };
  await db`update projects set limits = ${db.json(limits)} where id = ${project.id}`;
  assert.deepEqual((await get()).limits, limits);
});
