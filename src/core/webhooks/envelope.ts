/** Who caused an event: a key of the shop, a client application, a user who is signed in, or the engine itself. */
export type EventSource = {
  channel: "API" | "CLIENT_API" | "USER_PORTAL" | "INTERNAL";
  user?: { id: string };
  api_key?: { name: string; app_id: string };
};
/** What happened, as a delivery tells it. */
export type ToldEvent = {
  id: string;
  type: string;
  created_at: string;
  entity_id: string | null;
  group_id: string;
  event_source: EventSource;
};
type Envelope = {
  id: string;
  project_id: string;
  created_at: string;
  type: string;
  /** JSON already: it is the same for all webhooks. */
  data: string;
  source: { id: string; object: "webhook"; target_url: string };
  event: ToldEvent;
};

/**
 * The body of a delivery up to the number of the event, which the database gives, and what comes behind it. The text is
 * signed as it is, so there is no space in it: a receiver who parses it and writes it again gets the same text.
 */
export function envelopeText({ data, event, ...rest }: Envelope): { head: string; tail: string } {
  const { id, project_id, created_at, type, source } = rest;
  const before = JSON.stringify({ id, project_id, created_at, type }).slice(0, -1);
  const behind = JSON.stringify({ source, event }).slice(1, -2);
  return { head: `${before},"data":${data},${behind},"number":`, tail: "}}" };
}

/** The prefix of the id of an event, by the family that its type belongs to. */
const FAMILIES: Readonly<Record<string, string>> = {
  redemption: "evred",
  customer: "evcus",
  voucher: "evvou",
  publication: "evpub",
  campaign: "evcam",
  business_validation_rule: "evbvr",
  vl: "evloy",
};

/** An event under the name that deliveries of a type give it. */
export const toldEventId = (eventId: string, type: string): string =>
  eventId.replace(/^ev_/, `${FAMILIES[type.split(".")[0]!]!}_`);
