import type { Catalogs } from "../../catalog/catalog.ts";
import type { RedeemableSent } from "../../catalog/deciding.ts";
import { expandOf } from "../../catalog/redeemable-view.ts";
import { showPromotions, showPromotionTier, showValidation, showVoucher } from "../../catalog/validation-view.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { TIER_FIELDS } from "../../core/filters/fields.ts";
import { FilterFault } from "../../core/filters/filter.ts";
import { compileFilter, matchesFilter } from "../../core/filters/predicate.ts";
import { resolveZone } from "../../core/time/zone.ts";
import { DEFAULT_TTL, type Session } from "../../core/validate/session.ts";
import type { HotCtx } from "../../ctx.ts";
import { type ValidateCommand, validate, validateAndLock } from "../../flows/validate.ts";
import { hot } from "../../http/route.ts";
import {
  ByCode,
  ByTier,
  PromotionsQuery,
  PromotionsValidation,
  PromotionTierValidation,
  PromotionValidationBody,
  type SessionInBody,
  Validation,
  ValidationBody,
  VoucherValidation,
  VoucherValidationBody,
} from "./schema.ts";

const PROMOTIONS_MAX = 150;

type Asking = HotCtx & { catalogs: Catalogs; claim: ValidateCommand["claim"] };
type Sent = Pick<ValidateCommand, "sent" | "show"> &
  Partial<Pick<ValidateCommand, "alone">> & {
    session: SessionInBody | null | undefined;
  };

/** With a session codes are held, which needs a transaction; without one nothing is locked. */
async function ask(c: Asking, of: (catalog: ValidateCommand["catalog"]) => Sent) {
  const catalog = await c.catalogs.catalogOf(c.project);
  const { session: wanted, ...sent } = of(catalog);
  const session = wanted ? sessionOf(c, wanted) : null;
  const { project, now, request_id, caller, claim } = c;
  const command: ValidateCommand = {
    project,
    catalog,
    now,
    request_id,
    api_key_id: caller.key_id,
    newId: c.newId,
    id: c.newId("valid"),
    session,
    claim,
    ...sent,
  };
  return c.submit(session ? validateAndLock : validate, project.id, command);
}

function sessionOf(c: Asking, { key, ttl, ttl_unit }: SessionInBody): Session {
  const isHalf = (ttl == null) !== (ttl_unit == null);
  if (isHalf) throw new ApiError("invalid_payload", { details: "Property .session must have both ttl and ttl_unit" });
  return {
    key: key ?? `ssn_${c.newSecret().slice(0, 32)}`,
    type: "LOCK",
    ...(ttl == null || ttl_unit == null ? DEFAULT_TTL : { ttl, ttl_unit }),
  };
}

export const validationRoutes = [
  hot(
    "POST /v1/validations",
    {
      id: "validateStackedDiscounts",
      summary: "Validate redeemables",
      description:
        "Says which of up to 30 redeemables apply to a cart, and what it costs with them. A refusal is no error: it stands beside its redeemable, with the reason.",
      body: ValidationBody,
      ok: Validation,
    },
    (c) =>
      ask(c, (catalog) => {
        const { redeemables, session, options, ...cart } = c.body;
        const sent = redeemables.map((one) => ({ ...one, object: objectOf(one.object) }));
        const expand = expandOf(options?.expand);
        return { sent: { ...cart, redeemables: sent }, session, show: showValidation(catalog, expand) };
      }),
  ),
  hot(
    "POST /v1/vouchers/{code}/validate",
    {
      id: "validateVoucher",
      summary: "Validate one code",
      description: "The older form of `POST /v1/validations`.",
      params: ByCode,
      body: VoucherValidationBody,
      ok: VoucherValidation,
    },
    (c) =>
      ask(c, (catalog) => {
        const { session, gift, reward, ...cart } = c.body;
        const redeemables: RedeemableSent[] = [{ object: "voucher", id: c.params.code, gift, reward }];
        return { sent: { ...cart, redeemables }, session, show: showVoucher(catalog, c.params.code) };
      }),
  ),
  hot(
    "POST /v1/promotions/tiers/{promotionTierId}/validation",
    {
      id: "validatePromotionTier",
      summary: "Validate one promotion tier",
      description: "The older form of `POST /v1/validations`.",
      params: ByTier,
      body: PromotionValidationBody,
      ok: PromotionTierValidation,
    },
    (c) =>
      ask(c, (catalog) => {
        const { session, ...cart } = c.body;
        if (!catalog.promotion_tiers.has(c.params.promotionTierId))
          throw notFound("promotion_tier", c.params.promotionTierId);
        const redeemables: RedeemableSent[] = [{ object: "promotion_tier", id: c.params.promotionTierId }];
        return { sent: { ...cart, redeemables }, session, show: showPromotionTier(catalog) };
      }),
  ),
  hot(
    "POST /v1/promotions/validation",
    {
      id: "validatePromotions",
      summary: "Validate all promotion tiers",
      description:
        "Which of the newest 150 promotion tiers apply to a cart, each for itself. The older form of a qualification.",
      query: PromotionsQuery,
      body: PromotionValidationBody,
      ok: PromotionsValidation,
    },
    (c) =>
      ask(c, (catalog) => {
        const { session: _, ...cart } = c.body;
        const fits = tierFilter(c);
        const newest = [...catalog.promotion_tiers.values()]
          .filter(fits)
          .sort((a, b) => Temporal.Instant.compare(b.created_at, a.created_at))
          .slice(0, PROMOTIONS_MAX);
        const redeemables = newest.map(({ id }) => ({ object: "promotion_tier" as const, id }));
        const alone = c.query.audienceRulesOnly ? { asked: { only: "customer" as const } } : {};
        return { sent: { ...cart, redeemables }, session: null, alone, show: showPromotions(catalog) };
      }),
  ),
];

/** The filters of `POST /v1/promotions/validation`: those it does not pass are not looked at. */
function tierFilter({
  query: { filters },
  project,
  now,
}: Pick<HotCtx, "project" | "now"> & { query: PromotionsQuery }) {
  if (!filters) return () => true;
  const { junction = "and", metadata = {}, ...fields } = filters;
  const keys = Object.entries(metadata as object).map(([key, value]) => [`metadata.${key}`, value]);
  try {
    const filter = compileFilter({ ...fields, ...Object.fromEntries(keys), junction }, TIER_FIELDS);
    const context = { now, zone: resolveZone(project.timezone) ?? "UTC" };
    return ({ id, metadata }: { id: string; metadata: object }) =>
      matchesFilter(filter, { promotion_id: id, metadata }, context);
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error;
    throw new ApiError("invalid_query_params", { details: error.message.replace(".filter", ".filters") });
  }
}

/** A gift card and a loyalty card are vouchers, whatever a client calls them. */
const objectOf = (object: string): RedeemableSent["object"] =>
  object === "gift_card" || object === "loyalty_card" ? "voucher" : (object as RedeemableSent["object"]);
