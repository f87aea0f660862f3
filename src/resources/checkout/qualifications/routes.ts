import { foldCode, trimCode } from "../../../core/codes/code.ts";
import { ApiError, invalid } from "../../../core/errors.ts";
import { FilterFault } from "../../../core/filters/filter.ts";
import type { CompiledFilter } from "../../../core/filters/predicate.ts";
import { orderView } from "../../../core/order/view.ts";
import { type CursorMoment, parseStartingAfter } from "../../../core/qualify/cursor.ts";
import { compileOfferFilter } from "../../../core/qualify/filter.ts";
import { LIMIT_DEFAULT, LIMIT_MAX } from "../../../core/qualify/page.ts";
import { type ExpandWord, pageView } from "../../../core/qualify/view.ts";
import { NOT_A_TIME } from "../../../core/time/instant.ts";
import { commandOf, type HotCtx } from "../../../ctx.ts";
import { qualifyCampaigns, qualifyVouchers } from "../../../flows/qualify/older.ts";
import { qualify } from "../../../flows/qualify/qualify.ts";
import type { Qualified } from "../../../flows/qualify/state.ts";
import { cartFromClient } from "../../../http/client-side.ts";
import { hot, read } from "../../../http/route.ts";
import { isDateTime } from "../../../http/validation.ts";
import type { Project } from "../../../request.ts";
import { ClientQualification } from "./client-schema.ts";
import { QualifiedCampaigns, QualifiedVouchers } from "./older-schema.ts";
import { OlderQualificationBody, OlderQualificationQuery, Qualification, QualificationBody } from "./schema.ts";

const EXPAND: ReadonlySet<string> = new Set(["redeemable", "category", "validation_rules"]);
const EXPAND_CLIENT: ReadonlySet<string> = new Set(["redeemable", "category"]);

function requireOfferFilter(
  filters: Record<string, unknown> | null | undefined,
  { case_sensitive_codes }: Pick<Project, "case_sensitive_codes">,
): CompiledFilter | null {
  try {
    return filters ? compileOfferFilter(filters, (code) => foldCode(trimCode(code), case_sensitive_codes)) : null;
  } catch (error) {
    if (error instanceof FilterFault)
      throw new ApiError("invalid_payload", { details: error.message.replace(".filter", ".options.filters") });
    throw error;
  }
}

function requireStartingAfter(text: string | null | undefined): CursorMoment | null {
  try {
    if (text && text !== "null" && !isDateTime(text)) throw new RangeError(text);
    return parseStartingAfter(text);
  } catch {
    throw invalid(`Property .options.starting_after ${NOT_A_TIME}`);
  }
}

const tracking = ({ cart: { tracking_id } }: Qualified) => (tracking_id === null ? {} : { tracking_id });

async function askQualification(c: HotCtx, body: QualificationBody, expands: ReadonlySet<string>, isClient = false) {
  const { scenario, options, session, ...sent } = body;
  const expand = new Set((options?.expand ?? []).filter((one) => expands.has(one))) as ReadonlySet<ExpandWord>;
  const filter = requireOfferFilter(options?.filters, c.project);
  const after = requireStartingAfter(options?.starting_after);
  return c.submit(qualify, c.project.id, {
    ...(await commandOf(c)),
    steps: c.steps,
    sent,
    scenario: scenario ?? "ALL",
    session: session ? { key: session.key ?? null } : null,
    isClient,
    filter,
    paging: {
      limit: Math.min(options?.limit ?? LIMIT_DEFAULT, LIMIT_MAX),
      after,
      sorting: options?.sorting_rule ?? "DEFAULT",
    },
    show: (qualified) => {
      const { page, question, cart } = qualified;
      const newLineId = () => c.newId("ordli");
      const view = { question, people: cart.people, expand, newLineId };
      return c.forCaller({
        redeemables: pageView(page, view),
        ...tracking(qualified),
        ...(cart.order && { order: orderView(cart.order, cart.people) }),
        stacking_rules: question.settings,
      });
    },
  });
}

export const qualificationRoutes = [
  hot(
    "POST /v1/qualifications",
    {
      id: "checkEligibility",
      summary: "Find what a customer can use",
      description:
        "Which codes, promotions and campaigns apply to a cart, each for itself, newest first. The cart is calculated with each of them.",
      body: QualificationBody,
      ok: Qualification,
      mayBeginEarly: true,
    },
    (c) => askQualification(c, c.body, EXPAND),
  ),
  hot(
    "POST /client/v1/qualifications",
    {
      id: "checkEligibilityClientSide",
      summary: "Find what a customer can use, from a client application",
      description:
        "As `POST /v1/qualifications`, without what validation rules say. With client_create_customer_enabled off, a customer who is named must be there.",
      body: QualificationBody,
      ok: ClientQualification,
      findsCodes: true,
    },
    (c) => askQualification(c, cartFromClient(c.project, c.body), EXPAND_CLIENT, true),
  ),
  read(
    "POST /v1/vouchers/qualification",
    {
      id: "examineVouchers",
      summary: "Find codes that a customer can use",
      description: "Of the codes that stand alone. The older form of a qualification.",
      query: OlderQualificationQuery,
      body: OlderQualificationBody,
      ok: QualifiedVouchers,
    },
    (c) => qualifyVouchers(c, c.body, c.query),
  ),
  read(
    "POST /v1/campaigns/qualification",
    {
      id: "examineCampaigns",
      summary: "Find campaigns that a customer can get a code of",
      description: "Of discount, gift and referral campaigns. The older form of a qualification.",
      query: OlderQualificationQuery,
      body: OlderQualificationBody,
      ok: QualifiedCampaigns,
    },
    (c) => qualifyCampaigns(c, c.body, c.query),
  ),
];
