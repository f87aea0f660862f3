import { type Answer, refusedAnswer, success } from "../../core/answer.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { restarted } from "../../core/steps.ts";
import { type EventsOf, type NewEvent, withIds } from "../../events/events.ts";
import type { Event } from "../../resources/customers/events/schema.ts";
import { customerShown } from "../../steps/checkout/redemption-view.ts";
import { customerEvents } from "../../steps/customers/customers.ts";
import type { EarningTrigger } from "../../steps/points/earning-triggers.ts";
import type { Referred } from "../../steps/referrals/referrals.ts";
import { type EventParts, eventParts } from "./event-parts.ts";
import type { TrackCommand, TrackState } from "./state.ts";

/** What one command does. It is data: nothing is written, and the state stays as it is. */
export type TrackPlan = {
  of: TrackCommand;
  answer: Answer;
  /** The customer as the command describes it; null: the command is refused. */
  customer: SavedCustomer | null;
  events: readonly EventsOf<TrackCommand>[];
  /** The event, where points may follow from it. */
  triggers: readonly EarningTrigger[];
  /** The friend who may have come through a referral code. */
  referred: readonly Referred<TrackCommand>[];
};

/** Each command is planned on what those before it left. */
export function* planRound(state: TrackState, round: readonly TrackCommand[]): Generator<TrackPlan> {
  for (const command of round) {
    const plan = planEvent(state, command);
    applyPlan(state, plan);
    yield plan;
  }
}

/** The state becomes what the next command finds: it may name the same customer. */
function applyPlan(state: TrackState, { customer }: TrackPlan): void {
  if (customer) state.customers.accept(customer);
}

/** Records an event, or refuses it. */
export function planEvent(state: TrackState, command: TrackCommand): TrackPlan {
  const { sent, request_id } = command;
  restarted(command.steps);
  const parts = eventParts(command, state);
  if ("refused" in parts)
    return {
      of: command,
      answer: refusedAnswer(parts.refused, request_id),
      customer: null,
      events: [],
      triggers: [],
      referred: [],
    };
  const { schema, customer } = parts;
  const before = withIds(command, customerEvents([customer]));
  const id = command.newId("ev");
  const metadata = sent.metadata ?? {};
  const shown = customerShown(customer.row) as Event["customer"];
  const event: Event = { object: "event", type: schema.name, customer: shown, referral: null, loyalty: null, metadata };
  return {
    of: command,
    answer: success(command.forCaller(event)),
    customer,
    events: [{ of: command, happened: [...before, eventOf(id, command, parts)] }],
    ...(command.mayEarn ? whatEarns(id, command, parts) : { triggers: [], referred: [] }),
  };
}

const publicId = (id: string): string => id.replace(/^ev_/, "event_");

/** The event as a trigger of earning, and the friend whom it brings. */
function whatEarns(
  id: string,
  command: TrackCommand,
  { schema, customer: { row }, card, referral }: EventParts,
): Pick<TrackPlan, "triggers" | "referred"> {
  const by = { type: "custom_event" as const, id: publicId(id) };
  const trigger: EarningTrigger = {
    of: command,
    id,
    customer: row,
    kind: "customer.custom_event",
    customer_id: row.id,
    schema_id: schema.id,
    metadata: command.sent.metadata ?? {},
    card_id: card?.id ?? null,
  };
  return {
    triggers: [trigger],
    referred: referral?.brought ? [{ ...referral.brought, of: command, referee_id: row.id, by }] : [],
  };
}

/** The event as it is stored: it names customers by their ids only. */
function eventOf(
  id: string,
  { sent, catalog }: TrackCommand,
  { schema, customer, card, referral }: EventParts,
): NewEvent {
  const campaignShown = ({ campaign_id }: VoucherRow) => {
    const campaign = catalog.campaigns.get(campaign_id ?? "");
    return campaign ? { id: campaign.id, name: campaign.name, object: "campaign" } : null;
  };
  const codeShown = (row: VoucherRow) => ({
    voucher: { id: row.id, code: row.code, object: "voucher" },
    campaign: campaignShown(row),
  });
  // Contract is silent: how a card of a program is named, which is no code.
  const ofProgram = card && { voucher: null, campaign: null, card: { id: card.id, object: "loyalty_card" } };
  return {
    id,
    kind: "customer.custom_event",
    customer_id: customer.row.id,
    ...(referral && { voucher_id: referral.row.id, campaign_id: referral.row.campaign_id }),
    payload: {
      event: { id: publicId(id), type: schema.name, metadata: sent.metadata ?? {} },
      event_schema: { id: schema.id, name: schema.name },
      customer: { id: customer.row.id, object: "customer" },
      referral: referral && {
        referrer: referral.referrer_id === null ? null : { id: referral.referrer_id, object: "customer" },
        ...codeShown(referral.row),
      },
      loyalty: card?.voucher ? codeShown(card.voucher) : ofProgram,
    },
  };
}
