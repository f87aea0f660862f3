import type { Discount } from "../../api/operations.gen.ts";
import { localeOf, type Text } from "../../text/text.ts";
import { worthOf } from "../worth.ts";

/** The products that a discount takes, by their names. `some`: several rules name them, or one says more than that. */
export type GoodsSaid = { which: "only" | "except" | "some"; names: readonly string[] };
const FEW = 3;

/** `Shoes and Bags`, `everything except Gift cards`. */
export function goodsSay({ which, names }: GoodsSaid, t: Text): string {
  if (which === "some") return t("goods.some");
  const more = names.length - FEW;
  const few = [...names.slice(0, FEW), ...(more > 0 ? [t("goods.more", { count: more })] : [])];
  const list = new Intl.ListFormat(localeOf(), { type: "conjunction" }).format(few) || t("sentence.nothing");
  return which === "only" ? list : t("goods.allExcept", { goods: list });
}

/** What a discount is worth, and on what: `20% off Shoes and Bags`. */
export function worthOn(
  discount: Discount | null | undefined,
  goods: GoodsSaid | null | undefined,
  look: { t: Text; currency: string },
): string | null {
  const worth = worthOf({ discount: discount ?? null }, look);
  if (!worth || !discount || !goods) return worth;
  const { type, amount_off, percent_off, fixed_amount, amount_limit } = discount;
  const said = { worth, goods: goodsSay(goods, look.t) };
  if (type === "FIXED" && typeof fixed_amount === "number") return look.t("goods.atPrice", said);
  const isPlain = typeof amount_off === "number" || (typeof percent_off === "number" && !amount_limit);
  return look.t(isPlain ? "goods.off" : "goods.offOn", said);
}
