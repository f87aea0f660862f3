import type { Catalog } from "../../catalog/catalog.ts";
import type { ErrorBody } from "../../core/errors.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { HolderRow, PublicationRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { CommandHead } from "../../ctx.ts";
import type { NewEvent } from "../../events/events.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { PublicationBody } from "../../resources/promotions/publications/schema.ts";
import { customerSent } from "../../steps/checkout/carts.ts";
import type { CustomersAtWork } from "../../steps/customers/customers.ts";
import type { CodesAtWork, DrawnCodes, HandedCode } from "../../steps/publishing/publishing.ts";
import type { Wish } from "../../steps/publishing/wishes.ts";

/** A request to publish, with all that it makes: a batch gives the same as one after the other. */
export type PublishCommand = CommandHead & {
  sent: PublicationBody;
  /** Null: as the campaign says. */
  join_once: boolean | null;
  /** The loyalty campaign that somebody joins: then the card is the answer. */
  joins?: string;
};

/** What a batch is decided from: rows that are locked, as each command finds them after those before it. */
export type PublishState = {
  /** The newest configuration that a command of the batch has seen. */
  catalog: Catalog;
  campaigns: ReadonlyMap<string, Campaign>;
  wishes: ReadonlyMap<PublishCommand, Wish>;
  customers: CustomersAtWork;
  codes: CodesAtWork;
  /** Codes that were published before, and are shown again. */
  shown: ReadonlyMap<string, VoucherRow>;
  /** Source ids of publications that are there. */
  sourceIds: Set<string>;
  /** The first publication of a customer in a campaign. */
  joined: Map<string, PublicationRow>;
};

/** A publication with what is shown of it. */
export type ShownPublication = { row: PublicationRow; customer: SavedCustomer["row"]; vouchers: readonly VoucherRow[] };

/** What one command does. */
export type PublishPlan = {
  of: PublishCommand;
  outcome: ShownPublication | { refused: ErrorBody };
  /** The publication to be kept, also one that failed; null: none. */
  row: PublicationRow | null;
  /** The customer after what was sent; null: nothing is saved of them. */
  customer: SavedCustomer | null;
  /** Codes that it takes out of a campaign. */
  drawn: DrawnCodes | null;
  published: readonly HandedCode[];
  holders: readonly Omit<HolderRow, "project_id">[];
  happened: readonly NewEvent[];
};

export const joinedKey = (customerId: string, campaignId: string): string => `${customerId} ${campaignId}`;

/** The customer whom a request is about, when they are there already. */
export function publishedTo(sent: PublicationBody, { byId, bySource }: CustomersAtWork) {
  const { id, source_id } = customerSent(sent)!;
  const text = typeof sent.customer === "string" ? sent.customer : (source_id ?? "");
  return (id ? byId(id) : undefined) ?? bySource(text);
}

/** The state becomes what the next command of the batch finds. */
export function applyPublishPlan(state: PublishState, { of, row, customer, drawn, published }: PublishPlan): void {
  if (customer) state.customers.accept(customer);
  if (drawn) state.codes.acceptDrawn(drawn);
  for (const code of published) state.codes.acceptPublished(code);
  if (row?.result !== "SUCCESS") return;
  if (of.sent.source_id) state.sourceIds.add(of.sent.source_id);
  if (row.campaign_id === null) return;
  const key = joinedKey(row.customer_id!, row.campaign_id);
  if (!state.joined.has(key)) state.joined.set(key, row);
}
