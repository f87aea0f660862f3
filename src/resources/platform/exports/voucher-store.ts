import { createHash } from "node:crypto";
import type { Db, Fragment } from "../../../db/db.ts";
import type { FieldSql } from "../../../db/filters.ts";
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
} from "./row-store.ts";

const moment = (name: string) => (db: Db) => db`(worth ->> ${name})::timestamptz`;
const ofDiscount = (name: string) => (db: Db) => db`worth -> 'discount' ->> ${name}`;
const isUnits = (db: Db) => db`worth -> 'discount' ->> 'type' = 'UNIT'`;
const available = (kind: string, amount: (db: Db) => Fragment) => (db: Db) =>
  db`
  case type when ${kind} then coalesce((account ->> 'available')::bigint, (${amount(db)})::bigint) end`;
const gift = (db: Db) => db`worth -> 'gift' ->> 'amount'`;
const points = (db: Db) => db`worth -> 'loyalty_card' ->> 'points'`;

/** What a code is worth: money, a percentage, units or points. */
const worthOf = (db: Db, money: (value: Fragment) => Fragment) => db`case type
  when 'GIFT_VOUCHER' then ${money(gift(db))} when 'LOYALTY_CARD' then ${points(db)}
  else coalesce(${money(ofDiscount("amount_off")(db))}, ${ofDiscount("percent_off")(db)},
    ${money(ofDiscount("fixed_amount")(db))}, ${ofDiscount("unit_off")(db)}) end`;

const SHA_BLOCK = 64;
/** The two keys that HMAC makes of one. */
function padded(secret: string, byte: number): string {
  const given = Buffer.from(secret);
  const key = given.length > SHA_BLOCK ? createHash("sha256").update(given).digest() : given;
  const block = Buffer.concat([key, Buffer.alloc(SHA_BLOCK - key.length)]);
  return Buffer.from(block.map((one) => one ^ byte)).toString("hex");
}
const base64Url = (db: Db, bytes: Fragment) => db`translate(encode(${bytes}, 'base64'), ${"+/=\n"}, '-_')`;

/** The address of a picture, as `steps/promotions/assets.ts` makes it: there in Node, here for many codes in SQL. */
const picture = (kind: "qr" | "barcode") => (db: Db, owner: ExportOwner) => {
  const [inner, outer] = [padded(owner.secret, 0x36), padded(owner.secret, 0x5c)];
  const name = base64Url(db, db`convert_to('["' || project_id || '","' || id || '"]', 'UTF8')`);
  const message = db`convert_to(${`asset ${kind} `}::text || id, 'UTF8')`;
  const seal = base64Url(db, db`sha256(decode(${outer}, 'hex') || sha256(decode(${inner}, 'hex') || ${message}))`);
  return db`${`/v1/assets/${kind}/`}::text || ${name} || '.' || ${seal}`;
};

// As in lists: a code with a limit of zero is neither.
const isRedeemed = (db: Db) => db`(redeemed_quantity > 0 and redeemed_quantity >= (worth ->> 'quantity')::bigint)`;
const isRedeemable = (db: Db) => db`coalesce(redeemed_quantity < (worth ->> 'quantity')::bigint, true)`;
const filterSql = (now: string): FieldSql => {
  const isOver = (db: Db) => db`coalesce((worth ->> 'expiration_date')::timestamptz < ${now}, false)`;
  const isAhead = (db: Db) => db`coalesce((worth ->> 'start_date')::timestamptz > ${now}, false)`;
  return {
    code: (db) => db`code_folded`,
    vouchers: (db) => db`jsonb_build_array(id, code)`,
    created_date: (db) => db`created_at`,
    campaign_ids: (db) => db`campaign_id`,
    is_referral_code: (db) => db`(coalesce(campaign_type, '') = 'REFERRAL_PROGRAM')`,
    published_for_customer_id: (db) => db`holder_id`,
    categories: category,
    category_ids: (db) => db`category_id`,
    "redemption.redeemed_quantity": (db) => db`redeemed_quantity`,
    "redemption.quantity": (db) => db`(worth ->> 'quantity')::bigint`,
    "redemption_status $redeemed": isRedeemed,
    "redemption_status $redeemable": isRedeemable,
    start_date: moment("start_date"),
    expiration_date: moment("expiration_date"),
    validity_timeframe: (db) => db`nullif(worth -> 'validity_timeframe', 'null')::text`,
    validity_day_of_week: (db) => db`nullif(worth -> 'validity_day_of_week', 'null')`,
    "active $enabled": (db) => db`active`,
    "active $disabled": (db) => db`not active`,
    "active $expired": isOver,
    "active $active": (db) => db`(active and not ${isOver(db)} and not ${isAhead(db)})`,
  };
};
const category = (db: Db) => db`
  (select k.name from categories k where k.project_id = x.project_id and k.id = category_id)`;
/** Rules of the code, and those of its campaign. */
const rules = (db: Db) => db`(
  select string_agg(distinct a.rule_id, ' ') from validation_rule_assignments a where a.project_id = x.project_id
    and (a.related_object_type, a.related_object_id) in (('voucher', x.id), ('campaign', x.campaign_id)))`;

/** Codes with the settings that hold for them, as lists have them: not those in the bin, nor of a campaign in it. */
export const exportedVouchers: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select v.project_id, v.id, v.code, v.code_folded, v.type, v.campaign_id, v.category_id, v.active, v.additional_info,
        v.holder_id, v.created_at, greatest(v.updated_at, s.updated_at) as updated_at, s.account,
        coalesce(s.redeemed_quantity, 0) as redeemed_quantity, c.name as campaign_name, c.campaign_type,
        coalesce(v.settings, t.settings) as worth, coalesce(v.settings, t.settings) -> 'metadata' as metadata
      from vouchers v left join voucher_states s on s.project_id = v.project_id and s.voucher_id = v.id
      left join campaigns c on c.project_id = v.project_id and c.id = v.campaign_id and c.deleted_at is null
      left join voucher_templates t on t.project_id = v.project_id and t.campaign_id = v.campaign_id
        and t.version = coalesce(v.template_version, s.template_version, c.voucher_version)
      where v.project_id = ${projectId} and v.deleted_at is null
        and (v.campaign_id is null or c.id is not null)) as x`,
  fields: {
    code: text("code"),
    voucher_type: id("type"),
    value: {
      ...number((db) => db`(${worthOf(db, (value) => value)})::numeric`),
      inCsv: id((db) => worthOf(db, (value) => cents(db, value))),
    },
    discount_type: id(ofDiscount("type")),
    formula: text(
      (db) => db`coalesce(${ofDiscount("amount_off_formula")(db)}, ${ofDiscount("percent_off_formula")(db)},
      ${ofDiscount("fixed_amount_formula")(db)})`,
    ),
    campaign: text("campaign_name"),
    category: text(category),
    start_date: date(moment("start_date")),
    expiration_date: date(moment("expiration_date")),
    gift_balance: money(available("GIFT_VOUCHER", gift)),
    loyalty_balance: number(available("LOYALTY_CARD", points)),
    redemption_quantity: number((db) => db`(worth ->> 'quantity')::bigint`),
    redemption_count: number("redeemed_quantity"),
    active: boolean("active"),
    qr_code: id(picture("qr")),
    bar_code: id(picture("barcode")),
    metadata: json("metadata"),
    id: id("id"),
    is_referral_code: boolean((db) => db`coalesce(campaign_type, '') = 'REFERRAL_PROGRAM'`),
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
      (db) => db`case when not coalesce(${isUnits(db)}, false)
      then coalesce(${ofDiscount("effect")(db)}, worth -> 'gift' ->> 'effect') end`,
    ),
    discount_unit_type: text(ofDiscount("unit_type")),
    discount_unit_effect: id((db) => db`case when ${isUnits(db)} then ${ofDiscount("effect")(db)} end`),
    validation_rules_id: id(rules),
    customer_source_id: personal(
      (db) => db`
      (select k.source_id from customers k where k.project_id = x.project_id and k.id = holder_id)`,
    ),
  },
  defaults: ["code", "voucher_type", "value", "discount_type"],
  orders: { ...BY_AGE, code: byText("code") },
  defaultOrder: "-created_at",
  filters: {
    id: "id",
    code: "code",
    vouchers: "list",
    active: { kind: "boolean", states: ["$active", "$expired", "$enabled", "$disabled"] },
    campaign_id: "string",
    campaign_ids: "string",
    is_referral_code: "boolean",
    holder_id: "string",
    published_for_customer_id: "string",
    categories: "string",
    category_ids: "string",
    "redemption.redeemed_quantity": "number",
    "redemption.quantity": "number",
    redemption_status: ["$redeemed", "$redeemable"],
    start_date: "date",
    expiration_date: "date",
    validity_timeframe: "string",
    validity_day_of_week: "list",
    created_at: "date",
    created_date: "date",
    updated_at: "date",
    "metadata.*": "metadata",
  },
  filterSql,
  metadataOf: "voucher",
};
