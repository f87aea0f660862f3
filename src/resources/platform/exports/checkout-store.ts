import type { Db } from "../../../db/db.ts";
import {
  BY_AGE,
  boolean,
  byDate,
  byText,
  date,
  type ExportObject,
  id,
  json,
  money,
  number,
  personal,
  personalId,
  text,
} from "./row-store.ts";

const personalJson = { ...json("metadata"), isPersonal: true } as const;
const sourceIdOf = (customer: "customer_id" | "holder_id") => (db: Db) =>
  db`
  (select k.source_id from customers k where k.project_id = x.project_id and k.id = ${db(customer)})`;
/** What names a customer: the id, or the id that the shop has for them. */
const namesOf = (db: Db) => db`jsonb_build_array(customer_id, ${sourceIdOf("customer_id")(db)})`;
const codeIn = (db: Db) => db`
  (select v.code_folded from vouchers v where v.project_id = x.project_id and v.id = related_object_id)`;
const spent = (kind: string) => (db: Db) => db`case when effect ->> 'kind' = ${kind} then amount end`;

/** Redemptions and rollbacks, as the lists of the interface have them: not those of codes and campaigns that are deleted. */
export const exportedRedemptions: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select * from redemptions r where project_id = ${projectId}
      and (campaign_id is null or campaign_id in (
        select c.id from campaigns c where c.project_id = ${projectId} and c.deleted_at is null))
      and (not (select exists (select 1 from redemption_tallies t where t.project_id = ${projectId} and t.object = 'deleted'))
        or related_object_type is distinct from 'voucher' or exists (
          select 1 from vouchers v
          where v.project_id = ${projectId} and v.id = r.related_object_id and v.deleted_at is null))) as x`,
  fields: {
    id: id("id"),
    object: id("object"),
    date: date("created_at"),
    voucher_code: text("voucher_code"),
    campaign: text("campaign_name"),
    promotion_tier_id: id((db) => db`case related_object_type when 'promotion_tier' then related_object_id end`),
    customer_id: personalId("customer_id"),
    customer_source_id: personal(sourceIdOf("customer_id")),
    customer_name: personal(
      (db) => db`
      (select k.name from customers k where k.project_id = x.project_id and k.id = customer_id)`,
    ),
    tracking_id: personal("tracking_id"),
    order_id: id("order_id"),
    // Of what was refused, the order as it is now.
    order_amount: money(
      (db) => db`coalesce(nullif((effect ->> 'order_amount')::bigint, 0),
      (select o.amount from orders o where o.project_id = x.project_id and o.id = order_id))`,
    ),
    gift_amount: money(spent("credits")),
    loyalty_points: number(spent("points")),
    result: id("result"),
    failure_code: id("failure_code"),
    failure_message: text("failure_message"),
    metadata: personalJson,
  },
  defaults: ["id", "object", "voucher_code", "customer_id", "date", "result"],
  orders: {
    id: byText("id"),
    voucher_code: byText("voucher_code", true),
    tracking_id: byText("tracking_id", true),
    customer_id: byText("customer_id", true),
    created_at: byDate("created_at"),
  },
  defaultOrder: "-created_at",
  filters: {
    id: "string",
    created_at: "date",
    campaign: "list",
    customer: "list",
    voucher: "code",
    related_object: "string",
    voucher_code: "code",
    related_object_id: "string",
    related_object_parent_id: "string",
    parent_redemption_id: "string",
    failure_code: "string",
    result: "string",
    object: "string",
    customer_id: "string",
    campaign_name: "string",
    user_login: "string",
    status: "string",
    "metadata.*": "metadata",
  },
  filterSql: () => ({
    campaign: (db) => db`jsonb_build_array(campaign_id, campaign_name)`,
    customer: namesOf,
    voucher: codeIn,
    voucher_code: codeIn,
    related_object: (db) => db`related_object_type`,
    related_object_parent_id: (db) => db`campaign_id`,
    parent_redemption_id: (db) => db`parent_id`,
    // Whoever redeems has a key; there are no users.
    user_login: (db) => db`null::text`,
  }),
  metadataOf: "redemption",
};

const codesGiven = (db: Db) => db`coalesce(voucher_code, (
  select string_agg(v.code, ' ' order by v.id) from vouchers v
  where v.project_id = x.project_id and v.id in (select jsonb_array_elements_text(voucher_ids))))`;
const foldedCodes = (db: Db) => db`(
  select v.code_folded from vouchers v
  where v.project_id = x.project_id and v.id in (select jsonb_array_elements_text(voucher_ids)) order by v.id limit 1)`;

export const exportedPublications: ExportObject = {
  from: (db, { id: projectId }) => db`(select * from publications where project_id = ${projectId}) as x`,
  fields: {
    code: text(codesGiven),
    voucher_code: text(codesGiven),
    customer_id: personalId("customer_id"),
    customer_source_id: personal(sourceIdOf("customer_id")),
    date: date("created_at"),
    channel: text("channel"),
    campaign: text("campaign_name"),
    // Nothing draws winners.
    is_winner: boolean((db) => db`null::boolean`),
    metadata: personalJson,
  },
  defaults: ["code", "customer_id", "date", "channel"],
  orders: {
    id: byText("id"),
    voucher_code: byText("voucher_code", true),
    tracking_id: byText("tracking_id", true),
    customer_id: byText("customer_id", true),
    created_at: byDate("created_at"),
    channel: byText("channel"),
  },
  defaultOrder: "-created_at",
  filters: {
    created_at: "date",
    campaign: "list",
    customer: "list",
    voucher: "code",
    failure_code: "string",
    result: "enum",
    customer_id: "string",
    campaign_name: "string",
    voucher_type: "string",
    is_referral_code: "boolean",
    parent_object_id: "string",
    related_object_id: "list",
    source_id: "string",
    "metadata.*": "metadata",
  },
  filterSql: () => ({
    campaign: (db) => db`jsonb_build_array(campaign_id, campaign_name)`,
    customer: namesOf,
    voucher: foldedCodes,
    parent_object_id: (db) => db`campaign_id`,
    related_object_id: (db) => db`voucher_ids`,
  }),
  metadataOf: "publication",
};

const totalDiscount = (db: Db) => db`(discount_amount + items_discount_amount)`;
const total = (db: Db) => db`greatest(0, coalesce(amount, 0) - ${totalDiscount(db)})`;

export const exportedOrders: ExportObject = {
  from: (db, { id: projectId }) => db`(select * from orders where project_id = ${projectId}) as x`,
  fields: {
    id: id("id"),
    source_id: text("source_id"),
    created_at: date("created_at"),
    updated_at: date("updated_at"),
    status: id("status"),
    amount: money("amount"),
    discount_amount: money("discount_amount"),
    items_discount_amount: money("items_discount_amount"),
    total_discount_amount: money(totalDiscount),
    total_amount: money(total),
    customer_id: personalId("customer_id"),
    referrer_id: personalId("referrer_id"),
    metadata: personalJson,
  },
  defaults: ["id", "source_id", "status"],
  orders: { ...BY_AGE, status: byText("status") },
  defaultOrder: "-created_at",
  filters: {
    id: "string",
    created_at: "date",
    updated_at: "date",
    status: "enum",
    source_id: "string",
    customer_id: "string",
    referrer_id: "string",
    amount: "money",
    total_amount: "money",
    discount_amount: "money",
    total_discount_amount: "money",
    items_discount_amount: "money",
    "metadata.*": "metadata",
  },
  filterSql: () => ({ total_amount: total, total_discount_amount: totalDiscount }),
  metadataOf: "order",
};
