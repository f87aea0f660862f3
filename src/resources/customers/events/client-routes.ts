import { ApiError } from "../../../core/errors.ts";
import { commandOf } from "../../../ctx.ts";
import { trackEvent } from "../../../flows/track-event/track-event.ts";
import { repeatedFor, requiredFromClient } from "../../../http/client-side.ts";
import { hot } from "../../../http/route.ts";
import type { CustomerInBody } from "../../../http/schemas.ts";
import { ClientEvent, type Event, EventBody } from "./schema.ts";

/** A client application sees the ids of the event's customer, and what it has just sent of them. */
function withSent(event: Event, { name, email, metadata }: CustomerInBody): Event {
  const { id, source_id, object } = event.customer;
  const customer = { id, name: name ?? null, email: email ?? null, source_id, metadata: metadata ?? {}, object };
  return { ...event, customer };
}

export const clientEventRoutes = [
  hot(
    "POST /client/v1/events",
    {
      id: "trackCustomEventClientSide",
      summary: "Track a custom event from a client application",
      description:
        "With the setting client_loyalty_events_enabled off, an event is recorded and no points follow from it, and one with `loyalty` or `referral` is refused. With client_create_customer_enabled off, the customer is neither created nor changed.",
      body: EventBody,
      ok: ClientEvent,
      findsCodes: true,
    },
    async (c) => {
      const { client_loyalty_events_enabled: mayEarn, client_create_customer_enabled: mayWrite } = c.project;
      if (!mayEarn && (c.body.loyalty || c.body.referral))
        throw new ApiError("forbidden", { details: "The project setting client_loyalty_events_enabled is off" });
      requiredFromClient(c.project, c.body.customer);
      const forCaller = (event: Event) => c.forCaller(withSent(event, mayWrite ? c.body.customer : {}));
      const command = { ...(await commandOf(c)), steps: c.steps, sent: c.body, mayEarn, mayWrite, forCaller };
      return repeatedFor(forCaller, await c.submit(trackEvent, c.project.id, command));
    },
  ),
];
