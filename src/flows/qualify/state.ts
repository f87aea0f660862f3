import type { CatalogueUnits } from "../../core/discounts/units.ts";
import type { CompiledFilter } from "../../core/filters/predicate.ts";
import type { MatchPage, Paging } from "../../core/qualify/page.ts";
import type { Question } from "../../core/qualify/qualify.ts";
import { SCENARIOS, type ScenarioName, type Source } from "../../core/qualify/scenario.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Steps } from "../../core/steps.ts";
import type { HeldOfCode } from "../../core/validate/session-locks.ts";
import type { CommandHead } from "../../ctx.ts";
import type { Budgets } from "../../steps/checkout/budgets.ts";
import type { Cart, CartSent } from "../../steps/checkout/carts.ts";
import type { KnownVoucher } from "../../steps/checkout/redeemables.ts";
import type { Use } from "../../steps/checkout/use.ts";

/** A request that asks which redeemables a customer can use. */
export type QualifyCommand = CommandHead & {
  sent: CartSent & { metadata?: Readonly<Record<string, unknown>> | null | undefined };
  scenario: ScenarioName;
  /** Narrower than the scenario, where an older operation asks for one kind of thing only. */
  sources?: ReadonlySet<Source>;
  session: { key: string | null } | null;
  steps?: Steps | undefined;
  /** Sent by a client application, which is shown less. */
  isClient?: boolean;
  filter: CompiledFilter | null;
  paging: Paging;
  show(qualified: Qualified): unknown;
};
/** What was found for a request, to be shown. */
export type Qualified = {
  page: MatchPage;
  question: Question;
  cart: Cart;
  /** The rows of the codes that were looked at. */
  rows: ReadonlyMap<string, VoucherRow>;
};

/** The sources that a command looks at. */
export const sourcesOf = ({ scenario, sources }: QualifyCommand): ReadonlySet<Source> =>
  sources ? SCENARIOS[scenario].sources.intersection(sources) : SCENARIOS[scenario].sources;

/** A command whose cart could be loaded. */
export type QualifyRequest = { command: QualifyCommand; cart: Cart };

/** What promotions and codes may add to a cart, and the ids that say so. */
export type AddedUnits = { units: CatalogueUnits; types: ReadonlySet<string> };

/** What is stored elsewhere about codes and promotions. */
export type OfferFacts = {
  knownOf: ReadonlyMap<string, KnownVoucher>;
  /** What sessions hold of codes. */
  held: ReadonlyMap<string, HeldOfCode>;
  use: Use;
  budgets: Budgets;
};

/** The codes of wallets and those that are for everybody; the facts are those of promotions, too. */
export type ListedCodes = {
  rows: ReadonlyMap<QualifyCommand, readonly (VoucherRow & { roles: readonly string[] })[]>;
  all: readonly VoucherRow[];
  facts: OfferFacts;
};

/** The next codes that stand alone. */
export type CodePortion = {
  rows: ReadonlyMap<QualifyCommand, readonly VoucherRow[]>;
  all: readonly VoucherRow[];
  facts: OfferFacts;
  size: number;
};

/** What the answers of one round are made from. */
export type QualifyState = {
  unitsFor(request: QualifyRequest): AddedUnits;
  listed: ListedCodes;
  standalone: CodePortion;
};
