import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "../../src/core/errors.ts";
import { afterSql, type CursorKind, makeCursor, orderSql, parseCursor, requireOrder } from "../../src/db/cursor.ts";
import { whereOf } from "../../src/db/filters.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { idsOn, makeOneOfEverything } from "../support/one-of-everything.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
await db`create table things (id text primary key, name text, size bigint, active boolean, metadata jsonb not null,
  created_at timestamptz not null)`;
const THINGS = [
  {
    id: "a",
    name: "Apple 100%",
    size: 1,
    active: true,
    metadata: { n: 5, s: "x" },
    created_at: "2025-12-31T12:00:00Z",
  },
  { id: "b", name: "apple_pie", size: 22, active: false, metadata: { n: 50 }, created_at: "2025-12-22T12:00:00Z" },
  { id: "c", name: null, size: null, active: null, metadata: { n: "7" }, created_at: "2025-12-01T00:00:00Z" },
  { id: "d", name: "Banana", size: 3, active: true, metadata: {}, created_at: "2025-12-31T12:00:00Z" },
];
for (const thing of THINGS) await db`insert into things ${db(thing as never)}`;
const FIELDS = {
  id: "id",
  name: "string",
  size: "number",
  active: "boolean",
  created_at: "date",
  "metadata.*": "metadata",
} as const;

const CASES: [filters: Record<string, unknown>, ids: string][] = [
  [{ name: { conditions: { $contains: "APPLE" } } }, "ab"],
  [{ name: { conditions: { $contains: "0%" } } }, "a"],
  [{ name: { conditions: { $contains: "e_p" } } }, "b"],
  [{ name: { conditions: { $not_contain: "apple" } } }, "cd"],
  [{ name: { conditions: { $starts_with: ["app", "ban"] } } }, "abd"],
  [{ name: { conditions: { $ends_with: "na" } } }, "d"],
  [{ name: { conditions: { $is: "Banana" } } }, "d"],
  [{ name: { conditions: { $is: "banana" } } }, ""],
  [{ name: { conditions: { $is_not: "Banana" } } }, "abc"],
  [{ name: { conditions: { $in: ["Banana", "apple_pie"] } } }, "bd"],
  [{ name: { conditions: { $not_in: ["Banana", "apple_pie"] } } }, "ac"],
  [{ name: { conditions: { $has_value: "" } } }, "abd"],
  [{ name: { conditions: { $is_unknown: "" } } }, "c"],
  [{ size: { conditions: { $more_than: "2", $less_than: "22" } } }, "d"],
  [{ size: { conditions: { $more_than_equal: "3", $less_than_equal: "22" } } }, "bd"],
  [{ size: { conditions: { $is: "22.0" } } }, "b"],
  [{ active: { conditions: { $is: "TRUE" } } }, "ad"],
  [{ active: { conditions: { $is_not: "true" } } }, "bc"],
  [{ created_at: { conditions: { $before: "2025-12-22T12:00:00Z" } } }, "c"],
  [{ created_at: { conditions: { $after: "2025-12-01" } } }, "abd"],
  [{ created_at: { conditions: { $more_than: "5" } } }, "bc"],
  [{ created_at: { conditions: { $less_than: "5" } } }, "ad"],
  [{ "metadata.n": { conditions: { $more_than: "4" } } }, "ab"],
  [{ "metadata.n": { conditions: { $is: "7" } } }, "c"],
  [{ "metadata.s": { conditions: { $is_unknown: "" } } }, "bcd"],
  [{ junction: "or", id: { conditions: { $is: "c" } }, size: { conditions: { $is: "1" } } }, "ac"],
  [{ id: { conditions: { $in: ["c", "a"] } }, size: { conditions: { $is: "1" } } }, "a"],
  [{}, "abcd"],
];
for (const [filters, ids] of CASES) {
  test(`filters ${JSON.stringify(filters)} find ${ids || "nothing"}`, async () => {
    const where = whereOf(db, { filters }, { fields: FIELDS, now: NOW });
    const rows = await db<{ id: string }[]>`select id from things where ${where} order by id`;
    assert.equal(rows.map(({ id }) => id).join(""), ids);
  });
}

test("a filter's value is data: nothing that is sent becomes SQL", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("$is", "$contains", "$starts_with", "$not_in"),
      fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "")),
      async (operator, text) => {
        const filters = {
          name: { conditions: { [operator]: text } },
          [`metadata.${text}`]: { conditions: { $is: text } },
        };
        await db`select id from things where ${whereOf(db, { filters }, { fields: FIELDS, now: NOW })}`;
      },
    ),
    { numRuns: 100 },
  );
});

test("categories: filters and ranges narrow the list and its total, and what does not fit is refused with what would", async () => {
  const { call, engine } = await testShop(db, {}, { own: true });
  for (const [n, name] of ["Spring", "Summer", "Autumn"].entries()) {
    engine.now = () => `2026-01-0${n + 1}T12:00:00.000Z`;
    await call("POST /v1/categories", { name, hierarchy: n });
  }
  const names = async (query: string) => {
    const { body } = await call(`GET /v1/categories?order=hierarchy&${query}`);
    assert.equal(body.total, body.data.length);
    return body.data.map((one: { name: string }) => one.name);
  };
  assert.deepEqual(await names("filters[name][conditions][$contains]=m"), ["Summer", "Autumn"]);
  assert.deepEqual(await names("filters[hierarchy][conditions][$in][0]=0&filters[hierarchy][conditions][$in][1]=2"), [
    "Spring",
    "Autumn",
  ]);
  assert.deepEqual(await names("[filters][name][conditions][$is]=Spring"), ["Spring"]);
  assert.deepEqual(await names("created_at[after]=2026-01-01T12:00:00.000Z&created_at[before]=2026-01-03"), ["Summer"]);
  const refused = await call("GET /v1/categories?filters[colour][conditions][$is]=red");
  assert.deepEqual([refused.status, refused.body.key], [400, "invalid_query_params"]);
  assert.equal(refused.body.details, "filters.colour is unknown; there are id, name, hierarchy, created_at");
  const date = await call("GET /v1/categories?created_at[before]=soon");
  assert.equal(
    date.body.details,
    "Property .created_at.before cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31, or a time such as 2027-01-01T00:00:00Z",
  );
});

test("an unknown field inside filters is refused by every list; other unknown parameters stay as they are", async () => {
  const { call, project } = await testShop(db, { client_list_vouchers_enabled: true, client_trusted_domains: ["*"] });
  const made = await makeOneOfEverything(call, project);
  const origin = { origin: "https://shop.example" };
  const lists = ALL_ROUTES.filter(
    ({ method, ok, access }) =>
      method === "GET" &&
      // These lists are of people who are signed in.
      access !== "session" &&
      (ok as { properties?: Record<string, { const?: string }> }).properties?.object?.const === "list",
  );
  assert.ok(lists.length > 80, `${lists.length} lists`);
  const notThere: string[] = [];
  for (const { path } of lists) {
    const ids = idsOn(path, made);
    const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name]!));
    const plain = await call(`GET ${url}?${path.startsWith("/v2/") ? "" : "no_such_parameter=x"}`, undefined, origin);
    if (plain.status !== 200) {
      assert.notEqual(plain.body?.key, "invalid_query_params", plain.text);
      notThere.push(path);
    }
    for (const query of ["filters[no_such_field][conditions][$is]=x", "filters=x"]) {
      const { status, body, text } = await call(`GET ${url}?${query}`, undefined, origin);
      if (plain.status === 200)
        assert.deepEqual([status, body?.key], [400, "invalid_query_params"], `${path}?${query}: ${text}`);
    }
  }
  // The campaign that is made is a loyalty program, and its member no referral code.
  assert.deepEqual(notThere, [
    "/v1/promotions/{campaignId}/stacks",
    "/v1/promotions/{campaignId}/tiers",
    "/v1/referrals/members/{memberId}/holders",
    "/v1/referrals/{campaignId}/members/{memberId}/holders",
    "/v1/referrals/{campaignId}/top-referrers",
  ]);
});

const KIND: CursorKind = { prefix: "lcrsthg", secret: "secret", now: NOW };

test("pages by cursor show every row once, in order, also when rows are equal in what they are ordered by", async () => {
  const row = fc.record({ created_at: fc.constantFrom(1, 2, 3), name: fc.constantFrom("x", "y") });
  const order = fc.constantFrom(["-created_at"], ["created_at", "-name"], ["name", "created_at"], ["-id"]);
  await db`create table pages (run text, id text, name text, created_at bigint, primary key (run, id))`;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      order,
      fc.integer({ min: 1, max: 5 }),
      async (rows, by, limit) => {
        const run = `${++runs}`;
        for (const [i, one] of rows.entries()) await db`insert into pages ${db({ run, id: `id_${i}`, ...one })}`;
        const fields = requireOrder(by, ["id", "name", "created_at"]);
        const all = await db`select * from pages where run = ${run} ${orderSql(db, fields)}`;
        const shown: unknown[] = [];
        for (let after: (string | number)[] = []; ; ) {
          const page = await db`
          select * from pages where run = ${run} and ${afterSql(db, fields, after)} ${orderSql(db, fields)} limit ${limit}`;
          shown.push(...page.map(({ id }) => id));
          if (page.length < limit) break;
          const cursor = makeCursor(KIND, {
            filters: null,
            order: fields,
            limit,
            after: fields.map((field) => page.at(-1)![field.replace("-", "")]),
          });
          after = [...parseCursor(cursor.next, KIND).after];
        }
        assert.deepEqual(
          shown,
          all.map(({ id }) => id),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test("a cursor lives ten minutes, in its own list and project, and only as it was made", () => {
  const { next, expires_at } = makeCursor(KIND, { filters: null, order: ["-id"], limit: 10, after: ["x"] });
  assert.equal(expires_at, "2026-01-01T12:10:00.000Z");
  assert.match(next, /^lcrsthg_[0-9a-f]+$/);
  assert.deepEqual(parseCursor(next, { ...KIND, now: "2026-01-01T12:09:59.999Z" }).after, ["x"]);
  const refused = (kind: CursorKind, text: string) =>
    assert.throws(
      () => parseCursor(text, kind),
      (error) => error instanceof ApiError && error.body.key === "invalid_or_expired_cursor",
    );
  refused({ ...KIND, now: "2026-01-01T12:10:00.000Z" }, next);
  refused({ ...KIND, secret: "another project's" }, next);
  refused({ ...KIND, prefix: "lcrsother" }, next.replace("lcrsthg", "lcrsother"));
  refused(KIND, `${next.slice(0, -1)}${next.endsWith("0") ? "1" : "0"}`);
  refused(KIND, "nonsense");
});

test("an order names each field once and only fields of the list", () => {
  assert.deepEqual(requireOrder(undefined, ["created_at"]), ["-created_at", "-id"]);
  assert.deepEqual(requireOrder("name", ["name"]), ["name", "id"]);
  assert.throws(() => requireOrder(["name", "-name"], ["name"]), /names name twice/);
  assert.throws(() => requireOrder("secret", ["name"]), /Unknown order secret; there are name/);
});

test("dates beyond the years 1 to 9999 are refused and not left to the database", async () => {
  const { call } = await testShop(db);
  for (const date of ["0000-01-01", "9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00%2B05:00"]) {
    for (const query of [`created_at[before]=${date}`, `filters[created_at][conditions][$before]=${date}`]) {
      const reply = await call(`GET /v1/categories?${query}`);
      assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
    }
  }
  assert.equal((await call("GET /v1/categories?filters[created_at][conditions][$more_than]=800000")).status, 400);
  for (const query of [
    "created_at[before]=9999-12-31",
    "created_at[after]=0001-01-01",
    "filters[created_at][conditions][$more_than]=99999",
  ])
    assert.equal((await call(`GET /v1/categories?${query}`)).status, 200, query);
});

test("categories: a page without a limit is a page of ten", async () => {
  const { call } = await testShop(db);
  for (let n = 0; n < 12; n += 1) await call("POST /v1/categories", { name: `Category ${n}`, hierarchy: n });
  const sizes = [];
  for (const query of ["", "?page=1", "?page=2", "?page=99"])
    sizes.push((await call(`GET /v1/categories${query}`)).body.data.length);
  assert.deepEqual(sizes, [12, 10, 2, 0]);
});
