import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { read } from "../../src/http/route.ts";
import { Filters, PageQuery } from "../../src/http/schemas.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";

const { db } = await testDatabase();
const project = await testProject(db);

const ok = Type.Object({ query: Type.Unknown() });
const query = PageQuery(["created_at"], {
  created_at: Type.Optional(Type.Object({ before: Type.Optional(Type.String()), after: Type.Optional(Type.String()) })),
  filters: Type.Optional(Filters),
  result: Type.Optional(Type.Array(Type.String())),
  on: Type.Optional(Type.Boolean()),
});
const routes = [
  ...ALL_ROUTES,
  read("GET /v1/orders/query", { id: "query", summary: "", query, ok }, async (c) => ({ query: c.query })),
  read("GET /v2/loyalties/query", { id: "v2Query", summary: "", query, ok }, async (c) => ({ query: c.query })),
  read("GET /v2/loyalties/bare", { id: "v2Bare", summary: "", ok }, async (c) => ({ query: c.query ?? null })),
];
const { call } = await testEngine(db, project, { routes });
const bearer = { authorization: `Bearer ${await tokenOf(call, "api")}` };
const ask = (text: string) => call(`GET /v1/orders/query?${text}`);
const parsed = async (text: string) => {
  const reply = await ask(text);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.query;
};

test("nested names become objects and lists, with plain and with percent-encoded brackets", async () => {
  const cases: [string, object][] = [
    ["created_at[before]=2026-01-01&created_at[after]=2025", { created_at: { before: "2026-01-01", after: "2025" } }],
    ["created_at%5Bbefore%5D=2026-01-01", { created_at: { before: "2026-01-01" } }],
    [
      "filters[a][conditions][$in][0]=x&filters[a][conditions][$in][1]=y",
      { filters: { a: { conditions: { $in: ["x", "y"] } } } },
    ],
    ["filters%5Ba%5D%5Bconditions%5D%5B%24in%5D%5B0%5D=x", { filters: { a: { conditions: { $in: ["x"] } } } }],
    [
      "filters[a][conditions][$in][]=x&filters[a][conditions][$in][]=y",
      { filters: { a: { conditions: { $in: ["x", "y"] } } } },
    ],
    ["filters[junction]=or", { filters: { junction: "or" } }],
    ["filters[a][conditions][$has_value]=", { filters: { a: { conditions: { $has_value: "" } } } }],
    ["filters[a]=%C3%A9+%2B%20b", { filters: { a: "é + b" } }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(await parsed(text), expected, text);
});

test("a list is sent as k[0]=, as k[]=, as k= again and again, or as one value", async () => {
  for (const text of ["result[0]=A&result[1]=B", "result[]=A&result[]=B", "result=A&result=B"])
    assert.deepEqual(await parsed(text), { result: ["A", "B"] }, text);
  for (const text of ["result=A", "result[]=A", "result[0]=A"]) assert.deepEqual(await parsed(text), { result: ["A"] });
});

test("a list of many values stays a list, with and without indexes", async () => {
  const values = Array.from({ length: 200 }, (_, n) => `v${n}`);
  for (const name of [(n: number) => `filters[a][$in][${n}]`, () => "filters[a][$in][]", () => "filters[a][$in]"])
    assert.deepEqual(await parsed(values.map((value, n) => `${name(n)}=${value}`).join("&")), {
      filters: { a: { $in: values } },
    });
});

test("a name with a leading bracket is the name inside it", async () => {
  for (const text of ["[created_at][before]=x", "%5Bcreated_at%5D%5Bbefore%5D=x", "%5bcreated_at%5d[before]=x"])
    assert.deepEqual(await parsed(text), { created_at: { before: "x" } }, text);
  const mixed = await parsed("limit=5&[filters][active][conditions][$is]=1&[filters][b]=2");
  assert.deepEqual(mixed, { limit: 5, filters: { active: { conditions: { $is: "1" } }, b: "2" } });
  assert.deepEqual(await parsed("filters[x]=[b]&on=true"), { filters: { x: "[b]" }, on: true });
  assert.deepEqual(await parsed("[limit=7]"), {}, "no name that the operation knows");
});

test("dots in names are literal", async () => {
  assert.deepEqual(await parsed("filters[metadata.seq_number][conditions][$is]=1"), {
    filters: { "metadata.seq_number": { conditions: { $is: "1" } } },
  });
  assert.deepEqual(await parsed("created_at.before=x"), {}, "no name that the operation knows");
});

test("a query that is too deep or has too many parameters is a 400 with the error body", async () => {
  const deep = (levels: number) => `filters${"[a]".repeat(levels)}=1`;
  assert.equal((await ask(deep(10))).status, 200);
  assertRefused(await ask(deep(11)), "query_too_large");
  const many = (count: number) => Array.from({ length: count }, (_, n) => `filters[f${n}]=1`).join("&");
  assert.equal((await ask(many(5000))).status, 200);
  assertRefused(await ask(many(5001)), "query_too_large");
  assertRefused(await ask("a&".repeat(5001)), "query_too_large");
  const values = Array.from({ length: 1001 }, () => "result=A").join("&");
  assertRefused(await ask(values), "query_too_large");
  const unknown = await call(`GET /v1/orders/query?${deep(11)}`, undefined, { "x-app-token": "wrong" });
  assertRefused(unknown, "unauthorized");
});

test("a query cannot reach a prototype", async () => {
  for (const text of [
    "__proto__[polluted]=1",
    "filters[__proto__][polluted]=1",
    "filters[constructor][prototype][polluted]=1",
    "[__proto__][polluted]=1",
    "%5B__proto__%5D%5Bpolluted%5D=1",
    "filters[a][__proto__]=1",
    "result[__proto__]=1",
  ]) {
    const reply = await ask(text);
    assert.ok([200, 400].includes(reply.status), reply.text);
    assert.equal(({} as { polluted?: string }).polluted, undefined, text);
    assert.doesNotMatch(reply.text, /polluted":/);
  }
});

test("broken percent-encoding and NUL are text or a 400, never a 5xx", async () => {
  assert.deepEqual(await parsed("filters[a]=%"), { filters: { a: "%" } });
  assert.deepEqual(await parsed("filters[a]=%ff"), { filters: { a: "%ff" } });
  assert.deepEqual(await parsed("&&=&filters[a]=1&&"), { filters: { a: "1" } });
  assertRefused(await call("GET /v1/categories?order=%00"), "invalid_query_params");
});

test("parameters that an operation does not know are ignored on v1 and refused on v2", async () => {
  assert.deepEqual((await parsed("limit=5&colour=red&a[b]=c")).limit, 5);
  assert.equal((await call("GET /v1/categories?colour=red")).status, 200);
  const v2 = (text: string) => call(`GET /v2/loyalties/${text}`, undefined, bearer);
  assert.deepEqual((await v2("query?limit=5")).body, { query: { limit: 5 } });
  assertRefused(
    await v2("query?colour=red"),
    "invalid_query_params",
    "Query must NOT have additional property 'colour'",
  );
  assertRefused(await v2("bare?limit=5"), "invalid_query_params");
  assert.equal((await v2("bare")).status, 200);
});

test("limit and page are whole numbers of their range, and nothing else", async () => {
  assert.deepEqual(await parsed("limit=100&page=99"), { limit: 100, page: 99 });
  assert.deepEqual(await parsed("limit=1&page=1"), { limit: 1, page: 1 });
  for (const value of ["0", "101", "-1", "1.5", "abc", "", "true", "null", "5,6", "9007199254740993"]) {
    assertRefused(await ask(`limit=${value}`), "invalid_query_params", /^Property \.limit must be/);
    assertRefused(await call(`GET /v1/categories?limit=${value}`), "invalid_query_params");
  }
  for (const value of ["0", "100", "x"]) assertRefused(await ask(`page=${value}`), "invalid_query_params");
  assertRefused(await ask("limit=5&limit=6"), "invalid_query_params", "Property .limit must be integer");
  assertRefused(await ask("limit[a]=5"), "invalid_query_params", "Property .limit must be integer");
});

test("a boolean is true or false in any case, and nothing else", async () => {
  for (const value of ["true", "TRUE", "True"]) assert.deepEqual(await parsed(`on=${value}`), { on: true });
  for (const value of ["false", "FALSE"]) assert.deepEqual(await parsed(`on=${value}`), { on: false });
  for (const value of ["yes", "2", "", "truee"]) assertRefused(await ask(`on=${value}`), "invalid_query_params");
});
