// The files that `npm run new` starts from: short, complete, and held by `test/house/new.test.ts`.

/** How a thing is written in each place. */
export type Names = { camel: string; pascal: string; words: string };

export const rule = (name: string, { camel }: Names): string => `import { defineRule, single } from "./rule.ts";

/** Say what the rule looks at, and why its numbers come out so. */
export const ${camel} = defineRule({
  name: "${name}",
  summary: "Say in one sentence what is compared.",
  family: "${familyOf(name)}",
  takes: "number",
  unit: "count",
  needs: ["items"],
  read: ({ order }) => single(order.items.length),
  examples: [
    { conditions: { $is: [1] }, facts: { order: { items: [{ quantity: 2 }] } }, holds: true },
    { conditions: { $more_than: [1] }, facts: { order: { items: [{ quantity: 2 }] } }, holds: false },
  ],
});
`;

/** Which error a rule is reported as; its name decides. */
function familyOf(name: string): string {
  if (/^(?:customer|member)\./.test(name)) return "customer";
  return /^(?:order|product|sku)\./.test(name) ? "order" : "redemption";
}

export const discount = (type: string, { camel }: Names): string => {
  const field = `${type.toLowerCase()}_value`;
  return `import { valueOr } from "./definition.ts";
import { moneyText } from "./explain.ts";
import { DiscountAmount, Formula } from "./fields.ts";
import { defineMoneyDiscount } from "./money-discount.ts";

export const ${camel} = defineMoneyDiscount({
  type: "${type}",
  fields: { ${field}: DiscountAmount, ${field}_formula: Formula },
  value: "${field}",
  ownValue: ({ ${field}_formula, ${field} }, { formulas }, item) =>
    valueOr(${field}_formula, ${field}, (formula) => formulas.money(formula, item)),
  effects: {
    APPLY_TO_ORDER: {
      takes_off: "\`${field}\`, at most the order",
      way: {
        on: "order",
        ofInitialAmount: false,
        off: (value, base) => Math.min(Number(value), base),
        words: ({ amount, base }) => \`\${moneyText(amount)} of \${moneyText(base)}\`,
      },
    },
  },
  examples: [
    {
      discount: { type: "${type}", ${field}: 300, effect: "APPLY_TO_ORDER" },
      off: 300,
      explained: ["3.00 of 44.00"],
    },
    {
      note: "no effect",
      discount: { type: "${type}", ${field}: 5000 },
      off: 4400,
      explained: ["44.00 of 44.00"],
    },
  ],
});
`;
};

export const flow = ({ camel, words }: Names): string => `import { notFound } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { lockCustomers } from "../../resources/customers/customers/store.ts";

/** Say what it does (${words}), and what it refuses. */
export async function ${camel}(c: WriteCtx, customerId: string): Promise<{ id: string }> {
  // Lock in the order of ARCHITECTURE.md, decide in core, then write.
  const [customer] = await lockCustomers(c.db, c.project.id, { ids: [customerId] });
  if (!customer) throw notFound("customer", customerId);
  return { id: customer.id };
}
`;

export const flowTest = ({ camel, words }: Names, file: string): string => `import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { ${camel} } from "../../src/flows/${file}.ts";
import { write } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

// The flow alone; when an operation calls it, the test calls that.
const id = Type.String();
const route = write(
  "POST /v1/probes/{id}",
  { id: "${camel}", summary: "Probe", params: Type.Object({ id }), ok: Type.Object({ id }) },
  (c) => ${camel}(c, c.params.id),
);

test("${words}: say what it does, and what it refuses", async () => {
  const { ok, call } = await testShop(db, {}, { routes: [...ALL_ROUTES, route] });
  const customer = await ok("POST /v1/customers", { source_id: "ann" });
  assert.deepEqual(await ok(\`POST /v1/probes/\${customer.id}\`), { id: customer.id });
  assertRefused(await call("POST /v1/probes/cust_0"), "not_found");
});
`;

export type ResourceNames = {
  /** \`gift_wraps\`, \`gift_wrap\`: the table and the object. */
  table: string;
  object: string;
  /** \`gift-wraps\`: the folder and the path. */
  path: string;
  prefix: string;
  one: Names;
  many: Names;
};

export const migration = ({ table }: ResourceNames): string => `create table ${table} (
  project_id text not null references projects,
  id         text not null,
  name       text not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (project_id, id),
  constraint ${table}_unique_name unique (project_id, name)
);
`;

export const schema = ({
  object,
  one: { pascal, camel },
}: ResourceNames): string => `import { type Static, Type } from "typebox";
import { DateRange, DateTime, listOf, Nullable, open, optional, PageQuery } from "../../../http/schemas.ts";

const writable = {
  name: Type.String({ minLength: 1, maxLength: 200, description: "Unique in the project." }),
};

export const ${pascal} = Type.Object(
  {
    id: Type.String(),
    ...writable,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("${object}"),
  },
  { title: "${pascal}" },
);
export type ${pascal} = Static<typeof ${pascal}>;

export const ${pascal}Create = open(writable);
export const ${pascal}Update = open(optional(writable));
export const ${pascal}List = listOf(${pascal});
export const ${pascal}Query = PageQuery(["created_at", "name"], { created_at: Type.Optional(DateRange) });
export const By${pascal} = Type.Object({ ${camel}Id: Type.String() });
`;

export const store = ({
  table,
  object,
  one,
  many,
}: ResourceNames): string => `import { crudStore } from "../../../db/crud-store.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { ${one.pascal} } from "./schema.ts";

export type ${one.pascal}Row = Omit<${one.pascal}, "object"> & { project_id: string };

export const ${many.camel} = crudStore<${one.pascal}Row>({
  table: "${table}",
  object: "${object}",
  columns: columnsOf(${one.pascal}),
  sortable: ["created_at", "name"],
});

export const view = ({ project_id: _, ...row }: ${one.pascal}Row): ${one.pascal} => ({ ...row, object: "${object}" });
`;

export const routes = ({ path, prefix, one, many }: ResourceNames): string => {
  const { pascal, camel, words } = one;
  const at = `/v1/${path}/{${camel}Id}`;
  return `import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { By${pascal}, ${pascal}, ${pascal}Create, ${pascal}List, ${pascal}Query, ${pascal}Update } from "./schema.ts";
import { ${many.camel} as store, view } from "./store.ts";

export const ${camel}Routes = [
  read(
    "GET /v1/${path}",
    { id: "list${many.pascal}", summary: "List ${many.words}", query: ${pascal}Query, ok: ${pascal}List },
    async (c) => list(await store.list(c.db, c.project.id, { ...c.query, now: c.now }), view),
  ),
  write(
    "POST /v1/${path}",
    { id: "create${pascal}", summary: "Create a ${words}", body: ${pascal}Create, ok: ${pascal} },
    async (c) => {
      const row = { ...c.body, id: c.newId("${prefix}"), project_id: c.project.id, created_at: c.now, updated_at: null };
      return view(await store.insert(c.db, row));
    },
  ),
  read(
    "GET ${at}",
    { id: "get${pascal}", summary: "Read a ${words}", params: By${pascal}, ok: ${pascal} },
    async (c) => view(await store.get(c.db, c.project.id, c.params.${camel}Id)),
  ),
  write(
    "PUT ${at}",
    { id: "update${pascal}", summary: "Update a ${words}", params: By${pascal}, body: ${pascal}Update, ok: ${pascal} },
    async (c) =>
      view(await store.update(c.db, c.project.id, c.params.${camel}Id, { name: c.body.name, updated_at: c.now })),
  ),
  write(
    "DELETE ${at}",
    { id: "delete${pascal}", summary: "Delete a ${words}", params: By${pascal}, ok: Empty },
    async (c) => {
      await store.remove(c.db, c.project.id, c.params.${camel}Id);
      return null;
    },
  ),
];
`;
};

export const resourceTest = ({
  path,
  prefix,
  object,
  many,
}: ResourceNames): string => `import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

test("${many.words}: create, list, read, update, delete", async () => {
  const { ok, call } = await testShop(db);
  const created = await ok("POST /v1/${path}", { name: "Summer", colour: "ignored" });
  const { id } = created;
  assert.match(id, /^${prefix}_[0-9a-f]{24}$/);
  const expected = { id, name: "Summer", created_at: NOW, updated_at: null, object: "${object}" };
  assert.deepEqual(created, expected);
  assert.deepEqual(await ok(\`GET /v1/${path}/\${id}\`), expected);
  assert.deepEqual((await ok("GET /v1/${path}")).data, [expected]);
  const updated = await ok(\`PUT /v1/${path}/\${id}\`, { name: "Winter" });
  assert.deepEqual(updated, { ...expected, name: "Winter", updated_at: NOW });
  await ok(\`DELETE /v1/${path}/\${id}\`);
  assertRefused(await call(\`GET /v1/${path}/\${id}\`), "not_found");
});
`;
