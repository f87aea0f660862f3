import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { countMax, joinsOnce, publishFault } from "../../core/publish/publish.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { PublicationRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { customerSent, personFrom } from "../../steps/checkout/carts.ts";
import { customerChange, customerEvents } from "../../steps/customers/customers.ts";
import { holderRow, publicationEvents } from "../../steps/publishing/publication-rows.ts";
import { publicationRow } from "../../steps/publishing/publication-view.ts";
import type { DrawnCodes } from "../../steps/publishing/publishing.ts";
import { nameIn } from "../../steps/publishing/wishes.ts";
import { applyPublishPlan, joinedKey, type PublishCommand, type PublishPlan, type PublishState } from "./state.ts";

/** Each command is planned on what those before it left. */
export function* planRound(state: PublishState, round: readonly PublishCommand[]): Generator<PublishPlan> {
  for (const command of round) {
    const plan = planPublication(state, command);
    applyPublishPlan(state, plan);
    yield plan;
  }
}

const NOTHING = { row: null, customer: null, drawn: null, published: [], holders: [], happened: [] } as const;

/** What a command does. The state stays as it is. */
export function planPublication(state: PublishState, command: PublishCommand): PublishPlan {
  const attempt = attemptOf(state, command);
  if ("refused" in attempt) return { ...NOTHING, of: command, outcome: attempt };
  const chosen = choose(attempt);
  if ("error" in chosen) return planFailure(attempt, chosen.error);
  return "again" in chosen ? planRepeat(attempt, chosen.again) : planSuccess(attempt, chosen);
}

type Source = { campaign: Campaign | null; voucher: VoucherRow | null };
type Attempt = Source & { command: PublishCommand; state: PublishState; customer: SavedCustomer };

/** Who is given something of what; a request that cannot even be tried is refused, and nothing is kept of it. */
function attemptOf(state: PublishState, command: PublishCommand): Attempt | { refused: ErrorBody } {
  const { sent, catalog } = command;
  if (!sent.voucher && !nameIn(sent))
    return { refused: errorBody("missing_vouchers", { details: "Either Campaign or Voucher is required" }) };
  const customer = proposeCustomer(command, state);
  if ("refused" in customer) return customer;
  const source = sourceOf(command, state);
  if ("refused" in source) return source;
  const details = metadataFault(catalog.metadata_schemas, "publication", {
    metadata: (sent.metadata ?? {}) as never,
    on: "create",
  });
  if (details !== null) return { refused: errorBody("metadata_validation_failed", { details }) };
  // Contract is silent: a name that is taken is not kept as a failure, so that who looks for it finds the publication.
  if (sent.source_id && state.sourceIds.has(sent.source_id))
    return {
      refused: errorBody("duplicate_source_id", {
        details: `Publication with source_id: '${sent.source_id}' already exists`,
      }),
    };
  return { command, state, customer, ...source };
}

/** The customer after what was sent. Nothing is changed yet. */
function proposeCustomer(command: PublishCommand, { customers }: PublishState) {
  const { sent, project } = command;
  const person = personFrom(sent, customers, project.secret);
  if ("refused" in person) return person;
  const given = typeof sent.customer === "string" ? { id: person.customer!.id! } : customerSent(sent)!;
  return customers.propose(given, customerChange(command));
}

/** The code or the campaign that is named; a code of a campaign in the bin is there too. */
function sourceOf(
  command: PublishCommand,
  { wishes, codes, campaigns }: PublishState,
): Source | { refused: ErrorBody } {
  const { voucher: reference, campaign } = wishes.get(command)!;
  if (reference === null)
    return campaign ? { campaign, voucher: null } : { refused: notFound("campaign", nameIn(command.sent)).body };
  const voucher = codes.named(reference);
  const own = voucher && (voucher.campaign_id === null ? null : campaigns.get(voucher.campaign_id));
  const isElsewhere = command.joins !== undefined && command.joins !== voucher?.campaign_id;
  if (!voucher || own === undefined || isElsewhere) return { refused: notFound("voucher", reference).body };
  return { campaign: own, voucher };
}

/** Codes to publish; those of a campaign are drawn from it. */
type Chosen = { codes: readonly VoucherRow[]; drawn: DrawnCodes | null };

/** The codes to publish, or what the customer was given before, or why there is none. */
function choose(attempt: Attempt): Chosen | { again: PublicationRow } | { error: ErrorBody } {
  const { command, state, campaign, voucher, customer } = attempt;
  const { sent, now, join_once } = command;
  const isOnce = joinsOnce(campaign, join_once);
  const wish = state.wishes.get(command)!;
  const most = countMax({ isNamed: !!sent.source_id, isOnce });
  if (wish.count > most)
    return { error: errorBody("too_many_vouchers_requested", { details: `Only up to ${most} can be published` }) };
  const again = isOnce ? state.joined.get(joinedKey(customer.row.id, campaign!.id)) : undefined;
  if (again && (voucher === null || again.voucher_ids.includes(voucher.id))) return { again };
  if (again)
    return {
      error: errorBody("voucher_cannot_be_published", {
        details: "Voucher cannot be published. Customer already joined program.",
      }),
    };
  if (voucher) {
    const error = publishFault(voucher, campaign, { settings: settingsOf(voucher, campaign), now });
    return error ? { error } : { codes: [voucher], drawn: null };
  }
  const drawn = state.codes.draw(wish, campaign!);
  if (drawn) return { codes: drawn.rows, drawn };
  return {
    error: errorBody("no_voucher_suitable_for_publication", {
      details: "Couldn't create new vouchers for publication",
    }),
  };
}

const keepPublication = ({ command, campaign, voucher, customer }: Attempt): PublicationRow =>
  publicationRow(command, { campaign, voucher, customer: customer.row });

/** Records the failure and changes nothing else. A customer whom only a success would create is not created. */
function planFailure(attempt: Attempt, error: ErrorBody): PublishPlan {
  const { command, customer, voucher, campaign } = attempt;
  const customer_id = customer.created ? null : customer.row.id;
  const row: PublicationRow = {
    ...keepPublication(attempt),
    customer_id,
    tracking_id: customer.created ? null : customer.row.tracking_id,
    result: "FAILURE",
    failure_code: error.key,
    failure_message: error.message,
  };
  const about = { customer_id, voucher_id: voucher?.id ?? null, campaign_id: campaign?.id ?? null };
  const payload = { publication_id: row.id, failure_code: error.key };
  return {
    ...NOTHING,
    of: command,
    outcome: { refused: { ...error, resource_id: row.id, resource_type: "publication" } },
    row,
    happened: [{ kind: "customer.publication.failed", ...about, payload }],
  };
}

/** A customer who has joined gets the same codes again: nothing is published. */
function planRepeat({ command, state, customer }: Attempt, row: PublicationRow): PublishPlan {
  const vouchers = row.voucher_ids.flatMap((id) => state.codes.byId(id) ?? state.shown.get(id) ?? []);
  return {
    ...NOTHING,
    of: command,
    outcome: { row, customer: customer.row, vouchers },
    customer,
    happened: customerEvents([customer]),
  };
}

function planSuccess(attempt: Attempt, { codes, drawn }: Chosen): PublishPlan {
  const { command, state, customer, campaign } = attempt;
  const { now, newId, sent } = command;
  const customerId = customer.row.id;
  const published = codes.map((code) => state.codes.give(code, { campaign, customerId, now, newId }));
  const vouchers = published.map((code) => code.row);
  const row: PublicationRow = {
    ...keepPublication(attempt),
    voucher_ids: vouchers.map(({ id }) => id),
    voucher_code: vouchers.length === 1 ? vouchers[0]!.code : null,
  };
  const metadata = { ...sent.metadata };
  return {
    of: command,
    outcome: { row, customer: customer.row, vouchers },
    row,
    customer,
    drawn,
    published,
    holders: vouchers.map((voucher) => holderRow(command, voucher, { campaign, customerId, metadata })),
    happened: [...customerEvents([customer]), ...publicationEvents(row, vouchers)],
  };
}
