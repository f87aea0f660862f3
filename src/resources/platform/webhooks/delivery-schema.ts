import { type Static, Type } from "typebox";
import { WEBHOOK_TYPES } from "../../../core/webhooks/event-names.ts";
import {
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  listOf,
  Nullable,
  optional,
  strict,
} from "../../../http/schemas.ts";

const STATUSES = ["WAITING", "DELIVERED", "FAILED"] as const;

const fields = {
  id: Type.String(),
  webhook_id: Type.String(),
  type: Type.String({ description: "The type of the event." }),
  event_id: Type.String(),
  object_id: Type.String({ description: "What the event happened to." }),
  number: Type.Integer({ description: "Grows from event to event of the object." }),
  status: Choice(STATUSES, { description: "`FAILED`: it was given up." }),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(DateTime),
  created_at: DateTime,
  object: Type.Literal("webhook_delivery"),
};
export const Delivery = Type.Object(fields, { title: "WebhookDelivery" });
export type Delivery = Static<typeof Delivery>;
export const DeliveryWithBody = Type.Object(
  { ...fields, body: Type.String({ description: "The body as it is sent, to the byte." }) },
  { title: "WebhookDeliveryWithBody" },
);
export type DeliveryWithBody = Static<typeof DeliveryWithBody>;
export const DeliveryList = cursorListOf(Delivery);
/** As elsewhere outside of v2, a parameter that nobody knows is ignored. */
export const DeliveryQuery = Type.Object(CursorQuery(["created_at"], { filters: Type.Optional(Filters) }).properties);

export const Attempt = Type.Object(
  {
    number: Type.Integer(),
    target_url: Type.String(),
    headers: Type.Unsafe<Record<string, string>>({
      type: "object",
      title: "AttemptHeaders",
      additionalProperties: { type: "string" },
    }),
    status_code: Nullable(Type.Integer({ description: "Null: there was no answer." })),
    error: Nullable(Type.String()),
    answer: Type.String({ description: "The first 4 kB of it." }),
    latency_ms: Type.Integer(),
    created_at: DateTime,
    object: Type.Literal("webhook_attempt"),
  },
  { title: "WebhookAttempt" },
);
export type Attempt = Static<typeof Attempt>;
export const AttemptList = listOf(Attempt);

export const ResendRange = strict({
  from: DateTime,
  to: DateTime,
  ...optional({
    status: Choice(STATUSES, { description: "Only deliveries of this status." }),
    starting_after_id: Type.String({
      maxLength: 100,
      description: "Only deliveries behind this one: the `more_starting_after` of the answer before.",
    }),
  }),
});
export const Resent = Type.Object({
  count: Type.Integer({ description: "How many are sent again." }),
  has_more: Type.Boolean({ description: "True: there are more; ask again for the rest." }),
  more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next request." })),
});
export const TestEvent = strict(optional({ type: Choice(WEBHOOK_TYPES) }));
export const RotateQuery = Type.Object({
  end_overlap: Type.Optional(
    Type.Boolean({ description: "True: change it also while the secret before the current one still signs." }),
  ),
});
export const SecretRotated = Type.Object(
  {
    webhook_token: Type.String({ description: "The secret that webhooks are signed with from now on." }),
    previous_until: DateTime,
    object: Type.Literal("webhook_secret"),
  },
  { title: "WebhookSecret" },
);
export const ByDelivery = Type.Object({
  projectId: Type.String(),
  webhookId: Type.String(),
  deliveryId: Type.String(),
});
