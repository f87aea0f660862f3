import type { ErrorBody } from "../../core/errors.ts";
import type { Situation } from "../../core/validate/situation.ts";
import type { SessionLocks } from "../../resources/checkout/sessions/store.ts";
import type { Budgets } from "../../steps/checkout/budgets.ts";
import type { findingVouchers } from "../../steps/checkout/candidates.ts";
import type { Cart } from "../../steps/checkout/carts.ts";
import type { Request } from "../../steps/checkout/requests.ts";
import type { Use } from "../../steps/checkout/use.ts";
import type { Show } from "../../steps/checkout/validation-view.ts";
import type { Goods } from "../../steps/goods/goods.ts";
import type { PointCard } from "../../steps/points/point-cards.ts";

/** A request to validate, with all that it makes: a batch gives the same as one after the other. */
export type ValidateCommand = Request & {
  /** The id of the validation. */
  id: string;
  /** Each redeemable for itself, instead of all together. */
  alone?: Pick<Situation, "asked">;
  show: Show;
};

/** What a batch of validations is decided from, as each command finds it after those before it. */
export type ValidateState = {
  carts: ReadonlyMap<ValidateCommand, Cart | { refused: ErrorBody }>;
  voucherOf: ReturnType<typeof findingVouchers>;
  /** Loyalty cards. What time has brought them is seen, and not saved. */
  points: ReadonlyMap<string, PointCard>;
  /** What is left of the rewards that are named; null: they are unlimited. */
  stock: ReadonlyMap<string, number | null>;
  /** What sessions hold. */
  sessions: SessionLocks;
  use: Use;
  budgets: Budgets;
  units: Goods;
  unitTypes: ReadonlySet<string>;
};
