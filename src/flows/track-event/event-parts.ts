import { foldCode, trimCode } from "../../core/codes/code.ts";
import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { Definition } from "../../core/metadata/definition.ts";
import { isSamePerson } from "../../core/referrals/person.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { CustomEventSchemaRow } from "../../resources/customers/custom-event-schemas/store.ts";
import { customerChange, type Upserted } from "../../steps/customers/customers.ts";
import { isReferral, isReferralOpen, notPublished, programOf, type Referred } from "../../steps/referrals/referrals.ts";
import { type CardNamed, referralCodeOf, type TrackCommand, type TrackState } from "./state.ts";

/** The referral code that an event names. */
type ReferralNamed = {
  row: VoucherRow;
  referrer_id: string | null;
  /** Through whom the customer came, where this event counts for that. */
  brought: Pick<Referred, "campaign" | "voucher" | "referrer_id"> | null;
};
/** What an event is about: its schema, the customer as it will be, the card and the referral code that it names. */
export type EventParts = {
  schema: CustomEventSchemaRow;
  customer: SavedCustomer;
  card: CardNamed | null;
  referral: ReferralNamed | null;
};

/** What a command is about, or why it is refused. Nothing is changed yet. */
export function eventParts(command: TrackCommand, state: TrackState): EventParts | { refused: ErrorBody } {
  const { sent, catalog } = command;
  const schema = catalog.custom_event_schemas.get(sent.event);
  if (!schema) return { refused: notFound("custom_event_schema", sent.event).body };
  const fault = eventFault(schema, sent.metadata ?? {});
  if (fault !== null) return { refused: errorBody("metadata_validation_failed", { details: fault }) };
  const customer = proposeCustomer(command, state);
  if ("refused" in customer) return customer;
  const referral = referralOf(command, state, { schema, customer });
  if (referral && "refused" in referral) return referral;
  const code = sent.loyalty?.code;
  if (code === undefined) return { schema, customer, card: null, referral };
  const card = state.cards.get(foldCode(trimCode(code), command.project.case_sensitive_codes));
  // Contract is silent: a card that is not the customer's is as good as none.
  if (card?.customer_id !== customer.row.id) return { refused: notFound("loyalty_card", code).body };
  return { schema, customer, card, referral };
}

function eventFault({ name, schema }: CustomEventSchemaRow, metadata: Readonly<Record<string, unknown>>) {
  const properties = schema.properties as Record<string, Definition>;
  return metadataFault(new Map([[name, { properties, allow_defined_only: false }]]), name, { metadata, on: "create" });
}

/** The customer after what was sent. Who may not write one finds who is there, or nobody. */
function proposeCustomer(command: TrackCommand, { customers }: TrackState): Upserted {
  const { sent, mayWrite } = command;
  if (!mayWrite) {
    const { id, source_id } = sent.customer;
    const row = customers.byId(id ?? "") ?? customers.bySource(source_id ?? "");
    if (row) return { row, created: false, changed: [] };
    return { found: false, refused: notFound("customer", id || source_id || "").body };
  }
  return customers.propose(sent.customer, customerChange(command));
}

/** The code through which the customer came. What is not open, or waits for something else, is only recorded. */
function referralOf(
  command: TrackCommand,
  state: TrackState,
  { schema, customer }: Pick<EventParts, "schema" | "customer">,
): ReferralNamed | { refused: ErrorBody } | null {
  const { sent, catalog, now, project } = command;
  if (!sent.referral) return null;
  const { code, referrer_id } = sent.referral;
  const row = referralCodeOf(command, state);
  const campaign = catalog.campaigns.get(row?.campaign_id ?? "");
  if (!row || !isReferral(campaign)) return { refused: notFound("voucher", code).body };
  const referrer = state.customers.byId(row.holder_id ?? "");
  const recorded = { row, referrer_id: referrer?.id ?? null, brought: null };
  if (!isReferralOpen(row, campaign, { now, timezone: project.timezone })) return recorded;
  // Contract is silent: what is wrong with a code that is open is said, and not passed over.
  if (!referrer) return { refused: notPublished() };
  if (referrer_id && referrer_id !== referrer.id && referrer_id !== referrer.source_id)
    return {
      refused: errorBody("invalid_payload", {
        details: "Property .referral.referrer_id must be the customer whom the referral code was published to",
      }),
    };
  if (isSamePerson(referrer, customer.row))
    return { refused: errorBody("referral_self_redemption", { details: code }) };
  const { conversion_event_type, custom_event } = programOf(campaign);
  if (conversion_event_type !== "custom_event" || custom_event?.id !== schema.id) return recorded;
  return { ...recorded, brought: { campaign, voucher: row, referrer_id: referrer.id } };
}
