import type { BodyOf } from "../../api/op.ts";
import type { validateStackedDiscounts } from "../../api/operations.gen.ts";

// A cart to try things with. It is in the address, so that a link shows a colleague the same.

export type CartLine = { id: string; isSku: boolean; quantity: number; price: number | null };
export type Cart = {
  lines: readonly CartLine[];
  /** Of an order without lines. */
  amount: number | null;
  customer: string | null;
  codes: readonly string[];
  /** The moment that is asked about; null: now. */
  at: string | null;
};
export type Question = BodyOf<typeof validateStackedDiscounts>;
/** What nobody has saved, and the cart is tried with. */
export type CartDraft = NonNullable<NonNullable<NonNullable<Question>["options"]>["draft"]>;

export const EMPTY_CART: Cart = { lines: [], amount: null, customer: null, codes: [], at: null };
/** The parts of an address that are the cart's. */
const NAMES = ["item", "amount", "as", "code", "at"];
const BETWEEN = "*";
const SKU = "sku:";

const wholeOf = (text: string | null | undefined): number | null =>
  text && /^\d{1,15}$/.test(text) ? Number(text) : null;

function lineOf(text: string): CartLine[] {
  const [name = "", quantity, price] = text.split(BETWEEN);
  const id = name.startsWith(SKU) ? name.slice(SKU.length) : name;
  if (id === "") return [];
  return [
    {
      id,
      isSku: name.startsWith(SKU) || id.startsWith("sku_"),
      quantity: Math.max(1, wholeOf(quantity) ?? 1),
      price: wholeOf(price),
    },
  ];
}

export const parseCart = (query: URLSearchParams): Cart => ({
  lines: query.getAll("item").flatMap(lineOf),
  amount: wholeOf(query.get("amount")),
  customer: query.get("as") || null,
  codes: query.getAll("code").filter((code) => code !== ""),
  at: Number.isNaN(Date.parse(query.get("at") ?? "")) ? null : query.get("at"),
});

const lineText = ({ id, isSku, quantity, price }: CartLine): string =>
  [isSku && !id.startsWith("sku_") ? SKU + id : id, quantity, ...(price === null ? [] : [price])].join(BETWEEN);

/** The address with this cart in it; what else it has stays. */
export function printCart(cart: Cart, old: URLSearchParams = new URLSearchParams()): URLSearchParams {
  const query = new URLSearchParams([...old].filter(([name]) => !NAMES.includes(name)));
  for (const line of cart.lines) query.append("item", lineText(line));
  if (cart.amount !== null && cart.lines.length === 0) query.set("amount", String(cart.amount));
  if (cart.customer !== null) query.set("as", cart.customer);
  for (const code of cart.codes) query.append("code", code);
  if (cart.at !== null) query.set("at", cart.at);
  return query;
}

type Item = NonNullable<NonNullable<NonNullable<Question>["order"]>["items"]>[number];
function itemOf({ id, isSku, quantity, price }: CartLine): Item {
  const name = id.startsWith("prod_")
    ? { product_id: id }
    : id.startsWith("sku_")
      ? { sku_id: id }
      : { source_id: id, related_object: isSku ? ("sku" as const) : ("product" as const) };
  return { ...name, quantity, ...(price !== null && { price }) };
}

/** Everything that is no tier and no stack of tiers is a code. */
const objectOf = (id: string) =>
  id.startsWith("promo_")
    ? ("promotion_tier" as const)
    : id.startsWith("stack_")
      ? ("promotion_stack" as const)
      : ("voucher" as const);

/** What is asked about a cart; null: there is no code yet to ask about. */
export function questionOf({ lines, amount, customer, codes, at }: Cart, draft?: CartDraft | null): Question | null {
  if (codes.length === 0) return null;
  const order = lines.length > 0 ? { items: lines.map(itemOf) } : amount === null ? null : { amount };
  return {
    redeemables: codes.map((id) => ({ object: objectOf(id), id })),
    ...(customer !== null && { customer }),
    ...(order && { order }),
    options: { expand: ["trace"], ...(at !== null && { at }), ...(draft && { draft }) },
  };
}

type SentItem = {
  product_id?: string;
  sku_id?: string;
  source_id?: string;
  related_object?: string;
  quantity?: number | string;
  price?: number;
};
type SentOrder = { items?: SentItem[]; amount?: number };
type SentCustomer = string | { id?: string; source_id?: string };

/** The cart of a request that was sent once, as far as it can be shown. */
export function cartOf(sent: unknown, codes: readonly string[]): Cart {
  const { order, customer } = (sent ?? {}) as { order?: SentOrder; customer?: SentCustomer };
  const lines = (order?.items ?? []).flatMap((item): CartLine[] => {
    const id = item.sku_id ?? item.product_id ?? item.source_id;
    if (!id) return [];
    const isSku = item.sku_id !== undefined || item.related_object === "sku";
    return [{ id, isSku, quantity: Math.max(1, Number(item.quantity ?? 1) || 1), price: item.price ?? null }];
  });
  return {
    lines,
    amount: lines.length > 0 ? null : (order?.amount ?? null),
    customer: typeof customer === "string" ? customer : (customer?.source_id ?? customer?.id ?? null),
    codes,
    at: null,
  };
}
