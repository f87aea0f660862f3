import type { Account, AccountSums } from "../ledger/account.ts";
import type { Order } from "../order/order.ts";
import type { OrderStatus } from "../order/schema.ts";
import { storedAmounts } from "../order/stored.ts";
import { orderView } from "../order/view.ts";
import type { CounterValues, UnitsRow } from "../rows/counter.ts";
import type { OrderRow } from "../rows/order.ts";
import type { RedemptionRow, RedemptionUse, RewardKept } from "../rows/redemption.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import type { Decided, Decision } from "../validate/decide.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import type { Applied } from "../validate/situation.ts";
import type { Starts } from "../vouchers/uses.ts";
import { type CodeTemplates, planCredits, planUse, templateKept } from "./code-use.ts";
import { type Addition, type Asker, addedTo, counterKeys, unitCounters } from "./counters.ts";
import { isShownAs, orderLeft } from "./order-shown.ts";
import { mergePlans, type Plan, type RewardChange } from "./plan.ts";
import { namesOfRedeemable, type RequestKept, redemptionRow } from "./redemption-row.ts";
import { type OrderStep, stepBetween } from "./step.ts";

type AppliedOne = Decided & { outcome: { status: "APPLICABLE"; result: Applied } };
/** One redeemable that applies, with what it adds to the counters. */
export type AppliedStep = Addition & {
  redeemable: Redeemable;
  result: Applied;
  step: OrderStep;
  units: readonly UnitsRow[];
};
const NO_UNITS: NonNullable<Applied["units"]> = new Map();

/** What the redeemables that apply do, one after the other. */
export const stepsOf = (
  { decided }: Decision,
  asker: Asker,
  vouchers: ReadonlyMap<string, VoucherRow>,
): AppliedStep[] =>
  decided
    .filter((one): one is AppliedOne => one.outcome.status === "APPLICABLE")
    .map(({ candidate, outcome: { result }, before }) => {
      const redeemable = candidate as Redeemable;
      const { ref, campaign_id } = redeemable;
      const step = stepBetween(before.order, result.order);
      const { order_amount, discount_amount } = step;
      return {
        redeemable,
        result,
        step,
        subject: { ref, campaign_id, row: vouchers.get(ref) ?? null },
        asker,
        values: { redemptions: 1, order_amount, discount_amount, gift_amount: result.gift?.credits ?? 0 },
        units: unitCounters(redeemable, asker.customer_id, result.units ?? NO_UNITS),
      };
    });

/** Points that were spent on a reward. */
export type PointsSpent = {
  /** The lots that they came from. */
  from: [lot: string, amount: number][];
  /** The card as it is shown with the redemption. */
  shown: Record<string, unknown>;
  reward: RewardKept;
  rewards: readonly RewardChange[];
};

/** What the rows of redemptions are made from. */
export type Redeeming = {
  request: RequestKept;
  newId(prefix: "r" | "vtx" | "lopb" | "ord" | "ordli"): string;
  starts: Starts;
  /** Whether what codes count for their campaigns decides anything. */
  areCodesCounted: boolean;
  accounts: ReadonlyMap<string, Account>;
  campaignOf(id: string): (CodeTemplates & { name: string }) | undefined;
  /** What a tier counts in all, before this redemption. */
  totalsOf(tierId: string): CounterValues;
  /** The code or the tier as it is kept with its redemption. */
  shownOf(redeemable: Redeemable): Record<string, unknown>;
  points: {
    /** Spends points of a loyalty card; null: it is none. */
    spend(step: AppliedStep, redemption: { id: string; order_id: string | null }): PointsSpent | null;
    /** What a loyalty card holds. */
    sumsOf(voucherId: string): AccountSums | undefined;
  };
  order: OrderRedeemed | null;
};

/** The order that redemptions are about. */
export type OrderRedeemed = {
  /** Null: none was sent. Goods that a discount adds are shown then, and no order is stored. */
  sent: null | { source_id?: string | null | undefined; status?: OrderStatus | null | undefined };
  /** The order as it was stored before; null: the order is new. */
  before: OrderRow | null;
  /** The cart after all that applied. */
  cart: Order;
  metadata: Readonly<Record<string, unknown>>;
  people: Parameters<typeof orderView>[1];
};

export type RedemptionsPlanned = {
  plan: Plan;
  children: readonly RedemptionRow[];
  /** The redemption of the whole stack; null: there is no stack. */
  parent: RedemptionRow | null;
  /** The order as it is stored afterwards; null: none was sent. */
  order: OrderRow | null;
};

/** The redemptions of a request that succeeds: a row for each redeemable that applies, and one for a stack of them. */
export function planRedemptions(redeeming: Redeeming, steps: readonly AppliedStep[]): RedemptionsPlanned {
  const { request, newId } = redeeming;
  const { order: redeemed } = redeeming;
  const order = redeemed?.sent ? orderAfter(redeeming, redeemed) : null;
  const parentId = steps.length > 1 ? newId("r") : null;
  const planned = steps.map((step) => planStep(redeeming, step, { order, parentId }));
  const children = planned.map(({ row }) => row);
  const views = planned.map((one) => one.orderView);
  const parent: RedemptionRow | null =
    parentId === null
      ? null
      : { ...redemptionRow(request, parentId), related_object_type: "redemption", related_object_id: parentId };
  const final = order && noteRedemptions(order, request.now, { children, parent });
  const withOrder = (row: RedemptionRow, view: Fields | null): RedemptionRow => ({
    ...row,
    order_id: final?.id ?? null,
    order_shown: final
      ? shownOtherwise(row, final, view)
      : (view ?? (redeemed && orderView(redeemed.cart, redeemed.people))),
  });
  const rows = {
    children: children.map((row, n) => withOrder(row, views[n]!)),
    parent: parent && withOrder(parent, null),
  };
  const plan = mergePlans([
    ...planned.map((one) => one.plan),
    { redemptions: rows.parent ? [...rows.children, rows.parent] : rows.children, orders: final ? [final] : [] },
  ]);
  return { plan, ...rows, order: final };
}

type Fields = Record<string, unknown>;

/** What a redemption shows of an order where that is not the order as it is stored; null: it is. */
function shownOtherwise(row: RedemptionRow, order: OrderRow, view: Fields | null): Fields | null {
  if (!view) return null;
  const { status, redemptions } = order;
  const shown = { ...view, status, redemptions };
  return isShownAs(shown, orderLeft(row, order)) ? null : shown;
}

/** The order as it is stored after the redemption. */
function orderAfter({ request, newId }: Redeeming, { sent, before, cart, metadata, people }: OrderRedeemed): OrderRow {
  const items = cart.items.map((item) => ({ ...item, id: item.id ?? newId("ordli"), collections: [] }));
  return {
    project_id: request.project_id,
    id: before?.id ?? newId("ord"),
    source_id: before?.source_id ?? sent?.source_id ?? null,
    status: sent?.status ?? "PAID",
    customer_id: request.customer_id ?? before?.customer_id ?? null,
    referrer_id: people.referrer_id,
    ...storedAmounts({ ...cart, items }),
    metadata: { ...metadata },
    redemptions: before?.redemptions ?? {},
    created_at: before?.created_at ?? request.now,
    updated_at: before ? request.now : null,
  };
}

type StackRows = { children: readonly RedemptionRow[]; parent: RedemptionRow | null };

/** The fields stand in the order in which the database gives them back. */
function noteRedemptions(order: OrderRow, now: string, { children, parent }: StackRows): OrderRow {
  const entries = parent
    ? [
        [
          parent.id,
          {
            date: now,
            stacked: children.map(({ id }) => id),
            related_object_id: parent.id,
            related_object_type: "redemption",
          },
        ] as const,
      ]
    : children.map(
        ({ id, related_object_type, related_object_id, campaign_id }) =>
          [id, { date: now, related_object_id, related_object_type, related_object_parent_id: campaign_id }] as const,
      );
  return { ...order, redemptions: Object.fromEntries([...Object.entries(order.redemptions), ...entries]) };
}

/** One redeemable that applies: its unit is taken, its credits are spent, its counters go up. */
function planStep(
  redeeming: Redeeming,
  applied: AppliedStep,
  { order, parentId }: { order: OrderRow | null; parentId: string | null },
): { row: RedemptionRow; plan: Partial<Plan>; orderView: Fields | null } {
  const { request, newId, starts, campaignOf } = redeeming;
  const { redeemable, result, step, subject, asker, values, units } = applied;
  const { now, api_key_id } = request;
  const id = newId("r");
  const order_id = order?.id ?? null;
  const spent = result.gift?.credits ?? result.loyalty_card?.points ?? null;
  const voucher = subject.row;
  const campaign = (voucher?.campaign_id != null && campaignOf(voucher.campaign_id)) || null;
  const points = redeeming.points.spend(applied, { id, order_id });
  const account = voucher && redeeming.accounts.get(voucher.id);
  const credits =
    !points && voucher && spent
      ? planCredits(voucher, {
          account: account ?? undefined,
          campaign,
          spent,
          redemption_id: id,
          order_id,
          now,
          newId,
        })
      : null;
  const use =
    voucher &&
    planUse(voucher, {
      by: 1,
      starts,
      keyId: api_key_id,
      quantity: redeemable.quantity,
      account: redeeming.points.sumsOf(voucher.id) ?? (credits?.accounts[0] ?? account)?.sums ?? null,
      template_version: templateKept(voucher, campaign),
      now,
    });
  const counters = counterKeys(subject, asker).map((key) => ({ ...key, ...values }));
  const isLast = voucher !== null && !redeeming.areCodesCounted;
  const row: RedemptionRow = {
    ...redemptionRow(request, id),
    ...namesOfRedeemable(redeemable, (one) => campaignOf(one)?.name ?? null),
    parent_id: parentId,
    amount: spent,
    effect: {
      shown: { ...redeeming.shownOf(redeemable), ...(points && { loyalty_card: points.shown }) },
      use: use ? figuresOf(use.vouchers[0]!) : totalsAfter(redeeming.totalsOf(redeemable.ref), values),
      kind: result.gift ? "credits" : result.loyalty_card ? "points" : "discount",
      api_key_id,
      starts,
      order_amount: values.order_amount,
      discount_amount: values.discount_amount,
      gift_amount: values.gift_amount,
      order_discount: step.order_discount,
      ...(step.zero_discounts && { zero_discounts: step.zero_discounts }),
      lines: step.lines,
      lots: points?.from ?? credits?.from ?? [],
      units: units.map((one) => [one.subject_id, one.customer_id, one.name, one.units]),
      ...(points && { reward: points.reward }),
    },
  };
  return {
    row,
    orderView: redeeming.order && result.order && orderView(linesOf(result.order, order), redeeming.order.people),
    plan: {
      entries: credits?.entries ?? [],
      lots: credits?.lots ?? [],
      accounts: credits?.accounts ?? [],
      vouchers: use?.vouchers ?? [],
      uses: use?.uses ?? [],
      [isLast ? "countedLast" : "counters"]: counters,
      units,
      rewards: points?.rewards ?? [],
    },
  };
}

/** The figures of use of a code or a tier that was just redeemed. */
const figuresOf = ({ redeemed_quantity, account }: VoucherRow): RedemptionUse => ({ redeemed_quantity, account });
const totalsAfter = (before: CounterValues, values: CounterValues): RedemptionUse => {
  const { redemptions, order_amount, discount_amount } = addedTo(before, values);
  return { totals: { redemptions, order_amount, discount_amount } };
};

/** The order after a step has the ids that it is stored with. */
const linesOf = (shown: Order, order: OrderRow | null): Order => ({
  ...shown,
  id: order?.id ?? shown.id,
  items: shown.items.map((item, n) => ({ ...item, id: order?.items[n]?.id ?? item.id })),
});
