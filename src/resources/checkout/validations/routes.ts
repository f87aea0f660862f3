import { trimCode } from "../../../core/codes/code.ts";
import { ApiError, invalid, notFound } from "../../../core/errors.ts";
import { TIER_FIELDS } from "../../../core/filters/fields.ts";
import { FilterFault } from "../../../core/filters/filter.ts";
import { compileFilter, matchesFilter } from "../../../core/filters/predicate.ts";
import { metadataFromText } from "../../../core/metadata/from-text.ts";
import { zoneOf } from "../../../core/time/zone.ts";
import { DEFAULT_TTL, type Session } from "../../../core/validate/session.ts";
import { commandOf, type HotCtx } from "../../../ctx.ts";
import type { ValidateCommand } from "../../../flows/validate/state.ts";
import { tryOut } from "../../../flows/validate/try-out.ts";
import { validate, validateAndLock } from "../../../flows/validate/validate.ts";
import { type ClientCart, cartFromClient } from "../../../http/client-side.ts";
import { hot } from "../../../http/route.ts";
import { requireMayDraft, requireNoTrial } from "../../../http/users/drafts.ts";
import type { CartSent } from "../../../steps/checkout/carts.ts";
import { expandOf } from "../../../steps/checkout/redeemable-view.ts";
import { type RedeemableSent, redeemableObject } from "../../../steps/checkout/requests.ts";
import {
  showPromotions,
  showPromotionTier,
  showValidation,
  showVoucher,
} from "../../../steps/checkout/validation-view.ts";
import { ClientPromotionsValidation, ClientValidation, ClientVoucherValidation } from "./client-schema.ts";
import {
  ByCode,
  ByTier,
  ClientPromotionsQuery,
  ClientValidationBody,
  ClientValidationQuery,
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

type ValidationRequest = Pick<ValidateCommand, "sent" | "show"> &
  Partial<Pick<ValidateCommand, "alone" | "isClient">> & {
    session: SessionInBody | null | undefined;
  };

/** With a session codes are held, which needs a transaction; without one nothing is locked. */
async function askValidation(c: HotCtx, of: (catalog: ValidateCommand["catalog"]) => ValidationRequest) {
  const head = await commandOf(c);
  const { session: wanted, show, ...sent } = of(head.catalog);
  const session = wanted ? sessionOf(c, wanted) : null;
  const shownTo: ValidationRequest["show"] = (validated) => {
    const shown = show(validated);
    return "refused" in shown ? shown : c.forCaller(shown);
  };
  const command: ValidateCommand = {
    ...head,
    steps: c.steps,
    id: c.newId("valid"),
    session,
    show: shownTo,
    ...sent,
  };
  return c.submit(session ? validateAndLock : validate, c.project.id, command);
}

const AT_MIN = "2000-01-01T00:00:00Z";
const AT_MAX = "2100-01-01T00:00:00Z";

/** A validation or, with drafts or a time, a try that leaves no trace. */
async function askOrTry(
  c: HotCtx,
  { options, session }: ValidationBody,
  of: (catalog: ValidateCommand["catalog"]) => ValidationRequest,
) {
  const { draft, at } = options ?? {};
  if (draft == null && at == null) return askValidation(c, of);
  if (session) throw invalid("Property .session cannot be sent with .options.draft or .options.at: nothing is locked");
  const head = await commandOf(c);
  requireMayDraft(c.caller, head.catalog, draft ?? {});
  const { sent } = of(head.catalog);
  return c.submit(tryOut, c.project.id, {
    ...{ ...head, steps: c.steps, id: c.newId("valid"), sent, drafts: draft ?? {} },
    now: at == null ? c.now : requireMoment(at),
    showIn: (catalog) => of(catalog).show,
  });
}

function requireMoment(at: string): string {
  const moment = Temporal.Instant.from(at);
  if (Temporal.Instant.compare(moment, AT_MIN) < 0 || Temporal.Instant.compare(moment, AT_MAX) > 0)
    throw invalid(`Property .options.at must be between ${AT_MIN} and ${AT_MAX}`);
  return moment.toString({ smallestUnit: "millisecond" });
}

function sessionOf(c: HotCtx, { key, ttl, ttl_unit }: SessionInBody): Session {
  const isHalf = (ttl == null) !== (ttl_unit == null);
  if (isHalf) throw invalid("Property .session must have both ttl and ttl_unit");
  return {
    key: key ?? `ssn_${c.newSecret().slice(0, 32)}`,
    type: "LOCK",
    ...(ttl == null || ttl_unit == null ? DEFAULT_TTL : { ttl, ttl_unit }),
  };
}

/** The same for a client application. */
function askFromClient<B extends ClientCart>(
  c: HotCtx,
  body: B,
  of: (catalog: ValidateCommand["catalog"], body: B) => ValidationRequest,
) {
  const tracking_id = `track_${c.newSecret()}`;
  return askValidation(c, (catalog) => {
    const { show, ...sent } = of(catalog, cartFromClient(c.project, body));
    // A visitor is called something from the first question on, and is kept only when they come back with the name.
    const isNobody = sent.sent.customer == null && !sent.sent.tracking_id;
    const tracked: typeof show = (validated) => {
      const shown = show(validated);
      return isNobody && !("refused" in shown) ? { ...shown, tracking_id } : shown;
    };
    return { ...sent, isClient: true, show: tracked };
  });
}

/** A cart in a query string, with the session beside it. */
function cartInQuery(query: Omit<ClientValidationQuery, "code">) {
  const { customer, tracking_id, metadata, order: about, amount, item: items } = query;
  const { session_type: type, session_key: key, session_ttl: ttl, session_ttl_unit: ttl_unit } = query;
  const order = amount === undefined && !items && !about?.metadata ? null : { ...about, amount, items };
  return { customer, tracking_id, metadata, order, session: type ? { type, key, ttl, ttl_unit } : null };
}

/** A query string has only text: what the metadata schemas say is a number or true is made one. */
function withTypes<C extends ClientCart>({ metadata_schemas }: ValidateCommand["catalog"], cart: C): C {
  const typed = <O extends { metadata?: Record<string, unknown> | null }>(related: string, object: O): O =>
    object.metadata
      ? { ...object, metadata: metadataFromText(metadata_schemas.get(related), object.metadata) }
      : object;
  const { customer, order } = cart;
  return typed("redemption", {
    ...cart,
    customer: typeof customer === "object" && customer !== null ? typed("customer", customer) : customer,
    order: order && typed("order", order),
  });
}

type Tiers = readonly { id: string }[];
const newestTiers = (
  { promotion_tiers }: ValidateCommand["catalog"],
  fits: (tier: { id: string; metadata: object }) => boolean,
): Tiers =>
  [...promotion_tiers.values()]
    .filter(fits)
    .sort((a, b) => Temporal.Instant.compare(b.created_at, a.created_at))
    .slice(0, PROMOTIONS_MAX);

function promotionsAsked(
  catalog: ValidateCommand["catalog"],
  cart: CartSent,
  tiers: Tiers,
  alone: NonNullable<ValidateCommand["alone"]> = {},
): ValidationRequest {
  const redeemables = tiers.map(({ id }) => ({ object: "promotion_tier" as const, id }));
  return { sent: { ...cart, redeemables }, session: null, alone, show: showPromotions(catalog) };
}

export const validationRoutes = [
  hot(
    "POST /v1/validations",
    {
      id: "validateStackedDiscounts",
      summary: "Validate redeemables",
      description:
        "Says which of up to 30 redeemables apply to a cart, and what it costs with them. A refusal is no error: it stands beside its redeemable, with the reason. With `draft` or `at` it tries something out, and nothing is stored.",
      body: ValidationBody,
      ok: Validation,
      mayBeginEarly: true,
    },
    (c) =>
      askOrTry(c, c.body, (catalog) => {
        const { redeemables, session, options, ...cart } = c.body;
        const sent = redeemables.map((redeemable) => ({ ...redeemable, object: redeemableObject(redeemable.object) }));
        const expand = expandOf(options?.expand);
        return { sent: { ...cart, redeemables: sent }, session, show: showValidation(catalog, expand, c.project) };
      }),
  ),
  hot(
    "POST /client/v1/validations",
    {
      id: "validateStackedDiscountsClientSide",
      summary: "Validate redeemables from a client application",
      description:
        "As `POST /v1/validations`, without traces. With client_create_customer_enabled off, a customer who is named must be there. Who names nobody is given a tracking id.",
      body: ClientValidationBody,
      ok: ClientValidation,
      findsCodes: true,
    },
    (c) =>
      askFromClient(c, c.body, (catalog, { redeemables, session, options, ...cart }) => {
        requireNoTrial(options);
        const sent = redeemables.map((redeemable) => ({ ...redeemable, object: redeemableObject(redeemable.object) }));
        const expand = expandOf(options?.expand?.filter((part) => part !== "trace"));
        const show = showValidation(catalog, expand, c.project, "fields");
        return { sent: { ...cart, redeemables: sent }, session, show };
      }),
  ),
  hot(
    "GET /client/v1/validate",
    {
      id: "validateVoucherClientSide",
      summary: "Validate one code from a client application",
      description: "The older form of `POST /client/v1/validations`. A gift card or loyalty card pays what it can.",
      query: ClientValidationQuery,
      ok: ClientVoucherValidation,
      findsCodes: true,
    },
    (c) =>
      askFromClient(c, cartInQuery(c.query), (catalog, { session, ...cart }) => {
        const code = trimCode(c.query.code);
        const sent = { ...withTypes(catalog, cart), redeemables: [{ object: "voucher" as const, id: code }] };
        return { sent, session, show: showVoucher(catalog, code) };
      }),
  ),
  hot(
    "GET /client/v1/promotions/validation",
    {
      id: "validatePromotionsClientSide",
      summary: "Validate all promotion tiers from a client application",
      description: "Which of the newest 150 promotion tiers apply to a cart, each for itself.",
      query: ClientPromotionsQuery,
      ok: ClientPromotionsValidation,
    },
    (c) =>
      askFromClient(c, cartInQuery(c.query), (catalog, { session: _, ...cart }) =>
        promotionsAsked(
          catalog,
          cart,
          newestTiers(catalog, () => true),
        ),
      ),
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
      askValidation(c, (catalog) => {
        const { session, gift, reward, options: _, ...cart } = c.body;
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
      askValidation(c, (catalog) => {
        const { session, options: _, ...cart } = c.body;
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
      askValidation(c, (catalog) => {
        const { session: _, ...cart } = c.body;
        const newest = newestTiers(catalog, tierFilter(c));
        return promotionsAsked(catalog, cart, newest, c.query.audienceRulesOnly ? { asked: { only: "customer" } } : {});
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
    const context = { now, zone: zoneOf(project) };
    return ({ id, metadata }: { id: string; metadata: object }) =>
      matchesFilter(filter, { promotion_id: id, metadata }, context);
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error;
    throw new ApiError("invalid_query_params", { details: error.message.replace(".filter", ".filters") });
  }
}
