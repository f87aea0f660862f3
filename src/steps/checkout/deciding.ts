import type { Catalog } from "../../catalog/catalog.ts";
import { formulaOf } from "../../catalog/formulas.ts";
import { anyAsksPerCustomer } from "../../catalog/named-in-rules.ts";
import { rulesFor, rulesOf } from "../../catalog/rules.ts";
import { foldCode, trimCode } from "../../core/codes/code.ts";
import { type Discount, unitTypesOf } from "../../core/discounts/discount.ts";
import type { CatalogueUnits } from "../../core/discounts/units.ts";
import { type ErrorBody, errorBody } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { asksPerCustomer } from "../../core/rules/per-customer.ts";
import { DEFAULT_STACKING, type StackingSettings, withinStack } from "../../core/stacking/settings.ts";
import type { Steps } from "../../core/steps.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Candidate, Unknown } from "../../core/validate/redeemable.ts";
import { type Session, sessionEnd, TTL_DAYS_MAX } from "../../core/validate/session.ts";
import type { Situation } from "../../core/validate/situation.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import type { ForCaller, NewId, NewSecret, Project } from "../../request.ts";
import type { SessionLock } from "../../resources/checkout/sessions/store.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import { type Goods, membershipIn, unitsOf } from "../goods/goods.ts";
import { type Budgets, type BudgetsAsked, isLimited, limitsUnits } from "./budgets.ts";
import { type Cart, type CartProject, type CartSent, collectionsNamed } from "./carts.ts";
import {
  discountOf,
  type KnownVoucher,
  rulesOfTier,
  rulesOfVoucher,
  tierRedeemable,
  voucherRedeemable,
} from "./redeemables.ts";
import type { Use } from "./use.ts";

export type RedeemableSent = {
  object: "voucher" | "promotion_tier" | "promotion_stack";
  id: string;
  gift?: { credits?: number | null } | null | undefined;
  reward?: { id?: string | null; points?: number | null } | null | undefined;
};
export type RequestSent = CartSent & {
  redeemables: readonly RedeemableSent[];
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

/** A request about redeemables, to be validated or redeemed. */
export type Request = {
  project: CartProject & Pick<Project, "case_sensitive_codes">;
  catalog: Catalog;
  now: string;
  newId: NewId;
  api_key_id: string;
  sent: RequestSent;
  session: Session | null;
  /** Counts what the request costs. */
  steps?: Steps | undefined;
  /** Sent by a client application, which is shown less. */
  isClient?: boolean;
};

/** A request to redeem, with all that it makes: a batch gives the same as one after the other. */
export type RedeemRequest = Request & {
  project: Project;
  request_id: string;
  newSecret: NewSecret;
  /** A validation whose price was promised. */
  validation_id: string | null;
  expand: ReadonlySet<string>;
  /** An older operation answers with the one redemption. */
  isSingle?: true;
  /** It is about a member: a loyalty card, of that campaign when one is named. */
  member?: { campaign: string | null };
  /** What the SDK calls itself. */
  channel?: string | undefined;
  forCaller: ForCaller;
};

export const settingsFor = ({ stacking_rules }: Catalog): StackingSettings => stacking_rules?.rules ?? DEFAULT_STACKING;

/** The settings by which the redeemables of a request are taken together. */
export const settingsBetween = ({ catalog, sent: { redeemables } }: Pick<Request, "catalog" | "sent">) =>
  redeemables.some(({ object }) => object === "promotion_stack")
    ? withinStack(settingsFor(catalog))
    : settingsFor(catalog);

/** The codes that requests name, each once. */
export const codesIn = (requests: readonly Request[]): string[] => [
  ...new Set(
    requests.flatMap(({ sent }) =>
      sent.redeemables.flatMap(({ object, id }) => (object === "voucher" ? trimCode(id) : [])),
    ),
  ),
];

/** The rewards that requests name and that are there, each once. */
export const rewardsIn = (requests: readonly Request[]): string[] => [
  ...new Set(
    requests.flatMap(({ sent, catalog }) =>
      sent.redeemables.flatMap(({ reward }) =>
        reward?.id && catalog.campaign_rewards.has(reward.id) ? reward.id : [],
      ),
    ),
  ),
];

/** The tiers that a redeemable of a request stands for. */
function tiersOf({ promotion_tiers, promotion_stacks }: Catalog, { object, id }: RedeemableSent): PromotionTierRow[] {
  if (object === "promotion_tier") return [promotion_tiers.get(id) ?? []].flat();
  if (object !== "promotion_stack") return [];
  return (promotion_stacks.get(id)?.tiers.ids ?? []).flatMap((tier) => promotion_tiers.get(tier) ?? []);
}

export const tiersIn = (requests: readonly Request[]): PromotionTierRow[] =>
  requests.flatMap(({ catalog, sent }) => sent.redeemables.flatMap((one) => tiersOf(catalog, one)));

/** Everything that requests may redeem: what is counted, and by whom rules may ask about it. */
export const subjectsOf = (vouchers: readonly VoucherRow[], tiers: readonly PromotionTierRow[]) => [
  ...vouchers.map((row) => ({ ref: row.id, campaign_id: row.campaign_id, row })),
  ...tiers.map(({ id, campaign_id }) => ({ ref: id, campaign_id, row: null })),
];

/** What the discounts of these codes and tiers may add to a cart. */
export function unitTypesFor(
  requests: readonly Request[],
  vouchers: readonly VoucherRow[],
  tiers: readonly PromotionTierRow[],
): ReadonlySet<string> {
  const catalogs = [...new Set(requests.map(({ catalog }) => catalog))];
  const discounts: (Discount | null)[] = [
    ...tiers.map(({ action }) => action.discount),
    ...catalogs.flatMap((catalog) => vouchers.map((row) => discountOf(row, catalog))),
  ];
  return new Set(discounts.flatMap(unitTypesOf));
}

const NO_UNITS: CatalogueUnits = new Map();
export const unitsFor = (
  types: ReadonlySet<string>,
  goods: Goods,
  catalog: Catalog,
  { moment, steps }: Cart,
): CatalogueUnits =>
  types.size === 0 ? NO_UNITS : unitsOf(goods, membershipIn(collectionsNamed(catalog, types), goods, moment, steps));

/** Whether any rule of what is asked for asks how often a customer redeemed it. */
export function asksAboutCustomers(
  requests: readonly Request[],
  known: readonly KnownVoucher[],
  tiers: readonly PromotionTierRow[],
): boolean {
  const catalogs = [...new Set(requests.map(({ catalog }) => catalog))].filter(anyAsksPerCustomer);
  if (catalogs.length === 0) return false;
  const ids = [
    ...tiers.flatMap(({ id, campaign_id }) => [id, campaign_id]),
    ...known.flatMap(({ row }) => row.campaign_id ?? []),
  ];
  return catalogs.some(
    (catalog) =>
      known.some(({ assignments }) => rulesOf(catalog, assignments).some(asksPerCustomer)) ||
      ids.some((id) => rulesFor(catalog, id).some(asksPerCustomer)),
  );
}

/** The customers who ask, in projects with a rule on how often a customer redeemed something. */
export function customersAsked(
  asking: readonly { command: Pick<Request, "catalog">; cart: Pick<Cart, "customer"> }[],
  subjects: readonly { ref: string; campaign_id: string | null }[],
) {
  const refs = subjects.map(({ ref }) => ref);
  const campaignIds = subjects.flatMap(({ campaign_id }) => campaign_id ?? []);
  return asking.flatMap(({ command, cart }) =>
    cart.customer?.id && anyAsksPerCustomer(command.catalog) ? { id: cart.customer.id, refs, campaignIds } : [],
  );
}

/** What requests may redeem, with the rules that limit how many units are discounted. */
export const limitedIn = (
  requests: readonly Pick<Request, "catalog">[],
  known: readonly KnownVoucher[],
  tiers: readonly PromotionTierRow[],
): BudgetsAsked["redeemables"] =>
  [...new Set(requests.map(({ catalog }) => catalog))].filter(limitsUnits).flatMap((catalog) => [
    ...known.map((one) => ({
      ref: one.row.id,
      campaign_id: one.row.campaign_id,
      rules: rulesOfVoucher(catalog, one),
    })),
    ...tiers.map((tier) => ({ ref: tier.id, campaign_id: tier.campaign_id, rules: rulesOfTier(catalog, tier) })),
  ]);

const promotionsLimited = new WeakMap<Catalog, BudgetsAsked["redeemables"]>();
/** The tiers and campaigns whose rules limit units over time. */
function limitedPromotions(catalog: Catalog): BudgetsAsked["redeemables"] {
  const known = promotionsLimited.get(catalog);
  if (known) return known;
  const all = limitsUnits(catalog)
    ? [
        ...limitedIn([{ catalog }], [], [...catalog.promotion_tiers.values()]),
        ...[...catalog.campaigns.keys()].map((id) => ({ ref: id, campaign_id: id, rules: rulesFor(catalog, id) })),
      ]
    : [];
  const limited = all.filter(isLimited);
  promotionsLimited.set(catalog, limited);
  return limited;
}

/** The same of all that may be offered: these codes, and all promotions. */
export const limitedOffers = (requests: readonly Pick<Request, "catalog">[], known: readonly KnownVoucher[]) => [
  ...limitedIn(requests, known, []),
  ...new Set(requests.flatMap(({ catalog }) => limitedPromotions(catalog))),
];

/** What is wrong with a request whatever the redeemables are. */
export function requestFault(
  { catalog, sent: { redeemables, metadata: given }, session, now }: Request,
  settings: StackingSettings,
  /** None: nothing is kept of the request, so nothing can be missing. */
  metadata: RequestSent["metadata"] = given,
): ErrorBody | null {
  const { redeemables_limit } = settings;
  if (redeemables.length > redeemables_limit)
    return errorBody("invalid_payload", {
      details: `Property .redeemables must have at most ${redeemables_limit} items: the stacking rules of the project say so`,
    });
  if (session && sessionEnd(now, session) === null)
    return errorBody("invalid_payload", { details: `Property .session.ttl must be at most ${TTL_DAYS_MAX} days` });
  const details = metadata ? metadataFault(catalog.metadata_schemas, "redemption", { metadata, on: "create" }) : null;
  return details === null ? null : errorBody("metadata_validation_failed", { details });
}

/** What is known when the redeemables of a request are looked up. */
export type Known = {
  voucherOf(reference: string): KnownVoucher | undefined;
  locksOf(voucherId: string): readonly SessionLock[];
  use: Use;
  budgets: Budgets;
  customerId: string | null;
  email: string | null;
  /** What is left of a reward; null: it is unlimited. */
  stockOf?(rewardId: string): number | null;
};

/** Codes by id or by code, as a project folds them. */
export function findingVouchers(known: readonly KnownVoucher[]) {
  const byId = new Map(known.map((one) => [one.row.id, one]));
  const byCode = new Map(known.map((one) => [one.row.code_folded, one]));
  return (reference: string, { case_sensitive_codes }: Pick<Project, "case_sensitive_codes">) =>
    byId.get(reference) ?? byCode.get(foldCode(reference, case_sensitive_codes));
}

/**
 * The redeemables of a request in its order; what is not there is among them. One twice refuses the request, and so does
 * a stack beside others.
 */
export function candidatesOf(request: Request, known: Known): Candidate[] | { refused: ErrorBody } {
  const { redeemables } = request.sent;
  const candidates = redeemables.flatMap((one) =>
    one.object === "voucher" ? [voucherCandidate(request, one, known)] : tierCandidates(request, one, known),
  );
  const names = candidates.map((one) => nameOf(one, request));
  if (new Set(names).size < names.length)
    return {
      refused: errorBody("duplicated_redeemables", { details: "Duplicated redeemables detected in one redemption" }),
    };
  if (redeemables.length > 1 && redeemables.some(({ object }) => object === "promotion_stack"))
    return {
      refused: errorBody("invalid_redeemables", { details: "Promotion Stack cannot be use with other redeemables" }),
    };
  return candidates;
}

function nameOf(candidate: Candidate, { project }: Request): string {
  if (!("unknown" in candidate)) return candidate.ref;
  const { object, id } = candidate;
  return `${object} ${object === "voucher" ? foldCode(id, project.case_sensitive_codes) : id}`;
}

const askerOf = ({ api_key_id, now, project }: Request, { customerId }: Known) => ({
  api_key_id,
  customer_id: customerId,
  starts: startsOf(now, zoneOf(project)),
});

function voucherCandidate(request: Request, { id, gift, reward }: RedeemableSent, known: Known): Candidate {
  const { catalog, now, session } = request;
  const found = known.voucherOf(trimCode(id));
  const redeemable =
    found &&
    voucherRedeemable(
      found,
      {
        catalog,
        counts: known.use.countsOf(
          { ref: found.row.id, campaign_id: found.row.campaign_id, row: found.row },
          askerOf(request, known),
        ),
        usedUnits: known.budgets.usedBy({ ref: found.row.id, campaign_id: found.row.campaign_id }, known.customerId),
      },
      {
        credits: gift?.credits ?? null,
        reward: reward?.id
          ? { id: reward.id, points: reward.points ?? null, stock: known.stockOf?.(reward.id) ?? null }
          : null,
        locks: liveLocks(known.locksOf(found.row.id), { now, except: session?.key }),
        customer: { id: known.customerId, email: known.email },
      },
    );
  return redeemable ?? unknown({ object: "voucher", id: trimCode(id) });
}

function tierCandidates(request: Request, sent: RedeemableSent, known: Known): Candidate[] {
  const { catalog } = request;
  const stack = sent.object === "promotion_stack" ? catalog.promotion_stacks.get(sent.id) : undefined;
  const found = tiersOf(catalog, sent).map((tier) =>
    tierRedeemable(tier, catalog.campaigns.get(tier.campaign_id)!, {
      catalog,
      counts: known.use.countsOf({ ref: tier.id, campaign_id: tier.campaign_id, row: null }, askerOf(request, known)),
      usedUnits: known.budgets.usedBy({ ref: tier.id, campaign_id: tier.campaign_id }, known.customerId),
      stackCategory: stack?.category_id ?? null,
    }),
  );
  return found.length > 0 ? found : [unknown(sent)];
}

const unknown = ({ object, id }: Pick<RedeemableSent, "object" | "id">): Unknown => ({
  object,
  id,
  unknown: true,
  category_id: null,
  hierarchy: null,
});

/** The locks that hold at a moment, but for those of the caller's own session. */
export const liveLocks = (
  locks: readonly SessionLock[],
  { now, except }: { now: string; except?: string | undefined },
) =>
  locks.filter(
    ({ session_key, expires_at }) => session_key !== except && Temporal.Instant.compare(expires_at, now) > 0,
  );

export const situationOf = (
  { now, sent, api_key_id }: Request,
  cart: Cart,
  units: CatalogueUnits,
): Omit<Situation, "calculation"> => ({
  now,
  zone: cart.moment.zone,
  customer: cart.customer,
  redemption: { metadata: sent.metadata ?? {}, api_key_id, user_login: null },
  units,
  formula: formulaOf,
  steps: cart.steps,
});
