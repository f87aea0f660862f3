import { type ErrorEntry, LOYALTY_ERRORS } from "./loyalty/errors.ts";

// Every error a client can see. The key is public API: never rename one, only add. `docs/errors.md` is made from this
// table; `help` is its third column, and says what to do.
const ERRORS = {
  invalid_payload: {
    code: 400,
    message: "Invalid payload",
    help: "Correct the field that `details` names and send the request again.",
  },
  invalid_query_params: {
    code: 400,
    message: "Invalid query params",
    help: "Correct the query parameter that `details` names; use a smaller `limit` where the page is too large.",
  },
  query_too_large: {
    code: 400,
    message: "Query string too large",
    help: "Send fewer or less deeply nested query parameters.",
  },
  metadata_validation_failed: {
    code: 400,
    message: "Metadata validation failed",
    help: "Bring the metadata in line with the project's metadata schema; `details` names the property.",
  },
  invalid_validation_rules: {
    code: 400,
    message: "Invalid Validation Rule Definition",
    help: "Correct what `details` names; [the reference](reference/rules.md) says what each rule takes.",
  },
  ambiguous_tracking_id: {
    code: 400,
    message: "Ambiguous tracking id",
    help: "Send `tracking_id` or `customer`, or both of the same customer.",
  },
  duplicated_redeemables: {
    code: 400,
    message: "Duplicated redeemables detected",
    help: "Send each redeemable once. A code and its id are the same redeemable.",
  },
  invalid_redeemables: {
    code: 400,
    message: "Invalid redeemables",
    help: "Send a promotion stack alone.",
  },
  loyalty_card_points_exceeded: {
    code: 400,
    message: "loyalty card points exceeded",
    help: "Spend no more points than the card has left; other sessions may hold some.",
  },
  no_applicable_redeemables: {
    code: 400,
    message: "No applicable redeemables",
    help: "None of the redeemables applies; validate the cart to see why.",
  },
  promised_price_changed: {
    code: 409,
    message: "Promised price changed",
    help: "Show the customer the new price, validate again, and redeem with the new validation.",
  },
  already_rolled_back: {
    code: 400,
    message: "Already rolled back",
    help: "Nothing is left to do: the redemption was rolled back before.",
  },
  invalid_redemption: {
    code: 400,
    message: "Invalid redemption",
    help: "Read `details`: roll back a stack as a whole, and only what succeeded.",
  },
  invalid_redemption_parent: {
    code: 400,
    message: "Invalid redemption parent",
    help: "Roll back the parent redemption: a stack is rolled back as a whole.",
  },
  invalid_customer: {
    code: 400,
    message: "Invalid customer",
    also: "Customer must be a holder of a loyalty card.",
    help: "Read `details`: it is about another customer than the one that is sent, or needs one.",
  },
  invalid_order: {
    code: 400,
    message: "Invalid order",
    help: "Read `details`: it is about another order than the one that is sent.",
  },
  receipt_erased: {
    code: 410,
    message: "Receipt erased",
    help: "The customer was erased, and with them what the redemption was decided on.",
  },
  missing_reward: {
    code: 400,
    message: "Missing reward",
    help: "Name the reward that the points of a loyalty card are spent on.",
  },
  invalid_code_config: {
    code: 400,
    message: "Invalid code config",
    help: "Make the pattern longer or the charset larger.",
  },
  voucher_disabled: { code: 400, message: "voucher is disabled", help: "Enable the voucher or its campaign." },
  voucher_not_active: { code: 400, message: "voucher is not active yet", help: "Wait for its start date." },
  voucher_expired: { code: 400, message: "voucher expired", help: "Its expiration date is over." },
  voucher_not_active_now: {
    code: 400,
    message: "voucher not active now",
    help: "It is valid at other hours or days, in the project's time zone.",
  },
  promotion_inactive: { code: 400, message: "Inactive Promotion", help: "Enable the tier or its campaign." },
  promotion_not_active_now: {
    code: 400,
    message: "promotion not active now",
    help: "It is valid at another time, in the project's time zone.",
  },
  quantity_exceeded: {
    code: 400,
    message: "quantity exceeded",
    help: "All redemptions are used up, or held by other sessions for now.",
  },
  gift_amount_exceeded: {
    code: 400,
    message: "gift amount exceeded",
    help: "Ask for no more credits than the card has left and other sessions do not hold.",
  },
  customer_rules_violated: {
    code: 400,
    message: "customer does not match validation rules",
    help: "The customer is not who it is for; ask for the trace to see which rule fails.",
  },
  order_rules_violated: {
    code: 400,
    message: "order does not match validation rules",
    help: "The cart does not meet the conditions; ask for the trace to see what is missing.",
  },
  redemption_rules_violated: {
    code: 400,
    message: "redemption does not match validation rules",
    help: "A limit is reached or a condition is not met; ask for the trace to see which.",
  },
  referrer_not_permitted_to_redeem: {
    code: 400,
    message: "voucher cannot be redeemed by referrer",
    help: "A referral code is for others than the one who shares it.",
  },
  missing_customer: { code: 400, message: "Missing customer", help: "Send the customer: a rule or a limit needs one." },
  missing_order: { code: 400, message: "Missing order", help: "Send the order: a rule or the discount needs it." },
  missing_order_items: { code: 400, message: "Missing order items", help: "Send the items of the order." },
  missing_amount: { code: 400, message: "Missing amount", help: "Send the amount of the order, or of the credits." },
  missing_order_items_amount: {
    code: 400,
    message: "Missing applicable order items",
    help: "Send items that the card is for, with their prices.",
  },
  missing_vouchers: {
    code: 400,
    message: "Missing vouchers",
    help: "Name the voucher to publish, or the campaign to take one from.",
  },
  voucher_already_published: {
    code: 400,
    message: "Voucher already published",
    help: "A code of a campaign is one customer's: publish another one, or from the campaign.",
  },
  voucher_cannot_be_published: {
    code: 400,
    message: "Voucher cannot be published",
    help: "The customer has a code of this campaign, which gives each customer one.",
  },
  no_voucher_suitable_for_publication: {
    code: 400,
    message: "Couldn't find any voucher suitable for publication",
    help: "Add codes to the campaign, or enable it; see `details`.",
  },
  too_many_vouchers_requested: {
    code: 400,
    message: "Too many vouchers requested",
    help: "Ask for no more codes than `details` says.",
  },
  duplicate_source_id: {
    code: 400,
    message: "Duplicate source_id",
    help: "The publication was made before: list publications with this `source_id` to read it.",
  },
  request_too_expensive: {
    code: 400,
    message: "Request too expensive",
    help: "Send fewer lines or fewer redeemables at once, or make their rules and formulas simpler. [Validating a cart](guides/validating-a-cart.md#what-a-request-may-cost) says what counts.",
  },
  page_over_limit: {
    code: 400,
    message: "Listing resource above 1000 page is not supported",
    help: "Narrow the list with filters.",
  },
  invalid_expiration_date: {
    code: 400,
    message: "Invalid Expiration Date",
    help: "Send today or a day that comes.",
  },
  invalid_amount: {
    code: 400,
    message: "Invalid Amount",
    help: "Leave at least one point. When points are redeemed, send some, and an order that they can pay for.",
  },
  invalid_add_balance_params: {
    code: 400,
    message: "Invalid add balance params",
    help: "Send an amount that is not 0.",
  },
  invalid_scope: {
    code: 400,
    message: "Invalid scope",
    help: "Send scopes of the published list, separated by spaces, without commas.",
  },
  invalid_grant_type: {
    code: 400,
    message: "Invalid grant_type",
    help: "Send `grant_type=client_credentials`.",
  },
  missing_parameters: { code: 400, message: "Missing parameters", help: "Send the form field that `details` names." },
  invalid_or_expired_cursor: {
    code: 400,
    message: "Invalid or expired cursor",
    help: "Start the list again without a cursor; a cursor lives 10 minutes.",
  },
  invalid_voucher: {
    code: 400,
    message: "Invalid Voucher",
    help: "Read `details`: what a code is worth can change, but not of what kind it is.",
  },
  campaign_type_is_not_supported_by_campaign_template: {
    code: 400,
    message: "Campaign of the given type is not supported by campaign template",
    help: "Take the template from a campaign of discount codes or gift cards, or from a promotion tier.",
  },
  invalid_campaign: {
    code: 400,
    message: "Invalid Campaign",
    help: "Read `details`: the campaign is of a kind that does not have this.",
  },
  resource_in_use: {
    code: 400,
    or: 409,
    message: "Resource in use",
    help: "Remove the uses that `related_object_ids` names first.",
  },
  resource_protected: {
    code: 400,
    message: "Resource is protected",
    help: "Leave it as it is: the engine itself needs it.",
  },
  unauthorized: {
    code: 401,
    message: "Unauthorized",
    help: "Send the credentials that this operation asks for; a disabled key or an expired token does not count.",
  },
  forbidden: {
    code: 403,
    message: "Forbidden",
    help: "Read `details`: a project setting or the project's kind forbids it.",
  },
  missing_required_permission: {
    code: 403,
    message: "Missing permission",
    help: "Ask for a token whose scope covers this path.",
  },
  integration_api_key_required: {
    code: 403,
    message: "Integration API key required",
    help: "Publish with `POST /v1/publications`: there are no integration keys here.",
  },
  feature_not_enabled: {
    code: 403,
    message: "Feature not enabled",
    help: "Switch the feature on with `laurel project feature <id> <feature> on`.",
  },
  not_found: {
    code: 404,
    message: "Resource not found",
    help: "Check the path and the id; ids belong to one project.",
  },
  method_not_allowed: {
    code: 405,
    message: "HTTP Method Not Allowed",
    help: "Use one of the methods in the `Allow` header.",
  },
  not_acceptable: { code: 406, message: "Not acceptable", help: "Accept `application/json`." },
  request_timeout: { code: 408, message: "Request timeout", help: "Send the whole request faster." },
  duplicate_found: {
    code: 409,
    message: "Duplicated resource found",
    help: "Choose another value for the field that `details` names.",
  },
  stacking_rules_exist: {
    code: 409,
    message: "Stacking rules exist",
    help: "Update the project's stacking rules instead: a project has one set.",
  },
  idempotency_key_reused: {
    code: 409,
    message: "Idempotency key reused",
    help: "Use a new `Idempotency-Key` for a request with another input.",
  },
  idempotency_in_progress: {
    code: 409,
    message: "Idempotency key in progress",
    help: "The first request with this key has not ended yet; repeat the same request a little later.",
  },
  payload_too_large: { code: 413, message: "Payload too large", help: "Send a smaller body." },
  unsupported_media_type: {
    code: 415,
    message: "Unsupported media type",
    help: "Send the content type that this operation takes.",
  },
  too_many_requests: {
    code: 429,
    message: "Too many requests hit the API too quickly.",
    help: "Wait as many seconds as `Retry-After` says.",
  },
  header_fields_too_large: {
    code: 431,
    message: "Request header fields too large",
    help: "Send fewer or shorter headers.",
  },
  internal_server_error: {
    code: 500,
    message: "Internal Server Error",
    help: "Our fault. The log has the reason under the `request_id`.",
  },
  overloaded: {
    code: 503,
    message: "Service overloaded",
    help: "Nothing was changed. Try again after `Retry-After` seconds.",
  },
  not_ready: { code: 503, message: "Not ready", help: "Wait; `details` says what Laurel is waiting for." },
  outcome_unknown: {
    code: 503,
    message: "Outcome unknown",
    help: "It is not known whether the change was made. Repeat with the same `Idempotency-Key`, or look.",
  },
  ...LOYALTY_ERRORS,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorKey = keyof typeof ERRORS;
export const ERROR_TABLE: Readonly<Record<ErrorKey, ErrorEntry>> = ERRORS;

export type ErrorExtra = {
  /** The other status of a key that has two. */
  code?: 400 | 409;
  /** The other message of a key that has two. */
  message?: string;
  details?: string;
  request_id?: string;
  resource_id?: string;
  resource_type?: string;
  related_object_ids?: readonly string[];
  related_object_type?: string;
  /** The text that a project configured on a rule. */
  error?: { message: string };
};
export type ErrorBody = { code: number; key: ErrorKey; message: string } & Omit<ErrorExtra, "code" | "message">;

/** As a value, for an outcome the caller reports: a refused redeemable, a failed row of a batch. */
export function errorBody(key: ErrorKey, extra: ErrorExtra = {}): ErrorBody {
  const { code, message } = ERRORS[key];
  return { code, key, message, ...extra };
}

/** As an exception, for a request that ends here. Only `http/` catches it. */
export class ApiError extends Error {
  readonly body: ErrorBody;
  constructor(key: ErrorKey, extra?: ErrorExtra) {
    super(extra?.details ?? key);
    this.body = errorBody(key, extra);
  }
}

/** A refusal that was returned as a value, where it ends the request after all. */
export function apiErrorFrom({ code, key, ...extra }: ErrorBody): ApiError {
  return new ApiError(key, code === ERRORS[key].code ? extra : { ...extra, code: code as 400 | 409 });
}

/** The 404 of every resource: the same words whether the id never existed or belongs to another project. */
export const notFound = (resource_type: string, resource_id: string): ApiError =>
  new ApiError("not_found", {
    details: `Cannot find ${resource_type} with id ${resource_id}`,
    resource_id,
    resource_type,
  });

/** Somebody else than the holder of a loyalty card, or nobody where it takes one. */
export const notHolder = (code: string): ApiError =>
  new ApiError("invalid_customer", { message: ERRORS.invalid_customer.also, details: code });
