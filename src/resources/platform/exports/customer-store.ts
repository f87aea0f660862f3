import { starIn } from "../../../core/filters/filter.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import {
  byDate,
  byText,
  date,
  type ExportField,
  type ExportObject,
  type ExportOwner,
  json,
  money,
  moving,
  number,
  personal,
  personalId,
} from "../../../db/exported-rows.ts";
import type { FieldSql } from "../../../db/filters.ts";

// A customer's sums are those of `customers/summary-store.ts`, each as a sub-select: only those that are asked for are worked out.

const address = (name: string) => (db: Db) => db`address ->> ${name}`;
const ofOrders = (sum: (db: Db) => Fragment) => (db: Db, owner: ExportOwner) =>
  db`
  (select ${sum(db)} from orders o
    where o.project_id = ${owner.id} and o.customer_id = x.id and o.status in ('PAID', 'FULFILLED'))`;
const lastOrder = (column: "amount" | "created_at") => (db: Db, owner: ExportOwner) =>
  db`
  (select o.${db(column)} from orders o
    where o.project_id = ${owner.id} and o.customer_id = x.id and o.status in ('PAID', 'FULFILLED')
    order by o.created_at desc, o.id desc limit 1)`;
const redeemed = (sum: (db: Db) => Fragment, which: (db: Db) => Fragment) => (db: Db, owner: ExportOwner) =>
  db`
  (select ${sum(db)} from redemptions r where r.project_id = ${owner.id} and r.customer_id = x.id
    and r.related_object_type is distinct from 'redemption' and ${which(db)})`;
const counted = (object: string, result: string | null) =>
  redeemed(
    (db) => db`count(*)`,
    (db) => db`r.object = ${object} and ${result === null ? db`true` : db`r.result = ${result}`}`,
  );
const spent = (kind: "credits" | "points") =>
  redeemed(
    (db) => db`greatest(coalesce(sum(r.amount), 0), 0)`,
    (db) => db`r.effect ->> 'kind' = ${kind}`,
  );

/** What is on the cards of a kind that a customer owns, or on those of one campaign. */
const balance = (db: Db, owner: ExportOwner, type: "GIFT_VOUCHER" | "LOYALTY_CARD", campaign?: string) => db`
  (select coalesce(sum(coalesce((s.account ->> 'available')::numeric, (worth -> 'gift' ->> 'amount')::numeric,
      (worth -> 'loyalty_card' ->> 'points')::numeric, 0)), 0)
    from redeemable_holders h
    join vouchers v on v.project_id = h.project_id and v.id = h.voucher_id and v.type = ${type} and v.deleted_at is null
    left join voucher_states s on s.project_id = h.project_id and s.voucher_id = h.voucher_id
    left join campaigns c on c.project_id = h.project_id and c.id = v.campaign_id and c.deleted_at is null
    left join voucher_templates t on t.project_id = h.project_id and t.campaign_id = v.campaign_id
      and t.version = coalesce(v.template_version, s.template_version, c.voucher_version)
    cross join lateral (select coalesce(v.settings, t.settings) as worth) as w
    where h.project_id = ${owner.id} and h.customer_id = x.id and h.holder_role = 'OWNER'
      and (v.campaign_id is null or c.id is not null)
      and ${campaign === undefined ? db`true` : db`c.name = ${campaign}`})`;
const points = (db: Db, owner: ExportOwner, campaign?: string) => balance(db, owner, "LOYALTY_CARD", campaign);

const SUMS = {
  "orders.total_amount": ofOrders((db) => db`coalesce(sum(coalesce(o.amount, 0)), 0)`),
  "orders.total_count": ofOrders((db) => db`count(*)`),
  "orders.average_amount": ofOrders((db) => db`coalesce(round(avg(coalesce(o.amount, 0))), 0)`),
  "orders.last_order_amount": (db: Db, owner: ExportOwner) => db`coalesce(${lastOrder("amount")(db, owner)}, 0)`,
  "orders.last_order_date": lastOrder("created_at"),
  "redemptions.total_redeemed": counted("redemption", null),
  "redemptions.total_failed": counted("redemption", "FAILURE"),
  "redemptions.total_succeeded": counted("redemption", "SUCCESS"),
  "redemptions.total_rolled_back": counted("redemption_rollback", "SUCCESS"),
  "redemptions.total_rollback_failed": counted("redemption_rollback", "FAILURE"),
  "redemptions.total_rollback_succeeded": counted("redemption_rollback", "SUCCESS"),
  "redemptions.gift.redeemed_amount": spent("credits"),
  "redemptions.gift.amount_to_go": (db: Db, owner: ExportOwner) => balance(db, owner, "GIFT_VOUCHER"),
  "redemptions.loyalty_card.redeemed_points": spent("points"),
  "redemptions.loyalty_card.points_to_go": (db: Db, owner: ExportOwner) => db`greatest(0, ${points(db, owner)})`,
} as const;

const referred = (db: Db, owner: ExportOwner, campaign?: string) => db`
  (select count(*) from referral_conversions r
    left join campaigns c on c.project_id = r.project_id and c.id = r.campaign_id and c.deleted_at is null
    where r.project_id = ${owner.id} and r.referrer_id = x.id
      and ${campaign === undefined ? db`true` : db`c.name = ${campaign}`})`;
/** The names of the tiers that cards are in, or what `of` makes of them. */
const tiers = (db: Db, owner: ExportOwner, of: Fragment, campaign?: string) => db`
  (select ${of} from redeemable_holders h
    join vouchers v on v.project_id = h.project_id and v.id = h.voucher_id and v.deleted_at is null
    join voucher_states s on s.project_id = h.project_id and s.voucher_id = h.voucher_id
    join campaigns c on c.project_id = h.project_id and c.id = v.campaign_id and c.deleted_at is null
    join campaign_tiers t on t.project_id = h.project_id and t.campaign_id = c.id and t.id = s.tier ->> 'tier_id'
    where h.project_id = ${owner.id} and h.customer_id = x.id and h.holder_role = 'OWNER'
      and ${campaign === undefined ? db`true` : db`c.name = ${campaign}`})`;
const tier = (db: Db, owner: ExportOwner, campaign: string) =>
  tiers(db, owner, db`(array_agg(t.name order by h.id))[1]`, campaign);

/** Sums of one campaign, whose name stands for the `*`. */
const OF_CAMPAIGN = {
  "loyalty.campaigns.*.points": { kind: "number", sql: points },
  "loyalty.campaigns.*.referred_customers": { kind: "number", sql: referred },
  "loyalty.campaigns.*.loyalty_tier": { kind: "string", sql: tier },
  "loyalty_points.campaigns.*.points": { kind: "number", sql: points },
  "loyalty_tier.campaigns.*": { kind: "string", sql: tier },
} as const;

const fields: Record<string, ExportField> = {
  name: personal("name"),
  id: personalId("id"),
  description: personal("description"),
  email: personal("email"),
  source_id: personal("source_id"),
  created_at: date("created_at"),
  updated_at: date("updated_at"),
  phone: personal("phone"),
  birthday: personal("birthday"),
  birthdate: personal("birthdate"),
  ...Object.fromEntries(
    ["city", "state", "line_1", "line_2", "country", "postal_code"].map((name) => [
      `address_${name}`,
      personal(address(name)),
    ]),
  ),
  redemptions_total_redeemed: number(SUMS["redemptions.total_redeemed"]),
  redemptions_total_failed: number(SUMS["redemptions.total_failed"]),
  redemptions_total_succeeded: number(SUMS["redemptions.total_succeeded"]),
  redemptions_total_rolled_back: number(SUMS["redemptions.total_rolled_back"]),
  redemptions_total_rollback_failed: number(SUMS["redemptions.total_rollback_failed"]),
  redemptions_total_rollback_succeeded: number(SUMS["redemptions.total_rollback_succeeded"]),
  orders_total_amount: money(SUMS["orders.total_amount"]),
  orders_total_count: number(SUMS["orders.total_count"]),
  orders_average_amount: money(SUMS["orders.average_amount"]),
  orders_last_order_amount: money(SUMS["orders.last_order_amount"]),
  orders_last_order_date: date(SUMS["orders.last_order_date"]),
  loyalty_points: number((db, owner) => points(db, owner)),
  loyalty_referred_customers: number((db, owner) => referred(db, owner)),
  metadata: { ...json("metadata"), isPersonal: true },
};

const kindOfSum = (name: string) => (name.endsWith("_date") ? "date" : /amount/.test(name) ? "money" : "number");

const filterSql = (owner: ExportOwner): FieldSql => ({
  city: address("city"),
  "address.*": (db, field) => address(starIn("address.*", field)!)(db),
  ...Object.fromEntries(Object.entries(SUMS).map(([name, sql]) => [`summary.${name}`, (db: Db) => sql(db, owner)])),
  "loyalty.points": (db) => points(db, owner),
  "loyalty.referred_customers": (db) => referred(db, owner),
  "loyalty.tiers": (db) => tiers(db, owner, db`jsonb_agg(t.name)`),
  ...Object.fromEntries(
    Object.entries(OF_CAMPAIGN).map(
      ([name, { sql }]) => [name, (db, field) => sql(db, owner, starIn(name, field)!)] as const,
    ),
  ),
  // Nothing is kept of customers that the shop did not send.
  "system_metadata.*": (db) => db`null::text`,
  // The latest one.
  "publications.created_at": (db) => db`
    (select max(p.created_at) from publications p where p.project_id = ${owner.id} and p.customer_id = x.id)`,
  "publications.related_object_id": (db) => db`
    (select jsonb_agg(given.id) from publications p cross join lateral jsonb_array_elements_text(
        p.voucher_ids || jsonb_build_array(p.campaign_id)) as given (id)
      where p.project_id = ${owner.id} and p.customer_id = x.id)`,
});

export const exportedCustomers: ExportObject = {
  from: (db, { id: projectId }) => db`(select * from customers where project_id = ${projectId}) as x`,
  fields,
  defaults: ["name", "source_id"],
  orders: {
    name: moving(byText("name", true)),
    id: byText("id"),
    email: moving(byText("email", true)),
    source_id: moving(byText("source_id", true)),
    created_at: byDate("created_at"),
    updated_at: moving(byDate("updated_at", true)),
  },
  defaultOrder: "-created_at",
  filters: {
    id: "string",
    created_at: "date",
    updated_at: "date",
    name: "string",
    email: "string",
    phone: "string",
    city: "string",
    birthday: "string",
    birthdate: "string",
    source_id: "string",
    description: "string",
    "address.*": "string",
    ...Object.fromEntries(Object.keys(SUMS).map((name) => [`summary.${name}`, kindOfSum(name)] as const)),
    "loyalty.points": "number",
    "loyalty.referred_customers": "number",
    "loyalty.tiers": "list",
    ...Object.fromEntries(Object.entries(OF_CAMPAIGN).map(([name, { kind }]) => [name, kind] as const)),
    "system_metadata.*": "string",
    "publications.created_at": "date",
    "publications.related_object_id": "list",
    "metadata.*": "metadata",
  },
  filterSql: (_now, owner) => filterSql(owner),
  metadataOf: "customer",
};
