import { type Static, Type } from "typebox";
import {
  BenefitType,
  benefitConfigs,
  benefitConfigsSent,
  Stock,
  StockSent,
} from "../../../core/loyalty/program/benefit.ts";
import { Name } from "../../../core/loyalty/program/shape.ts";
import {
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Nullable,
  optional,
  strict,
} from "../../../http/schemas.ts";

export const ORDERS = ["created_at", "name", "type"];

export const Benefit = Type.Object(
  {
    id: Type.String(),
    name: Name,
    type: BenefitType,
    status: Choice(["DRAFT", "ACTIVE", "DELETED"]),
    stock: Stock,
    ...benefitConfigs,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("benefit"),
  },
  { title: "Benefit" },
);
export type BenefitShown = Static<typeof Benefit>;

const sections = { stock: Type.Optional(Nullable(StockSent)), ...benefitConfigsSent };
export const BenefitCreate = strict({
  name: Name,
  type: BenefitType,
  status: Type.Optional(Nullable(Choice(["DRAFT", "ACTIVE"]))),
  ...sections,
});
export type BenefitCreate = Static<typeof BenefitCreate>;
/** What is left out stays as it is. A new type needs what belongs to it. */
export const BenefitUpdate = strict({ ...optional({ name: Name, type: BenefitType }), ...sections });
export type BenefitUpdate = Static<typeof BenefitUpdate>;

export const BenefitList = cursorListOf(Benefit);
export const BenefitQuery = CursorQuery(ORDERS, { filters: Type.Optional(Filters) });
export const ByBenefit = Type.Object({ benefitId: Type.String() });
