import type { RowOf } from "./op.ts";
import { type ApplicableEntryInBody, listProductCollections, type listProducts } from "./operations.gen.ts";
import { named, PRODUCTS } from "./sources.ts";

// What a rule names: beside the other sources, which more pages begin with.

/** Products, and below each its variants, as rules name them: `product prod_1`, `sku sku_1`. */
export const GOODS = {
  ...PRODUCTS,
  optionOf: (product: RowOf<typeof listProducts>) => {
    const { label } = named(product);
    return [
      { value: `product ${product.id}`, label },
      ...product.skus.data.map(({ id, sku, source_id }) => ({
        value: `sku ${id}`,
        label: `${label} · ${sku ?? source_id ?? id}`,
      })),
    ];
  },
};
export const COLLECTIONS = {
  operation: listProductCollections,
  paramsOf: () => ({ limit: 100, order: "name" as const }),
  optionOf: ({ id, name }: { id: string; name: string }) => ({ value: `products_collection ${id}`, label: name }),
};
/** What was chosen of these, as a rule names it. */
export const goodIn = (value: string): Pick<ApplicableEntryInBody, "object" | "id"> => {
  const at = value.indexOf(" ");
  return { object: value.slice(0, at) as ApplicableEntryInBody["object"], id: value.slice(at + 1) };
};
