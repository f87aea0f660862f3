import type { ApplicableEntryInBody, Discount, ValidationRule } from "../../../api/operations.gen.ts";
import type { Answer } from "../../../api/send.ts";
import { namesGoods } from "../../../registry/conditions/rule-says.ts";
import type { GoodsSaid } from "../../../registry/discount/goods-words.ts";
import type { Text } from "../../../text/text.ts";

/** A product, a SKU or a collection that was chosen, with the limits that the interface may have given it. */
export type Good = { entry: ApplicableEntryInBody; name: string };
/** Which products a discount takes. */
export type Goods = { which: "all" | "only" | "except"; picked: readonly Good[] };
export const ALL_GOODS: Goods = { which: "all", picked: [] };

type Applicable = { included: ApplicableEntryInBody[]; excluded: ApplicableEntryInBody[]; included_all: boolean };

/** As a rule holds it. */
export function applicableOf({ which, picked }: Goods): Applicable {
  const entries = picked.map(({ entry }) => entry);
  return {
    included: which === "only" ? entries : [],
    excluded: which === "except" ? entries : [],
    included_all: which === "except",
  };
}

/** What a rule says, or null where it says more than three choices can. */
export function goodsOf(
  { included, excluded, included_all }: ValidationRule["applicable_to"],
  nameOf: (entry: ApplicableEntryInBody) => string,
): Goods | null {
  const picked = (entries: readonly ApplicableEntryInBody[]) =>
    entries.map((entry) => ({ entry, name: nameOf(entry) }));
  if (included.length === 0) return excluded.length === 0 ? ALL_GOODS : { which: "except", picked: picked(excluded) };
  return excluded.length > 0 || included_all ? null : { which: "only", picked: picked(included) };
}

/** Free goods have a product of their own: what is bought beside them is no matter. */
export const takesGoods = (discount: Discount | null): boolean => discount?.type !== "UNIT";

/** On the whole order it takes all of them, whatever rules name. */
export const isOnOrder = (discount: Discount | null): boolean => discount?.effect === "APPLY_TO_ORDER";

/** The products as far as they count. A draft that was kept before there was this field has none. */
export const goodsFor = (goods: Goods = ALL_GOODS, discount: Discount | null): Goods =>
  takesGoods(discount) ? goods : ALL_GOODS;

/** What is missing, or says two things at once. */
export function goodsFault(goods: Goods, discount: Discount | null, t: Text): string | null {
  const { which, picked } = goodsFor(goods, discount);
  if (which === "all") return null;
  if (picked.length === 0) return t("goods.missing");
  return isOnOrder(discount) ? t("goods.wholeOrder") : null;
}

/** For the sentence of what is being typed. */
export const goodsSaid = (goods: Goods, discount: Discount | null): GoodsSaid | null => {
  const { which, picked } = goodsFor(goods, discount);
  return which === "all" || isOnOrder(discount) ? null : { which, names: picked.map(({ name }) => name) };
};

export type Assigned = { id: string; rule_id: string };
/**
 * Where the products of an offer stand: in a rule that nothing else uses, in one that others share, in several or in one that says
 * more (then this form leaves them alone), nowhere yet, or in rules that nobody read.
 */
export type Place =
  | { kind: "new" | "closed" | "unread" }
  | { kind: "own"; rule: ValidationRule; etag: string | null }
  | { kind: "shared"; rule: ValidationRule; assignmentId: string };
export type Found = { goods: Goods; place: Place };

/** Finds them among the rules of an offer. */
export function foundIn(
  assigned: readonly Assigned[],
  rules: ReadonlyMap<string, Answer<ValidationRule>>,
  nameOf: (entry: ApplicableEntryInBody) => string,
): Found {
  const own = assigned.flatMap(({ id, rule_id }) => {
    const read = rules.get(rule_id);
    return read ? [{ assignmentId: id, rule: read.body, etag: read.etag }] : [];
  });
  // What may not be read is not guessed at.
  if (own.length < assigned.length) return { goods: ALL_GOODS, place: { kind: "unread" } };
  const isAlone = ({ rule }: (typeof own)[number]) => rule.assignments_count === 1;
  const [first, second] = own.filter(({ rule }) => namesGoods(rule));
  const goods = first && !second ? goodsOf(first.rule.applicable_to, nameOf) : ALL_GOODS;
  if (second || goods === null) return { goods: ALL_GOODS, place: { kind: "closed" } };
  if (first && !isAlone(first))
    return { goods, place: { kind: "shared", rule: first.rule, assignmentId: first.assignmentId } };
  const host = first ?? own.find(isAlone);
  return { goods, place: host ? { kind: "own", rule: host.rule, etag: host.etag } : { kind: "new" } };
}

/** For the sentence of what is saved; null: all of them, or nobody knows. */
export const foundSaid = (found: Found | undefined, discount: Discount | null): GoodsSaid | null =>
  found?.place.kind === "closed" && takesGoods(discount) && !isOnOrder(discount)
    ? { which: "some", names: [] }
    : goodsSaid(found?.goods ?? ALL_GOODS, discount);
