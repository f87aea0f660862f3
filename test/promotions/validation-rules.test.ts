import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Type } from "typebox";
import { rulesFor } from "../../src/catalog/rules.ts";
import { RECURSIVE_SCHEMAS } from "../../src/core/recursive-schemas.ts";
import { RULE_OPERATORS } from "../../src/core/rules/operators.ts";
import { RULES } from "../../src/core/rules/registry.ts";
import { read } from "../../src/http/route.ts";
import { compileBody } from "../../src/http/validation.ts";
import { CONTEXT_TYPES, TYPES, ValidationRuleCreate } from "../../src/resources/promotions/validation-rules/schema.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const PATH = "/v1/validation-rules";
const NO_PRODUCTS = { included: [], excluded: [], included_all: false };
const LATER = "2026-01-02T12:00:00.000Z";

const create = async (call: Call, body: object) => {
  const made = await ok(call, `POST ${PATH}`, body);
  requireDocumented(body);
  return made;
};
/** A body as the OpenAPI document shows it. */
const shown = (schema: any): any => {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(shown);
  if (schema["x-shown"]) return { anyOf: [shown(schema["x-shown"]), { type: "null" }] };
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, shown(part)]));
};
const documented = compileBody({ ...shown(ValidationRuleCreate), $defs: shown(RECURSIVE_SCHEMAS) });
/** What is taken is what the document describes. */
const requireDocumented = (body: unknown) =>
  assert.ok(documented(body), `${JSON.stringify(body)} ${JSON.stringify(documented.errors)}`);
const eventsOf = async (project: string) =>
  (
    await db<{ kind: string; payload: any }[]>`
      select kind, payload from events where project_id = ${project} order by id`
  ).map(({ kind, payload }) => [kind, payload.rule.name, payload.rule.assignments_count]);

const AMOUNT = { name: "order.amount", conditions: { $more_than: [1000] } };
const WHOLE = {
  name: "Large carts of members",
  rules: {
    "1": { name: "customer.segment", property: null, conditions: { $is: ["seg_gone"] }, rules: {} },
    "2": {
      name: "order.items.any",
      property: null,
      conditions: { $is: [{ id: "prod_b", type: "product_or_sku", object: "product", source_id: null }] },
      rules: {
        "1": {
          name: "order.items.aggregated_quantity",
          property: null,
          conditions: { $more_than_or_equal: [4] },
          rules: {},
        },
        logic: "1",
      },
      error: { message: "Take four" },
    },
    "3": { name: "order.metadata", property: "a.b", conditions: { $in: ["x", 1, true] }, rules: {} },
    logic: "(1 AND 2) or 3",
  },
  bundle_rules: {
    "1": {
      name: "order.items.any",
      property: null,
      conditions: { $is: [{ id: "prod_c", type: "product_or_sku", object: "product" }] },
      rules: {
        "1": { name: "order.items.aggregated_quantity", property: null, conditions: { $is: [2] }, rules: {} },
        logic: "1",
      },
    },
    logic: "1",
    limit: 5,
  },
  error: { message: "Not for you" },
  applicable_to: {
    included: [
      {
        object: "products_collection",
        id: "pc_gone",
        source_id: null,
        effect: "APPLY_FROM_CHEAPEST",
        quantity_limit: 1,
        aggregated_quantity_limit: 2,
        amount_limit: 300,
        aggregated_amount_limit: 400,
        price: 0,
        price_formula: "MIN(ORDER_AMOUNT; 5)",
        product_campaign_quantity_limit: 5,
        product_customer_campaign_quantity_limit_formula: "1 + 1",
        repeat: 3,
        skip_initially: 1,
        target: "UNIT",
      },
    ],
    excluded: [
      {
        object: "sku",
        id: "sku_1",
        source_id: "S",
        product_id: "prod_1",
        product_source_id: null,
        strict: true,
        effect: "APPLY_TO_EVERY",
      },
    ],
    included_all: true,
  },
  type: "complex",
  context_type: "campaign.promotion.discount.apply_to_items",
};

test("validation rules: create with every field, read, list, update, delete", async () => {
  const project = await testProject(db);
  let now = NOW;
  const { call } = await testEngine(db, project, { now: () => now });
  const created = await create(call, { ...WHOLE, colour: "ignored" });
  const { id } = created;
  assert.match(id, /^val_[0-9a-f]{24}$/);
  const expected = { id, ...WHOLE, created_at: NOW, object: "validation_rules" };
  assert.deepEqual(created, expected);
  assert.deepEqual((await call(`GET ${PATH}/${id}`)).body, expected);
  assert.deepEqual((await call(`GET ${PATH}`)).body, { object: "list", data_ref: "data", data: [expected], total: 1 });

  now = LATER;
  const renamed = await call(`PUT ${PATH}/${id}`, { name: "Other", bundle_rules: null });
  const after = { ...expected, name: "Other", bundle_rules: {}, updated_at: LATER };
  assert.deepEqual(renamed.body, after);
  assert.deepEqual((await call(`GET ${PATH}/${id}`)).body, after);
  assert.deepEqual((await call(`PUT ${PATH}/${id}`, {})).body, after, "an empty update keeps everything");

  const cleared = await call(`PUT ${PATH}/${id}`, { rules: null, applicable_to: null, error: null, type: "basic" });
  const { error: _, ...rest } = after;
  assert.deepEqual(cleared.body, { ...rest, rules: {}, applicable_to: NO_PRODUCTS, type: "basic" });

  const deleted = await call(`DELETE ${PATH}/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal((await call(`GET ${PATH}/${id}`)).status, 404);
  assert.deepEqual(
    (await eventsOf(project.id)).map(([kind, name]) => [kind, name]),
    [
      ["business_validation_rule.created", WHOLE.name],
      ["business_validation_rule.updated", "Other"],
      ["business_validation_rule.updated", "Other"],
      ["business_validation_rule.updated", "Other"],
      ["business_validation_rule.deleted", "Other"],
    ],
  );
});

test("validation rules: only the name is required; what is left out has its default", async () => {
  const { call } = await testShop(db);
  const first = await create(call, { name: "Empty" });
  assert.deepEqual(first, {
    id: first.id,
    name: "Empty",
    rules: {},
    bundle_rules: {},
    applicable_to: NO_PRODUCTS,
    type: "expression",
    context_type: "global",
    created_at: NOW,
    object: "validation_rules",
  });
  assert.notEqual((await create(call, { name: "Empty" })).id, first.id, "a name may stand twice");
  const short = await create(call, { name: "Short", rules: { "1": AMOUNT } });
  assert.deepEqual(short.rules, { "1": { ...AMOUNT, property: null, rules: {} } }, "a node is filled in");
});

test("validation rules: every type and every context type is taken, and nothing else", async () => {
  const { call } = await testShop(db);
  assert.equal(CONTEXT_TYPES.length, 55);
  assert.equal(new Set(CONTEXT_TYPES).size, CONTEXT_TYPES.length);
  for (const context_type of CONTEXT_TYPES)
    assert.equal((await create(call, { name: "C", context_type })).context_type, context_type);
  for (const type of TYPES) assert.equal((await create(call, { name: "T", type })).type, type);
});

test("validation rules: every rule of the registry is taken and answered as it was sent", async () => {
  const { call } = await testShop(db);
  const nodes = RULES.map(({ name, examples }) => {
    const { above, property, conditions } = examples[0]!;
    const node = { name, property: property ?? null, conditions, rules: {} };
    return above ? { property: null, ...above, rules: { "1": node, logic: "1" } } : node;
  });
  const keyed = Object.fromEntries(nodes.map((node, n) => [String(n + 1), node]));
  const rules = { ...keyed, logic: Object.keys(keyed).join(" and ") };
  assert.deepEqual((await create(call, { name: "All", rules })).rules, rules);
  const older = { "1": { ...AMOUNT, name: "order_amount", conditions: { $greater_than_or_equal: [1] } } };
  const kept = (await create(call, { name: "Older", rules: older })).rules["1"];
  assert.deepEqual([kept.name, kept.conditions], ["order_amount", { $greater_than_or_equal: [1] }]);
});

test("validation rules: the shapes of the published examples", async () => {
  const { call } = await testShop(db);
  const segment = { name: "customer.segment", conditions: { $is: ["seg_18tD3HR0h8ymPC07rBMLryk3"] } };
  const earning = await create(call, {
    name: "Earning",
    type: "advanced",
    context_type: "earning_rule.order.paid",
    rules: { "1": segment, logic: "1" },
  });
  assert.deepEqual(earning.rules, { "1": { ...segment, property: null, rules: {} }, logic: "1" });
  assert.deepEqual(earning.applicable_to, NO_PRODUCTS);
  const entry = {
    object: "products_collection",
    id: "pc_a11pr0dUc75",
    source_id: null,
    effect: "APPLY_TO_EVERY",
    quantity_limit: 1,
  };
  const context_type = "campaign.discount_coupons.discount.apply_to_items_by_quantity";
  const body = {
    name: "Basic",
    type: "basic",
    context_type,
    rules: { logic: "" },
    applicable_to: { included: [entry] },
  };
  const basic = await create(call, body);
  assert.deepEqual(basic.rules, { logic: "" });
  assert.deepEqual(basic.applicable_to, { included: [entry], excluded: [], included_all: false });

  // Three rules of which the logic names two.
  const three = {
    "1": { name: "order.metadata", property: "location", conditions: { $is: ["Santorini"] } },
    "2": { name: "custom_event.metadata", property: "test", conditions: { $greater_than_or_equal: [1] } },
    "3": {
      name: "order.items.every",
      conditions: { $is: [{ id: "prod_x", object: "product" }] },
      rules: { "1": { name: "order.items.metadata", property: "test", conditions: { $greater_than_or_equal: [1] } } },
    },
    logic: "1 and 2",
  };
  const updated = await call(`PUT ${PATH}/${basic.id}`, { type: "complex", context_type: "global", rules: three });
  assert.deepEqual(
    [updated.body.type, updated.body.context_type, updated.body.object],
    ["complex", "global", "validation_rules"],
  );
  assert.deepEqual(Object.keys(updated.body.rules), ["1", "2", "3", "logic"]);
  assert.deepEqual(updated.body.applicable_to.included, [entry]);

  await call(`POST ${PATH}/${earning.id}/assignments`, {
    related_object_type: "distribution",
    related_object_id: "dist_1",
  });
  const { data } = (await call(`GET ${PATH}?order=created_at`)).body;
  assert.deepEqual(
    data.map((one: any) => [one.name, one.assignments_count]),
    [
      ["Earning", 1],
      ["Basic", undefined],
    ],
  );
  assert.equal((await call(`GET ${PATH}/${earning.id}`)).body.assignments_count, 1);
  assert.equal((await call(`PUT ${PATH}/${earning.id}`, {})).body.assignments_count, 1);
});

const any = (rules: object) => ({ "1": { name: "order.items.any", rules } });
const deep = (levels: number): object => (levels === 0 ? {} : any(deep(levels - 1)));
const keyed = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, AMOUNT]));
const quantity = { name: "order.items.quantity", conditions: { $is: [1] } };
const part = { name: "order.items.any", conditions: { $is: [{ id: "p", type: "product_or_sku", object: "product" }] } };
const entry = { object: "product", id: "p", effect: "APPLY_TO_EVERY" };
const NUMBERS = "$is, $is_not, $in, $not_in, $less_than, $less_than_or_equal, $more_than, $more_than_or_equal";

/** What is refused as a definition, and the whole of what is said about it. */
const FAULTS: [definition: object, details: string][] = [
  [{ rules: { "1": AMOUNT, logic: "1 and" } }, "logic ends where the key of a rule or ( must follow"],
  [{ rules: { "1": AMOUNT, logic: "(1" } }, "logic: '(' at position 1 has no matching )"],
  [{ rules: { "1": AMOUNT, logic: "1)" } }, "logic: ')' at position 2 has no matching ("],
  [{ rules: { "1": AMOUNT, logic: "1 2" } }, "logic: '2' at position 3 must come after and, or or"],
  [{ rules: { "1": AMOUNT, logic: "1 and 2" } }, "logic: '2' at position 7 is not the key of a rule"],
  [{ rules: { "1": AMOUNT, logic: "not 1" } }, "logic: 'not' at position 1 is not the key of a rule"],
  [{ rules: { "1": AMOUNT, logic: 1 } }, "logic must be a text such as '1 and (2 or 3)'"],
  [
    { rules: { "1": AMOUNT, logic: `${"(".repeat(21)}1${")".repeat(21)}` } },
    "logic: '(' at position 21 is nested more than 20 deep",
  ],
  [{ rules: { "1": AMOUNT, logic: " ".repeat(2000).concat("1") } }, "logic has 2001 characters, more than 2000"],
  [{ rules: { "1": AMOUNT, logic: `1${" or 1".repeat(200)}` } }, "logic has more than 200 parts"],
  [{ rules: { "a b": AMOUNT } }, "'a b' cannot be the key of a rule: use up to 64 characters without spaces"],
  [{ rules: { "1": "order.amount" } }, "a rule must be an object with a 'name'"],
  [{ rules: { "1": { conditions: {} } } }, "a rule must be an object with a 'name'"],
  [{ rules: { "1": { ...AMOUNT, name: "order.colour" } } }, "Rule 'order.colour' is unknown"],
  [{ rules: { "1": { ...AMOUNT, name: "constructor" } } }, "Rule 'constructor' is unknown"],
  [
    { rules: { "1": { name: "order.amount", conditions: { $almost: [1] } } } },
    `Rule 'order.amount' does not take '$almost'; it takes ${NUMBERS}`,
  ],
  [
    { rules: { "1": { name: "order.amount", conditions: { $starts_with: ["1"] } } } },
    `Rule 'order.amount' does not take '$starts_with'; it takes ${NUMBERS}`,
  ],
  [{ rules: { "1": { name: "order.amount" } } }, "Rule 'order.amount' must have 'conditions'"],
  [
    { rules: { "1": { name: "order.amount", conditions: [1] } } },
    "Rule 'order.amount': conditions must be an object of values by operators",
  ],
  [
    { rules: { "1": { name: "order.amount", conditions: { $is: 1 } } } },
    "Rule 'order.amount': '$is' must be a list of 1 to 1000 values",
  ],
  [
    { rules: { "1": { name: "order.amount", conditions: { $more_than: [1, 2] } } } },
    "Rule 'order.amount': '$more_than' must be a list of one value",
  ],
  [
    { rules: { "1": { name: "order.amount", conditions: { $is: ["ten"] } } } },
    "Rule 'order.amount': '$is' takes a number",
  ],
  [
    { rules: { "1": { name: "custom_event.metadata", conditions: { $is: [1] } } } },
    "Rule 'custom_event.metadata' must have a 'property'",
  ],
  [
    { rules: { "1": { name: "order.metadata", property: 7, conditions: { $is: [1] } } } },
    "Rule 'order.metadata': property must be a text",
  ],
  [{ rules: { "1": quantity } }, "Rule 'order.items.quantity' must stand below a rule that picks lines"],
  [{ rules: any({ "1": AMOUNT }) }, "Rule 'order.amount' cannot stand below 'order.items.any'"],
  [{ rules: { "1": { ...AMOUNT, rules: { "1": quantity } } } }, "Rule 'order.amount' takes no 'rules' below it"],
  [{ rules: { "1": { ...AMOUNT, rules: [] } } }, "rules must be an object of rules by their keys"],
  [
    { rules: { "1": { ...AMOUNT, error: { message: "x".repeat(1001) } } } },
    "Rule 'order.amount': error.message must be a text of at most 1000 characters",
  ],
  [{ rules: deep(5) }, "rules are nested more than 3 deep"],
  [{ rules: keyed(101) }, "there are more than 100 rules"],
  [
    { rules: { ...any({ "1": quantity, logic: `1${" or 1".repeat(99)}` }), logic: `1${" or 1".repeat(9)}` } },
    "rules ask 1010 questions, more than 500; name each key once",
  ],
  [{ error: { message: 5 } }, "error.message must be a text of at most 1000 characters"],
  [{ bundle_rules: { "1": AMOUNT } }, "bundle_rules.1: name must be 'order.items.any'"],
  [{ bundle_rules: { "1": part, limit: 101 } }, "bundle_rules.limit must be a whole number from 1 to 100"],
  [{ bundle_rules: { limit: 101 } }, "bundle_rules.limit must be a whole number from 1 to 100"],
  [{ bundle_rules: { "1": part, limit: "2" } }, "bundle_rules.limit must be a whole number from 1 to 100"],
  [
    { bundle_rules: { "1": { ...part, conditions: { $in: part.conditions.$is } } } },
    "bundle_rules.1: conditions must be '$is' with one object",
  ],
  [
    { bundle_rules: { "1": { ...part, conditions: { $is: [{ id: "p" }] } } } },
    "bundle_rules.1: the object must have 'id', 'type' and 'object'",
  ],
  [
    { bundle_rules: { "1": { ...part, rules: { "1": quantity } } } },
    "bundle_rules.1: rules must be one 'order.items.aggregated_quantity' with '$is' of 1 or more",
  ],
  [{ bundle_rules: { "1": part, logic: "1 and 7" } }, "logic: '7' at position 7 is not the key of a rule"],
  [{ applicable_to: { included: {} } }, "applicable_to.included must be a list of at most 1000 entries"],
  [{ applicable_to: { included: [1] } }, "applicable_to.included[0] must be an object"],
  [{ applicable_to: { excluded: [{ ...entry, id: "" }] } }, "applicable_to.excluded[0].id must be a text"],
  [
    { applicable_to: { included: [entry, { ...entry, object: "shop" }] } },
    "applicable_to.included[1].object must be one of: product, sku, products_collection",
  ],
  [
    { applicable_to: { included: [{ ...entry, effect: "SOMETIMES" }] } },
    "applicable_to.included[0].effect must be one of: APPLY_TO_EVERY, APPLY_TO_CHEAPEST, APPLY_FROM_CHEAPEST, APPLY_TO_MOST_EXPENSIVE, APPLY_FROM_MOST_EXPENSIVE",
  ],
  [
    { applicable_to: { included: [{ ...entry, quantity_limit: -1 }] } },
    "applicable_to.included[0].quantity_limit must be a whole number, 1 or more",
  ],
  [
    { applicable_to: { included: [{ ...entry, price_formula: 5 }] } },
    "applicable_to.included[0].price_formula must be a text",
  ],
  [
    { applicable_to: { included: [{ ...entry, price_formula: "MIN(1;" }] } },
    "applicable_to.included[0].price_formula: at character 7: expected a value, but the formula ends",
  ],
  [
    { applicable_to: { included: [{ ...entry, amount_limit_formula: `${"(".repeat(40)}1${")".repeat(40)}` }] } },
    "applicable_to.included[0].amount_limit_formula: at character 34: a formula is at most 32 levels deep",
  ],
  [{ applicable_to: { included_all: "yes" } }, "applicable_to.included_all must be true or false"],
];

test("validation rules: a definition that cannot be stored is refused with what is wrong, and changes nothing", async (t) => {
  const { call } = await testShop(db);
  const { id } = await create(call, WHOLE);
  const before = (await call(`GET ${PATH}`)).text;
  for (const [definition, details] of FAULTS)
    await t.test(details, async () => {
      for (const reply of [
        await call(`POST ${PATH}`, { name: "Bad", ...definition }),
        await call(`PUT ${PATH}/${id}`, definition),
      ]) {
        assert.deepEqual([reply.status, reply.body.code, reply.body.key], [400, 400, "invalid_validation_rules"]);
        assert.equal(reply.body.message, "Invalid Validation Rule Definition");
        assert.equal(reply.body.details, details);
      }
    });
  assert.equal((await call(`GET ${PATH}`)).text, before);
});

/** Rules as they might be meant: real names, operators and keys with values of all sorts, three levels of them. */
const names = fc.constantFrom(...RULES.map(({ name }) => name));
const operators = fc.constantFrom(...RULE_OPERATORS.map(({ name }) => name));
const values = fc.oneof(
  fc.constantFrom<unknown>(0, -1, 0.5, "1", "2026-01-01", "12:00;13:00;1", "", null, true, {
    id: "p",
    object: "product",
  }),
  fc.string({ maxLength: 5 }),
);
const nodeOf = (rules: fc.Arbitrary<unknown>) =>
  fc.record(
    {
      name: names,
      property: fc.constantFrom("a", "a.b", null),
      conditions: fc.dictionary(operators, fc.array(values, { minLength: 1, maxLength: 2 }), {
        minKeys: 1,
        maxKeys: 2,
      }),
      rules,
      error: fc.constantFrom({ message: "No" }, {}, null),
    },
    { requiredKeys: ["name", "property", "conditions"] },
  );
const mapOf = (node: fc.Arbitrary<unknown>) =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom("1", "2", "x"), node, { maxKeys: 2, noNullPrototype: true }),
      fc.constantFrom(undefined, null, "", "1", "1 or 2", "(1 and 2) or x"),
    )
    .map(([map, logic]) => ({ ...map, ...(logic !== undefined && { logic }) }));
const maps = mapOf(nodeOf(mapOf(nodeOf(mapOf(nodeOf(fc.constant({})))))));

test("validation rules: whatever is sent is stored and read back the same, or refused as a definition", async () => {
  const { call } = await testShop(db);
  let stored = 0;
  const property = fc.asyncProperty(maps, maps, async (rules, bundle_rules) => {
    for (const given of [{ rules }, { rules: {}, bundle_rules }]) {
      const reply = await call(`POST ${PATH}`, { name: "Any", ...given });
      if (reply.status === 400) {
        assert.equal(reply.body.key, "invalid_validation_rules", reply.text);
        continue;
      }
      assert.equal(reply.status, 200, reply.text);
      requireDocumented({ name: "Any", ...given });
      const { updated_at: _, ...again } = (await call(`PUT ${PATH}/${reply.body.id}`, {})).body;
      assert.deepEqual(again, reply.body);
      stored += 1;
    }
  });
  await fc.assert(property, { numRuns: 100 });
  assert.ok(stored > 10, `${stored} were stored`);
});

test("validation rules: every other refusal has the error body", async (t) => {
  const { call } = await testShop(db);
  const gone = "Cannot find validation_rules with id nope";
  const cases: [request: string, body: object | undefined, status: number, key: string, details: string | RegExp][] = [
    [`GET ${PATH}/nope`, undefined, 404, "not_found", gone],
    [`PUT ${PATH}/nope`, { rules: { logic: "?" } }, 404, "not_found", gone],
    [`DELETE ${PATH}/nope`, undefined, 404, "not_found", gone],
    [`POST ${PATH}`, {}, 400, "invalid_payload", "Payload must have required property 'name'"],
    [`POST ${PATH}`, { name: null }, 400, "invalid_payload", "Property .name must be string"],
    [`POST ${PATH}`, { name: "" }, 400, "invalid_payload", "Property .name must NOT have fewer than 1 characters"],
    [
      `POST ${PATH}`,
      { name: "x".repeat(501) },
      400,
      "invalid_payload",
      "Property .name must NOT have more than 500 characters",
    ],
    [`POST ${PATH}`, { name: "A", rules: [] }, 400, "invalid_payload", "Property .rules must be object,null"],
    [`POST ${PATH}`, { name: "A", error: "no" }, 400, "invalid_payload", "Property .error must be object,null"],
    [
      `POST ${PATH}`,
      { name: "A", type: "simple" },
      400,
      "invalid_payload",
      "Property .type must be equal to one of the allowed values [ expression, basic, advanced, complex ]",
    ],
    [
      `POST ${PATH}`,
      { name: "A", context_type: "campaign" },
      400,
      "invalid_payload",
      /^Property .context_type must be equal to one of the allowed values \[ global, /,
    ],
    [
      `GET ${PATH}?order=type`,
      undefined,
      400,
      "invalid_query_params",
      "Property .order must be equal to one of the allowed values [ created_at, -created_at, updated_at, -updated_at, name, -name ]",
    ],
    [`GET ${PATH}?limit=101`, undefined, 400, "invalid_query_params", "Property .limit must be <= 100"],
    [`GET ${PATH}?page=100`, undefined, 400, "invalid_query_params", "Property .page must be <= 99"],
    [
      `GET ${PATH}?start_date=soon`,
      undefined,
      400,
      "invalid_query_params",
      "Property .start_date cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31, or a time such as 2027-01-01T00:00:00Z",
    ],
  ];
  for (const [request, body, status, key, details] of cases)
    await t.test(`${request} ${JSON.stringify(body)?.slice(0, 60) ?? ""} gives ${status} ${key}`, async () => {
      const reply = await call(request, body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [status, status, key]);
      if (typeof details === "string") assert.equal(reply.body.details, details);
      else assert.match(reply.body.details, details);
      assert.equal(reply.body.request_id, reply.headers["x-request-id"]);
    });
  assert.equal((await call(`GET ${PATH}/nope`)).body.resource_type, "validation_rules");
  assert.equal((await call(`GET ${PATH}`)).body.total, 0);
});

test("validation rules: pages of ten, in the order and between the dates that are asked for", async () => {
  let now = NOW;
  const { call } = await testShop(db, {}, { now: () => now });
  const names = Array.from({ length: 12 }, (_, n) => `Rule ${String(n).padStart(2, "0")}`);
  const ids: string[] = [];
  for (const [n, name] of names.entries()) {
    now = new Date(Date.parse(NOW) + n * 1000).toISOString();
    ids.push((await create(call, { name: n % 2 === 0 ? name.toUpperCase() : name })).id);
  }
  const listed = async (query: string, total = 12) => {
    const { body } = await call(`GET ${PATH}?${query}`);
    assert.equal(body.total, total);
    return body.data.map(({ id }: { id: string }) => ids.indexOf(id));
  };
  assert.deepEqual(await listed(""), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  assert.deepEqual(await listed("page=2"), [1, 0]);
  assert.deepEqual(await listed("page=3"), []);
  assert.deepEqual(await listed("order=created_at&limit=5&page=3"), [10, 11]);
  const byName = await listed("order=name&limit=100");
  assert.deepEqual((await listed("order=-name&limit=100")).toReversed(), byName);
  const shown = (await call(`GET ${PATH}?order=name&limit=100`)).body.data.map(({ name }: { name: string }) => name);
  const [sorted] = await db<
    { names: string[] }[]
  >`select array_agg(n order by n) as names from unnest(${shown}::text[]) n`;
  assert.deepEqual(shown, sorted!.names);
  for (const n of [3, 7, 5]) {
    now = new Date(Date.parse(LATER) + n * 1000).toISOString();
    await call(`PUT ${PATH}/${ids[n]}`, {});
  }
  assert.deepEqual(await listed("order=updated_at&limit=3"), [3, 5, 7]);
  assert.deepEqual(await listed("start_date=2026-01-01T12:00:03Z&end_date=2026-01-01T12:00:05Z", 3), [5, 4, 3]);
  assert.deepEqual(await listed("end_date=2026-01-01T13:00:01%2B01:00", 2), [1, 0]);
  assert.deepEqual(await listed("start_date=2026-01-02", 0), []);
  assert.equal((await listed("end_date=2026-01-02")).length, 10);
  const named = (operator: string, name: string) => `filters[name][conditions][${operator}]=${name}`;
  assert.deepEqual(await listed(`order=created_at&${named("$contains", "LE%201")}`, 2), [10, 11]);
  assert.deepEqual(await listed(`${named("$is", "Rule%2007")}&end_date=2026-01-01T12:00:07Z`, 1), [7]);
  const others = `filters[id][conditions][$not_in][0]=${ids[11]}&filters[id][conditions][$not_in][1]=${ids[9]}`;
  assert.deepEqual(await listed(`limit=3&${others}`, 10), [10, 8, 7]);
});

/** What the process of this request decides with. */
const look = read("GET /v1/rules-in-catalog", { id: "look", summary: "", ok: Type.Any() }, async (c) => {
  const catalog = await c.catalog();
  return rulesFor(catalog, "dist_1").map(({ id, definition, bundle }) => [id, definition.error, bundle?.limit ?? null]);
});

test("validation rules: a change is seen by another process in its next request", async () => {
  const project = await testProject(db);
  const routes = [...ALL_ROUTES, look];
  const [one, two] = [
    await testEngine(open({ max: 2 }), project, { routes }),
    await testEngine(open({ max: 2 }), project, { routes }),
  ];
  const seen = async () => (await two.call(`GET ${look.path}`)).body;
  assert.deepEqual(await seen(), []);
  const { id } = await create(one.call, WHOLE);
  assert.deepEqual(await seen(), []);
  const body = { related_object_type: "distribution", related_object_id: "dist_1" };
  const assigned = (await one.call(`POST ${PATH}/${id}/assignments`, body)).body;
  assert.deepEqual(await seen(), [[id, WHOLE.error, 5]]);
  await one.call(`PUT ${PATH}/${id}`, { error: { message: "Other" }, bundle_rules: null });
  assert.deepEqual(await seen(), [[id, { message: "Other" }, null]]);
  await one.call(`DELETE ${PATH}/${id}/assignments/${assigned.id}`);
  assert.deepEqual(await seen(), []);
  await one.call(`POST ${PATH}/${id}/assignments?force=true`, body);
  assert.equal((await seen()).length, 1);
  await one.call(`DELETE ${PATH}/${id}`);
  assert.deepEqual(await seen(), []);
});

test("validation rules: deleting one takes its assignments along, and no others", async () => {
  const { call, project } = await testShop(db);
  const [kept, gone] = [await create(call, { name: "Kept" }), await create(call, { name: "Gone" })];
  for (const { id } of [kept, gone])
    for (const [related_object_type, related_object_id] of [
      ["distribution", "dist_1"],
      ["distribution", "dist_2"],
    ])
      await call(`POST ${PATH}/${id}/assignments`, { related_object_type, related_object_id });
  assert.equal((await call(`DELETE ${PATH}/${gone.id}`)).status, 204);
  const { data } = (await call("GET /v1/validation-rules-assignments")).body;
  assert.deepEqual(
    data.map(({ rule_id }: { rule_id: string }) => rule_id),
    [kept.id, kept.id],
  );
  const deleted = (
    await db<{ payload: any }[]>`
      select payload from events where project_id = ${project.id} and kind = 'business_validation_rule.deleted'`
  ).map(({ payload }) => [payload.rule.id, payload.rule.assignments_count]);
  assert.deepEqual(deleted, [[gone.id, 2]]);
});

test("validation rules: those of another project do not exist", async () => {
  const [a, b] = [await testShop(db), await testShop(db)];
  const { id } = await create(a.call, WHOLE);
  assert.equal((await b.call(`GET ${PATH}`)).body.total, 0);
  for (const request of [`GET ${PATH}/${id}`, `DELETE ${PATH}/${id}`])
    assert.equal((await b.call(request)).body.key, "not_found");
  assert.equal((await b.call(`PUT ${PATH}/${id}`, { name: "Mine" })).body.key, "not_found");
  assert.equal((await a.call(`GET ${PATH}/${id}`)).body.name, WHOLE.name);
});

test("validation rules: updates at once are all made, each on what the one before left", async () => {
  const { call } = await testShop(db);
  const { id } = await create(call, { name: "Rule", rules: { "1": AMOUNT, logic: "1" } });
  const parts = [
    { name: "Other" },
    { error: WHOLE.error },
    { bundle_rules: WHOLE.bundle_rules },
    { applicable_to: WHOLE.applicable_to },
    { type: "advanced" },
  ];
  const replies = await Promise.all(parts.map((part) => call(`PUT ${PATH}/${id}`, part)));
  assert.deepEqual(
    replies.map(({ status }) => status),
    parts.map(() => 200),
  );
  const { name, error, bundle_rules, applicable_to, type } = (await call(`GET ${PATH}/${id}`)).body;
  assert.deepEqual({ name, error, bundle_rules, applicable_to, type }, Object.assign({}, ...parts));
});
