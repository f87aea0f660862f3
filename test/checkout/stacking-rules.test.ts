import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_STACKING } from "../../src/core/stacking/settings.ts";
import { NOW, type Reply, testDatabase, testEngine } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function setUp() {
  const { call, engine, project } = await testShop(db);
  const path = `/management/v1/projects/${project.id}/stacking-rules`;
  const category = async (name: string): Promise<string> =>
    (await call("POST /v1/categories", { name, hierarchy: 1 })).body.id;
  return { project, call, engine, path, category };
}
const DEFAULTS = {
  redeemables_limit: 30,
  applicable_redeemables_limit: 5,
  applicable_redeemables_per_category_limit: null,
  applicable_redeemables_category_limits: {},
  applicable_exclusive_redeemables_limit: 1,
  applicable_exclusive_redeemables_per_category_limit: 1,
  exclusive_categories: [],
  joint_categories: [],
  discount_calculation_mode: "DISCOUNTED_AMOUNT",
  initial_amount_mode_categories: [],
  discounted_amount_mode_categories: [],
  redeemables_application_mode: "ALL",
  redeemables_sorting_rule: "REQUESTED_ORDER",
  grouped_redeemables_sorting_rule: "JOINT_ALWAYS_LAST",
  redeemables_products_application_mode: "STACK",
  redeemables_no_effect_rule: "REDEEM_ANYWAY",
  no_effect_skip_categories: [],
  no_effect_redeem_anyway_categories: [],
  redeemables_rollback_order_mode: "WITH_ORDER",
};

test("stacking rules: while a project has none, the list holds the defaults without an id", async () => {
  const { call, path } = await setUp();
  const { status, body } = await call(`GET ${path}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { object: "list", data_ref: "data", data: [DEFAULTS], total: 1 });
});

test("stacking rules: create, list, read, update, delete", async () => {
  const { call, path } = await setUp();
  const created = await call(`POST ${path}`, { redeemables_limit: 10 });
  assert.equal(created.status, 200);
  const { id } = created.body;
  assert.match(id, /^stk_[0-9a-f]{24}$/);
  const expected = { id, ...DEFAULTS, redeemables_limit: 10, created_at: NOW, updated_at: null };
  assert.deepEqual(created.body, expected);
  assert.deepEqual((await call(`GET ${path}/${id}`)).body, expected);
  assert.deepEqual((await call(`GET ${path}`)).body, { object: "list", data_ref: "data", data: [expected], total: 1 });

  const updated = await call(`PUT ${path}/${id}`, { redeemables_application_mode: "PARTIAL" });
  const changed = { ...expected, redeemables_application_mode: "PARTIAL", updated_at: NOW };
  assert.deepEqual([updated.status, updated.body], [200, changed]);
  assert.deepEqual((await call(`PUT ${path}/${id}`, {})).body, changed);

  const deleted = await call(`DELETE ${path}/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.deepEqual((await call(`GET ${path}`)).body.data, [DEFAULTS]);
});

test("stacking rules: every field takes each of its values, at creation and in an update, which keeps the others", async (t) => {
  const { call, path, category } = await setUp();
  const [a, b] = [await category("A"), await category("B")];
  const values: Record<string, unknown[]> = {
    redeemables_limit: [30, 5],
    applicable_redeemables_limit: [30, 1],
    applicable_redeemables_per_category_limit: [5, 1, null],
    applicable_redeemables_category_limits: [{ [a]: 1, [b]: 10 }, {}],
    applicable_exclusive_redeemables_limit: [5, 1],
    applicable_exclusive_redeemables_per_category_limit: [1, null],
    exclusive_categories: [[a, b], []],
    joint_categories: [[a], []],
    discount_calculation_mode: ["INITIAL_AMOUNT", "DISCOUNTED_AMOUNT"],
    initial_amount_mode_categories: [[a], []],
    discounted_amount_mode_categories: [[b], []],
    redeemables_application_mode: ["PARTIAL", "ALL"],
    redeemables_sorting_rule: ["CATEGORY_HIERARCHY", "REQUESTED_ORDER"],
    grouped_redeemables_sorting_rule: ["SORTING_RULE_ALWAYS", "JOINT_ALWAYS_LAST"],
    redeemables_products_application_mode: ["ONCE", "STACK"],
    redeemables_no_effect_rule: ["SKIP", "REDEEM_ANYWAY"],
    no_effect_skip_categories: [[a], []],
    no_effect_redeem_anyway_categories: [[b], []],
    redeemables_rollback_order_mode: ["WITHOUT_ORDER", "WITH_ORDER"],
  };
  assert.deepEqual(Object.keys(values).sort(), Object.keys(DEFAULT_STACKING).sort());
  for (const [field, choices] of Object.entries(values)) {
    await t.test(field, async () => {
      const made = await call(`POST ${path}`, { [field]: choices[0] });
      assert.deepEqual([made.status, made.body[field]], [200, choices[0]]);
      for (const value of choices.toReversed()) {
        const before = (await call(`GET ${path}/${made.body.id}`)).body;
        const { status, body } = await call(`PUT ${path}/${made.body.id}`, { [field]: value });
        assert.equal(status, 200);
        assert.deepEqual(body, { ...before, [field]: value, updated_at: NOW });
      }
      assert.equal((await call(`DELETE ${path}/${made.body.id}`)).status, 204);
    });
  }
});

const LIMITS: [string, number][] = [
  ["redeemables_limit", 30],
  ["applicable_redeemables_limit", 30],
  ["applicable_redeemables_per_category_limit", 30],
  ["applicable_exclusive_redeemables_limit", 5],
  ["applicable_exclusive_redeemables_per_category_limit", 30],
];
const MODES: [string, string][] = [
  ["discount_calculation_mode", "INITIAL_AMOUNT, DISCOUNTED_AMOUNT"],
  ["redeemables_application_mode", "ALL, PARTIAL"],
  ["redeemables_sorting_rule", "REQUESTED_ORDER, CATEGORY_HIERARCHY"],
  ["grouped_redeemables_sorting_rule", "JOINT_ALWAYS_LAST, SORTING_RULE_ALWAYS"],
  ["redeemables_products_application_mode", "STACK, ONCE"],
  ["redeemables_no_effect_rule", "REDEEM_ANYWAY, SKIP"],
  ["redeemables_rollback_order_mode", "WITH_ORDER, WITHOUT_ORDER"],
];
const LISTS = Object.keys(DEFAULTS).filter((field) => field.endsWith("_categories"));

/** Bodies that are refused, with what is said. `a` and `b` are categories of the project. */
function refusals(a: string, b: string): [object, string][] {
  return [
    ...LIMITS.flatMap(([field, max]): [object, string][] => [
      [{ [field]: max + 1 }, `Property .${field} must be <= ${max}`],
      [{ [field]: 0 }, `Property .${field} must be >= 1`],
    ]),
    [{ redeemables_limit: 4.5 }, "Property .redeemables_limit must be integer"],
    [{ redeemables_limit: "4" }, "Property .redeemables_limit must be integer"],
    [{ redeemables_limit: null }, "Property .redeemables_limit must be integer"],
    ...MODES.flatMap(([field, allowed]): [object, string][] => [
      [{ [field]: "OTHER" }, `Property .${field} must be equal to one of the allowed values [ ${allowed} ]`],
      [{ [field]: null }, `Property .${field} must be string`],
    ]),
    ...LISTS.flatMap((field): [object, string][] => [
      [{ [field]: "cat" }, `Property .${field} must be array`],
      [{ [field]: [5] }, `Property .${field}[0] must be string`],
      [{ [field]: [a, a] }, `Property .${field} must NOT have duplicate items`],
      [{ [field]: [a, "cat_none"] }, `Property .${field} holds cat_none, which is not a category of the project`],
      [
        { [field]: Array.from({ length: 101 }, (_, n) => `cat_${n}`) },
        `Property .${field} must NOT have more than 100 items`,
      ],
    ]),
    [
      { applicable_redeemables_category_limits: { [a]: 11 } },
      `Property .applicable_redeemables_category_limits.${a} must be <= 10`,
    ],
    [
      { applicable_redeemables_category_limits: { [a]: 0 } },
      `Property .applicable_redeemables_category_limits.${a} must be >= 1`,
    ],
    [
      { applicable_redeemables_category_limits: { cat_none: 1 } },
      "Property .applicable_redeemables_category_limits holds cat_none, which is not a category of the project",
    ],
    [{ applicable_redeemables_category_limits: [] }, "Property .applicable_redeemables_category_limits must be object"],
    [
      { redeemables_limit: 4, applicable_redeemables_limit: 5 },
      "Property .applicable_redeemables_limit must be <= .redeemables_limit (4)",
    ],
    [
      { applicable_redeemables_limit: 3, applicable_redeemables_per_category_limit: 4 },
      "Property .applicable_redeemables_per_category_limit must be <= .applicable_redeemables_limit (3)",
    ],
    [
      { applicable_exclusive_redeemables_limit: 1, applicable_exclusive_redeemables_per_category_limit: 2 },
      "Property .applicable_exclusive_redeemables_per_category_limit must be <= .applicable_exclusive_redeemables_limit (1)",
    ],
    [
      { no_effect_skip_categories: [a, b], no_effect_redeem_anyway_categories: [b] },
      `Property .no_effect_skip_categories and .no_effect_redeem_anyway_categories must not both hold ${b}`,
    ],
    [
      { initial_amount_mode_categories: [a], discounted_amount_mode_categories: [a] },
      `Property .initial_amount_mode_categories and .discounted_amount_mode_categories must not both hold ${a}`,
    ],
    [
      { exclusive_categories: [a], joint_categories: [b, a] },
      `Property .exclusive_categories and .joint_categories must not both hold ${a}`,
    ],
    ...["id", "created_at", "object", "colour"].map((field): [object, string] => [
      { [field]: "x" },
      `Payload must NOT have additional property '${field}'`,
    ]),
  ];
}

test("stacking rules: every wrong body is refused with the field's name, at creation and in an update", async (t) => {
  const { call, path, category } = await setUp();
  const [a, b] = [await category("A"), await category("B")];
  const updated = await setUp();
  const [ua, ub] = [await updated.category("A"), await updated.category("B")];
  const { id } = (await updated.call(`POST ${updated.path}`, {})).body;
  const before = (await updated.call(`GET ${updated.path}`)).text;
  const check = (reply: Reply, details: string) => {
    assert.deepEqual([reply.status, reply.body.code, reply.body.key], [400, 400, "invalid_payload"]);
    assert.equal(reply.body.details, details);
  };
  const inUpdate = refusals(ua, ub);
  for (const [n, [body, details]] of refusals(a, b).entries()) {
    await t.test(details, async () => {
      check(await call(`POST ${path}`, body), details);
      check(await updated.call(`PUT ${updated.path}/${id}`, inUpdate[n]![0]), inUpdate[n]![1]);
    });
  }
  assert.deepEqual((await call(`GET ${path}`)).body.data, [DEFAULTS]);
  assert.equal((await updated.call(`GET ${updated.path}`)).text, before);
});

test("stacking rules: an update is checked together with what is stored", async () => {
  const { call, path } = await setUp();
  const { id } = (await call(`POST ${path}`, { applicable_redeemables_limit: 20 })).body;
  const { status, body } = await call(`PUT ${path}/${id}`, { redeemables_limit: 19 });
  assert.equal(status, 400);
  assert.equal(body.details, "Property .applicable_redeemables_limit must be <= .redeemables_limit (19)");
});

test("stacking rules: a category of another project is no category", async () => {
  const { call, path } = await setUp();
  const foreign = await (await setUp()).category("Foreign");
  const { status, body } = await call(`POST ${path}`, { joint_categories: [foreign] });
  assert.equal(status, 400);
  assert.match(body.details, /^Property \.joint_categories holds cat_\w+, which is not a category of the project$/);
});

test("stacking rules: a second set is 409 stacking_rules_exist", async () => {
  const { call, path } = await setUp();
  const { body: first } = await call(`POST ${path}`, {});
  const { status, body } = await call(`POST ${path}`, { redeemables_limit: 9 });
  assert.deepEqual([status, body.code, body.key], [409, 409, "stacking_rules_exist"]);
  assert.deepEqual((await call(`GET ${path}`)).body.data, [first]);
});

test("stacking rules: of sets created at the same time one is made, the others are 409", async () => {
  const { call, path } = await setUp();
  const replies = await Promise.all([1, 2, 3, 4].map((n) => call(`POST ${path}`, { redeemables_limit: 10 + n })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  for (const { status, body } of replies) if (status === 409) assert.equal(body.key, "stacking_rules_exist");
  const made = replies.find(({ status }) => status === 200)!;
  assert.deepEqual((await call(`GET ${path}`)).body.data, [made.body]);
});

test("stacking rules: a category that is deleted while they are made to name it is not left in them", async () => {
  for (let round = 0; round < 10; round += 1) {
    const { call, path, category } = await setUp();
    const id = await category("Contested");
    const [made, deleted] = await Promise.all([
      call(`POST ${path}`, { joint_categories: [id] }),
      call(`DELETE /v1/categories/${id}`),
    ]);
    const kept = (await call(`GET /v1/categories/${id}`)).status === 200;
    assert.deepEqual([made.status, deleted.status], kept ? [200, 400] : [400, 204]);
  }
});

test("stacking rules: updates of different fields at the same time both hold", async () => {
  const { call, path } = await setUp();
  const { id } = (await call(`POST ${path}`, {})).body;
  for (let n = 6; n <= 10; n += 1) {
    await Promise.all([
      call(`PUT ${path}/${id}`, { redeemables_limit: n }),
      call(`PUT ${path}/${id}`, { applicable_redeemables_limit: n - 1 }),
      call(`PUT ${path}/${id}`, { applicable_redeemables_per_category_limit: n - 5 }),
    ]);
    const { body } = await call(`GET ${path}/${id}`);
    assert.deepEqual(
      [body.redeemables_limit, body.applicable_redeemables_limit, body.applicable_redeemables_per_category_limit],
      [n, n - 1, n - 5],
    );
  }
});

test("stacking rules: an unknown id, and the id of another project, is 404 with the same body", async (t) => {
  const { call, path } = await setUp();
  await call(`POST ${path}`, {});
  const other = await setUp();
  const foreign = (await other.call(`POST ${other.path}`, {})).body.id;
  for (const id of ["stk_none", foreign]) {
    for (const [method, body] of [["GET"], ["PUT", {}], ["DELETE"]] as const) {
      await t.test(`${method} ${id === foreign ? "of another project" : "unknown"}`, async () => {
        const reply = await call(`${method} ${path}/${id}`, body);
        const { request_id: _, ...error } = reply.body;
        assert.equal(reply.status, 404);
        assert.deepEqual(error, {
          code: 404,
          key: "not_found",
          message: "Resource not found",
          details: `Cannot find stacking_rules with id ${id}`,
          resource_id: id,
          resource_type: "stacking_rules",
        });
      });
    }
  }
  assert.equal((await other.call(`GET ${other.path}/${foreign}`)).status, 200);
});

test("stacking rules: a change is in the catalog of another process at once", async () => {
  const { project, call, path } = await setUp();
  const { engine } = await testEngine(db, project);
  const held = async () => {
    const [row] = await db<
      { catalog_revision: number }[]
    >`select catalog_revision from tenants where project_id = ${project.id}`;
    const { stacking_rules } = await engine.catalogs.catalogOf({ id: project.id, ...row! });
    return stacking_rules?.rules.redeemables_limit;
  };
  assert.equal(await held(), undefined);
  const { id } = (await call(`POST ${path}`, { redeemables_limit: 12 })).body;
  assert.equal(await held(), 12);
  await call(`PUT ${path}/${id}`, { redeemables_limit: 13 });
  assert.equal(await held(), 13);
  await call(`DELETE ${path}/${id}`);
  assert.equal(await held(), undefined);
});
