import { commandOf } from "../../../ctx.ts";
import { trackEvent } from "../../../flows/track-event/track-event.ts";
import { hot } from "../../../http/route.ts";
import { Event, EventBody } from "./schema.ts";

export const eventRoutes = [
  hot(
    "POST /v1/events",
    {
      id: "trackCustomEvent",
      summary: "Track a custom event",
      description:
        "Records that a customer did something that the project has defined. Points follow from it in the same transaction; `loyalty` names the card that it counts for, instead of all cards of the customer.",
      body: EventBody,
      ok: Event,
    },
    async (c) => {
      const may = { mayEarn: true, mayWrite: true };
      return c.submit(trackEvent, c.project.id, { ...(await commandOf(c)), steps: c.steps, sent: c.body, ...may });
    },
  ),
];
