import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const SENT = {
  brand: { name: "Field and Harbour" },
  address: { street: "Harbour Street 1", city: "Hamburg", postal: null, country: "Germany" },
  contact: { email: "hello@shop.example" },
};
const SHOWN = {
  brand: {
    name: "Field and Harbour",
    privacy_policy_url: null,
    terms_of_use_url: null,
    website_url: null,
    permission_reminder: "You are receiving this email because you opted in at our website.",
  },
  address: { ...SENT.address, state: "" },
  contact: { email: "hello@shop.example", phone: null },
};

async function setUp() {
  const shop = await testShop(db);
  return { ...shop, path: `/management/v1/projects/${shop.project.id}/branding` };
}

test("branding: none, then one, read alone and in the list, and none again", async () => {
  const { ok, call, path } = await setUp();
  assert.deepEqual(await ok(`GET ${path}`), { object: "list", data_ref: "data", data: [], total: 0 });
  const { id, ...made } = await ok(`POST ${path}`, SENT);
  assert.match(id, /^brd_[0-9a-f]{24}$/);
  assert.deepEqual(made, SHOWN);
  assert.deepEqual(await ok(`GET ${path}/${id}`), { id, ...SHOWN });
  assert.deepEqual((await ok(`GET ${path}`)).data, [{ id, ...SHOWN }]);
  assertRefused(await call(`POST ${path}`, SENT), "branding_exist");
  assert.equal((await call(`DELETE ${path}/${id}`)).status, 204);
  assert.equal((await ok(`GET ${path}`)).total, 0);
  assertRefused(await call(`GET ${path}/${id}`), "not_found", `Cannot find branding with id ${id}`);
  assert.equal((await call(`POST ${path}`, SENT)).status, 200, "there is room for another one");
});

test("branding: create takes every field", async () => {
  const { ok, path } = await setUp();
  const sent = {
    brand: {
      name: "Field",
      privacy_policy_url: "https://shop.example/privacy",
      terms_of_use_url: "https://shop.example/terms",
      website_url: "http://shop.example",
      permission_reminder: "You asked for it.",
    },
    address: { street: "a", city: "b", postal: "c", state: "d", country: "e" },
    contact: { email: "a@b.example", phone: "123" },
  };
  const { id } = await ok(`POST ${path}`, sent);
  assert.deepEqual(await ok(`GET ${path}/${id}`), { id, ...sent });
});

test("branding: an update changes the field that is sent and no other, inside each part too", async () => {
  const { ok, path } = await setUp();
  const { id } = await ok(`POST ${path}`, { ...SENT, contact: { ...SENT.contact, phone: "123" } });
  let expected: Record<string, any> = { id, ...SHOWN, contact: { ...SHOWN.contact, phone: "123" } };
  const changes: [part: string, field: string, value: unknown][] = [
    ["brand", "name", "Other"],
    ["brand", "website_url", "https://other.example"],
    ["brand", "website_url", null],
    ["brand", "permission_reminder", "Because."],
    ["address", "postal", "20457"],
    ["address", "state", "HH"],
    ["contact", "phone", null],
  ];
  for (const [part, field, value] of changes) {
    expected = { ...expected, [part]: { ...expected[part], [field]: value } };
    assert.deepEqual(await ok(`PUT ${path}/${id}`, { [part]: { [field]: value } }), expected);
    assert.deepEqual(await ok(`GET ${path}/${id}`), expected);
  }
  assert.deepEqual(await ok(`PUT ${path}/${id}`, {}), expected);
});

test("branding: two updates at once are both in it", async () => {
  const { ok, path } = await setUp();
  const { id } = await ok(`POST ${path}`, SENT);
  await Promise.all([
    ok(`PUT ${path}/${id}`, { contact: { phone: "1" } }),
    ok(`PUT ${path}/${id}`, { contact: { email: "new@shop.example" } }),
  ]);
  assert.deepEqual((await ok(`GET ${path}/${id}`)).contact, { phone: "1", email: "new@shop.example" });
});

test("branding: what is missing, unknown or no page is refused", async () => {
  const { call, ok, path } = await setUp();
  const without = (part: "brand" | "address" | "contact", field: string) => ({
    ...SENT,
    [part]: { ...SENT[part], [field]: undefined },
  });
  for (const part of ["brand", "address", "contact"] as const) {
    assertRefused(
      await call(`POST ${path}`, { ...SENT, [part]: undefined }),
      "invalid_payload",
      new RegExp(`'${part}'`),
    );
    for (const field of Object.keys(SENT[part]))
      assertRefused(await call(`POST ${path}`, without(part, field)), "invalid_payload", new RegExp(`'${field}'`));
  }
  const branded = (brand: object) => ({ ...SENT, brand: { ...SENT.brand, ...brand } });
  for (const url of ["shop.example", "javascript:alert(1)", 7])
    assertRefused(await call(`POST ${path}`, branded({ website_url: url })), "invalid_payload", /website_url/);
  assertRefused(await call(`POST ${path}`, { ...SENT, cockpits: {} }), "invalid_payload", /cockpits/);
  assertRefused(await call(`POST ${path}`, { ...SENT, contact: { email: "nobody" } }), "invalid_payload", /e-mail/);
  const { id } = await ok(`POST ${path}`, SENT);
  assertRefused(await call(`PUT ${path}/${id}`, { brand: { name: null } }), "invalid_payload", /name/);
  assertRefused(await call(`PUT ${path}/${id}`, { brand: { colour: "red" } }), "invalid_payload", /colour/);
});

test("branding: of another project, of none, or without a management key", async () => {
  const { call, ok, path, project } = await setUp();
  const { id } = await ok(`POST ${path}`, SENT);
  const other = (await setUp()).path;
  const asApp = { "x-management-id": project.app.id, "x-management-token": project.app.secret };
  const lines: [line: string, body?: object][] = [
    [`GET ${path}`],
    [`POST ${path}`, SENT],
    [`GET ${path}/${id}`],
    [`PUT ${path}/${id}`, { contact: { phone: "1" } }],
    [`DELETE ${path}/${id}`],
  ];
  for (const [line, body] of lines) {
    assertRefused(await call(line, body, { "x-management-token": "wrong" }), "unauthorized");
    assertRefused(await call(line, body, asApp), "unauthorized", /server-side key/);
    assertRefused(await call(line.replace(project.id, "proj_unknown"), body), "not_found");
    if (line.includes(id)) assertRefused(await call(line.replace(path, other), body), "not_found");
  }
  assert.deepEqual(await ok(`GET ${path}/${id}`), { id, ...SHOWN });
});
