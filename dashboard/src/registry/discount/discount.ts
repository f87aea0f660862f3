import { later } from "../../kit/later/later.tsx";
import type { DiscountProps } from "./field.tsx";

/** What a discount takes off, as a field. It asks for the registry first, so its code may come after the page as well. */
export const DiscountField = later<DiscountProps>(() => import("./field.tsx"));
