import { formulaOf } from "../../catalog/formulas.ts";
import { foldCode, trimCode } from "../../core/codes/code.ts";
import type { CatalogueUnits } from "../../core/discounts/units.ts";
import { type ErrorBody, errorBody } from "../../core/errors.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Candidate, Unknown } from "../../core/validate/redeemable.ts";
import { type HeldOfCode, heldAt } from "../../core/validate/session-locks.ts";
import type { Situation } from "../../core/validate/situation.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import type { Project } from "../../request.ts";
import type { Budgets } from "./budgets.ts";
import type { Cart } from "./carts.ts";
import { type KnownVoucher, tierRedeemable, voucherRedeemable } from "./redeemables.ts";
import { type RedeemableSent, type Request, type RequestSent, redeemableTiers } from "./requests.ts";
import type { Use } from "./use.ts";

/** The rows and counts that the redeemables of a request are made from. */
export type CandidateFacts = {
  voucherOf(reference: string): KnownVoucher | undefined;
  heldOf(voucherId: string): HeldOfCode | undefined;
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
export function candidatesOf(request: Request, facts: CandidateFacts): Candidate[] | { refused: ErrorBody } {
  const { redeemables } = request.sent;
  const candidates = redeemables.flatMap((one) =>
    one.object === "voucher" ? [voucherCandidate(request, one, facts)] : tierCandidates(request, one, facts),
  );
  const names = candidates.map((one) => codeOf(one, request));
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

function codeOf(candidate: Candidate, { project }: Request): string {
  if (!("unknown" in candidate)) return candidate.ref;
  const { object, id } = candidate;
  return `${object} ${object === "voucher" ? foldCode(id, project.case_sensitive_codes) : id}`;
}

const askerOf = ({ api_key_id, now, project }: Request, { customerId }: CandidateFacts) => ({
  api_key_id,
  customer_id: customerId,
  starts: startsOf(now, zoneOf(project)),
});

function voucherCandidate(request: Request, { id, gift, reward }: RedeemableSent, facts: CandidateFacts): Candidate {
  const { catalog, now, session } = request;
  const found = facts.voucherOf(trimCode(id));
  const redeemable =
    found &&
    voucherRedeemable(
      found,
      {
        catalog,
        counts: facts.use.countsOf(
          { ref: found.row.id, campaign_id: found.row.campaign_id, row: found.row },
          askerOf(request, facts),
        ),
        usedUnits: facts.budgets.usedBy({ ref: found.row.id, campaign_id: found.row.campaign_id }, facts.customerId),
      },
      {
        credits: gift?.credits ?? null,
        reward: reward?.id
          ? { id: reward.id, points: reward.points ?? null, stock: facts.stockOf?.(reward.id) ?? null }
          : null,
        locked: heldAt(facts.heldOf(found.row.id), { now, except: session?.key }),
        customer: { id: facts.customerId, email: facts.email },
      },
    );
  return redeemable ?? unknown({ object: "voucher", id: trimCode(id) });
}

function tierCandidates(request: Request, sent: RedeemableSent, facts: CandidateFacts): Candidate[] {
  const { catalog } = request;
  const stack = sent.object === "promotion_stack" ? catalog.promotion_stacks.get(sent.id) : undefined;
  const found = redeemableTiers(catalog, sent).map((tier) =>
    tierRedeemable(tier, catalog.campaigns.get(tier.campaign_id)!, {
      catalog,
      counts: facts.use.countsOf({ ref: tier.id, campaign_id: tier.campaign_id, row: null }, askerOf(request, facts)),
      usedUnits: facts.budgets.usedBy({ ref: tier.id, campaign_id: tier.campaign_id }, facts.customerId),
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

export const situationOf = (
  { now, sent, api_key_id }: Pick<Request, "now" | "api_key_id"> & { sent: Pick<RequestSent, "metadata"> },
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
