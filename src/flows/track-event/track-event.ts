import type { Catalog } from "../../catalog/catalog.ts";
import { type Answer, refusal, refused, success } from "../../core/answer.ts";
import { foldCode, trimCode } from "../../core/codes/code.ts";
import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { Definition } from "../../core/metadata/definition.ts";
import { isSamePerson } from "../../core/referrals/person.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { restarted, type Steps } from "../../core/steps.ts";
import type { CommandHead } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import { type EventsOf, type NewEvent, recordAll, withIds } from "../../events/events.ts";
import { hotFlow } from "../../idempotency/hot-flow.ts";
import type { CustomEventSchemaRow } from "../../resources/customers/custom-event-schemas/store.ts";
import {
  type CustomersAtWork,
  confirmedEvents,
  customerEvents,
  openCustomers,
  type Saved,
  trackingIdOf,
  type Upserted,
} from "../../resources/customers/customers/store.ts";
import type { Event, EventBody } from "../../resources/customers/events/schema.ts";
import { cardsByCode } from "../../resources/loyalty-v2/cards/store.ts";
import { loadMembersById } from "../../resources/loyalty-v2/members/store.ts";
import { findVouchers } from "../../resources/promotions/vouchers/store.ts";
import { customerShown } from "../../steps/checkout/redemption-view.ts";
import { keepsMembers, refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses, segmentsWatched } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";
import { type EarningTrigger, inOrder, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import {
  convertReferrals,
  isOpen,
  isReferral,
  notPublished,
  programOf,
  type Referred,
  referralsIn,
  referrersOf,
} from "../../steps/referrals/referrals.ts";

/** A custom event, with all that it makes: a batch gives the same as one after the other. */
export type TrackCommand = Omit<CommandHead, "forCaller"> & {
  /** Counts what the request costs. */
  steps?: Steps | undefined;
  sent: EventBody;
  /** Whether points may follow from it. */
  mayEarn: boolean;
  /** Whether the customer may be created or changed by it. */
  mayWrite: boolean;
  /** What the caller is shown of the event. */
  forCaller(event: Event): object;
};

/**
 * Records a batch of events in one transaction: lock the customers, decide one after the other in memory, save all of
 * it, and settle the points that follow, each in a fixed number of statements.
 */
export const trackEvent = hotFlow<TrackCommand>({
  name: "track-event",
  failed: ({ request_id }, key, details) => refusal(key, { request_id, ...(details && { details }) }),
  run: async (tx, projectId, { commands }, answer) => {
    const answers = new Map<TrackCommand, Answer>();
    const work = commands.length > 0 ? await openWork(tx, projectId, commands) : null;
    const causes: Cause[] = [];
    for (const round of work ? roundsOf(commands, work) : []) {
      for (const command of round) answers.set(command, trackOne(command, work!));
      // One after the other, points of the events before come first.
      if (work!.referred.length > 0)
        await recordAll(tx, projectId, await settleCauses(tx, work!.project, work!.catalog, causes.splice(0)));
      causes.push(...(await saveRound(tx, projectId, work!)));
    }
    if (work) await recordAll(tx, projectId, await settleCauses(tx, work.project, work.catalog, causes));
    return answer(answers);
  },
});

/** A card of a program, or a code that is one. */
type CardNamed = { id: string; customer_id: string | null; voucher: VoucherRow | null };

/** What a batch works on. */
type Work = {
  project: TrackCommand["project"];
  /** The newest configuration that a command of the batch has seen. */
  catalog: Catalog;
  customers: CustomersAtWork;
  /** Whose a card is, by its code: a card of a program with its customer, or a code of another kind. */
  cards: ReadonlyMap<string, CardNamed>;
  /** Referral codes, by their codes. */
  shared: ReadonlyMap<string, VoucherRow>;
  // What is to be saved.
  events: EventsOf<TrackCommand>[];
  told: EarningTrigger[];
  /** Friends who may have come through a referral code. */
  referred: Referred<TrackCommand>[];
  /** Customers, with the last command that was theirs. */
  touched: Map<string, TrackCommand>;
};

async function openWork(tx: Tx, projectId: string, commands: readonly TrackCommand[]): Promise<Work> {
  const { project, catalog } = commands.reduce((newest, one) =>
    one.project.catalog_revision > newest.project.catalog_revision ? one : newest,
  );
  const sharedCodes = commands.flatMap(({ sent }) => (sent.referral ? trimCode(sent.referral.code) : []));
  const shared = sharedCodes.length > 0 ? await findVouchers(tx, project, sharedCodes) : [];
  const given = commands.map(({ sent }) => sent.customer);
  const customers = await openCustomers(tx, projectId, given, { ids: referrersOf(catalog, shared) });
  const codes = commands.flatMap(({ sent }) => sent.loyalty?.code ?? []);
  const cards = codes.length > 0 ? await loadCards(tx, project, codes) : new Map();
  const byCode = new Map(shared.map((row) => [row.code_folded, row]));
  return { project, catalog, customers, cards, shared: byCode, events: [], told: [], referred: [], touched: new Map() };
}

/** Cards of programs, and loyalty cards that are codes of campaigns. */
async function loadCards(tx: Tx, project: Work["project"], codes: readonly string[]): Promise<Work["cards"]> {
  const cards = await cardsByCode(tx, project, codes);
  const memberIds = cards.map(({ member_id }) => member_id);
  const members = await loadMembersById(tx, project.id, memberIds);
  const customerOf = new Map(members.map(({ id, customer_id }) => [id, customer_id]));
  const vouchers = await findVouchers(tx, project, codes);
  return new Map([
    ...vouchers
      .filter(({ type }) => type === "LOYALTY_CARD")
      .map((row): [string, CardNamed] => [row.code_folded, { id: row.id, customer_id: row.holder_id, voucher: row }]),
    ...cards.map(({ id, member_id, code_folded }): [string, CardNamed] => [
      code_folded,
      { id, customer_id: customerOf.get(member_id) ?? null, voucher: null },
    ]),
  ]);
}

/**
 * Who is in a segment is worked out from rows: then a customer comes once in a round, and the next reads them again. What
 * a friend brings goes on cards that the events before may have brought points on: that is another round, too.
 */
function roundsOf(commands: readonly TrackCommand[], work: Work): TrackCommand[][] {
  const { catalog, customers } = work;
  const looks = keepsMembers(catalog) || segmentsWatched(catalog).size > 0 || referralsIn(catalog).segments.size > 0;
  if (!looks && !commands.some(({ sent }) => sent.referral)) return [[...commands]];
  const rounds: TrackCommand[][] = [[]];
  let seen = new Set<string>();
  for (const command of commands) {
    const { id, source_id } = command.sent.customer;
    const name = id || (source_id ? (customers.bySource(source_id)?.id ?? nameOf(source_id, command.project)) : "");
    const referrer = sharedBy(command, work)?.holder_id ?? null;
    const people = [name, ...(referrer === null ? [] : [referrer])].filter((one) => one !== "");
    if ((looks || referrer !== null) && people.some((one) => seen.has(one))) {
      rounds.push([]);
      seen = new Set();
    }
    for (const one of looks ? people : [name]) seen.add(one);
    rounds.at(-1)!.push(command);
  }
  return rounds;
}

/** Who is new may be named by the source id and by the tracking id that it makes. */
const nameOf = (sourceId: string, { secret }: Work["project"]): string =>
  sourceId.startsWith("track_") ? sourceId : trackingIdOf(secret, sourceId);

/** The referral code that a command names. */
const sharedBy = ({ sent, project }: TrackCommand, { shared }: Work): VoucherRow | undefined =>
  sent.referral ? shared.get(foldCode(trimCode(sent.referral.code), project.case_sensitive_codes)) : undefined;

function trackOne(command: TrackCommand, work: Work): Answer {
  const { sent, request_id } = command;
  restarted(command.steps);
  const checked = check(command, work);
  if ("refused" in checked) return refused(checked.refused, request_id);
  const { schema, customer, card, referral } = checked;
  work.customers.accept(customer);
  const metadata = sent.metadata ?? {};
  const { id: customer_id } = customer.row;
  const before = withIds(command, customerEvents([customer]));
  const id = command.newId("ev");
  const event = eventOf(id, command, checked);
  if (referral?.brought && command.mayEarn) {
    const by = { type: "custom_event" as const, id: publicId(id) };
    work.referred.push({ ...referral.brought, of: command, referee_id: customer_id, by });
  }
  work.events.push({ of: command, happened: [...before, event] });
  work.touched.set(customer_id, command);
  if (command.mayEarn)
    work.told.push({
      of: command,
      id,
      customer: customer.row,
      kind: "customer.custom_event",
      customer_id,
      schema_id: schema.id,
      metadata,
      card_id: card?.id ?? null,
    });
  const shown = customerShown(customer.row) as Event["customer"];
  const told: Event = { object: "event", type: schema.name, customer: shown, referral: null, loyalty: null, metadata };
  return success(command.forCaller(told));
}

const publicId = (id: string): string => id.replace(/^ev_/, "event_");

/** As it is kept: customers are named by their ids only. */
function eventOf(id: string, { sent, catalog }: TrackCommand, { schema, customer, card, referral }: Checked): NewEvent {
  const campaign = (one: VoucherRow) => {
    const found = catalog.campaigns.get(one.campaign_id ?? "");
    return found ? { id: found.id, name: found.name, object: "campaign" } : null;
  };
  const named = (one: VoucherRow) => ({
    voucher: { id: one.id, code: one.code, object: "voucher" },
    campaign: campaign(one),
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
        ...named(referral.row),
      },
      loyalty: card?.voucher ? named(card.voucher) : ofProgram,
    },
  };
}

/** The referral code that an event names. */
type Referring = {
  row: VoucherRow;
  referrer_id: string | null;
  /** Through whom the customer came, where this event counts for that. */
  brought: Pick<Referred, "campaign" | "voucher" | "referrer_id"> | null;
};
type Checked = { schema: CustomEventSchemaRow; customer: Saved; card: CardNamed | null; referral: Referring | null };

/** What a command is about, or why it is refused. Nothing is changed yet. */
function check(command: TrackCommand, work: Work): Checked | { refused: ErrorBody } {
  const { sent, catalog } = command;
  const schema = catalog.custom_event_schemas.get(sent.event);
  if (!schema) return { refused: notFound("custom_event_schema", sent.event).body };
  const fault = eventFault(schema, sent.metadata ?? {});
  if (fault !== null) return { refused: errorBody("metadata_validation_failed", { details: fault }) };
  const customer = proposeCustomer(command, work);
  if ("refused" in customer) return customer;
  const referral = referralOf(command, work, { schema, customer });
  if (referral && "refused" in referral) return referral;
  const code = sent.loyalty?.code;
  if (code === undefined) return { schema, customer, card: null, referral };
  const card = work.cards.get(foldCode(trimCode(code), command.project.case_sensitive_codes));
  // Contract is silent: a card that is not the customer's is as good as none.
  if (card?.customer_id !== customer.row.id) return { refused: notFound("loyalty_card", code).body };
  return { schema, customer, card, referral };
}

/** The code through which the customer came. What is not open, or waits for something else, is only recorded. */
function referralOf(
  command: TrackCommand,
  work: Work,
  { schema, customer }: Pick<Checked, "schema" | "customer">,
): Referring | { refused: ErrorBody } | null {
  const { sent, catalog, now, project } = command;
  if (!sent.referral) return null;
  const { code, referrer_id } = sent.referral;
  const row = sharedBy(command, work);
  const campaign = catalog.campaigns.get(row?.campaign_id ?? "");
  if (!row || !isReferral(campaign)) return { refused: notFound("voucher", code).body };
  const referrer = work.customers.byId(row.holder_id ?? "");
  const recorded = { row, referrer_id: referrer?.id ?? null, brought: null };
  if (!isOpen(row, campaign, { now, timezone: project.timezone })) return recorded;
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

function eventFault({ name, schema }: CustomEventSchemaRow, metadata: Readonly<Record<string, unknown>>) {
  const properties = schema.properties as Record<string, Definition>;
  return metadataFault(new Map([[name, { properties, allow_defined_only: false }]]), name, { metadata, on: "create" });
}

/** The customer after what was sent. Who may not write one finds who is there, or nobody. */
function proposeCustomer({ sent, project, catalog, now, newId, mayWrite }: TrackCommand, work: Work): Upserted {
  const { customers } = work;
  if (!mayWrite) {
    const { id, source_id } = sent.customer;
    const row = customers.byId(id ?? "") ?? customers.bySource(source_id ?? "");
    return row ? { row, created: false, changed: [] } : { refused: notFound("customer", id || source_id || "").body };
  }
  return customers.propose(sent.customer, {
    secret: project.secret,
    now,
    newId,
    metadataFault: (metadata, on) => metadataFault(catalog.metadata_schemas, "customer", { metadata, on }),
  });
}

/** Everything that the round decided, each kind in one statement; and what points may follow from. */
async function saveRound(tx: Tx, projectId: string, work: Work): Promise<Cause[]> {
  const { project, catalog, customers, events, told, referred, touched } = work;
  const confirmed = await customers.save();
  await recordAll(tx, projectId, events);
  const converted = await convertReferrals(tx, project, catalog, referred);
  await recordAll(tx, projectId, converted.following);
  for (const [id, of] of converted.referrers) if (!touched.has(id)) touched.set(id, of);
  const now = (id: string) => touched.get(id)!.now;
  const moved = await refreshMemberships({ db: tx, project, now }, catalog, [...touched.keys()]);
  const later = [...confirmedEvents(confirmed), ...moved].map((one) => {
    const of = touched.get(one.customer_id)!;
    return { of, happened: withIds(of, [one]) };
  });
  await recordAll(tx, projectId, later);
  const mayEarn = later.filter(({ of }) => of.mayEarn);
  const entered = mayEarn.flatMap(({ of, happened }) => segmentsEntered(happened, of));
  const requests = events.map(({ of }) => of);
  const causes = await openCauses(tx, project, catalog, inOrder(requests, [...told, ...converted.told, ...entered]));
  for (const done of [events, told, referred]) done.length = 0;
  touched.clear();
  return causes;
}
