import { type Static, Type } from "typebox";
import { ACCEPTED_TYPES, WEBHOOK_TYPES } from "../../../core/webhooks/event-names.ts";
import { Choice, DateTime, listOf, Nullable, strict } from "../../../http/schemas.ts";

const TargetUrl = Type.Unsafe<string>({
  type: "string",
  format: "web-address",
  maxLength: 2000,
  description: "An http or https address.",
});
/** What a name of a header looks like, and how much may be sent along. */
const Headers = Type.Unsafe<Record<string, string>>({
  type: "object",
  title: "WebhookHeaders",
  description: "Sent with every delivery. Names are lower-case letters, digits and dashes.",
  propertyNames: { pattern: "^[a-z0-9][a-z0-9-]*$", maxLength: 100 },
  additionalProperties: { type: "string", maxLength: 2000, pattern: "^[\\x20-\\x7e]*$" },
  maxProperties: 20,
});
const writable = {
  target_url: TargetUrl,
  events: Type.Array(Choice(ACCEPTED_TYPES), {
    minItems: 1,
    maxItems: ACCEPTED_TYPES.length,
    description: "The event types it listens to.",
  }),
};
const switches = {
  active: Type.Boolean({ description: "False: nothing is recorded for it, and nothing sent but tests." }),
  headers: Headers,
};

export const Webhook = Type.Object(
  {
    id: Type.String(),
    target_url: TargetUrl,
    events: Type.Array(Choice(WEBHOOK_TYPES)),
    ...switches,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("webhook"),
  },
  { title: "Webhook" },
);
export type Webhook = Static<typeof Webhook>;
export const WebhookWrite = strict({
  ...writable,
  active: Type.Optional(switches.active),
  headers: Type.Optional(switches.headers),
});
export type WebhookWrite = Static<typeof WebhookWrite>;
export const WebhookList = listOf(Webhook);

const FailingWebhook = Type.Object(
  {
    id: Type.String(),
    target_url: TargetUrl,
    reason: Choice(["FAILING", "SWITCHED_OFF"], {
      description:
        "`SWITCHED_OFF`: Laurel gave a delivery up after a day, and sends this webhook nothing until somebody switches it on. `FAILING`: the newest delivery that was tried has not arrived.",
    }),
    failed: Type.Integer({ description: "How many of the newest deliveries have not arrived." }),
    deliveries: Type.Integer({ description: "How many deliveries were looked at: the newest ten." }),
    switched_off_at: Nullable(DateTime),
    object: Type.Literal("failing_webhook"),
  },
  { title: "FailingWebhook" },
);
export type FailingWebhook = Static<typeof FailingWebhook>;
export const FailingWebhookList = listOf(FailingWebhook);
export const InProject = Type.Object({ projectId: Type.String() });
export const ByWebhook = Type.Object({ projectId: Type.String(), webhookId: Type.String() });
