import { pendingView } from "../core/ledger/pending-points.ts";
import { transactionView } from "../core/ledger/transaction-view.ts";
import { orderAt } from "../core/redeem/order-shown.ts";
import type { RedemptionRow } from "../core/rows/redemption.ts";
import type { VoucherRow } from "../core/rows/voucher.ts";
import {
  pointBuckets,
  simpleCampaign,
  simpleCustomer,
  simpleOrder,
  simplePromotionTier,
  simplePublication,
  simpleRedemption,
  simpleVoucher,
} from "../core/webhooks/reduced.ts";
import { view as earningRuleView } from "../resources/loyalty-v1/earning-rules/store.ts";
import { view as validationRuleView } from "../resources/promotions/validation-rules/store.ts";
import type { LoadedKind, LoadedRows } from "./load-parts.ts";

type Fields = Record<string, unknown>;

/** An event, with what is loaded for it. */
export type LoadedEvent = {
  event: {
    id: string;
    customer_id?: string | null;
    voucher_id?: string | null;
    campaign_id?: string | null;
    payload?: Readonly<Fields>;
  };
  at: string;
  loaded: LoadedRows;
};
/** A piece of `data`: what it is made from, and how. Null: there is none. */
export type PayloadPart = { loads: readonly LoadedKind[]; of(about: LoadedEvent): unknown };

/** What of a payload is an object or a text; both are written by us. */
const objectIn = ({ event }: LoadedEvent, name: string) => (event.payload?.[name] ?? null) as Fields | null;
const idIn = ({ event }: LoadedEvent, name: string) => (event.payload?.[name] ?? "") as string;

/** A referral names the redemption that it came with as an object, as its activity shows it. */
const redemptionIdIn = (about: LoadedEvent): string =>
  idIn(about, "redemption_id") || ((objectIn(about, "redemption")?.id ?? "") as string);
const entryOf = (about: LoadedEvent) => about.loaded.entries.get(idIn(about, "transaction_id"));
const redemptionOf = (about: LoadedEvent): RedemptionRow | undefined =>
  about.loaded.redemptions.get(redemptionIdIn(about) || (entryOf(about)?.redemption_id ?? ""));
const rollbackOf = (about: LoadedEvent): RedemptionRow | undefined =>
  about.loaded.redemptions.get(idIn(about, "rollback_id") || (entryOf(about)?.rollback_id ?? ""));
const assignmentOf = (about: LoadedEvent) =>
  objectIn(about, "assignment") as { rule_id: string; related_object_type: string; related_object_id: string } | null;
/** The id of what a validation rule is assigned to, where that is such a thing. */
const assignedTo = (about: LoadedEvent, type: string): string =>
  assignmentOf(about)?.related_object_type === type ? assignmentOf(about)!.related_object_id : "";

/** The code, with its figures of use as the event left them. */
function voucherOf(about: LoadedEvent): VoucherRow | undefined {
  const row = about.loaded.vouchers.get(about.event.voucher_id || assignedTo(about, "voucher"));
  if (!row) return undefined;
  const redeemed = rollbackOf(about) ?? redemptionOf(about);
  const use = redeemed?.related_object_id === row.id ? redeemed.effect?.use : undefined;
  if (use && "redeemed_quantity" in use) return { ...row, ...use };
  const entry = entryOf(about);
  if (entry?.account_id !== row.id || entry.pot !== "available" || row.account === null) return row;
  return { ...row, account: { ...row.account, available: entry.balance, received: entry.total } };
}
const campaignOf = (about: LoadedEvent) =>
  about.loaded.campaigns.get(
    about.event.campaign_id || assignedTo(about, "campaign") || (voucherOf(about)?.campaign_id ?? ""),
  );
const personOf = ({ loaded }: LoadedEvent, id: string | null | undefined) => loaded.customers.get(id ?? "");
const customerIdOf = (about: LoadedEvent): string | null | undefined =>
  about.event.customer_id ||
  idIn(about, "customer_id") ||
  redemptionOf(about)?.customer_id ||
  voucherOf(about)?.holder_id;

const shownOrNull = <R, S>(row: R | undefined | null, show: (row: R) => S): S | null => (row ? show(row) : null);
const showRedemption = (about: LoadedEvent, row: RedemptionRow | undefined) =>
  shownOrNull(row, (one) =>
    simpleRedemption(one, { customer: personOf(about, one.customer_id) ?? null, order: orderOf(about) ?? null }),
  );
const orderOf = (about: LoadedEvent) => {
  const { order_id } = rollbackOf(about) ?? redemptionOf(about) ?? entryOf(about) ?? {};
  return about.loaded.orders.get(idIn(about, "order_id") || (order_id ?? ""));
};

/** The fields of `details` of an entry of the ledger, where they tell of it. */
const inDetails = (name: string): PayloadPart => ({
  loads: ["entries"],
  of: (about) => entryOf(about)?.details[name] ?? objectIn(about, name),
});
const inPayload = (...names: string[]): PayloadPart => ({
  loads: [],
  of: (about) => names.map((name) => about.event.payload?.[name]).find((value) => value !== undefined) ?? null,
});
const moment: PayloadPart = { loads: [], of: ({ at }) => at };
const nothing: PayloadPart = { loads: [], of: () => null };

/**
 * Every piece that `data` is put together from. What stands in the payload of the event is taken from there; all else is
 * read in the transaction of the event, so that it shows what the event left.
 */
export const PARTS = {
  ...{
    created_at: moment,
    updated_at: moment,
    deleted_at: moment,
    started_at: moment,
    completed_at: moment,
    failed_at: moment,
  },
  customer: {
    loads: ["customers", "vouchers", "redemptions"],
    of: (about) => shownOrNull(personOf(about, customerIdOf(about)), simpleCustomer),
  },
  full_customer: {
    loads: ["customers", "full_customers"],
    of: (about) => about.loaded.full_customers.get(customerIdOf(about) ?? "") ?? objectIn(about, "customer"),
  },
  holder: {
    loads: ["vouchers", "customers"],
    of: (about) => shownOrNull(personOf(about, voucherOf(about)?.holder_id), simpleCustomer),
  },
  campaign: {
    loads: ["vouchers", "campaigns", "categories"],
    of: (about) =>
      shownOrNull(campaignOf(about), (row) => simpleCampaign(row, about.loaded.categories.get(row.category_id ?? ""))),
  },
  full_campaign: inPayload("campaign"),
  voucher: {
    loads: ["vouchers", "campaigns", "categories"],
    of: (about) =>
      shownOrNull(voucherOf(about), (row) =>
        simpleVoucher(
          row,
          about.loaded.campaigns.get(row.campaign_id ?? "") ?? null,
          about.loaded.categories.get(row.category_id ?? ""),
        ),
      ),
  },
  // Events do not say whose a code is, so that nobody has to be erased from them.
  full_voucher: {
    loads: ["vouchers"],
    of: (about) => {
      const { holder_id = null, referrer_id = null } = voucherOf(about) ?? {};
      return { ...objectIn(about, "voucher"), holder_id, referrer_id };
    },
  },
  redemption: {
    loads: ["entries", "redemptions", "customers", "orders"],
    // It was not rolled back yet when something else happened to it.
    of: (about) => {
      const [row, isRolledBack] = [redemptionOf(about), rollbackOf(about) !== undefined];
      const isLater = row?.status === "ROLLED_BACK" && !isRolledBack;
      return showRedemption(about, isLater ? { ...row, status: "SUCCEEDED" } : row);
    },
  },
  redemption_rollback: {
    loads: ["entries", "redemptions", "customers", "orders"],
    of: (about) => showRedemption(about, rollbackOf(about)),
  },
  order: {
    loads: ["entries", "redemptions", "orders"],
    of: (about) => {
      const [row, now] = [rollbackOf(about) ?? redemptionOf(about), orderOf(about) ?? null];
      if (!row) return shownOrNull(now, simpleOrder);
      return shownOrNull(orderAt(row, now), simpleOrder) ?? (row.order_shown || shownOrNull(now, simpleOrder));
    },
  },
  promotion_tier: {
    loads: ["redemptions", "promotion_tiers"],
    of: (about) =>
      objectIn(about, "promotion_tier") ??
      shownOrNull(
        about.loaded.promotion_tiers.get(assignedTo(about, "promotion_tier")),
        ({ project_id: _, ...tier }) => tier,
      ) ??
      shownOrNull(redemptionOf(about), simplePromotionTier),
  },
  promotion_stack: inPayload("promotion_stack"),
  publication: {
    loads: ["publications", "customers"],
    of: (about) =>
      shownOrNull(about.loaded.publications.get(idIn(about, "publication_id")), (row) =>
        simplePublication(row, personOf(about, row.customer_id) ?? null),
      ),
  },
  transaction: {
    loads: ["entries", "vouchers", "orders"],
    of: (about) =>
      shownOrNull(entryOf(about), (entry) =>
        transactionView(entry, voucherOf(about)?.type ?? "LOYALTY_CARD", orderOf(about)?.source_id ?? null),
      ),
  },
  balance: {
    loads: ["entries", "vouchers"],
    of: (about) => {
      const told = about.event.payload?.balance;
      if (typeof told !== "number") return told ?? null;
      const { points = null } = about.event.payload as { points?: number };
      const related_object = { type: "voucher", id: about.event.voucher_id };
      return {
        type: "loyalty_card",
        total: entryOf(about)?.total,
        points,
        balance: told,
        related_object,
        object: "balance",
      };
    },
  },
  voucher_pending_points_balance: inPayload("balance"),
  pending_points: {
    loads: ["entries", "vouchers", "lots"],
    of: (about) => {
      const [first] = entryOf(about)?.lots ?? [];
      const [lot, voucher] = [about.loaded.lots.get(first?.[0] ?? ""), voucherOf(about)];
      return objectIn(about, "pending_points") ?? (lot && voucher ? pendingView(voucher, lot) : null);
    },
  },
  points: { loads: ["entries"], of: (about) => Math.abs(entryOf(about)?.amount ?? 0) },
  buckets: { loads: ["entries"], of: (about) => shownOrNull(entryOf(about), pointBuckets) ?? [] },
  reward: inDetails("reward"),
  earning_rule: {
    loads: ["entries", "earning_rules"],
    of: (about) => {
      const id = idIn(about, "earning_rule_id") || assignedTo(about, "earning_rule");
      const row = about.loaded.earning_rules.get(id);
      return (
        objectIn(about, "earning_rule") ??
        shownOrNull(row, earningRuleView) ??
        entryOf(about)?.details.earning_rule ??
        null
      );
    },
  },
  event: {
    loads: ["entries"],
    of: (about) => entryOf(about)?.details.event ?? shownOrNull(idIn(about, "event_id"), (id) => ({ id })),
  },
  loyalty_tier: inDetails("loyalty_tier"),
  holder_loyalty_tier: inDetails("holder_loyalty_tier"),
  segment: inDetails("segment"),
  custom_event: inDetails("custom_event"),
  source_voucher: inDetails("source_voucher"),
  destination_voucher: inDetails("destination_voucher"),
  rollback: {
    loads: ["entries", "redemptions", "customers", "orders"],
    of: (about) => showRedemption(about, rollbackOf(about)),
  },
  referral_tier: inPayload("referral_tier"),
  reward_assignment: inPayload("reward_assignment"),
  rule: {
    loads: ["validation_rules"],
    of: (about) =>
      objectIn(about, "rule") ??
      shownOrNull(about.loaded.validation_rules.get(assignmentOf(about)?.rule_id ?? ""), (row) =>
        validationRuleView(row),
      ),
  },
  assignment: inPayload("assignment"),
  count: inPayload("count"),
  error: inPayload("error"),
  // There are no users, and no distributions.
  user: nothing,
  distribution: nothing,
  customer_event: nothing,
} as const satisfies Record<string, PayloadPart>;
export type PartName = keyof typeof PARTS;

/** Pieces that whoever records an event has in memory. What is not among them is read. */
export type Shown = Readonly<Partial<Record<PartName, unknown>>>;
