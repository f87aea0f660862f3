import { getProduct, getProductCollection, getPromotionTier, getSegment, getSku } from "../api/operations.gen.ts";
import { useOp } from "../api/use-op.ts";

type Named = { name?: string | null; sku?: string | null; source_id?: string | null };
const isObject = (value: unknown): value is { id: string; object?: string; name?: string } =>
  typeof value === "object" && value !== null && "id" in value;

/** Which kind of record an id names: it begins with it. */
const KINDS = ["seg_", "prod_", "sku_", "pc_", "promo_"] as const;
export const kindOf = (id: string) => KINDS.find((kind) => id.startsWith(kind)) ?? null;

/** A record by its name. Until that is read, and where there is none, by its id. */
export function RecordName({ of: value }: { of: unknown }) {
  const id = isObject(value) ? value.id : String(value);
  const kind = kindOf(id);
  const segment = useOp(getSegment, { segmentId: id }, { enabled: kind === "seg_" });
  const product = useOp(getProduct, { productId: id }, { enabled: kind === "prod_" });
  const sku = useOp(getSku, { skuId: id }, { enabled: kind === "sku_" });
  const collection = useOp(getProductCollection, { productCollectionId: id }, { enabled: kind === "pc_" });
  const tier = useOp(getPromotionTier, { promotionTierId: id }, { enabled: kind === "promo_" });
  const record = (segment.data ?? product.data ?? sku.data ?? collection.data ?? tier.data) as Named | undefined;
  const name = record?.name ?? record?.sku ?? record?.source_id;
  return name ? <span title={id}>{name}</span> : <span className="mono">{id}</span>;
}
