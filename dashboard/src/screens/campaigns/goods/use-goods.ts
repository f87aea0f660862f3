import { useQuery } from "@tanstack/react-query";
import {
  type ApplicableEntryInBody,
  type Campaign,
  getProduct,
  getProductCollection,
  getSku,
  getValidationRule,
} from "../../../api/operations.gen.ts";
import { send, sendFor } from "../../../api/send.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { namesGoods } from "../../../registry/conditions/rule-says.ts";
import { type Assigned, type Found, foundIn } from "./values.ts";

/** What has rules of its own: a campaign, or an offer of it. */
export type Owner = { id: string; assigned: readonly Assigned[] };
export type FoundGoods = ReadonlyMap<string, Found>;
export type May = (operation: string) => boolean;

/** More names than that nobody reads. The others are told by their ids. */
const NAMES_MAX = 50;

/** The name of a product, a SKU or a collection; null: it has none, is gone, or may not be read. */
function nameOf({ object, id }: ApplicableEntryInBody, may: May): Promise<string | null> {
  const read = async (): Promise<string | null | undefined> => {
    if (object === "product" && may(getProduct.id)) return (await send(getProduct, { productId: id })).name;
    if (object === "sku" && may(getSku.id)) {
      const { sku, product_id } = await send(getSku, { skuId: id });
      const of = await nameOf({ object: "product", id: product_id }, may);
      return [of, sku].filter(Boolean).join(" · ");
    }
    if (object === "products_collection" && may(getProductCollection.id))
      return (await send(getProductCollection, { productCollectionId: id })).name;
    return null;
  };
  return read().then(
    (name) => name || null,
    () => null,
  );
}

/** Reads the products that discounts take, by the ids of what has them. */
export async function readGoods(owners: readonly Owner[], may: May): Promise<FoundGoods> {
  const all = owners.flatMap(({ assigned }) => assigned.map(({ rule_id }) => rule_id));
  const ids = may(getValidationRule.id) ? [...new Set(all)] : [];
  const read = await Promise.all(ids.map((validationRuleId) => sendFor(getValidationRule, { validationRuleId })));
  const rules = new Map(read.map((rule) => [rule.body.id, rule]));
  const entries = read
    .map(({ body }) => body)
    .filter(namesGoods)
    .flatMap(({ applicable_to: { included, excluded } }) => [...included, ...excluded]);
  const few = [...new Map(entries.map((entry) => [entry.id, entry])).values()].slice(0, NAMES_MAX);
  const names = new Map(await Promise.all(few.map(async (entry) => [entry.id, await nameOf(entry, may)] as const)));
  const named = ({ id, source_id }: ApplicableEntryInBody) => names.get(id) ?? source_id ?? id;
  return new Map(owners.map(({ id, assigned }) => [id, foundIn(assigned, rules, named)]));
}

/** A campaign and its offers. */
export const ownersIn = (campaign: Campaign): Owner[] => [
  { id: campaign.id, assigned: campaign.validation_rules_assignments.data },
  ...(campaign.promotion?.tiers ?? []).map((tier) => ({
    id: tier.id,
    assigned: tier.validation_rule_assignments.data,
  })),
];

/** The same for a page; undefined: they are not there yet. `isFetching`: they may be old. */
export function useGoods(owners: readonly Owner[]): { data: FoundGoods | undefined; isFetching: boolean } {
  const { id } = useProject();
  const can = useCan();
  const enabled = can(getValidationRule.id) && owners.some(({ assigned }) => assigned.length > 0);
  const { data, error, isFetching } = useQuery({
    queryKey: [id, "goods", owners],
    queryFn: () => readGoods(owners, can),
    meta: { path: getValidationRule.path },
    enabled,
  });
  const unread = owners.map((owner) => [owner.id, foundIn(owner.assigned, new Map(), ({ id }) => id)] as const);
  return { data: !enabled || error ? new Map(unread) : data, isFetching };
}
