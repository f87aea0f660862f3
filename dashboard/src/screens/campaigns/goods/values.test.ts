import assert from "node:assert/strict";
import { test } from "node:test";
import type { Discount, ValidationRule } from "../../../api/operations.gen.ts";
import { goodsSay, worthOn } from "../../../registry/discount/goods-words.ts";
import { en } from "../../../text/en.ts";
import { createText } from "../../../text/text.ts";
import { ALL_GOODS, applicableOf, foundIn, foundSaid, type Goods, goodsFault, goodsOf } from "./values.ts";

const t = createText(en, "en-GB");
const shoes = { object: "products_collection" as const, id: "pc_shoes" };
const bag = { object: "product" as const, id: "prod_bag", quantity_limit: 2 };
const named = ({ id }: { id: string }) => `<${id}>`;
const goods = (which: Goods["which"]): Goods => ({
  which,
  picked: [shoes, bag].map((entry) => ({ entry, name: named(entry) })),
});
const percent: Discount = { type: "PERCENT", percent_off: 20, effect: "APPLY_TO_ITEMS" };
const rule = (id: string, assignments_count: number, of: Goods = ALL_GOODS) =>
  ({ id, name: id, assignments_count, rules: {}, bundle_rules: {}, applicable_to: applicableOf(of) }) as ValidationRule;
const found = (...rules: ValidationRule[]) =>
  foundIn(
    rules.map(({ id }) => ({ id: `asm_${id}`, rule_id: id })),
    new Map(rules.map((one) => [one.id, { body: one, etag: `"${one.id}"` }])),
    named,
  );

test("what is chosen is what a rule says, and comes back with its limits", () => {
  for (const which of ["all", "only", "except"] as const) {
    const chosen = which === "all" ? ALL_GOODS : goods(which);
    assert.deepEqual(goodsOf(applicableOf(chosen) as ValidationRule["applicable_to"], named), chosen);
  }
  assert.deepEqual(applicableOf(goods("only")), { included: [shoes, bag], excluded: [], included_all: false });
  assert.deepEqual(applicableOf(goods("except")), { included: [], excluded: [shoes, bag], included_all: true });
});

test("the rule that is changed is the offer's own; a shared one and what the form cannot show are left alone", () => {
  assert.deepEqual(found().place, { kind: "new" });
  const [own, shared] = [rule("own", 1), rule("shared", 2)];
  assert.deepEqual(found(shared).place, { kind: "new" });
  assert.deepEqual(found(shared, own).place, { kind: "own", rule: own, etag: '"own"' });
  const [ownGoods, sharedGoods] = [rule("a", 1, goods("only")), rule("b", 2, goods("except"))];
  assert.deepEqual(found(own, ownGoods), { goods: goods("only"), place: { kind: "own", rule: ownGoods, etag: '"a"' } });
  const place = { kind: "shared", rule: sharedGoods, assignmentId: "asm_b" };
  assert.deepEqual(found(own, sharedGoods), { goods: goods("except"), place });
  assert.equal(found(ownGoods, sharedGoods).place.kind, "closed");
  const both = {
    included: [shoes],
    excluded: [bag],
    included_all: false,
  } as unknown as ValidationRule["applicable_to"];
  assert.equal(found({ ...own, applicable_to: both }).place.kind, "closed");
  const unread = foundIn([{ id: "asm_1", rule_id: "val_1" }], new Map(), named);
  assert.equal(unread.place.kind, "unread");
});

test("nothing chosen and a discount on the whole order are faults", () => {
  assert.equal(goodsFault(ALL_GOODS, { ...percent, effect: "APPLY_TO_ORDER" }, t), null);
  assert.equal(goodsFault({ which: "only", picked: [] }, percent, t), t("goods.missing"));
  assert.equal(goodsFault(goods("only"), percent, t), null);
  assert.equal(goodsFault(goods("only"), { ...percent, effect: "APPLY_TO_ORDER" }, t), t("goods.wholeOrder"));
  assert.equal(goodsFault(goods("only"), { type: "UNIT", unit_off: 1, effect: "ADD_NEW_ITEMS" }, t), null);
});

test("what nobody can tell, and what does not count, is not said", () => {
  assert.deepEqual(foundSaid(found(rule("own", 1, goods("only"))), percent)?.names, ["<pc_shoes>", "<prod_bag>"]);
  assert.equal(foundSaid(found(rule("a", 1, goods("only")), rule("b", 1, goods("only"))), percent)?.which, "some");
  assert.equal(foundSaid(found(rule("own", 1, goods("only"))), { ...percent, effect: "APPLY_TO_ORDER" }), null);
  assert.equal(foundSaid(undefined, percent), null);
});

test("the sentence names the products", () => {
  const look = { t, currency: "USD" };
  const only = { which: "only" as const, names: ["Shoes", "Bags"] };
  assert.equal(worthOn(percent, only, look), "20% off Shoes and Bags");
  assert.equal(
    worthOn(percent, { which: "except", names: ["Gift cards"] }, look),
    "20% off everything except Gift cards",
  );
  assert.equal(worthOn({ type: "FIXED", fixed_amount: 1000 }, only, look), "Shoes and Bags for $10.00");
  assert.equal(worthOn({ ...percent, amount_limit: 500 }, only, look), "20% off, at most $5.00 on Shoes and Bags");
  assert.equal(worthOn(percent, { which: "some", names: [] }, look), "20% off some products");
  assert.equal(worthOn(percent, null, look), "20% off");
  assert.equal(goodsSay({ which: "only", names: ["A", "B", "C", "D", "E"] }, t), "A, B, C and 2 more");
});
