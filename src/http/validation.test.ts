import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { ALL_ROUTES } from "../routes.ts";
import { compileBody, validationError } from "./validation.ts";

test("every schema of an operation is a JSON schema: a start does not look", () => {
  const ajv = new Ajv();
  const schemas = new Set(ALL_ROUTES.flatMap(({ params, query, body, ok }) => [params, query, body, ok]));
  schemas.delete(undefined);
  assert.ok(schemas.size > 300);
  for (const schema of schemas)
    assert.ok(ajv.validateSchema(schema!), `${ajv.errorsText()}: ${JSON.stringify(schema)}`);
  assert.equal(ajv.validateSchema({ type: "string", minLength: "1" }), false);
});

test("a part that several bodies hold is compiled once, and fails in each as if it stood there", () => {
  let reads = 0;
  const order = {
    type: "object",
    get properties() {
      reads += 1;
      return { amount: { type: "integer", format: "cents" } };
    },
  };
  const body = (name: string) => ({
    type: "object",
    properties: { [name]: { anyOf: [{ type: "null" }, { type: "array", items: order }] } },
  });
  const [first, second] = ["carts", "orders"].map((name) => compileBody(body(name)));
  const before = reads;
  compileBody(body("others"));
  assert.equal(reads, before);
  assert.ok(first!({ carts: [{ amount: 1 }] }));
  assert.equal(second!({ orders: [{ amount: 1 }, { amount: "1" }] }), false);
  assert.match(
    validationError("body", second!.errors!).message,
    /^Property \.?orders\[1\]\.amount must be a whole number of cents/,
  );
});
