import { type Static, Type } from "typebox";
import { API_VERSION, USAGE_KINDS, WEBHOOK_VERSION } from "../../../core/projects/settings.ts";
import { Choice, DateTime, Id, listOf, Nullable, optional, strict } from "../../../http/schemas.ts";

const Emails = Type.Array(Type.Unsafe<string>({ type: "string", format: "email", maxLength: 254 }), { maxItems: 50 });
const callout = { email: Type.Boolean(), emails: Emails, in_app: Type.Boolean() };
const usage = {
  value: Type.Integer({ minimum: 0, maximum: 100, description: "Percent of the limit." }),
  emails: Emails,
  in_app: Type.Boolean(),
  enabled: Type.Boolean(),
};
const each = <K extends string, S>(kinds: readonly K[], schema: S) =>
  Object.fromEntries(kinds.map((kind) => [kind, schema])) as Record<K, S>;
const CALLOUT_KINDS = ["webhooks", "distributions"] as const;

const identity = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.String({ maxLength: 2000 }),
  timezone: Type.Unsafe<string>({
    type: "string",
    format: "time-zone",
    maxLength: 100,
    description: "An IANA name, or GMT with an offset (`GMT+1`). Days, weeks and months of the project follow it.",
  }),
  currency: Type.Unsafe<string>({ type: "string", format: "currency", description: "ISO 4217, three letters." }),
  dial_code: Nullable(Type.Unsafe<string>({ type: "string", format: "dial-code", description: "ITU country code." })),
  webhook_version: Choice([WEBHOOK_VERSION]),
};
const client = {
  client_trusted_domains: Type.Array(Type.Unsafe<string>({ type: "string", format: "origin", maxLength: 300 }), {
    maxItems: 100,
    description: "Origins (scheme, host, port) that may call the client-side operations, or `*`.",
  }),
  client_redeem_enabled: Type.Boolean(),
  client_publish_enabled: Type.Boolean(),
  client_list_vouchers_enabled: Type.Boolean(),
  client_create_customer_enabled: Type.Boolean(),
  client_loyalty_events_enabled: Type.Boolean(),
  client_set_voucher_expiration_date_enabled: Type.Boolean(),
};
/** The subset of the keys that is sent is changed; the others stay. */
const notifications = {
  webhooks_callout_notifications: strict(optional(each(CALLOUT_KINDS, strict(optional(callout))))),
  api_usage_notifications: strict(optional(each(USAGE_KINDS, strict(optional(usage))))),
};
const CHARSET = { minLength: 1, maxLength: 500, format: "code-characters" };

const RateLimits = Type.Array(Type.Object({ value: Type.Integer(), duration: Type.String() }));

export const Project = Type.Object(
  {
    id: Type.String(),
    ...identity,
    ...client,
    webhooks_callout_notifications: Type.Object(each(CALLOUT_KINDS, Type.Object(callout))),
    api_usage_notifications: Type.Object(each(USAGE_KINDS, Type.Object(usage))),
    default_code_config: Type.Object({ charset: Type.String() }),
    cluster_id: Type.String(),
    case_sensitive_codes: Type.Boolean({ description: "True: codes that differ in letter case are different codes." }),
    api_version: Choice([API_VERSION]),
    is_sandbox: Type.Boolean(),
    webhook_token: Type.String({ description: "The secret that webhooks are signed with." }),
    limits: Type.Optional(
      Type.Object({ api_calls: Type.Optional(RateLimits), bulk_api_calls: Type.Optional(RateLimits) }),
    ),
  },
  { title: "Project" },
);
export type Project = Static<typeof Project>;

const { name, timezone, currency, ...rest } = identity;
const Pair = Type.Object({ app_id: Type.String(), app_token: Type.String() });

export const ProjectUpdate = strict(
  optional({
    ...identity,
    ...client,
    ...notifications,
    default_code_config: strict(optional({ charset: Nullable(Type.String(CHARSET)) })),
  }),
);
export type ProjectUpdate = Static<typeof ProjectUpdate>;
export const ProjectCreate = strict({
  name,
  timezone,
  currency,
  case_sensitive_codes: Type.Boolean({ description: "Cannot be changed later." }),
  ...optional({ ...rest, ...client, ...notifications }),
  ...optional({ cluster_id: Type.String(), api_version: Choice([API_VERSION]) }),
  users: Type.Optional(
    Type.Array(
      strict({ id: Type.Optional(Id), login: Type.Optional(Id), role: Type.String({ minLength: 1, maxLength: 200 }) }),
      {
        maxItems: 100,
        description: "Users who are known, each by `id` or by `login`, and their roles. Owners need not be named.",
      },
    ),
  ),
});
export type ProjectCreate = Static<typeof ProjectCreate>;
export const ProjectCreated = Type.Object(
  { ...Project.properties, server_side_key: Pair, client_side_key: Pair },
  { title: "ProjectCreated" },
);
export const ProjectList = listOf(Project);

export const TestClockMove = strict({
  now: Type.Unsafe<string>({
    ...DateTime,
    description: "After the time that the project has now, by at most two years.",
  }),
});
export const TestClockMoved = Type.Object({ async_action_id: Type.String() });
export const TestClock = Type.Object(
  {
    now: DateTime,
    offset_ms: Type.Integer({ minimum: 0, description: "How far it is ahead of the server, in milliseconds." }),
    object: Type.Literal("test_clock"),
  },
  { title: "TestClock" },
);
export const ByProject = Type.Object({ projectId: Type.String() });
