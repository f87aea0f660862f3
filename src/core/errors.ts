import { type ErrorEntry, LOYALTY_ERRORS } from "./loyalty/errors.ts";
import { TEAM_ERRORS } from "./users/errors.ts";

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
    help: "Send fewer query parameters, or nest them less deeply.",
  },
  metadata_validation_failed: {
    code: 400,
    message: "Metadata validation failed",
    help: "Make the metadata match the project's metadata schema; `details` names the property.",
  },
  invalid_validation_rules: {
    code: 400,
    message: "Invalid Validation Rule Definition",
    help: "Correct what `details` names; [the reference](reference/rules.md) says what each rule takes.",
  },
  ambiguous_tracking_id: {
    code: 400,
    message: "Ambiguous tracking id",
    help: "Send `tracking_id` or `customer`. When you send both, they must belong to the same customer.",
  },
  duplicated_redeemables: {
    code: 400,
    message: "Duplicated redeemables detected",
    help: "Send each redeemable once. A code and its id name the same redeemable.",
  },
  invalid_redeemables: {
    code: 400,
    message: "Invalid redeemables",
    help: "Send a promotion stack without other redeemables.",
  },
  loyalty_card_points_exceeded: {
    code: 400,
    message: "loyalty card points exceeded",
    help: "Spend at most the points that are left on the card. Other sessions may hold some of them.",
  },
  no_applicable_redeemables: {
    code: 400,
    message: "No applicable redeemables",
    help: "No redeemable applies. Validate the cart to see why.",
  },
  promised_price_changed: {
    code: 409,
    message: "Promised price changed",
    help: "Show the customer the new price, validate again, and redeem with the new validation.",
  },
  already_rolled_back: {
    code: 400,
    message: "Already rolled back",
    help: "Do nothing: the redemption is already rolled back.",
  },
  invalid_redemption: {
    code: 400,
    message: "Invalid redemption",
    help: "Read `details`. Roll back a stack as a whole, and only redemptions that succeeded.",
  },
  invalid_redemption_parent: {
    code: 400,
    message: "Invalid redemption parent",
    help: "Roll back the parent redemption: you can roll back a stack only as a whole.",
  },
  invalid_customer: {
    code: 400,
    message: "Invalid customer",
    also: "Customer must be a holder of a loyalty card.",
    help: "Read `details`. Send the customer that the redemption or the loyalty card belongs to.",
  },
  invalid_order: {
    code: 400,
    message: "Invalid order",
    help: "Read `details`. Send the order that the redemption belongs to.",
  },
  receipt_erased: {
    code: 410,
    message: "Receipt erased",
    help: "Nothing can be done: the customer was erased, and the data of the redemption with them.",
  },
  missing_reward: {
    code: 400,
    message: "Missing reward",
    help: "Name the reward that the customer buys with the points of the loyalty card.",
  },
  invalid_code_config: { code: 400, message: "Invalid code config", help: "Use a longer pattern or a larger charset." },
  voucher_disabled: { code: 400, message: "voucher is disabled", help: "Enable the voucher or its campaign." },
  voucher_not_active: { code: 400, message: "voucher is not active yet", help: "Wait for the start date." },
  voucher_expired: { code: 400, message: "voucher expired", help: "Use another code, or set a later expiration date." },
  voucher_not_active_now: {
    code: 400,
    message: "voucher not active now",
    help: "Try at the hours or days of the voucher. They are in the project's time zone.",
  },
  promotion_inactive: { code: 400, message: "Inactive Promotion", help: "Enable the tier or its campaign." },
  promotion_not_active_now: {
    code: 400,
    message: "promotion not active now",
    help: "Try at the dates, days and hours of the promotion. They are in the project's time zone.",
  },
  quantity_exceeded: {
    code: 400,
    message: "quantity exceeded",
    help: "No redemption is left, or other sessions hold the last ones for now.",
  },
  gift_amount_exceeded: {
    code: 400,
    message: "gift amount exceeded",
    help: "Ask for at most the credits that are left on the card and that no other session holds.",
  },
  customer_rules_violated: {
    code: 400,
    message: "customer does not match validation rules",
    help: "The offer is not for this customer. Ask for the trace to see which rule fails.",
  },
  order_rules_violated: {
    code: 400,
    message: "order does not match validation rules",
    help: "The cart does not meet the conditions. Ask for the trace to see what is missing.",
  },
  redemption_rules_violated: {
    code: 400,
    message: "redemption does not match validation rules",
    help: "A limit is reached or a condition is not met. Ask for the trace to see which one.",
  },
  referrer_not_permitted_to_redeem: {
    code: 400,
    message: "voucher cannot be redeemed by referrer",
    help: "Let another customer redeem it: a referrer cannot use their own referral code.",
  },
  missing_customer: { code: 400, message: "Missing customer", help: "Send the customer: a rule or a limit needs it." },
  missing_order: { code: 400, message: "Missing order", help: "Send the order: a rule or the discount needs it." },
  missing_order_items: { code: 400, message: "Missing order items", help: "Send the items of the order." },
  missing_amount: { code: 400, message: "Missing amount", help: "Send the amount of the order or of the credits." },
  missing_order_items_amount: {
    code: 400,
    message: "Missing applicable order items",
    help: "Send items that the gift card may pay for, with their prices.",
  },
  missing_vouchers: {
    code: 400,
    message: "Missing vouchers",
    help: "Name the voucher to publish, or a campaign to publish from.",
  },
  voucher_already_published: {
    code: 400,
    message: "Voucher already published",
    help: "Publish another code, or publish from the campaign: each code of a campaign belongs to one customer.",
  },
  voucher_cannot_be_published: {
    code: 400,
    message: "Voucher cannot be published",
    help: "The customer already has a code of this campaign, and the campaign allows one per customer.",
  },
  no_voucher_suitable_for_publication: {
    code: 400,
    message: "Couldn't find any voucher suitable for publication",
    help: "Read `details`. Add codes to the campaign, or enable it.",
  },
  too_many_vouchers_requested: {
    code: 400,
    message: "Too many vouchers requested",
    help: "Ask for at most as many codes as `details` says.",
  },
  duplicate_source_id: {
    code: 400,
    message: "Duplicate source_id",
    help: "A publication with this `source_id` exists already. List publications with this `source_id` to read it.",
  },
  request_too_expensive: {
    code: 400,
    message: "Request too expensive",
    help: "Send fewer lines or fewer redeemables at once, or make their rules and formulas simpler. [Validating a cart](guides/validating-a-cart.md#what-a-request-may-cost) says what counts.",
  },
  page_over_limit: {
    code: 400,
    message: "Listing resource above 1000 page is not supported",
    help: "Use filters to make the list shorter.",
  },
  invalid_expiration_date: {
    code: 400,
    message: "Invalid Expiration Date",
    help: "Send today or a later date.",
  },
  invalid_amount: {
    code: 400,
    message: "Invalid Amount",
    help: "For pending points, leave at least one point. For a redemption, send points, and an order that they can pay for.",
  },
  invalid_add_balance_params: {
    code: 400,
    message: "Invalid add balance params",
    help: "Send an amount that is not 0.",
  },
  invalid_scope: {
    code: 400,
    message: "Invalid scope",
    help: "Send scopes of the published list, separated by spaces, not by commas.",
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
    help: "Start the list again without a cursor. A cursor is valid for 10 minutes.",
  },
  invalid_voucher: {
    code: 400,
    message: "Invalid Voucher",
    help: "Read `details`. You can change the value of a code, but not its type.",
  },
  campaign_type_is_not_supported_by_campaign_template: {
    code: 400,
    message: "Campaign of the given type is not supported by campaign template",
    help: "Create the template from a campaign of discount codes or gift cards, or from a promotion tier.",
  },
  invalid_campaign: {
    code: 400,
    message: "Invalid Campaign",
    help: "Read `details`: campaigns of this type do not support the request.",
  },
  resource_in_use: {
    code: 400,
    or: 409,
    message: "Resource in use",
    help: "First remove the uses in the objects that `related_object_ids` names.",
  },
  resource_protected: {
    code: 400,
    message: "Resource is protected",
    help: "Do not change or delete it: it is marked as protected, or the engine needs it.",
  },
  unauthorized: {
    code: 401,
    message: "Unauthorized",
    help: "Send the credentials that this operation needs. A disabled key or an expired token does not work.",
  },
  forbidden: {
    code: 403,
    message: "Forbidden",
    help: "Read `details`: a setting or the type of the project does not allow this.",
  },
  missing_required_permission: {
    code: 403,
    message: "Missing permission",
    help: "Create a token with a scope that covers this path. A signed-in user needs a role with the permission that `details` names.",
  },
  integration_api_key_required: {
    code: 403,
    message: "Integration API key required",
    help: "Publish with `POST /v1/publications`: Laurel has no integration keys.",
  },
  feature_not_enabled: {
    code: 403,
    message: "Feature not enabled",
    help: "Switch the feature on with `laurel project feature <id> <feature> on`.",
  },
  not_found: {
    code: 404,
    message: "Resource not found",
    help: "Check the path and the id. An id is valid in one project only.",
  },
  method_not_allowed: {
    code: 405,
    message: "HTTP Method Not Allowed",
    help: "Use one of the methods in the `Allow` header.",
  },
  not_acceptable: { code: 406, message: "Not acceptable", help: "Send `Accept: application/json`." },
  request_timeout: { code: 408, message: "Request timeout", help: "Send the whole request faster." },
  duplicate_found: {
    code: 409,
    message: "Duplicated resource found",
    help: "Choose another value for the field that `details` names.",
  },
  stacking_rules_exist: {
    code: 409,
    message: "Stacking rules exist",
    help: "Update the project's stacking rules instead: a project has only one set.",
  },
  idempotency_key_reused: {
    code: 409,
    message: "Idempotency key reused",
    help: "Use a new `Idempotency-Key` when the request changes.",
  },
  idempotency_in_progress: {
    code: 409,
    message: "Idempotency key in progress",
    help: "The first request with this key is still running. Send the same request again a little later.",
  },
  invalid_export_fields: { code: 400, message: "Invalid Export", help: "Ask for fields that the object has." },
  upload_ended: { code: 409, message: "Upload ended", help: "A customer was erased meanwhile. Upload the file again." },
  file_storage_full: { code: 400, message: "File storage full", help: "Delete exports, or wait until files expire." },
  precondition_failed: { code: 412, message: "Precondition failed", help: "Read it again: it was changed meanwhile." },
  payload_too_large: { code: 413, message: "Payload too large", help: "Send a smaller body." },
  unsupported_media_type: {
    code: 415,
    message: "Unsupported media type",
    help: "Send the `Content-Type` that this operation takes.",
  },
  too_many_requests: {
    code: 429,
    message: "Too many requests hit the API too quickly.",
    help: "Wait for the number of seconds in `Retry-After`.",
  },
  header_fields_too_large: {
    code: 431,
    message: "Request header fields too large",
    help: "Send fewer or shorter headers.",
  },
  internal_server_error: {
    code: 500,
    message: "Internal Server Error",
    help: "This is a fault of Laurel. Look up the `request_id` in the log to find the reason.",
  },
  overloaded: {
    code: 503,
    message: "Service overloaded",
    help: "Nothing was changed. Send the request again after `Retry-After` seconds.",
  },
  not_ready: { code: 503, message: "Not ready", help: "Wait; `details` says what Laurel is waiting for." },
  outcome_unknown: {
    code: 503,
    message: "Outcome unknown",
    help: "The change may or may not have been made. Send the request again with the same `Idempotency-Key`, or check.",
  },
  ...LOYALTY_ERRORS,
  ...TEAM_ERRORS,
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

/** An error as a value, for an outcome that the caller reports: a refused redeemable, a failed row of a batch. */
export function errorBody(key: ErrorKey, extra: ErrorExtra = {}): ErrorBody {
  const { code, message } = ERRORS[key];
  return { code, key, message, ...extra };
}

/** An error as an exception, for a request that ends here. Only `http/` catches it. */
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

/** The 400 of a body that does not fit together. */
export const invalid = (details: string): ApiError => new ApiError("invalid_payload", { details });

/** The 404 of every resource: the same words whether the id never existed or belongs to another project. */
export const notFound = (resource_type: string, resource_id: string): ApiError =>
  new ApiError("not_found", {
    details: `Cannot find ${resource_type} with id ${resource_id}`,
    resource_id,
    resource_type,
  });

/** The customer is not the holder of the loyalty card, or no customer was sent. */
export const notHolder = (code: string): ApiError =>
  new ApiError("invalid_customer", { message: ERRORS.invalid_customer.also, details: code });
