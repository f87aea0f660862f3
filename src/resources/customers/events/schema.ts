import { type Static, Type } from "typebox";
import { OPEN, only, see } from "../../../core/client/fields.ts";
import { CustomerInBody, Metadata, Nullable, open, optional } from "../../../http/schemas.ts";

const Code = Type.String({ minLength: 1, maxLength: 300 });
const text = Nullable(Type.String());

export const EventBody = open({
  event: Type.String({ minLength: 1, maxLength: 300, description: "The name of a custom event of the project." }),
  customer: CustomerInBody,
  ...optional({
    referral: Nullable(open({ code: Code, ...optional({ referrer_id: Nullable(Type.String({ maxLength: 500 })) }) })),
    loyalty: Nullable(open({ code: Code })),
    metadata: Nullable(Metadata),
  }),
});
export type EventBody = Static<typeof EventBody>;

export const Event = Type.Object(
  {
    object: Type.Literal("event"),
    type: Type.String({ description: "The name of the event." }),
    customer: Type.Object({
      id: Type.String(),
      name: text,
      email: text,
      source_id: text,
      metadata: Metadata,
      object: Type.Literal("customer"),
    }),
    referral: Type.Null(),
    loyalty: Type.Null(),
    metadata: Metadata,
  },
  { title: "Event" },
);
export type Event = Static<typeof Event>;
/** A client application sees the ids of the event's customer, and what it has just sent of them. */
export const ClientEvent = only(
  Event,
  see("object type referral loyalty", {
    customer: see("id name email source_id object", { metadata: OPEN }),
    metadata: OPEN,
  }),
);
