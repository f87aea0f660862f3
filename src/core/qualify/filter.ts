import type { FieldTable } from "../filters/fields.ts";
import type { FilterContext } from "../filters/operator.ts";
import { type CompiledFilter, compileFilter, matchesFilter } from "../filters/predicate.ts";
import { type Offer, refOf } from "./offer.ts";

const TEXT = { kind: "text", fact: null } as const;
const OFFER_FIELDS: FieldTable = {
  category_id: TEXT,
  campaign_id: TEXT,
  campaign_type: TEXT,
  resource_id: TEXT,
  resource_type: TEXT,
  voucher_type: TEXT,
  code: TEXT,
  holder_role: TEXT,
};

/**
 * The filters of a qualification; what does not fit is a `FilterFault`. Without a junction all of them have to hold.
 * Codes are compared in the form that the project compares them in.
 */
export function compileOfferFilter(
  given: Readonly<Record<string, unknown>>,
  fold: (code: string) => string = (code) => code,
): CompiledFilter {
  const { junction, holder_role, code, ...rest } = given;
  const folded = (subject: unknown) => {
    const { code } = subject as ReturnType<typeof traitsOf>;
    return code === null ? null : fold(code);
  };
  return compileFilter(
    {
      ...rest,
      ...(holder_role !== undefined && { holder_role: firstRole(holder_role) }),
      ...(code !== undefined && { code: foldedCode(code, fold) }),
      junction: junction ?? "and",
    },
    { ...OFFER_FIELDS, code: { ...TEXT, reader: () => folded } },
  );
}

function foldedCode(given: unknown, fold: (code: string) => string): unknown {
  const conditions = (given as { conditions?: unknown } | null)?.conditions;
  if (typeof conditions !== "object" || conditions === null) return given;
  const one = (value: unknown) => (typeof value === "string" ? fold(value) : value);
  const all = Object.entries(conditions).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(one) : one(value),
  ]);
  return { ...(given as object), conditions: Object.fromEntries(all) };
}

/** A holder has one role: of several that `$is` names, the first counts. */
function firstRole(given: unknown): unknown {
  const conditions = (given as { conditions?: { $is?: unknown } } | null)?.conditions;
  if (!Array.isArray(conditions?.$is)) return given;
  return { ...(given as object), conditions: { ...conditions, $is: conditions.$is.slice(0, 1) } };
}

/** Whether the filters let an offer through. */
export const passesFilter = (filter: CompiledFilter, offer: Offer, context: FilterContext): boolean =>
  matchesFilter(filter, traitsOf(offer), context);

const traitsOf = (offer: Offer) => ({
  category_id: offer.category_id,
  campaign_id: offer.campaign_id,
  campaign_type: offer.campaign_type,
  resource_id: refOf(offer),
  resource_type: offer.object,
  voucher_type: offer.voucher_type,
  code: offer.object === "voucher" ? offer.id : null,
  holder_role: offer.object === "promotion_stack" || offer.holder_roles.length === 0 ? null : offer.holder_roles,
});
