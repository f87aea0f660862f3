import type { Db } from "../../../db/db.ts";
import {
  byDate,
  byText,
  date,
  type ExportObject,
  id,
  json,
  money,
  namesOfCustomer,
  number,
  personal,
  personalId,
  sourceIdOf,
  text,
} from "../../../db/exported-rows.ts";
import { isShown, REDEMPTION_FILTERS, redemptionFilterSql } from "./list-store.ts";

const spent = (kind: string) => (db: Db) => db`case when effect ->> 'kind' = ${kind} then amount end`;

/** Redemptions and rollbacks, as the lists of the interface have them: not those of codes and campaigns that are deleted. */
export const exportedRedemptions: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select * from redemptions where project_id = ${projectId} and ${isShown(db, projectId)}) as redemptions`,
  fields: {
    id: id("id"),
    object: id("object"),
    date: date("created_at"),
    voucher_code: text("voucher_code"),
    campaign: text("campaign_name"),
    promotion_tier_id: id((db) => db`case related_object_type when 'promotion_tier' then related_object_id end`),
    customer_id: personalId("customer_id"),
    customer_source_id: personal(sourceIdOf("redemptions")),
    customer_name: personal(
      (db, owner) => db`
      (select k.name from customers k where k.project_id = ${owner.id} and k.id = customer_id)`,
    ),
    tracking_id: personal("tracking_id"),
    order_id: id("order_id"),
    // Of what was refused, the order as it is now.
    order_amount: money(
      (db, owner) => db`coalesce(nullif((effect ->> 'order_amount')::bigint, 0),
      (select o.amount from orders o where o.project_id = ${owner.id} and o.id = order_id))`,
    ),
    gift_amount: money(spent("credits")),
    loyalty_points: number(spent("points")),
    result: id("result"),
    failure_code: id("failure_code"),
    failure_message: text("failure_message"),
    metadata: { ...json("metadata"), isPersonal: true },
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
    ...REDEMPTION_FILTERS,
    id: "string",
    campaign: "list",
    customer: "list",
    voucher: "code",
    related_object: "string",
    status: "string",
    "metadata.*": "metadata",
  },
  filterSql: (_now, owner) => ({
    ...redemptionFilterSql(owner.id),
    campaign: (db) => db`jsonb_build_array(campaign_id, campaign_name)`,
    customer: namesOfCustomer("redemptions", owner),
    voucher: redemptionFilterSql(owner.id).voucher_code!,
    related_object: (db) => db`related_object_type`,
  }),
  metadataOf: "redemption",
};
