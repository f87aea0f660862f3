import type { AnyOp } from "../api/op.ts";
import {
  getCustomer,
  getProduct,
  getProductCollection,
  getPromotionTier,
  getSegment,
  getSku,
} from "../api/operations.gen.ts";
import { useCan } from "../api/session.ts";
import { useOp } from "../api/use-op.ts";

type Named = { name?: string | null; email?: string | null; sku?: string | null; source_id?: string | null };
const isObject = (value: unknown): value is { id: string; object?: string; name?: string } =>
  typeof value === "object" && value !== null && "id" in value;

/** Which kind of record an id names: it begins with it. Each is read by its operation, and by what the path calls the id. */
const KINDS: Record<string, readonly [AnyOp, string]> = {
  cust_: [getCustomer, "customerId"],
  seg_: [getSegment, "segmentId"],
  prod_: [getProduct, "productId"],
  sku_: [getSku, "skuId"],
  pc_: [getProductCollection, "productCollectionId"],
  promo_: [getPromotionTier, "promotionTierId"],
};
export const kindOf = (id: string) => Object.keys(KINDS).find((kind) => id.startsWith(kind)) ?? null;

/** A record by its name. Until that is read, where there is none, and for who may not read it, by its id. */
export function RecordName({ of: value }: { of: unknown }) {
  const can = useCan();
  const id = isObject(value) ? value.id : String(value);
  const kind = kindOf(id);
  const [operation, param] = KINDS[kind ?? "seg_"]!;
  const { data } = useOp(operation, { [param]: id }, { enabled: kind !== null && can(operation.id) });
  const record = data as Named | undefined;
  const name = record?.name ?? record?.sku ?? record?.email ?? record?.source_id;
  return name ? <span title={id}>{name}</span> : <span className="mono">{id}</span>;
}
