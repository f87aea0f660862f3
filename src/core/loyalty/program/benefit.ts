import { type Static, Type } from "typebox";
import { Choice, strict } from "../../shapes.ts";
import {
  type Proportional,
  type ProportionalSent,
  parseProportional,
  proportionalFields,
  proportionalSent,
} from "../earning/proportional.ts";
import {
  type Digital,
  type DigitalSent,
  digitalOf,
  Material,
  MaterialSent,
  parseDigital,
  parseMaterial,
} from "./material.ts";
import { idOf, maybe, variantOf } from "./shape.ts";
import type { LoyaltyStatus } from "./status.ts";

const Points = strict({
  value: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  card_definition_id: idOf("lcdef"),
});
const digital = digitalOf(["GIFT_VOUCHERS", "DISCOUNT_COUPONS"]);

/** What is given, by the field that holds it. */
const CONFIGS = {
  POINTS: "points",
  POINTS_PROPORTIONAL: "points_proportional",
  MATERIAL: "material",
  DIGITAL: "digital",
} as const;
export type BenefitType = keyof typeof CONFIGS;
export const BenefitType = Choice(["POINTS", "POINTS_PROPORTIONAL", "MATERIAL", "DIGITAL"]);

export type BenefitConfig =
  | { points: Static<typeof Points> }
  | { points_proportional: Proportional }
  | { material: Material }
  | { digital: Digital };
/** What an earning rule can give. How many are left is not part of it: that changes with every one that is given. */
export type Benefit = {
  id: string;
  name: string;
  type: BenefitType;
  status: LoyaltyStatus;
  config: BenefitConfig;
  created_at: string;
  updated_at: string | null;
};

export const benefitConfigs = {
  points: Type.Optional(Points),
  points_proportional: Type.Optional(strict(proportionalFields)),
  material: Type.Optional(Material),
  digital: Type.Optional(digital.stored),
};
export const benefitConfigsSent = maybe({
  points: Points,
  points_proportional: strict(proportionalSent),
  material: MaterialSent,
  digital: digital.sent,
});
const Sent = strict(benefitConfigsSent);
export type BenefitConfigsSent = Static<typeof Sent>;

/** The type and what belongs to it, as they are stored. */
export function parseBenefit(sent: BenefitConfigsSent & { type?: BenefitType }): {
  type: BenefitType;
  config: BenefitConfig;
} {
  const type = variantOf(sent, CONFIGS, { path: "" });
  if (type === "POINTS") return { type, config: { points: sent.points! } };
  if (type === "POINTS_PROPORTIONAL") {
    const at = { path: ".points_proportional", trigger: null };
    const stored = parseProportional(sent.points_proportional as ProportionalSent, at);
    return { type, config: { points_proportional: stored } };
  }
  if (type === "MATERIAL") return { type, config: { material: parseMaterial(sent.material!, ".material") } };
  return { type, config: { digital: parseDigital(sent.digital as DigitalSent, ".digital") } };
}

/** The card definition that it pays into, if it gives points. */
export function walletOfBenefit(config: BenefitConfig): string | null {
  if ("points" in config) return config.points.card_definition_id;
  return "points_proportional" in config ? config.points_proportional.card_definition_id : null;
}

export const Stock = strict({
  type: Choice(["UNLIMITED", "LIMITED"]),
  limited: Type.Optional(strict({ quantity: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) })),
});
export type Stock = Static<typeof Stock>;
export const StockSent = strict({
  type: Type.Optional(Choice(["UNLIMITED", "LIMITED"])),
  ...maybe({ limited: strict({ quantity: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }) }),
});
export type StockSent = Static<typeof StockSent>;

/** What is left, and null when there is no end to it. */
export function stockOf(sent: StockSent | null | undefined, path = ".stock"): number | null {
  if (!sent) return null;
  const type = variantOf(sent, { UNLIMITED: null, LIMITED: "limited" }, { path });
  return type === "LIMITED" ? sent.limited!.quantity : null;
}
export const stockShown = (quantity: number | null): Stock =>
  quantity === null ? { type: "UNLIMITED" } : { type: "LIMITED", limited: { quantity } };
