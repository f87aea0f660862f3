import { createHash } from "node:crypto";
import type { CustomerRow } from "../../../core/rows/customer.ts";
import type { Db, Fragment } from "../../../db/db.ts";

/** A table that can tell of customers. */
export type PersonalPlace = {
  holds: string;
  /** How long, and what removes it then. */
  kept: string;
  /** How a permanent deletion reaches it. */
  erased: string;
  /** The rows that are about a customer, whose name in the statement is `t`; none where they only name others with them. */
  of?: (db: Db, customer: CustomerRow) => Fragment;
};

const FOR_EVER = "until the customer is deleted";
const ROW_GOES = "the row goes";
const byCustomer = (db: Db, { id }: CustomerRow): Fragment => db`t.customer_id = ${id}`;
const byName = (db: Db, { id, tracking_id }: CustomerRow): Fragment =>
  db`(t.customer_id = ${id} or t.tracking_id = ${tracking_id})`;
const members = (db: Db, { project_id, id }: CustomerRow): Fragment => db`(
  select m.id from loyalty_members m where m.project_id = ${project_id} and m.customer_id = ${id})`;
const cards = (db: Db, customer: CustomerRow): Fragment => db`(
  select c.id from loyalty_cards c
  where c.project_id = ${customer.project_id} and c.member_id in ${members(db, customer)})`;
/** Codes that the customer holds, alone or with others. A friend who used a code of somebody else does not hold it. */
const held = (db: Db, { project_id, id }: CustomerRow): Fragment => db`(
  select v.id from vouchers v where v.project_id = ${project_id} and v.holder_id = ${id}
  union all
  select h.voucher_id from redeemable_holders h
  where h.project_id = ${project_id} and h.customer_id = ${id} and h.holder_role <> 'REFEREE')`;

/** A name as `request_log_names` has it. */
const hashOf = (name: string): string => createHash("sha256").update(name).digest("hex");
export const requestHashesOf = ({ id, source_id, tracking_id }: CustomerRow): string[] =>
  [id, source_id, tracking_id].flatMap((name) => (name === null ? [] : [hashOf(name)]));
const requestsNaming = (db: Db, customer: CustomerRow): Fragment => db`
  select n.request_id from request_log_names n
  where n.project_id = ${customer.project_id} and n.kind = 'customer' and n.hash = any(${requestHashesOf(customer)})`;

const refusalsNaming = (db: Db, customer: CustomerRow): Fragment => db`
  select n.refusal_id from refusal_names n
  where n.project_id = ${customer.project_id} and n.kind = 'customer' and n.hash = any(${requestHashesOf(customer)})`;

/**
 * Every table that can hold something of a customer. With `NOT_PERSONAL` it names every table that there is: a test compares both
 * with the database, so that nobody adds a table without saying what it holds.
 */
export const PERSONAL_PLACES: Readonly<Record<string, PersonalPlace>> = {
  customers: {
    holds: "the profile: names, addresses, dates of birth, metadata",
    kept: FOR_EVER,
    erased: ROW_GOES,
    of: (db, { id }) => db`t.id = ${id}`,
  },
  unconfirmed_customers: {
    holds: "the hashed id of somebody who was not stored",
    kept: "30 days, `purge-expired`",
    erased: ROW_GOES,
    of: (db, { tracking_id }) => db`t.tracking_id = ${tracking_id}`,
  },
  segment_members: { holds: "segments of a customer", kept: FOR_EVER, erased: ROW_GOES, of: byCustomer },
  events: {
    holds: "what a customer did, and what followed",
    kept: FOR_EVER,
    erased: "the rows go; what others did loses the name of the customer",
    // What happened with a membership or its cards names those.
    of: (db, customer) => db`
      (t.customer_id = ${customer.id} or t.subject_id in ${members(db, customer)} or t.subject_id in ${cards(db, customer)})`,
  },
  orders: {
    holds: "carts, with metadata of the shop",
    kept: FOR_EVER,
    erased: "the rows go; those that the customer referred lose the name",
    of: (db, { id }) => db`(t.customer_id = ${id} or t.referrer_id = ${id})`,
  },
  redemptions: {
    holds: "who redeemed what, with the order and the receipt",
    kept: "for good, since ledgers and limits count them",
    erased: "they stay, of nobody: customer, metadata, order and receipt go",
    of: byName,
  },
  rollup_customers: {
    holds: "on which days somebody redeemed something of which campaign",
    kept: FOR_EVER,
    erased: "the rows go, and the days count one customer less",
    of: byCustomer,
  },
  publications: {
    holds: "who was given which code",
    kept: "for good",
    erased: "they stay, of nobody, without metadata",
    of: byCustomer,
  },
  redeemable_holders: { holds: "who holds a code", kept: FOR_EVER, erased: ROW_GOES, of: byCustomer },
  vouchers: {
    holds: "who holds a code, and who shares it",
    kept: "as long as the code",
    erased: "the names go",
    of: (db, customer) => db`(t.id in ${held(db, customer)} or t.referrer_id = ${customer.id})`,
  },
  referral_conversions: {
    holds: "who brought whom",
    kept: FOR_EVER,
    erased: "the names go; that somebody came stays",
    of: (db, { id }) => db`(t.referrer_id = ${id} or t.referee_id = ${id})`,
  },
  validations: { holds: "prices that were promised", kept: "30 days, `purge-expired`", erased: ROW_GOES, of: byName },
  unit_counters: { holds: "units that a customer used of a limit", kept: FOR_EVER, erased: ROW_GOES, of: byCustomer },
  loyalty_members: {
    holds: "memberships, with metadata",
    kept: FOR_EVER,
    erased: "they stay, deleted and of nobody, without metadata",
    of: byCustomer,
  },
  loyalty_cards: {
    holds: "cards of members",
    kept: "for good",
    erased: "they lead to nobody any more",
    of: (db, customer) => db`t.member_id in ${members(db, customer)}`,
  },
  loyalty_transactions: {
    holds: "what members bought, paid and were given",
    kept: "for good",
    erased: "they lead to nobody any more",
    of: (db, customer) => db`t.member_id in ${members(db, customer)}`,
  },
  earning_outcomes: {
    holds: "what rules gave to members",
    kept: "for good",
    erased: "they lead to nobody any more",
    of: (db, customer) => db`t.member_id in ${members(db, customer)}`,
  },
  ledger_entries: {
    holds: "what was moved on cards, with reasons that somebody wrote",
    kept: "for good",
    erased: "they stay; the reasons go, of cards of members and of codes that the customer holds",
    of: (db, customer) => db`(t.account_id in ${held(db, customer)} or t.account_id in ${cards(db, customer)})`,
  },
  loyalty_enrolments: {
    holds: "customers who wait to be enrolled",
    kept: "until the batch has ended",
    erased: "the entry names nobody any more, and fails",
  },
  idempotency_keys: {
    holds: "answers to requests with a key",
    kept: "24 hours, `purge-expired`",
    erased: "the answer goes, the key stays taken",
  },
  async_actions: {
    holds: "what an import or a bulk update could not do, and why",
    kept: "30 days after its end, `purge-expired`; how many there were for good",
    erased: "entries that name the customer go",
  },
  async_action_parts: {
    holds: "what an import or a bulk update has still to do",
    kept: "until the work has ended",
    erased: "the entry names nobody any more, and fails",
  },
  webhook_deliveries: {
    holds: "what webhooks were sent of a customer, or of others with the id of the customer in it",
    kept: "30 days, `purge-expired`",
    erased:
      "a permanent deletion takes every row that names the customer; a plain one leaves what is still to be sent. `customer.deleted` itself names the id and the source id after a permanent one, so that receivers know whom to erase, and goes 30 days later",
    of: (db, { id }) => db`(t.customer_id = ${id} or t.holder_id = ${id})`,
  },
  webhook_attempts: {
    holds: "what receivers of webhooks answered",
    kept: "30 days, `purge-expired`",
    erased: "with their deliveries",
  },
  request_log: {
    holds: "requests and answers that name a customer; e-mail addresses and phone numbers are masked",
    kept: "`LAUREL_REQUEST_LOG_DAYS`, 7 unless told, `purge-expired`",
    erased: "the rows that name the customer go; one that was under way goes within an hour",
    of: (db, customer) => db`t.id in (${requestsNaming(db, customer)})`,
  },
  request_log_names: {
    holds: "hashes of ids of customers, which requests are found by",
    kept: "as long as their requests; of an erased customer for an hour",
    erased: "with their requests",
    of: (db, customer) => db`t.request_id in (${requestsNaming(db, customer)})`,
  },
  refusals: {
    holds: "refused requests and answers that name a customer; e-mail addresses and phone numbers are masked",
    kept: "30 days, `purge-expired`",
    erased: "the rows that name the customer go; one that was under way goes within an hour",
    of: (db, customer) => db`t.id in (${refusalsNaming(db, customer)})`,
  },
  refusal_names: {
    holds: "hashes of ids of customers, which refusals are found by",
    kept: "as long as their refusals",
    erased: "with their refusals",
    of: (db, customer) => db`t.refusal_id in (${refusalsNaming(db, customer)})`,
  },
  exports: {
    holds: "filters that may name a customer",
    kept: "90 days, `purge-expired`",
    erased: "exports that name the customer go",
  },
  files: {
    holds: "names of uploads, reports and exports",
    kept: "7, 30 and 90 days, `purge-expired`",
    erased: "files that may tell of customers end at once",
  },
  file_chunks: {
    holds: "the content of uploads, reports and exports",
    kept: "7, 30 and 90 days, `purge-expired`",
    erased: "with their files, within ten minutes",
  },
};

/** Tables that never hold anything of a customer: configuration, counters, keys, and what is told of codes and campaigns. */
export const NOT_PERSONAL: readonly string[] = [
  ...[
    "audit_log",
    "branding",
    "campaign_codes",
    "campaign_earning_rules",
    "campaign_templates",
    "campaign_tiers",
    "campaigns",
  ],
  ...["catalog_changes", "categories", "config_fragments", "counters", "custom_event_schemas", "customer_stamps"],
  ...["earning_causes", "keys", "ledger_lots", "locations", "loyalty_assignments", "loyalty_benefits"],
  ...["loyalty_card_definitions", "loyalty_earning_rules", "loyalty_programs", "loyalty_reviews", "loyalty_rewards"],
  ...[
    "loyalty_tier_structures",
    "loyalty_tiers",
    "metadata_schemas",
    "migrations",
    "oauth_tokens",
    "product_collections",
  ],
  ...["products", "projects", "promotion_stacks", "promotion_tiers", "redeemable_stamps", "redemption_tallies"],
  ...["limit_counts", "single_sign_ons", "user_identities", "user_recovery_codes", "user_sessions", "user_totp"],
  ...["redemption_segments", "rollup_days", "rollup_hours", "rollup_positions", "rollup_waiting"],
  ...["refusal_counts", "refusal_usage"],
  ...["reward_assignments", "rewards", "segments", "session_locks", "session_sums", "sessions", "signing_keys", "skus"],
  ...["stacking_rules", "tenants", "trash_bin_entries", "validation_rule_assignments", "validation_rules"],
  ...["validation_tallies", "voucher_states", "voucher_templates", "webhook_secrets", "webhook_senders", "webhooks"],
  // People who work with the shop, and not its customers.
  ...["roles", "user_projects", "users"],
];

/** Everything that is stored of a customer, by table: what somebody who asks for their data is given. */
export async function loadPersonalData(db: Db, customer: CustomerRow): Promise<Record<string, unknown[]>> {
  const data: Record<string, unknown[]> = {};
  for (const [table, { of }] of Object.entries(PERSONAL_PLACES)) {
    if (!of) continue;
    const rows = await db<{ row: Record<string, unknown> }[]>`
      select to_jsonb(t) - 'project_id' as row from ${db(table)} t
      where t.project_id = ${customer.project_id} and ${of(db, customer)} order by to_jsonb(t) ->> 'created_at', to_jsonb(t)::text`;
    if (rows.length > 0) data[table] = rows.map(({ row }) => row);
  }
  return data;
}
