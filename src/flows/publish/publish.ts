import type { Catalog } from "../../catalog/catalog.ts";
import { type Answer, refusal, refused, success } from "../../core/answer.ts";
import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { countMax, joinsOnce, publishFault } from "../../core/publish/publish.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import type { CommandHead } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import { type EventsOf, type NewEvent, recordAll, withIds } from "../../events/events.ts";
import { hotFlow } from "../../idempotency/hot-flow.ts";
import {
  type CustomersAtWork,
  confirmedEvents,
  customerEvents,
  openCustomers,
  type Saved,
} from "../../resources/customers/customers/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { PublicationBody } from "../../resources/promotions/publications/schema.ts";
import {
  firstPublications,
  insertPublications,
  type PublicationRow,
  takenSourceIds,
} from "../../resources/promotions/publications/store.ts";
import { type HolderRow, insertHolders } from "../../resources/promotions/redeemable-holders/store.ts";
import { vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { customerSent, personFrom } from "../../steps/checkout/carts.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";
import { segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { membersNow } from "../../steps/points/point-members.ts";
import { campaignsOf } from "../../steps/promotions/voucher-view.ts";
import { holderEvent, holderRow, publicationEvents } from "../../steps/publishing/publication-rows.ts";
import { publicationMade, publicationRow } from "../../steps/publishing/publication-view.ts";
import { type CodesAtWork, nameIn, openCodes, type Wish, wishOf } from "../../steps/publishing/publishing.ts";

/** A request to publish, with all that it makes: a batch gives the same as one after the other. */
export type PublishCommand = CommandHead & {
  sent: PublicationBody;
  /** Null: as the campaign says. */
  join_once: boolean | null;
  /** The loyalty campaign that somebody joins: then the card is the answer. */
  joins?: string;
};

/**
 * Publishes a batch in one transaction: lock in order (keys, customers, campaigns that codes are taken from, codes),
 * decide one after the other in memory, and save all of it in a fixed number of statements.
 */
export const publish = hotFlow<PublishCommand>({
  name: "publish",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  run: async (tx, projectId, { commands }, answer) => {
    const answers = new Map<PublishCommand, Answer>();
    const causes: Cause[] = [];
    const joined: [PublishCommand, string][] = [];
    const work = commands.length > 0 ? await openWork(tx, projectId, commands) : null;
    for (const round of roundsOf(commands, work)) {
      const outcomes = round.map((command) => [command, publishOne(command, work!)] as const);
      causes.push(...(await saveWork(tx, projectId, work!)));
      for (const [command, outcome] of outcomes)
        if (command.joins !== undefined && "row" in outcome) joined.push([command, outcome.vouchers[0]!.id]);
        else answers.set(command, answerOf(command, outcome, work!));
    }
    if (causes.length > 0)
      await recordAll(tx, projectId, await settleCauses(tx, commands[0]!.project, work!.catalog, causes));
    const cards = await membersNow(tx, work?.catalog, joined);
    for (const [n, [command]] of joined.entries()) answers.set(command, success(command.forCaller(cards[n]!)));
    return answer(answers);
  },
});

/** What a batch works on: rows that are locked, and what becomes of them. */
type Work = {
  /** The newest configuration that a command of the batch has seen. */
  catalog: Catalog;
  campaigns: ReadonlyMap<string, Campaign>;
  wishes: Map<PublishCommand, Wish>;
  customers: CustomersAtWork;
  codes: CodesAtWork;
  /** Codes that were published before, and are shown again. */
  shown: Map<string, VoucherRow>;
  sourceIds: Set<string>;
  /** The first publication of a customer in a campaign. */
  joined: Map<string, PublicationRow>;
  // What is to be saved.
  publications: PublicationRow[];
  holders: Map<string, { of: PublishCommand; holder: Omit<HolderRow, "project_id"> }>;
  events: EventsOf<PublishCommand>[];
  touched: Map<string, PublishCommand>;
};

const joinedKey = (customerId: string, campaignId: string): string => `${customerId} ${campaignId}`;

/** Locks all that the batch may change, in the one order that all flows keep, and reads what the decisions need. */
async function openWork(tx: Tx, projectId: string, commands: readonly PublishCommand[]): Promise<Work> {
  const { project, catalog } = commands.reduce((newest, one) =>
    one.project.catalog_revision > newest.project.catalog_revision ? one : newest,
  );
  const given = commands.flatMap(({ sent }) => customerSent(sent) ?? []);
  const texts = commands.flatMap(({ sent }) => (typeof sent.customer === "string" ? [sent.customer] : []));
  const named = [...given, ...texts.map((source_id) => ({ source_id }))];
  const customers = await openCustomers(tx, projectId, named);
  const wishes = new Map(commands.map((command) => [command, wishOf(command.sent, catalog, command)]));
  const codes = await openCodes(tx, project, [...wishes.values()]);
  const [sourceIds, joined] = await Promise.all([
    takenSourceIds(
      tx,
      projectId,
      commands.flatMap(({ sent }) => sent.source_id ?? []),
    ),
    loadJoined(tx, projectId, { wishes, customers, codes, catalog }),
  ]);
  const again = joined.flatMap(({ voucher_ids }) => voucher_ids);
  const before = again.length > 0 ? await vouchersById(tx, projectId, again) : [];
  const locked = [...wishes.values()].flatMap(({ voucher }) => (voucher === null ? [] : (codes.named(voucher) ?? [])));
  return {
    catalog,
    campaigns: await campaignsOf(tx, projectId, catalog, [...before, ...locked]),
    wishes,
    customers,
    codes,
    shown: new Map(before.map((row) => [row.id, row])),
    sourceIds,
    joined: new Map(joined.map((one) => [joinedKey(one.customer_id!, one.campaign_id!), one])),
    publications: [],
    holders: new Map(),
    events: [],
    touched: new Map(),
  };
}

type Joining = Pick<Work, "wishes" | "customers" | "codes" | "catalog">;

/** What those who join once were given before. Their rows are locked: nobody gives them more. */
async function loadJoined(tx: Tx, projectId: string, { wishes, customers, codes, catalog }: Joining) {
  const customerIds = new Set<string>();
  const campaignIds = new Set<string>();
  for (const [{ sent, join_once }, { voucher, campaign }] of wishes) {
    const named = voucher === null ? campaign : catalog.campaigns.get(codes.named(voucher)?.campaign_id ?? "");
    const customer = customerOf(sent, customers);
    if (!named || !customer || !joinsOnce(named, join_once)) continue;
    customerIds.add(customer.id);
    campaignIds.add(named.id);
  }
  if (customerIds.size === 0) return [];
  return firstPublications(tx, projectId, { customerIds: [...customerIds], campaignIds: [...campaignIds] });
}

/** Whom a request is about, when it is somebody who is known already. */
function customerOf(sent: PublicationBody, { byId, bySource }: CustomersAtWork) {
  const { id, source_id } = customerSent(sent)!;
  const text = typeof sent.customer === "string" ? sent.customer : (source_id ?? "");
  return (id ? byId(id) : undefined) ?? bySource(text);
}

/** Who is in a segment is worked out from rows: then a customer comes once in a round, and the next reads them again. */
function roundsOf(commands: readonly PublishCommand[], work: Work | null): readonly (readonly PublishCommand[])[] {
  const looks = [...(work?.catalog.segments.values() ?? [])].some(({ type }) => type === "auto-update");
  if (!looks) return commands.length > 0 ? [commands] : [];
  const rounds: PublishCommand[][] = [[]];
  let seen = new Set<string>();
  for (const command of commands) {
    const { id, source_id } = customerSent(command.sent)!;
    const name = customerOf(command.sent, work!.customers)?.id ?? id ?? source_id ?? "";
    if (name !== "" && seen.has(name)) {
      rounds.push([]);
      seen = new Set();
    }
    seen.add(name);
    rounds.at(-1)!.push(command);
  }
  return rounds;
}

type Published = { row: PublicationRow; customer: Saved["row"]; vouchers: readonly VoucherRow[] };
type Outcome = Published | { refused: ErrorBody };

function publishOne(command: PublishCommand, work: Work): Outcome {
  const { sent, catalog } = command;
  if (!sent.voucher && !nameIn(sent))
    return { refused: errorBody("missing_vouchers", { details: "Either Campaign or Voucher is required" }) };
  const customer = proposeCustomer(command, work);
  if ("refused" in customer) return customer;
  const source = sourceOf(command, work);
  if ("refused" in source) return source;
  const details = metadataFault(catalog.metadata_schemas, "publication", {
    metadata: (sent.metadata ?? {}) as never,
    on: "create",
  });
  if (details !== null) return { refused: errorBody("metadata_validation_failed", { details }) };
  // Contract is silent: a name that is taken is not kept as a failure, so that who looks for it finds the publication.
  if (sent.source_id && work.sourceIds.has(sent.source_id))
    return {
      refused: errorBody("duplicate_source_id", {
        details: `Publication with source_id: '${sent.source_id}' already exists`,
      }),
    };
  const attempt: Attempt = { command, work, customer, ...source };
  const chosen = choose(attempt);
  if (Array.isArray(chosen)) return succeed(attempt, chosen);
  return "error" in chosen ? fail(attempt, chosen.error) : repeat(attempt, chosen.again);
}

/** The customer after what was sent. Nothing is changed yet. */
function proposeCustomer({ sent, project, catalog, now, newId }: PublishCommand, { customers }: Work) {
  const person = personFrom(sent, customers, project.secret);
  if ("refused" in person) return person;
  const given = customerSent(sent)!;
  return customers.propose(typeof sent.customer === "string" ? { id: person.customer!.id! } : given, {
    secret: project.secret,
    now,
    newId,
    metadataFault: (metadata, on) => metadataFault(catalog.metadata_schemas, "customer", { metadata, on }),
  });
}

type Source = { campaign: Campaign | null; voucher: VoucherRow | null };
type Attempt = Source & { command: PublishCommand; work: Work; customer: Saved };

/** The code or the campaign that is named; a code of a campaign in the bin is there too. */
function sourceOf(command: PublishCommand, { wishes, codes, campaigns }: Work): Source | { refused: ErrorBody } {
  const { voucher: reference, campaign } = wishes.get(command)!;
  if (reference === null)
    return campaign ? { campaign, voucher: null } : { refused: notFound("campaign", nameIn(command.sent)).body };
  const voucher = codes.named(reference);
  const own = voucher && (voucher.campaign_id === null ? null : campaigns.get(voucher.campaign_id));
  const isElsewhere = command.joins !== undefined && command.joins !== voucher?.campaign_id;
  if (!voucher || own === undefined || isElsewhere) return { refused: notFound("voucher", reference).body };
  return { campaign: own, voucher };
}

/** The codes to publish, or what the customer was given before, or why there is none. */
function choose(attempt: Attempt): VoucherRow[] | { again: PublicationRow } | { error: ErrorBody } {
  const { command, work, campaign, voucher, customer } = attempt;
  const { sent, now, join_once } = command;
  const isOnce = joinsOnce(campaign, join_once);
  const wish = work.wishes.get(command)!;
  const most = countMax({ isNamed: !!sent.source_id, isOnce });
  if (wish.count > most)
    return { error: errorBody("too_many_vouchers_requested", { details: `Only up to ${most} can be published` }) };
  const again = isOnce ? work.joined.get(joinedKey(customer.row.id, campaign!.id)) : undefined;
  if (again && (voucher === null || again.voucher_ids.includes(voucher.id))) return { again };
  if (again)
    return {
      error: errorBody("voucher_cannot_be_published", {
        details: "Voucher cannot be published. Customer already joined program.",
      }),
    };
  if (voucher) {
    const error = publishFault(voucher, campaign, { settings: settingsOf(voucher, campaign), now });
    return error ? { error } : [voucher];
  }
  return (
    work.codes.take(wish, campaign!) ?? {
      error: errorBody("no_voucher_suitable_for_publication", {
        details: "Couldn't create new vouchers for publication",
      }),
    }
  );
}

const rowOf = ({ command, campaign, voucher, customer }: Attempt): PublicationRow =>
  publicationRow(command, { campaign, voucher, customer: customer.row });

/** Nothing changes but that it is known. A customer whom only a success would have made is not made. */
function fail(attempt: Attempt, error: ErrorBody): Outcome {
  const { command, work, customer, voucher, campaign } = attempt;
  const customer_id = customer.created ? null : customer.row.id;
  const row: PublicationRow = {
    ...rowOf(attempt),
    customer_id,
    tracking_id: customer.created ? null : customer.row.tracking_id,
    result: "FAILURE",
    failure_code: error.key,
    failure_message: error.message,
  };
  work.publications.push(row);
  const about = { customer_id, voucher_id: voucher?.id ?? null, campaign_id: campaign?.id ?? null };
  const payload = { publication_id: row.id, failure_code: error.key };
  work.events.push({ of: command, happened: [{ kind: "customer.publication.failed", ...about, payload }] });
  return { refused: { ...error, resource_id: row.id, resource_type: "publication" } };
}

function acceptCustomer({ command, work, customer }: Attempt): readonly NewEvent[] {
  work.customers.accept(customer);
  if (customer.created || customer.changed.length > 0) work.touched.set(customer.row.id, command);
  return customerEvents([customer]);
}

/** Who has joined gets the same again: nothing is published. */
function repeat(attempt: Attempt, row: PublicationRow): Outcome {
  const { work, command, customer } = attempt;
  work.events.push({ of: command, happened: [...acceptCustomer(attempt)] });
  const vouchers = row.voucher_ids.flatMap((id) => work.codes.byId(id) ?? work.shown.get(id) ?? []);
  return { row, customer: customer.row, vouchers };
}

function succeed(attempt: Attempt, codes: readonly VoucherRow[]): Outcome {
  const { command, work, customer, campaign } = attempt;
  const { now, sent } = command;
  const changed = acceptCustomer(attempt);
  const vouchers = codes.map((row) => work.codes.publish(row, { campaign, customerId: customer.row.id, now }));
  const row: PublicationRow = {
    ...rowOf(attempt),
    voucher_ids: vouchers.map(({ id }) => id),
    voucher_code: vouchers.length === 1 ? vouchers[0]!.code : null,
  };
  work.publications.push(row);
  if (sent.source_id) work.sourceIds.add(sent.source_id);
  if (campaign) {
    const key = joinedKey(customer.row.id, campaign.id);
    if (!work.joined.has(key)) work.joined.set(key, row);
  }
  for (const voucher of vouchers) hold(attempt, voucher);
  work.events.push({ of: command, happened: [...changed, ...publicationEvents(row, vouchers)] });
  return { row, customer: customer.row, vouchers };
}

/** Who has a code already stays its holder. */
function hold({ command, work, customer, campaign }: Attempt, voucher: VoucherRow): void {
  const customer_id = customer.row.id;
  const key = `${voucher.id} ${customer_id}`;
  if (work.holders.has(key)) return;
  const metadata = { ...command.sent.metadata };
  work.holders.set(key, {
    of: command,
    holder: holderRow(command, voucher, { campaign, customerId: customer_id, metadata }),
  });
}

/** Everything that was decided since the last time, each kind in one statement; and what points may follow from. */
async function saveWork(tx: Tx, projectId: string, work: Work): Promise<Cause[]> {
  const { customers, codes, catalog, publications, holders, events, touched } = work;
  const confirmed = await customers.save();
  await codes.save();
  const held = await insertHolders(
    tx,
    projectId,
    [...holders.values()].map(({ holder }) => holder),
  );
  await insertPublications(tx, projectId, publications);
  const isNew = new Set(held.map(({ id }) => id));
  const assigned = [...holders.values()].filter(({ holder }) => isNew.has(holder.id));
  await recordAll(tx, projectId, [
    ...events,
    ...assigned.map(({ of, holder }) => ({ of, happened: [holderEvent(holder)] })),
  ]);
  const [first] = touched.values();
  const now = (id: string) => touched.get(id)!.now;
  const moved = first
    ? await refreshMemberships({ db: tx, project: first.project, now }, catalog, [...touched.keys()])
    : [];
  const later = [...confirmedEvents(confirmed), ...moved].map((one) => {
    const of = touched.get(one.customer_id)!;
    return { of, happened: withIds(of, [one]) };
  });
  await recordAll(tx, projectId, later);
  const entered = later.flatMap(({ of, happened }) => segmentsEntered(happened, of));
  const causes = first ? await openCauses(tx, first.project, catalog, entered) : [];
  for (const done of [publications, events]) done.length = 0;
  for (const done of [holders, touched]) done.clear();
  return causes;
}

function answerOf({ project, request_id, forCaller }: PublishCommand, outcome: Outcome, work: Work): Answer {
  if ("refused" in outcome) return refused(outcome.refused, request_id);
  const shown = { campaigns: work.campaigns, categories: work.catalog.categories };
  return success(forCaller(publicationMade(outcome.row, outcome, { shown, project })));
}
