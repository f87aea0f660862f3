import type { Db } from "../../../db/db.ts";
import {
  BY_AGE,
  boolean,
  byDate,
  byText,
  date,
  type ExportObject,
  type ExportOwner,
  id,
  json,
  money,
  moving,
  namesOfCustomer,
  personal,
  personalId,
  sourceIdOf,
  text,
} from "../../../db/exported-rows.ts";

const personalJson = { ...json("metadata"), isPersonal: true } as const;
const codesGiven = (db: Db, owner: ExportOwner) => db`coalesce(voucher_code, (
  select string_agg(v.code, ' ' order by v.id) from vouchers v
  where v.project_id = ${owner.id} and v.id in (select jsonb_array_elements_text(voucher_ids))))`;
const foldedCodes = (db: Db, owner: ExportOwner) => db`(
  select v.code_folded from vouchers v
  where v.project_id = ${owner.id} and v.id in (select jsonb_array_elements_text(voucher_ids)) order by v.id limit 1)`;

export const exportedPublications: ExportObject = {
  from: (db, { id: projectId }) => db`(select * from publications where project_id = ${projectId}) as x`,
  fields: {
    code: text(codesGiven),
    voucher_code: text(codesGiven),
    customer_id: personalId("customer_id"),
    customer_source_id: personal(sourceIdOf("x")),
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
  filterSql: (_now, owner) => ({
    campaign: (db) => db`jsonb_build_array(campaign_id, campaign_name)`,
    customer: namesOfCustomer("x", owner),
    voucher: (db) => foldedCodes(db, owner),
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
  orders: { ...BY_AGE, status: moving(byText("status")) },
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
