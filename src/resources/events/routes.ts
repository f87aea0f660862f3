import type { Catalogs } from "../../catalog/catalog.ts";
import type { HotCtx } from "../../ctx.ts";
import { type TrackCommand, trackEvent } from "../../flows/track-event.ts";
import { hot } from "../../http/route.ts";
import { Event, EventBody } from "./schema.ts";

type Asking = HotCtx & { catalogs: Catalogs; claim: TrackCommand["claim"] };

/** The command of a request, whoever sends it. */
export async function commandOf(
  c: Asking,
  sent: EventBody,
  may: Pick<TrackCommand, "mayEarn" | "mayWrite">,
): Promise<TrackCommand> {
  const { project, now, request_id, newId, newSecret, claim } = c;
  const catalog = await c.catalogs.catalogOf(project);
  return { project, catalog, now, request_id, newId, newSecret, claim, sent, ...may };
}

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
    async (c) => c.submit(trackEvent, c.project.id, await commandOf(c, c.body, { mayEarn: true, mayWrite: true })),
  ),
];
