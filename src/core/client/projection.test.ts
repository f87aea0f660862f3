import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { Metadata, Nullable, open, optional } from "../shapes.ts";
import { OPEN, only, see } from "./fields.ts";
import { projection } from "./projection.ts";

const Person = Type.Object({ id: Type.String(), ...optional({ email: Type.String() }) }, { title: "Person" });
const Server = Type.Object(
  {
    id: Type.String(),
    secret: Type.String(),
    ...optional({
      price: Nullable(Type.Integer()),
      person: Nullable(Person),
      lines: Type.Array(open({ n: Type.Integer(), cost: Type.Integer() })),
      days: Type.Array(Type.Integer()),
      byId: Type.Unsafe<object>({ type: "object", additionalProperties: Person }),
      limits: Type.Unsafe<object>({ type: "object", additionalProperties: Type.Integer() }),
      details: Type.String(),
      metadata: Metadata,
    }),
  },
  { title: "Thing" },
);
const SEEN = see("id price days limits details", {
  person: see("id"),
  lines: see("n"),
  byId: see("id"),
  metadata: OPEN,
});
const Client = only(Server, SEEN) as object as typeof Server;

test("the schema of a client has the fields that are named, at every depth, and a name of its own", () => {
  assert.deepEqual(Object.keys(Client.properties), [
    "id",
    "price",
    "person",
    "lines",
    "days",
    "byId",
    "limits",
    "details",
    "metadata",
  ]);
  const { person, lines } = Client.properties as Record<string, any>;
  const { title } = Client as { title?: string };
  assert.deepEqual([title, person.title, person.type], ["ClientThing", "ClientPerson", ["object", "null"]]);
  assert.deepEqual([Client.required, person.required, lines.items.required], [["id"], ["id"], ["n"]]);
  assert.equal("additionalProperties" in lines.items, false, "it is closed, though the server's is not");
  assert.ok("email" in Person.properties, "the server's schema is left as it is");
});

test("what is named wrongly is refused when the schema is made", () => {
  assert.throws(() => only(Server, see("id name")), /Thing\.name is no field of the server's answer/);
  assert.throws(() => only(Server, see("id person")), /Thing\.person is no plain field: name its fields/);
  assert.throws(() => only(Server, see("id lines")), /Thing\.lines\[\] is no plain field/);
  assert.throws(() => only(Server, see("id metadata")), /Thing\.metadata is no plain field/);
  assert.throws(() => only(Server, see("id", { person: OPEN })), /Thing\.person is no open map/);
  assert.throws(() => only(Server, see("id", { price: see("amount") })), /Thing\.price\.amount is no field/);
  const Any = Type.Object({ any: Type.Unknown() });
  assert.throws(() => only(Any, see("any")), /any is no plain field/);
});

test("a projection gives what its schema names, in the order of the value, and the value stays as it is", () => {
  const show = projection(Client);
  const value = {
    metadata: { secret: 1, deep: { secret: 2 } },
    secret: "s",
    price: null,
    id: "1",
    person: { email: "a@b", id: "2", newest: { id: "3" } },
    lines: [
      { cost: 5, n: 1 },
      { n: 2, more: [1] },
    ],
    days: [1, 2],
    byId: { a: { id: "a", email: "x" }, __proto__: null },
    limits: { x: 1 },
    newest: 1,
  };
  const before = JSON.stringify(value);
  assert.equal(
    JSON.stringify(show(value)),
    '{"metadata":{"secret":1,"deep":{"secret":2}},"price":null,"id":"1","person":{"id":"2"},"lines":[{"n":1},{"n":2}],' +
      '"days":[1,2],"byId":{"a":{"id":"a"}},"limits":{"x":1}}',
  );
  assert.equal(JSON.stringify(value), before);
  assert.deepEqual(show(show(value)), show(value), "what is shown again is the same");
});

test("what is left out, is null or is of another kind than its schema says shows nothing more", () => {
  const show = projection(Client);
  assert.deepEqual(show({ id: "1", price: undefined, person: null }), { id: "1", person: null });
  assert.deepEqual(show({ id: { secret: 1 }, price: [1], person: "Ann", lines: { secret: 1 }, byId: [1] }), {});
  assert.deepEqual(show({ days: [{ secret: 1 }], lines: [[1]], limits: { a: { secret: 1 } }, metadata: [1] }), {
    days: [undefined],
    lines: [undefined],
    limits: { a: undefined },
  });
  assert.equal(show([{ id: "1" }]), undefined);
  assert.equal(show(null), null);
});

test("texts are changed by the names of their fields", () => {
  const show = projection(Client, { details: (text) => text.toUpperCase(), person: () => assert.fail() });
  assert.deepEqual(show({ details: "no", person: { id: "details" } }), { details: "NO", person: { id: "details" } });
});

test("a schema that does not say which fields there are has no projection", () => {
  for (const schema of [
    Type.Unknown(),
    { type: "object" },
    { type: "object", additionalProperties: true },
    Type.Union([Client, Type.Null()]),
  ])
    assert.throws(() => projection(Type.Object({ any: schema as never })), /does not say which fields/);
});
