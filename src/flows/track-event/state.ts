import type { Catalog } from "../../catalog/catalog.ts";
import { foldCode, trimCode } from "../../core/codes/code.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Steps } from "../../core/steps.ts";
import type { CommandHead } from "../../ctx.ts";
import type { Event, EventBody } from "../../resources/customers/events/schema.ts";
import type { CustomersAtWork } from "../../steps/customers/customers.ts";
import type { EarningAhead } from "../../steps/earning/earning-ahead.ts";

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

/** A card of a program, or a code that is one. */
export type CardNamed = { id: string; customer_id: string | null; voucher: VoucherRow | null };

/** What a batch of events is planned from: customers that are locked, and what the events name. */
export type TrackState = {
  project: TrackCommand["project"];
  /** The newest configuration that a command of the batch has seen. */
  catalog: Catalog;
  customers: CustomersAtWork;
  /** The cards that events name, by their folded codes. */
  cards: ReadonlyMap<string, CardNamed>;
  /** The referral codes that events name, by their folded codes. */
  referralCodes: ReadonlyMap<string, VoucherRow>;
  /** What points are put on, where it is locked with the customers; null where it waits for what the events bring. */
  ahead: EarningAhead | null;
};

/** The referral code that a command names. */
export const referralCodeOf = ({ sent, project }: TrackCommand, state: TrackState): VoucherRow | undefined =>
  sent.referral
    ? state.referralCodes.get(foldCode(trimCode(sent.referral.code), project.case_sensitive_codes))
    : undefined;
