import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { okOf, testShop } from "../support/shop.ts";

// How redeemables combine, over HTTP, each situation under both modes.
const { db } = await testDatabase();

type Settings = Record<string, unknown>;
/** `20%` of the order, `500` off the order, `items 10%` of every line, `gift 300`, or a body of its own. */
type Expected = string | { is: string; in?: string; rule?: object; more?: object };
type Situation = {
  name: string;
  settings?: Settings | ((category: Record<string, string>) => Settings);
  /** Categories by name, with their hierarchies. */
  categories?: Record<string, number>;
  codes: Record<string, Expected>;
  /** In the order of the codes unless another is given. */
  sent?: readonly string[];
  order?: object;
  /**
   * In the order in which they are taken: `A 100` applies and takes 100 off, `A ~key` is skipped, `A !key` does not
   * apply. A sum at the end is what the cart costs then; none: the validation is not valid.
   */
  all: readonly (string | number)[];
  /** The same as with `ALL` unless it is given. */
  partial?: readonly (string | number)[];
};

const OVER = "applicable_redeemables_limit_exceeded";
const OVER_CATEGORY = "applicable_redeemables_per_category_limit_exceeded";
const OVER_EXCLUSIVE = "applicable_exclusive_redeemables_limit_exceeded";
const OVER_EXCLUSIVE_CATEGORY = "applicable_exclusive_redeemables_per_category_limit_exceeded";
const EXCLUDED = "exclusion_rules_not_met";
const PRECEDING = "preceding_validation_failed";
const OVER_5000 = { 1: { name: "order.amount", conditions: { $more_than: [5000] } }, logic: "1" };
const TOTAL_OVER_5000 = { 1: { name: "order.total_amount", conditions: { $more_than: [5000] } }, logic: "1" };
const ITEMS = {
  items: [
    { product_id: "shirt", price: 1000, quantity: 2 },
    { product_id: "shoes", price: 3000, quantity: 1 },
  ],
};

const SITUATIONS: Situation[] = [
  {
    name: "all apply, each on what those before it left",
    codes: { A: "20%", B: "500", C: "10%" },
    all: ["A 2000", "B 500", "C 750", 6750],
  },
  {
    name: "the order of the request is the order of the arithmetic",
    codes: { A: "20%", B: "500", C: "10%" },
    sent: ["C", "B", "A"],
    all: ["C 1000", "B 500", "A 1700", 6800],
  },
  {
    name: "an unknown code in the middle",
    codes: { A: "20%", B: "500" },
    sent: ["A", "nobody", "B"],
    all: ["A 2000", "nobody !not_found", `B ~${PRECEDING}`],
    partial: ["A 2000", "nobody !not_found", "B 500", 7500],
  },
  {
    name: "the first is switched off",
    codes: { A: { is: "20%", more: { active: false } }, B: "500" },
    all: ["A !voucher_disabled", `B ~${PRECEDING}`],
    partial: ["A !voucher_disabled", "B 500", 9500],
  },
  {
    name: "the last does not meet its rule",
    codes: { A: "500", B: { is: "20%", rule: OVER_5000 } },
    order: { amount: 5000 },
    all: ["A 500", "B !order_rules_violated"],
    partial: ["A 500", "B !order_rules_violated", 4500],
  },
  {
    name: "a rule about the amount sees what those before it left",
    codes: {
      A: "10%",
      B: { is: "20%", rule: { 1: { name: "order.amount", conditions: { $more_than: [10_000] } }, logic: "1" } },
    },
    order: { amount: 10_500 },
    all: ["A 1050", "B !order_rules_violated"],
    partial: ["A 1050", "B !order_rules_violated", 9450],
  },
  {
    name: "a rule about what is left to pay sees what those before it took",
    codes: { A: "50%", B: { is: "100", rule: TOTAL_OVER_5000 } },
    all: ["A 5000", "B !order_rules_violated"],
    partial: ["A 5000", "B !order_rules_violated", 5000],
  },
  {
    name: "nothing applies",
    codes: { A: { is: "20%", more: { active: false } } },
    sent: ["A", "nobody"],
    all: ["A !voucher_disabled", `nobody ~${PRECEDING}`],
    partial: ["A !voucher_disabled", "nobody !not_found"],
  },
  {
    name: "a discount is never more than what is left",
    codes: { A: "9500", B: "20%", C: "9000", D: "10%" },
    all: ["A 9500", "B 100", "C 400", "D 0", 0],
  },
  {
    name: "gift credits are a step like any other",
    codes: { A: "gift 3000", B: "50%", C: "gift 9000" },
    all: ["A 3000", "B 3500", "C 3500", 0],
  },
  {
    name: "30 codes where five may apply",
    codes: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`C${n}`, "100"])),
    all: [...Array.from({ length: 30 }, (_, n) => (n < 5 ? `C${n} 100` : `C${n} ~${OVER}`)), 9500],
  },
  {
    name: "what does not apply takes no place under the limit",
    settings: { applicable_redeemables_limit: 2 },
    codes: { A: "100", B: { is: "200", more: { active: false } }, C: "300", D: "400" },
    all: ["A 100", "B !voucher_disabled", `C ~${PRECEDING}`, `D ~${PRECEDING}`],
    partial: ["A 100", "B !voucher_disabled", "C 300", `D ~${OVER}`, 9600],
  },
  {
    name: "what is not there or switched off is said also behind a full limit",
    settings: { applicable_redeemables_limit: 1 },
    codes: { A: "100", B: "200", C: { is: "300", more: { active: false } } },
    sent: ["A", "B", "C", "nobody"],
    all: ["A 100", `B ~${OVER}`, "C !voucher_disabled", `nobody ~${PRECEDING}`],
    partial: ["A 100", `B ~${OVER}`, "C !voucher_disabled", "nobody !not_found", 9900],
  },
  {
    name: "a limit for every category; what has none is not counted",
    categories: { one: 1, two: 2 },
    settings: { applicable_redeemables_per_category_limit: 1 },
    codes: {
      A: { is: "100", in: "one" },
      B: { is: "200", in: "one" },
      C: { is: "300", in: "two" },
      D: "400",
      E: "500",
    },
    all: ["A 100", `B ~${OVER_CATEGORY}`, "C 300", "D 400", "E 500", 8700],
  },
  {
    name: "a limit of its own for one category",
    categories: { one: 1, two: 2 },
    settings: ({ one }) => ({
      applicable_redeemables_per_category_limit: 1,
      applicable_redeemables_category_limits: { [one!]: 2 },
    }),
    codes: {
      A: { is: "100", in: "one" },
      B: { is: "200", in: "one" },
      C: { is: "300", in: "one" },
      D: { is: "400", in: "two" },
      E: { is: "500", in: "two" },
    },
    all: ["A 100", "B 200", `C ~${OVER_CATEGORY}`, "D 400", `E ~${OVER_CATEGORY}`, 9300],
  },
  {
    name: "an exclusive one drops the common ones wherever it stands, and joint ones come last",
    categories: { alone: 1, with: 2 },
    settings: (c) => ({ exclusive_categories: [c.alone], joint_categories: [c.with] }),
    codes: { J: { is: "10%", in: "with" }, A: "100", X: { is: "20%", in: "alone" }, B: "200" },
    all: [`A ~${EXCLUDED}`, "X 2000", `B ~${EXCLUDED}`, "J 800", 7200],
  },
  {
    name: "joint ones keep their place where the sorting says so",
    categories: { alone: 1, with: 2 },
    settings: (c) => ({
      exclusive_categories: [c.alone],
      joint_categories: [c.with],
      grouped_redeemables_sorting_rule: "SORTING_RULE_ALWAYS",
    }),
    codes: { J: { is: "10%", in: "with" }, A: "100", X: { is: "20%", in: "alone" } },
    all: ["J 1000", `A ~${EXCLUDED}`, "X 1800", 7200],
  },
  {
    name: "without an exclusive one, joint and common ones stack in their order",
    categories: { alone: 1, with: 2 },
    settings: (c) => ({ exclusive_categories: [c.alone], joint_categories: [c.with] }),
    codes: { J: { is: "10%", in: "with" }, A: "100" },
    all: ["J 1000", "A 100", 8900],
  },
  {
    name: "an exclusive one that does not apply drops nothing",
    categories: { alone: 1 },
    settings: (c) => ({ exclusive_categories: [c.alone] }),
    codes: { A: "100", X: { is: "20%", in: "alone", more: { active: false } }, B: "200" },
    all: ["A 100", "X !voucher_disabled", `B ~${PRECEDING}`],
    partial: ["A 100", "X !voucher_disabled", "B 200", 9700],
  },
  {
    name: "one exclusive one, unless more may apply",
    categories: { alone: 1, apart: 2 },
    settings: (c) => ({ exclusive_categories: [c.alone, c.apart] }),
    codes: { X: { is: "20%", in: "alone" }, Y: { is: "10%", in: "apart" } },
    all: ["X 2000", `Y ~${OVER_EXCLUSIVE}`, 8000],
  },
  {
    name: "two exclusive ones, one of each category",
    categories: { alone: 1, apart: 2 },
    settings: (c) => ({
      exclusive_categories: [c.alone, c.apart],
      applicable_exclusive_redeemables_limit: 2,
      applicable_exclusive_redeemables_per_category_limit: 1,
    }),
    codes: { X: { is: "20%", in: "alone" }, Y: { is: "10%", in: "alone" }, Z: { is: "10%", in: "apart" } },
    all: ["X 2000", `Y ~${OVER_EXCLUSIVE_CATEGORY}`, "Z 800", 7200],
  },
  {
    name: "joint ones count as well where the limit is for all",
    categories: { alone: 1, with: 2 },
    settings: (c) => ({ exclusive_categories: [c.alone], joint_categories: [c.with], applicable_redeemables_limit: 1 }),
    codes: { J: { is: "10%", in: "with" }, X: { is: "20%", in: "alone" } },
    all: ["X 2000", `J ~${OVER}`, 8000],
  },
  {
    name: "without an effect it is redeemed anyway",
    codes: { A: "100%", B: "20%" },
    all: ["A 10000", "B 0", 0],
  },
  {
    name: "without an effect it is skipped, except in a category that is redeemed anyway",
    categories: { anyway: 1 },
    settings: (c) => ({ redeemables_no_effect_rule: "SKIP", no_effect_redeem_anyway_categories: [c.anyway] }),
    codes: { A: "100%", B: "20%", C: { is: "20%", in: "anyway" } },
    all: ["A 10000", "B ~no_effect", "C 0", 0],
  },
  {
    name: "without an effect it is redeemed anyway, except in a category that is skipped",
    categories: { skipped: 1 },
    settings: (c) => ({ no_effect_skip_categories: [c.skipped] }),
    codes: { A: "100%", B: "20%", C: { is: "20%", in: "skipped" } },
    all: ["A 10000", "B 0", "C ~no_effect", 0],
  },
  {
    name: "nothing has an effect and all are skipped",
    settings: { redeemables_no_effect_rule: "SKIP" },
    codes: { A: "100%", B: "20%" },
    order: { amount: 0 },
    all: ["A ~no_effect", "B ~no_effect"],
  },
  {
    name: "in the order of the categories; without one comes last, equal ones as they were sent",
    categories: { first: 1, second: 2 },
    settings: { redeemables_sorting_rule: "CATEGORY_HIERARCHY" },
    codes: {
      N: "100",
      S: { is: "10%", in: "second" },
      T: { is: "200", in: "second" },
      F: { is: "20%", in: "first" },
    },
    all: ["F 2000", "S 800", "T 200", "N 100", 6900],
  },
  {
    name: "items are discounted again by the next code",
    codes: { A: "items 10%", B: "items 10%" },
    order: ITEMS,
    all: ["A 500", "B 450", 4050],
  },
  {
    name: "a product is discounted once, and the order may be discounted still",
    settings: { redeemables_products_application_mode: "ONCE" },
    codes: { A: "items 10%", B: "items 50%", C: "500" },
    order: ITEMS,
    all: ["A 500", "B 0", "C 500", 4000],
  },
  {
    name: "a product that is discounted once, where no effect is skipped",
    settings: { redeemables_products_application_mode: "ONCE", redeemables_no_effect_rule: "SKIP" },
    codes: { A: "items 10%", B: "items 50%" },
    order: ITEMS,
    all: ["A 500", "B ~no_effect", 4500],
  },
  {
    name: "percent of the initial amount, except in one category",
    categories: { left: 1 },
    settings: (c) => ({
      discount_calculation_mode: "INITIAL_AMOUNT",
      discounted_amount_mode_categories: [c.left],
    }),
    codes: { A: "20%", B: "20%", C: { is: "20%", in: "left" } },
    all: ["A 2000", "B 2000", "C 1200", 4800],
  },
  {
    name: "percent of what is left, except in one category",
    categories: { initial: 1 },
    settings: (c) => ({ initial_amount_mode_categories: [c.initial] }),
    codes: { A: "20%", B: "20%", C: { is: "20%", in: "initial" } },
    all: ["A 2000", "B 1600", "C 2000", 4400],
  },
  {
    name: "percent of the initial amount of each line, never more than is left of it",
    settings: { discount_calculation_mode: "INITIAL_AMOUNT" },
    codes: { A: "items 60%", B: "items 60%" },
    order: ITEMS,
    all: ["A 3000", "B 2000", 0],
  },
];

const CODE = /^(items )?(?:gift (\d+)|(\d+)(%)?)$/;
function bodyOf(text: string): object {
  const [, items, credits, value, percent] = CODE.exec(text)!;
  if (credits) return { type: "GIFT_VOUCHER", gift: { amount: Number(credits), balance: Number(credits) } };
  const effect = items ? { effect: "APPLY_TO_ITEMS" } : {};
  const off = percent ? { type: "PERCENT", percent_off: Number(value) } : { type: "AMOUNT", amount_off: Number(value) };
  return { type: "DISCOUNT_VOUCHER", discount: { ...off, ...effect } };
}

async function setUp({ settings = {}, categories = {}, codes }: Situation) {
  const { project, call, ok } = await testShop(db);
  const ids: Record<string, string> = {};
  for (const [name, hierarchy] of Object.entries(categories))
    ids[name] = (await ok("POST /v1/categories", { name, hierarchy })).id;
  for (const [code, given] of Object.entries(codes)) {
    const {
      is,
      in: category,
      rule,
      more,
    } = typeof given === "string" ? ({ is: given } as Exclude<Expected, string>) : given;
    const rules = rule && [(await ok("POST /v1/validation-rules", { name: "rule", rules: rule })).id];
    await ok(`POST /v1/vouchers/${code}`, {
      ...bodyOf(is),
      ...(category && { category_id: ids[category] }),
      ...(rules && { validation_rules: rules }),
      ...more,
    });
  }
  const path = `/management/v1/projects/${project.id}/stacking-rules`;
  const { id } = await ok(`POST ${path}`, typeof settings === "function" ? settings(ids) : settings);
  const inMode = (mode: string) => ok(`PUT ${path}/${id}`, { redeemables_application_mode: mode });
  return { call, inMode, project };
}

/** One entry of an answer as the table says it. */
function told(entry: any): string {
  if (entry.status === "APPLICABLE") {
    const { discount, gift } = entry.result;
    assert.ok(discount || gift, entry.id);
    return `${entry.id} ${entry.order.total_applied_discount_amount ?? 0}`;
  }
  if (entry.status === "SKIPPED") {
    assert.deepEqual(entry.result, {}, "a skipped one has an empty result");
    return `${entry.id} ~${entry.details.key}`;
  }
  const { error, details } = entry.result;
  assert.equal(error.key, details.key);
  assert.ok(error.code >= 400 && error.message && error.request_id, "the error body");
  return `${entry.id} !${error.key}`;
}

for (const situation of SITUATIONS) {
  const { name, codes, sent = Object.keys(codes), order = { amount: 10_000 }, all, partial = all } = situation;
  test(`stacking, under ALL and PARTIAL: ${name}`, async () => {
    const { call, inMode } = await setUp(situation);
    for (const [mode, expected] of [
      ["ALL", all],
      ["PARTIAL", partial],
    ] as const) {
      await inMode(mode);
      const redeemables = sent.map((id) => ({ object: "voucher", id }));
      const { status, body, text } = await call("POST /v1/validations", { redeemables, order });
      assert.equal(status, 200, text);
      const entries = expected.filter((one) => typeof one === "string");
      const [total] = expected.filter((one) => typeof one === "number");
      const [applying, skipped, refused] = [/^\S+ \d/, / ~/, / !/].map((kind) =>
        entries.filter((one) => kind.test(one)),
      );
      assert.deepEqual(body.redeemables.map(told), mode === "ALL" ? entries : applying, mode);
      assert.deepEqual((body.skipped_redeemables ?? []).map(told), skipped, mode);
      assert.deepEqual((body.inapplicable_redeemables ?? []).map(told), refused, mode);
      assert.equal(body.valid, total !== undefined, mode);
      assert.equal(body.order?.total_amount, total, mode);
      assert.equal(body.stacking_rules.redeemables_application_mode, mode);
      if (total === undefined) continue;
      const taken = applying!.reduce((sum, one) => sum + Number(one.split(" ")[1]), 0);
      assert.equal(body.order.total_applied_discount_amount ?? 0, taken, mode);
      assert.equal(body.order.amount - taken, total, mode);
    }
  });
}

test("with SKIPPED_RESULT_DETAILS the reason of a skipped one stands in its result, too", async () => {
  const settings = { applicable_redeemables_limit: 1 };
  const { call, inMode, project } = await setUp({ name: "", codes: { A: "10", B: "20" }, settings, all: [] });
  const redeemables = ["A", "B"].map((id) => ({ object: "voucher", id }));
  const details = {
    key: "applicable_redeemables_limit_exceeded",
    message: "Applicable redeemables limit exceeded",
  };
  const skipped = async () => {
    const body = { redeemables, order: { amount: 1000 } };
    const validated = (await call("POST /v1/validations", body)).body;
    const redeemed = (await call("POST /v1/redemptions", body)).body;
    return [...validated.redeemables.slice(1), ...validated.skipped_redeemables, ...redeemed.skipped_redeemables];
  };
  for (const mode of ["ALL", "PARTIAL"]) {
    await inMode(mode);
    await db`update projects set features = '{LOYALTY_V2}' where id = ${project.id}`;
    for (const one of await skipped()) assert.deepEqual([one.result, one.details], [{}, details]);
    await db`update projects set features = '{LOYALTY_V2,SKIPPED_RESULT_DETAILS}' where id = ${project.id}`;
    const all = await skipped();
    for (const one of all) assert.deepEqual([one.result, one.details], [{ details }, details]);
    assert.equal(all.length, mode === "ALL" ? 3 : 2);
  }
});

test("more redeemables than the project allows are refused under ALL and PARTIAL, and so are more than 30", async () => {
  const { call, inMode } = await setUp({
    name: "",
    settings: { redeemables_limit: 2, applicable_redeemables_limit: 2 },
    codes: { A: "100", B: "100", C: "100" },
    all: [],
  });
  const ask = (ids: readonly string[]) =>
    call("POST /v1/validations", {
      redeemables: ids.map((id) => ({ object: "voucher", id })),
      order: { amount: 1000 },
    });
  for (const mode of ["ALL", "PARTIAL"]) {
    await inMode(mode);
    assert.equal((await ask(["A", "B"])).body.order.total_amount, 800);
    for (const ids of [["A", "B", "C"], Array.from({ length: 31 }, (_, n) => `C${n}`), []]) {
      const { status, body } = await ask(ids);
      assert.deepEqual([status, body.key], [400, "invalid_payload"]);
    }
  }
});

test("the tiers of a stack keep their order under ALL and PARTIAL, whatever their categories", async () => {
  const { call, project } = await testShop(db);
  const ok = okOf(call);
  const [first, second] = [
    await ok("POST /v1/categories", { name: "first", hierarchy: 1 }),
    await ok("POST /v1/categories", { name: "second", hierarchy: 2 }),
  ];
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = (name: string, percent_off: number, category_id: string) =>
    ok(`POST /v1/promotions/${campaign.id}/tiers`, {
      name,
      category_id,
      action: { discount: { type: "PERCENT", percent_off } },
    });
  const [a, b] = [await tier("A", 10, second.id), await tier("B", 50, first.id)];
  const stack = await ok(`POST /v1/promotions/${campaign.id}/stacks`, {
    name: "S",
    tiers: { ids: [a.id, b.id], hierarchy_mode: "MANUAL" },
  });
  const path = `/management/v1/projects/${project.id}/stacking-rules`;
  const { id } = await ok(`POST ${path}`, {});
  for (const redeemables_application_mode of ["ALL", "PARTIAL"]) {
    await ok(`PUT ${path}/${id}`, { redeemables_application_mode });
    const body = await ok("POST /v1/validations", {
      redeemables: [{ object: "promotion_stack", id: stack.id }],
      order: { amount: 10_000 },
    });
    assert.deepEqual(body.redeemables.map(told), [`${a.id} 1000`, `${b.id} 4500`]);
    assert.equal(body.order.total_amount, 4500);
  }
});
