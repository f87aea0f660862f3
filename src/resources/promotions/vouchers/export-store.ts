import { DiscountAmount, type Fields } from "../../../core/discounts/fields.ts";
import { DISCOUNTS } from "../../../core/discounts/registry.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import {
  BY_AGE,
  boolean,
  byText,
  cents,
  date,
  type ExportObject,
  type ExportOwner,
  id,
  json,
  money,
  number,
  personal,
  personalId,
  text,
} from "../../../db/exported-rows.ts";
import {
  categoryName,
  isListed,
  isReferralCode,
  moment,
  VOUCHER_FILTERS,
  voucherFilterSql,
  voucherSource,
} from "./list-store.ts";
import { pictureUrlSql } from "./picture-store.ts";

const ofDiscount = (name: string) => (db: Db) => db`worth -> 'discount' ->> ${name}`;
const GOODS = DISCOUNTS.filter(({ kind }) => kind === "goods").map(({ type }) => type);
const addsGoods = (db: Db) => db`coalesce(worth -> 'discount' ->> 'type' = any(${GOODS}), false)`;
/** What the discounts of all types have of one kind: a code has one of them at most. */
const anyOf = (db: Db, parts: readonly Fragment[]) => db`coalesce(${parts.reduce((all, part) => db`${all}, ${part}`)})`;
const available = (kind: string, amount: (db: Db) => Fragment) => (db: Db) =>
  db`
  case type when ${kind} then coalesce((account ->> 'available')::bigint, (${amount(db)})::bigint) end`;
const spent = (kind: string) => (db: Db) =>
  db`case type when ${kind} then coalesce((account ->> 'spent')::bigint, 0) end`;
const gift = (db: Db) => db`worth -> 'gift' ->> 'amount'`;
const points = (db: Db) => db`worth -> 'loyalty_card' ->> 'points'`;

/** What a code is worth: money, a percentage, units or points. */
const worthOf = (db: Db, money: (value: Fragment) => Fragment) => db`case type
  when 'GIFT_VOUCHER' then ${money(gift(db))} when 'LOYALTY_CARD' then ${points(db)}
  else ${anyOf(
    db,
    DISCOUNTS.map(({ fields, value }) => {
      const own = ofDiscount(value)(db);
      return (fields as Fields)[value] === DiscountAmount ? money(own) : own;
    }),
  )} end`;

/** Rules of the code, and those of its campaign. */
const rules = (db: Db, owner: ExportOwner) => db`(
  select string_agg(distinct a.rule_id, ' ') from validation_rule_assignments a where a.project_id = ${owner.id}
    and (a.related_object_type, a.related_object_id) in (('voucher', vouchers.id), ('campaign', vouchers.campaign_id)))`;

/** Codes with the settings that hold for them, as lists have them. */
export const exportedVouchers: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select * from ${voucherSource(db, projectId)} where ${isListed(db, projectId)}) as vouchers`,
  fields: {
    code: text("code"),
    voucher_type: id("type"),
    value: {
      ...number((db) => db`(${worthOf(db, (value) => value)})::numeric`),
      inCsv: id((db) => worthOf(db, (value) => cents(db, value))),
    },
    discount_type: id(ofDiscount("type")),
    formula: text((db) =>
      anyOf(
        db,
        DISCOUNTS.map(({ value }) => ofDiscount(`${value}_formula`)(db)),
      ),
    ),
    campaign: text("campaign_name"),
    category: text((db, owner) => categoryName(owner.id)(db)),
    start_date: date(moment("start_date")),
    expiration_date: date(moment("expiration_date")),
    gift_balance: money(available("GIFT_VOUCHER", gift)),
    loyalty_balance: number(available("LOYALTY_CARD", points)),
    redemption_quantity: number((db) => db`(worth ->> 'quantity')::bigint`),
    redemption_count: number("redeemed_quantity"),
    active: boolean("active"),
    qr_code: id((db, { secret }) => pictureUrlSql(db, secret, "qr")),
    bar_code: id((db, { secret }) => pictureUrlSql(db, secret, "barcode")),
    metadata: json("metadata"),
    id: id("id"),
    is_referral_code: boolean(isReferralCode),
    created_at: date("created_at"),
    updated_at: date("updated_at"),
    validity_timeframe_interval: id((db) => db`worth -> 'validity_timeframe' ->> 'interval'`),
    validity_timeframe_duration: id((db) => db`worth -> 'validity_timeframe' ->> 'duration'`),
    validity_day_of_week: json((db) => db`nullif(worth -> 'validity_day_of_week', 'null')`),
    discount_amount_limit: money((db) => db`(${ofDiscount("amount_limit")(db)})::bigint`),
    campaign_id: id("campaign_id"),
    additional_info: text("additional_info"),
    customer_id: personalId("holder_id"),
    discount_effect: id(
      (db) => db`case when not ${addsGoods(db)}
      then coalesce(${ofDiscount("effect")(db)}, worth -> 'gift' ->> 'effect') end`,
    ),
    discount_unit_type: text(ofDiscount("unit_type")),
    discount_unit_effect: id((db) => db`case when ${addsGoods(db)} then ${ofDiscount("effect")(db)} end`),
    validation_rules_id: id(rules),
    customer_source_id: personal(
      (db, owner) => db`
      (select k.source_id from customers k where k.project_id = ${owner.id} and k.id = holder_id)`,
    ),
  },
  defaults: ["code", "voucher_type", "value", "discount_type"],
  orders: { ...BY_AGE, code: byText("code") },
  defaultOrder: "-created_at",
  filters: {
    ...VOUCHER_FILTERS,
    vouchers: "list",
    campaign_id: "string",
    "redemption.quantity": "number",
    "redemption.redeemed_amount": "money",
    "redemption.redeemed_points": "number",
    created_date: "date",
  },
  filterSql: (now, owner) => ({
    ...voucherFilterSql(now, owner.id),
    vouchers: (db) => db`jsonb_build_array(id, code)`,
    "redemption.quantity": (db) => db`(worth ->> 'quantity')::bigint`,
    "redemption.redeemed_amount": spent("GIFT_VOUCHER"),
    "redemption.redeemed_points": spent("LOYALTY_CARD"),
    created_date: (db) => db`created_at`,
  }),
  metadataOf: "voucher",
};
