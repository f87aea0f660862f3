import type { OrderItem } from "../order/order.ts";
import { type ExampleFacts, product, sku } from "./examples.ts";
import { readProperty } from "./property.ts";
import { type Ask, defineLinesRule, type Selection } from "./rule.ts";

const cart = (...items: Partial<OrderItem>[]): ExampleFacts => ({ order: { items } });
const A = { product: product("prod_a"), sku: sku("sku_a") };
const B = { product: product("prod_b"), sku: sku("sku_b") };

/** The products or SKUs of the cart taken together: `$is` asks for one among them, `$is_not` that there is none. */
export const legacyIds = (["product", "sku"] as const).map((object) =>
  defineLinesRule({
    name: `${object}.id`,
    summary: `The ${object === "sku" ? "SKUs" : "products"} in the cart.`,
    takes: "products",
    object,
    select: ({ lines }, _, fits): Selection => ({
      holds: fits(lines.map(({ item }) => item)),
      lines: lines.filter(({ item }) => fits(item)),
      each: "some",
    }),
    examples: [
      { conditions: { $is: [{ id: `${object === "sku" ? "sku" : "prod"}_a` }] }, facts: cart(A, B), holds: true },
      { conditions: { $is: [{ id: "nothing", source_id: "" }] }, facts: cart(A, B), holds: false },
      { conditions: { $is_not: [{ id: object === "sku" ? "sku_a" : "prod_a" }] }, facts: cart(A, B), holds: false },
      { conditions: { $not_in: ["nothing"] }, facts: cart(A, B), holds: true },
      {
        conditions: { $in: [{ id: object === "sku" ? "sku_a" : "prod_a" }] },
        rules: { "1": { name: `${object}.quantity`, conditions: { $more_than: [1] } }, logic: "1" },
        facts: cart(A, { ...B, quantity: 2 }),
        holds: false,
      },
    ],
  }),
);

const asksForAll = ({ below }: Ask): boolean =>
  below.some(
    ({ rule, conditions }) => rule.name === "product.metadata.match_all" && String(conditions[0]?.values[0]) === "true",
  );

const shoes = { product: product("prod_a", { metadata: { kind: "shoe" } }) };
const hats = { product: product("prod_b", { metadata: { kind: "hat" } }) };
const isShoe = { property: "kind", conditions: { $is: ["shoe"] } };

export const legacyMetadata = defineLinesRule({
  name: "product.metadata",
  summary: "A metadata property of the product of a line.",
  takes: "metadata",
  property: true,
  select: ({ lines: all }, ask, fits): Selection => {
    const lines = all.filter(({ item }) => fits(readProperty(item.product?.metadata ?? {}, ask.property)));
    const matchesAll = asksForAll(ask);
    const holds = lines.length > 0 && (!matchesAll || lines.length === all.length);
    return { holds, lines, each: matchesAll ? "every" : "some" };
  },
  examples: [
    { ...isShoe, facts: cart(shoes, hats), holds: true },
    { ...isShoe, facts: cart(hats), holds: false },
    {
      ...isShoe,
      rules: { "1": { name: "product.metadata.match_all", conditions: { $is: [true] } }, logic: "1" },
      facts: cart(shoes, hats),
      holds: false,
    },
    {
      ...isShoe,
      rules: { "1": { name: "product.metadata.aggregated_quantity", conditions: { $is: [2] } }, logic: "1" },
      facts: cart({ ...shoes, quantity: 2 }, hats),
      holds: true,
    },
  ],
});
