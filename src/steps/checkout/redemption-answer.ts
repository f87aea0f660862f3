import { type Difference, differenceOf, withDifference } from "../../core/difference.ts";
import { jsonbOrder } from "../../core/jsonb-order.ts";
import { orderAt, wholeOrder } from "../../core/redeem/order-shown.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import { toInstantText } from "../../core/time/instant-text.ts";
import { redemptionView } from "./redemption-view.ts";

type Fields = Record<string, unknown>;

/**
 * What an answer is made again from when its request is repeated: the redemptions, and what their rows and their order do not
 * tell. What may change later stands in it: the customer, and how the code is configured. So it needs nobody's help but of who
 * changes the order, and of who erases a customer.
 */
export type MadeOf = {
  /** How rows become an answer. An answer is made again the way it was taken apart. */
  form: number;
  ids: readonly string[];
  /** Left out: all are in a list. */
  single?: true;
  but?: Difference;
};

/** The rows of redemptions, those of a stack with the whole last, and the order that they left. */
export type AnswerRows = {
  redemptions: readonly RedemptionRow[];
  order: OrderRow | null;
  /** Where the pictures of a code are. */
  assetsOf(voucherId: string): object;
};

/** Fields that the database gives back as they are: their order is the only one. */
const isAtRest = (metadata: Fields): boolean => {
  const values = Object.values(metadata);
  return values.length === 0 || (values.length === 1 && typeof values[0] !== "object");
};

/** A redemption as it was when it was made, in the form in which the database gives it back. */
const atRest = (row: RedemptionRow): RedemptionRow => ({
  ...row,
  status: "SUCCEEDED",
  metadata: jsonbOrder(row.metadata) as Fields,
  created_at: toInstantText(row.created_at),
});
/** The same row, where it has that form already: what is shown of it is known then. */
function orderAtRest(order: OrderRow): OrderRow {
  const created_at = toInstantText(order.created_at);
  const updated_at = order.updated_at === null ? null : toInstantText(order.updated_at);
  if (created_at === order.created_at && updated_at === order.updated_at && isAtRest(order.metadata)) return order;
  return { ...order, metadata: jsonbOrder(order.metadata) as Fields, created_at, updated_at };
}

/** A code as it mostly is: one of many, with nothing of its own. */
function voucherExpected(row: RedemptionRow, assetsOf: AnswerRows["assetsOf"], isSingle: boolean): Fields {
  const { related_object_id: id, voucher_code: code, effect } = row;
  const shown = effect?.shown ?? {};
  const use = effect?.use && "redeemed_quantity" in effect.use ? effect.use : null;
  const account = shown.gift ? (use?.account ?? null) : null;
  const named = encodeURIComponent(code ?? "");
  return {
    id,
    code,
    campaign: row.campaign_name,
    campaign_id: row.campaign_id,
    category: null,
    category_id: null,
    categories: [],
    type: shown.type,
    discount: shown.discount ?? null,
    gift: account && {
      amount: account.received,
      subtracted_amount: account.subtracted,
      balance: account.available,
      effect: (shown.gift as Fields).effect,
    },
    loyalty_card: null,
    start_date: null,
    validity_hours: null,
    expiration_date: null,
    validity_timeframe: null,
    validity_day_of_week: null,
    active: true,
    additional_info: null,
    metadata: {},
    assets: assetsOf(id!),
    is_referral_code: shown.is_referral_code,
    created_at: row.created_at,
    updated_at: row.created_at,
    holder_id: null,
    referrer_id: null,
    redemption: {
      quantity: null,
      redeemed_quantity: use?.redeemed_quantity,
      ...(account && { redeemed_amount: account.spent }),
      object: "list",
      url: `/v1/vouchers/${named}/redemption?page=1&limit=10`,
    },
    publish: { object: "list", count: 0, url: `/v1/publications?voucher=${named}&page=1&limit=10` },
    object: "voucher",
    ...(isSingle && { validation_rules_assignments: { object: "list", data_ref: "data", data: [], total: 0 } }),
  };
}

/** The answer of a redemption as rows let expect it. */
function expected({ redemptions, order, assetsOf }: AnswerRows, isSingle: boolean): Fields {
  const rows = redemptions.map(atRest);
  const parent = rows.find(({ related_object_type }) => related_object_type === "redemption");
  const view = (row: RedemptionRow): Fields => {
    const at = orderAt(row, order);
    const shown = redemptionView(row, { customer: null, order: at && orderAtRest(at) }) as Fields;
    const { customer_id: id } = row;
    if (id !== null)
      shown.customer = { id, name: null, email: null, source_id: null, metadata: {}, object: "customer" };
    if (row.related_object_type === "voucher") shown.voucher = voucherExpected(row, assetsOf, isSingle);
    return shown;
  };
  const children = rows.filter((row) => row !== parent).map(view);
  if (isSingle) return children[0]!;
  const last = orderAt(parent ?? rows[0]!, order);
  return {
    redemptions: children,
    ...(parent && { parent_redemption: view(parent) }),
    order: last && wholeOrder(orderAtRest(last)),
    inapplicable_redeemables: [],
    skipped_redeemables: [],
  };
}

/**
 * Every form that an answer in the database may have; the last one is made. Keys live for a day: whoever changes what `expected`
 * gives, be it in a view that it uses, leaves it here for a release as it was, and adds another.
 */
export const FORMS: { form: number; expected: (rows: AnswerRows, isSingle: boolean) => Fields }[] = [
  { form: 1, expected },
];

/** What an answer is made again from. */
export function madeOf(answer: object, rows: AnswerRows, isSingle: boolean): MadeOf {
  const { form, expected } = FORMS.at(-1)!;
  const but = differenceOf(expected(rows, isSingle), answer);
  return {
    form,
    ids: rows.redemptions.map(({ id }) => id),
    ...(isSingle && { single: true }),
    ...(but && { but }),
  };
}

/** The text of an answer; null: the rows are not all there, or nobody knows its form. */
export function answerFrom({ form, ids, single, but }: MadeOf, rows: AnswerRows): string | null {
  const known = FORMS.find((one) => one.form === form);
  if (!known || rows.redemptions.length < ids.length) return null;
  return JSON.stringify(withDifference(known.expected(rows, single === true), but));
}
