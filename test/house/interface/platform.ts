import { each, open, rows } from "./row.ts";

const projects = (name: string) => `test/platform/projects.test.ts › projects: ${name}`;
const CREATED = projects("a created one has the sent fields, a default for every other field, and two key pairs");
const UPDATED = projects("an update changes the field that is sent, as it was sent, and no other");
const REFUSED = projects("an update with a wrong value is refused with the field's name and changes nothing");
const READ_ONLY = projects("a read-only field in an update is refused, even with the value it has");
const UNKNOWN = projects("an unknown one is 404 with the error body, whatever is done with it");
const oauth = (name: string) => `test/platform/oauth.test.ts › ${name}`;
const TOKEN = oauth("a token has exactly the fields of the interface and lives 900 seconds");
const INTROSPECTED = oauth("introspection tells the whole token; its seconds count down while the end stays");
const DEAD = oauth("of a token that is not alive only that is told, whatever the reason");
const FORMS = oauth("the three operations take forms only, and the key pair only");
const MISSING = oauth("a missing or empty field is missing_parameters, another grant type invalid_grant_type");
const auth = (name: string) => `test/platform/auth.test.ts › ${name}`;
const PAIRS = auth("each operation takes the key pair of its kind, both halves of it, and no other pair");
const V2 = auth("v2 needs the pair and the token, of one project, unless it is told to take either");
const BEARER = auth("a bearer token works in place of the pair on v1 and client, in either header");
const OPENED =
  "test/platform/scopes.test.ts › a token opens a path exactly when it has the umbrella scope or the scope of the first segment";
const KINDS =
  "test/platform/scopes.test.ts › a key pair opens the paths of its kind and no other, on every route; nothing opens none";
const ORIGIN =
  "test/http/http-limits.test.ts › a client call is answered to a trusted origin only; missing and untrusted ones are strangers";
const SWITCHED =
  "test/http/http-limits.test.ts › an operation that a setting of the project switches off is forbidden until it is on, at once";
const SWITCHES =
  "test/checkout/client-side.test.ts › each of the six switches opens exactly what it is for, at once, and closes it again";
const BODIES =
  "test/http/http-errors.test.ts › a body must be JSON, or a form where the operation asks for one; anything else is a 415";
const CART =
  "test/checkout/validations.test.ts › a validated cart: what it costs, what each code took off it, and the rules of stacking";
const OFFERED =
  "test/checkout/qualifications.test.ts › a customer is offered what is for everybody, for VIPs and what the customer holds, newest first";
const REFUSALS =
  "test/house/interface-promotions.test.ts › an inapplicable redeemable has the error body, a missing one 404 not_found; a skipped one has an empty result";
const GAPS = (name: string) => `test/house/interface-gaps.test.ts › ${name}`;

const TIER_STRUCTURE =
  "test/loyalty-v2/loyalty-tier-structures.test.ts › a tier structure is created, read, listed, updated and deleted, with every field at every step";
const TIER_STRUCTURE_REFUSED =
  "test/loyalty-v2/loyalty-tier-structures.test.ts › every value that the interface does not allow is a 400 that names the field, and nothing changes";
const CARD_DEFINITION =
  "test/loyalty-v2/loyalty-card-definitions.test.ts › a card definition is created with every section, read, listed, updated and deleted";

export const conventions = [
  ...rows("convention", {
    json: ["bodies are JSON", BODIES],
    form: ["the two token operations take form encoding", FORMS],
    timestamps: [
      "instants are ISO 8601 date-times",
      "test/catalogue/categories.test.ts › categories: create, list, read, update, delete",
    ],
    base_url: [
      "v1, client, management and v2 are served below one address each",
      "test/cli/first-minute.test.ts › the first minute: one command, and everything it prints works; a second start keeps everything",
    ],
  }),
  ...rows("service", {
    project_management: ["settings of projects", CREATED, UPDATED],
    oauth: ["issues and introspects OAuth 2.0 tokens", TOKEN, INTROSPECTED],
  }),
  ...rows("service", {
    validation: ["checks redeemables against an order and a customer", CART],
    qualification: ["says which redeemables a customer can use", OFFERED],
  }),
  ...rows("service", {
    redemptions: [
      "lists redemption records, successful or failed",
      "test/checkout/redemption-lists.test.ts › the list has successes and failures, newest first, ten unless another number is asked for, with an exact total",
    ],
  }),
  ...rows("service", {
    loyalty_v2: ["card definitions, earning rules and tier structures, BETA", TIER_STRUCTURE, CARD_DEFINITION],
  }),
  ...rows("service", {
    vouchers: [
      "vouchers, loyalty cards among them, and their holders",
      "test/promotions/vouchers.test.ts › vouchers: a loyalty card belongs to a campaign and has points",
    ],
    templates: [
      "campaign templates",
      "test/promotions/campaign-templates.test.ts › templates: taken from a campaign, read, updated and deleted, with every field of the interface",
    ],
    events: [
      "custom events from a server or a client application",
      "test/customers/events.test.ts › an event is answered with every field of the interface: its name, the customer, null for referral and loyalty",
      "test/customers/events.test.ts › a page needs its own keys and a trusted origin",
    ],
    event_effects: [
      "events can drive earning rules and referral conversions",
      each(
        "test/loyalty-v2/earning.test.ts › a custom event earns the points of its rule each time, in a transaction that names its cause",
      ),
      "test/promotions/referral-conversions.test.ts › a custom event converts that names the code, once, and its answer says nothing of it",
    ],
    referrals: [
      "holders of referral codes",
      "test/promotions/referrals.test.ts › friends are added to a referral code by its code or its id, and every field of the interface is there",
    ],
  }),
];

export const project = [
  ...rows("project", {
    id: ["text, always there", CREATED, each(READ_ONLY)],
    name: ["text, always there", CREATED, each(UPDATED), REFUSED],
    description: ["text, always there", CREATED, each(UPDATED), REFUSED],
    timezone: ["GMT form or IANA name, always there", CREATED, each(UPDATED), REFUSED],
    currency: ["ISO 4217, three letters, always there", CREATED, each(UPDATED), REFUSED],
    dial_code: ["ITU code or null", CREATED, each(UPDATED), REFUSED],
    webhook_version: ["v2024-01-01, the default and only value", CREATED, each(UPDATED), REFUSED],
    client_trusted_domains: [
      "addresses that may call client-side",
      each(UPDATED),
      REFUSED,
      projects("trusted domains are kept in the form that a browser sends, each once"),
      ORIGIN,
    ],
    webhooks_callout_notifications: [
      "webhooks and distributions with email, emails, in_app",
      projects("of the callout notifications any subset of keys is merged"),
      REFUSED,
    ],
    api_usage_notifications: [
      "six kinds with value, emails, in_app, enabled",
      projects("of the usage notifications any subset of keys is merged, for each of the six kinds"),
      REFUSED,
    ],
    cluster_id: ["in every response", CREATED, each(READ_ONLY)],
    case_sensitive_codes: ["in every response; true: case makes another code", CREATED, each(READ_ONLY)],
    api_version: ["v2018-08-01, in every response", CREATED, each(READ_ONLY)],
    is_sandbox: ["in every response", CREATED, each(READ_ONLY)],
    webhook_token: ["in every response", CREATED, each(READ_ONLY)],
    default_code_config: [
      "the character set of codes",
      CREATED,
      each(UPDATED),
      REFUSED,
      projects("a character set of null brings the default back"),
    ],
    limits: [
      "limits of the project; absent: those of the organization",
      projects("limits are absent unless they are set, and shown as they are when they are"),
      each(READ_ONLY),
    ],
  }),
  ...rows(
    "project",
    {
      client_redeem_enabled: "boolean: client-side redemption",
      client_publish_enabled: "boolean: client-side publication",
      client_list_vouchers_enabled: "boolean: client-side list of vouchers",
      client_create_customer_enabled: "boolean: client-side creation of customers",
      client_loyalty_events_enabled: "boolean: client-side events for loyalty and referrals",
      client_set_voucher_expiration_date_enabled: "boolean: client-side expiration date",
    },
    [each(UPDATED), REFUSED, SWITCHED, SWITCHES],
  ),
  ...rows("events", {
    rule5: [
      "the project holds webhook_version and the notifications of callouts",
      UPDATED,
      projects("of the callout notifications any subset of keys is merged"),
    ],
  }),
  ...rows("project.put", {
    path: ["PUT /management/v1/projects/{projectId}", UPDATED, UNKNOWN],
    optional: [
      "every field of the body is optional",
      projects("several fields can be updated at once, and an empty update changes nothing"),
    ],
    types: ["the types are those of the resource", REFUSED],
    answer: ["200 with the project", UPDATED],
  }),
];

export const token = [
  ...rows(
    "oauth_token",
    {
      access_token: "text",
      client_id: "text",
      expires_at: "Unix seconds, whole",
      expires_in: ["seconds left, whole", each(TOKEN), INTROSPECTED],
      scope: "scopes, separated by spaces",
      token_type: "Bearer",
      active: ["in introspection only; false for a token that does not exist", each(INTROSPECTED), DEAD],
    },
    [each(TOKEN)],
  ),
  ...rows("oauth.token", {
    path: ["POST /v1/oauth/token", each(TOKEN)],
    form: ["application/x-www-form-urlencoded", each(FORMS)],
    grant_type: ["required, client_credentials", each(MISSING)],
    scope: [
      "required, separated by spaces",
      oauth("scopes are separated by spaces, as + or %20, each kept once in the order it was sent"),
      MISSING,
    ],
    commas: [
      "commas are not allowed",
      oauth("a scope that is unknown, joined by commas or only blank is refused with what was sent"),
    ],
    scopes: [
      "the 42 values",
      oauth("each of the 42 scopes is accepted, alone and all together"),
      oauth("a scope that is unknown, joined by commas or only blank is refused with what was sent"),
    ],
    answer: ["200 with the record, without active", each(TOKEN)],
  }),
  ...rows("oauth.introspect", {
    path: ["POST /v1/oauth/introspect", each(INTROSPECTED)],
    form: ["application/x-www-form-urlencoded", each(FORMS)],
    access_token: ["required form field", each(MISSING)],
    answer: ["200 with the record and active", each(INTROSPECTED)],
    nonexistent: ["a token that does not exist: active false", each(DEAD)],
  }),
  ...rows("state.oauth_token", { active: ["a token is active or it is not", INTROSPECTED, each(DEAD)] }),
];

export const authentication = [
  ...rows("authentication", {
    server: ["v1: X-App-Id and X-App-Token, both", PAIRS, KINDS],
    v2: [
      "v2: a bearer token in JWT form and the pair",
      V2,
      auth("a token that was changed in any part is refused, also with the right secret behind another algorithm"),
    ],
    client: ["client events: X-Client-Application-Id, X-Client-Token and origin", PAIRS, KINDS, ORIGIN],
    management: ["management: X-Management-Id and X-Management-Token, both", PAIRS, KINDS],
    rule1: ["the token operation itself takes the server-side pair", FORMS],
    rule2: [
      "a token for the scopes asked for; api opens the server side, client_api the whole client side",
      OPENED,
      TOKEN,
    ],
    rule3: ["token_type is the prefix of the authorization header", BEARER],
    rule4: ["introspection says whether a token is active", INTROSPECTED, DEAD],
  }),
  ...open(
    rows("authentication", {
      rule5: ["how long a token lives: 900 seconds", TOKEN],
      rule6: ["which scope opens what: the one of the first path segment", OPENED],
      rule7: ["the v2 bearer is the token of the token operation", V2],
    }),
  ),
];

export const errors = [
  ...rows(
    "error",
    {
      code: "the HTTP status, always there",
      key: "for machines, always there; not_found for what is missing",
      message: "for people, always there",
      details: "more, optional",
      request_id: [
        "text or null, optional",
        each(UNKNOWN),
        "test/http/http-errors.test.ts › an unknown error is a 500 that says nothing, and the log says all under the same request id",
      ],
      resource_id: "optional",
      resource_type: "optional",
      json: [
        "application/json",
        "test/http/http-errors.test.ts › a path that no operation has is a 404 with the error body",
        "test/http/http-errors.test.ts › what Node refuses before there is a request has the error body too",
      ],
    },
    [each(UNKNOWN)],
  ),
  ...rows("error", {
    rule1: [
      "tier structure update: 400, 404 and 500",
      TIER_STRUCTURE,
      TIER_STRUCTURE_REFUSED,
      each(
        "test/loyalty-v2/loyalty-tier-structures.test.ts › an update that fails inside is a 500 with the error body, and nothing changes",
      ),
    ],
  }),
  ...rows("error", {
    rule2: [
      "an inapplicable redeemable has the error body in result.error; a missing voucher 404 not_found",
      each(REFUSALS),
    ],
    rule3: ["a skipped redeemable has an empty result", each(REFUSALS)],
  }),
  ...rows("error", {
    rule4: [
      "a failed redemption has failure_code and failure_message; three codes are known",
      "test/checkout/redemption-lists.test.ts › a failure of each named code has every field, its reason, and no order",
      "test/checkout/redemption-lists.test.ts › redemptions of loyalty cards show their points, and a balance that is too small its code",
    ],
  }),
  ...open([
    ...rows("error", {
      rule5: [
        "all keys: a closed table",
        "test/http/http-errors.test.ts › docs/errors.md has the errors of the table, all of them and no others",
      ],
    }),
    ...rows("error", {
      rule6: ["all failure codes: keys of the same table", GAPS("a failure code is a key of the table of errors")],
    }),
  ]),
];

export const limits = [
  ...rows("limit", {
    validation_redeemables: [
      "1 to 30",
      "test/house/interface-promotions.test.ts › a validation takes 1 to 30 redeemables, each with its object and its id",
    ],
    validation_session: [
      "7 days with the type alone",
      "test/checkout/sessions.test.ts › a session without a time lasts seven days, and its key is made when none is sent",
    ],
  }),
  ...rows("limit", { redemptions_limit: "1 to 100, default 10", redemptions_page: "1 to 99" }, [
    each(
      "test/checkout/redemption-lists.test.ts › pages follow each other without a gap, and one past the end is an empty list with the same total",
    ),
  ]),
  ...rows(
    "limit",
    {
      tier_structure_name: "1 to 200 characters",
      calendar_dates: "1 to 20",
      custom_activity_types: "at most 10, each once",
      periods: "from 1 to 90 days, 12 months or 5 years",
      calendar_day: "fits its month, month 1..12",
    },
    [
      each(TIER_STRUCTURE_REFUSED),
      "test/loyalty-v2/loyalty-tier-structures.test.ts › every value that the interface allows is taken and returned, on update and on create",
    ],
  ),
  ...rows("limit", {
    event_name: [
      "1 to 300 characters",
      each("test/customers/events.test.ts › the name is 1 to 300 characters and defined in the project"),
    ],
    holders: ["1 to 100", "test/promotions/referrals.test.ts › of a list of friends all are added or none"],
  }),
  ...open(
    rows("limit", {
      rates: [
        "none unless configured",
        "test/http/http-limits.test.ts › rate limits count per kind of key and per key; over the limit is a 429 that says when to come back",
        "test/checkout/code-guessing.test.ts › five wrong codes in five seconds are answered, the next look-up from the address is 429 until the time is over",
        "test/http/http-limits.test.ts › without limits no rate header is sent, and wrong credentials do not use up the window of the key",
      ],
      body: [
        "1 MiB",
        "test/http/http-errors.test.ts › a body above 1 MiB is a 413, above the operation's own limit where it has one",
      ],
    }),
  ),
];

export const versioning = [
  ...rows("versioning", {
    rule1: [
      "/v1, /client/v1, /management/v1 and /v2 in the path",
      KINDS,
      GAPS("every operation has one of the four version prefixes"),
    ],
    rule2_label: [
      "v2 is labelled BETA, 2.0.0",
      GAPS("operations of v2 are marked BETA and 2.0.0 in the OpenAPI document, and no others are"),
    ],
    rule2_flag: [
      "v2 needs the feature LOYALTY_V2",
      auth("with LOYALTY_V2 off every v2 operation is forbidden, after the credentials and not before"),
      "test/cli/cli.test.ts › project create prints keys that work, list shows the project, feature switches it",
    ],
    rule3: ["api_version is v2018-08-01", CREATED, READ_ONLY],
    rule4: ["webhook_version is v2024-01-01", CREATED, REFUSED],
  }),
  ...open(
    rows("versioning", {
      rule5: [
        "how a caller selects a version: by the path only",
        GAPS("no header selects a version: only the path does"),
      ],
    }),
  ),
  ...open(rows("versioning", { rule6: "when something old goes" }), "nothing old went, and no rule is promised"),
];
