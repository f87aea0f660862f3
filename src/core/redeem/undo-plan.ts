import type { AccountSums, Touched } from "../ledger/account.ts";
import type { OrderStatus } from "../order/schema.ts";
import { cartOf, storedAmounts } from "../order/stored.ts";
import type { CounterRow } from "../rows/counter.ts";
import type { LotRow } from "../rows/ledger.ts";
import type { OrderRow } from "../rows/order.ts";
import { NO_EFFECT, type RedemptionEffect, type RedemptionRow } from "../rows/redemption.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import { planUse } from "./code-use.ts";
import { addedTo, counterName, countersOfRedemption } from "./counters.ts";
import { orderShown } from "./order-shown.ts";
import type { Plan } from "./plan.ts";
import { type TakenStep, takeBackSteps } from "./step.ts";
import { giveBack } from "./undo.ts";

export const isStack = ({ related_object_type }: RedemptionRow): boolean => related_object_type === "redemption";

/** What a rollback keeps of its request. */
export type RollbackKept = {
  api_key_id: string;
  /** What the SDK calls itself. */
  channel?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  tracking_id: string | null;
  reason: string | null;
  now: string;
};

/** The row of a rollback: what was rolled back, under its own name. */
export function rollbackRow(request: RollbackKept, of: RedemptionRow, id: string): RedemptionRow {
  const { shown, kind, reward } = of.effect ?? NO_EFFECT;
  return {
    ...of,
    id,
    object: "redemption_rollback",
    parent_id: null,
    redemption_id: of.id,
    tracking_id: request.tracking_id ?? of.tracking_id,
    amount: of.amount && -of.amount,
    reason: request.reason,
    metadata: { ...request.metadata },
    channel: { channel_id: request.api_key_id, channel_type: request.channel ?? "API" },
    order_shown: false,
    receipt: null,
    effect: { ...NO_EFFECT, api_key_id: request.api_key_id, shown, kind, ...(reward && { reward }) },
    created_at: request.now,
  };
}

/** Points that went back to their card. */
export type PointsBack = {
  /** The lots that they went to; null: none were spent. */
  lots: Touched | null;
  sums: AccountSums;
  shown: Record<string, unknown>;
};

/** What a rollback is made from: the rows as they are, and what becomes of points. */
export type Undoing = {
  request: RollbackKept;
  newId(prefix: "rr" | "vtx" | "lopb"): string;
  /** The end of the day on which it is rolled back. */
  dayEnd(): string;
  counters: ReadonlyMap<string, CounterRow>;
  vouchers: ReadonlyMap<string, VoucherRow>;
  lots: ReadonlyMap<string, LotRow>;
  /** The rewards that are there to be given back. */
  rewards: ReadonlySet<string>;
  /** Gives points back to a loyalty card; null: it is none. */
  pointsBack(part: RedemptionRow, rollbackId: string): PointsBack | null;
};

/** The row of a rollback, and what it changes. */
export type Undone = { row: RedemptionRow; plan: Partial<Plan> };

/** The parts of a redemption undone, one after the other: each finds the counters as those before it left them. */
export function undoParts(undoing: Undoing, parts: readonly RedemptionRow[], parentId: string | null): Undone[] {
  const counted = new Map<string, CounterRow>();
  return parts.map((part) => {
    const counters = countersBack(part, (name) => counted.get(name) ?? undoing.counters.get(name));
    for (const row of counters) {
      const name = counterName(row);
      counted.set(name, { ...row, ...addedTo(counted.get(name) ?? undoing.counters.get(name), row) });
    }
    const { row, plan } = undoPart(undoing, part, parentId);
    return { row, plan: { ...plan, counters } };
  });
}

/** What counters lose. What was counted may have gone with a campaign that was deleted. */
function countersBack(part: RedemptionRow, counterOf: (name: string) => CounterRow | undefined): CounterRow[] {
  const keys = countersOfRedemption(part).filter((key) => (counterOf(counterName(key))?.redemptions ?? 0) !== 0);
  const { order_amount, discount_amount, gift_amount } = part.effect ?? NO_EFFECT;
  return keys.map((key) => ({
    ...key,
    redemptions: -1,
    order_amount: -order_amount,
    discount_amount: -discount_amount,
    gift_amount: -gift_amount,
  }));
}

/** One redemption undone: its unit comes back, its credits go back. */
function undoPart(undoing: Undoing, part: RedemptionRow, parent_id: string | null): Undone {
  const { request, newId, rewards } = undoing;
  const row = { ...rollbackRow(request, part, newId("rr")), parent_id };
  const voucher = part.related_object_type === "voucher" ? undoing.vouchers.get(part.related_object_id!) : undefined;
  const back = voucher && unitBack(undoing, voucher, { part, rollbackId: row.id });
  const reward = part.effect?.reward?.id;
  return {
    row: back ? { ...row, effect: { ...row.effect!, ...back.effect(row.effect!.shown) } } : row,
    plan: {
      ...back?.plan,
      units: part.effect!.units.map(([subject_id, customer_id, name, units]) => ({
        subject_id,
        customer_id,
        name,
        units: -units,
      })),
      rewards: reward !== undefined && rewards.has(reward) ? [{ id: reward, by: -1 }] : [],
    },
  };
}

type Part = { part: RedemptionRow; rollbackId: string };

/** A code has one redemption less, and its card what was spent. */
function unitBack(undoing: Undoing, voucher: VoucherRow, { part, rollbackId }: Part) {
  const { starts, api_key_id } = part.effect!;
  const points = undoing.pointsBack(part, rollbackId);
  const credits =
    !points && voucher.account && part.amount ? creditsBack(undoing, voucher, { part, rollbackId }) : null;
  const use = planUse(voucher, {
    by: -1,
    starts,
    keyId: api_key_id,
    quantity: null,
    account: points ? points.sums : (credits?.account.sums ?? voucher.account),
    template_version: voucher.template_version,
    now: undoing.request.now,
  });
  const { redeemed_quantity, account } = use.vouchers[0]!;
  const lots = (points?.lots ?? credits?.touched ?? []).map(([lot, amount]): [string, number] => [lot, amount]);
  return {
    plan: { ...use, ...credits?.plan },
    effect: (shown: RedemptionEffect["shown"]): Partial<RedemptionEffect> => ({
      shown: points ? { ...shown, loyalty_card: points.shown } : shown,
      lots,
      use: { redeemed_quantity, account },
    }),
  };
}

/** Credits go back into the lots that they came from. */
function creditsBack(
  { request, newId, dayEnd, lots: known }: Undoing,
  voucher: VoucherRow,
  { part, rollbackId }: Part,
) {
  const { now, reason } = request;
  const lots = new Map([...known].filter(([, { account_id }]) => account_id === voucher.id));
  const before = {
    id: voucher.id,
    sums: voucher.account!,
    lots: [...lots.values()].filter((lot) => lot.remaining > 0),
  };
  const fresh = { id: newId("lopb"), expires_at: dayEnd(), created_at: now };
  const {
    account,
    entry,
    lots: changed,
  } = giveBack(before, {
    amount: part.amount!,
    from: part.effect!.lots,
    lots,
    now,
    fresh,
  });
  return {
    account,
    touched: entry.lots,
    plan: {
      lots: changed.map((lot) => ({ ...lot, account_id: voucher.id })),
      entries: [
        {
          ...entry,
          id: newId("vtx"),
          campaign_id: voucher.campaign_id,
          redemption_id: part.id,
          rollback_id: rollbackId,
          order_id: part.order_id,
          source_id: null,
          source: null,
          reason,
          details: {},
          created_at: now,
        },
      ],
    },
  };
}

/** What a redemption did to its order. The lines are those that it showed: others may be in their places by now. */
function takenStep(part: RedemptionRow, order: OrderRow): TakenStep {
  const shown = (orderShown(part, order)?.items ?? []) as { id?: string }[];
  const { order_discount, zero_discounts, lines } = part.effect!;
  return { order_discount, zero_discounts, lines: lines.map((line) => ({ ...line, id: shown[line.index]?.id })) };
}

type OrderUndone = {
  /** The redemption that the request names, its parts, and the rows of their rollbacks. */
  redemption: RedemptionRow;
  parts: readonly RedemptionRow[];
  children: readonly RedemptionRow[];
  parent: RedemptionRow | null;
  sent: { status?: OrderStatus | null | undefined; metadata?: object | null | undefined } | null | undefined;
  now: string;
};

// Contract is silent: amounts and lines that a rollback sends. The order is what it was without the redemption, so they
// are not looked at; its status and its metadata are.
export function orderUndone(
  order: OrderRow,
  { redemption, parts, children, parent, sent, now }: OrderUndone,
): OrderRow {
  return {
    ...order,
    ...storedAmounts(
      takeBackSteps(
        cartOf(order),
        parts.toReversed().map((part) => takenStep(part, order)),
      ),
    ),
    status: sent?.status ?? "CANCELED",
    metadata: { ...order.metadata, ...sent?.metadata },
    redemptions: {
      ...order.redemptions,
      [redemption.id]: {
        ...(order.redemptions[redemption.id] as object | undefined),
        rollback_id: (parent ?? children[0]!).id,
        rollback_date: now,
        ...(parent && { rollback_stacked: children.map(({ id }) => id) }),
      },
    },
    updated_at: now,
  };
}
