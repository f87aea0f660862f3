import { type Answer, success } from "../../core/answer.ts";
import { openAccount, spend } from "../../core/ledger/account.ts";
import type { Order } from "../../core/order/order.ts";
import { orderView } from "../../core/order/view.ts";
import { SKIPPED_RESULT_DETAILS } from "../../core/projects/settings.ts";
import { type OrderStep, stepBetween } from "../../core/redeem/step.ts";
import type { CounterKey, CounterValues, UnitsRow } from "../../core/rows/counter.ts";
import type { EntryRow } from "../../core/rows/ledger.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow, RedemptionUse } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Decided } from "../../core/validate/decide.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import type { Applied } from "../../core/validate/situation.ts";
import { decidedView } from "../../core/validate/view.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { addUse } from "../../core/vouchers/uses.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import { type NewEvent, withIds } from "../../events/events.ts";
import { customerEvents } from "../../resources/customers/customers/store.ts";
import { amountsOf, view as orderRowView } from "../../resources/orders/orders/store.ts";
import { countersOf } from "../../steps/checkout/budgets.ts";
import type { RedeemRequest } from "../../steps/checkout/deciding.ts";
import { campaignOf, type KnownVoucher } from "../../steps/checkout/redeemables.ts";
import {
  type RedeemableRecords,
  redeemableRecord,
  redeemableShown,
  redemptionView,
} from "../../steps/checkout/redemption-view.ts";
import { type Addition, type Asker, addedTo, counterKeys, nameOf } from "../../steps/checkout/use.ts";
import { orderMoves } from "../../steps/points/earning-triggers.ts";
import { pointsShown } from "../../steps/points/point-changes.ts";
import { tierView } from "../../steps/promotions/promotion-tiers.ts";
import { voucherView, voucherWithRules } from "../../steps/promotions/voucher-view.ts";
import { redeemedReferrals } from "../../steps/referrals/referrals.ts";
import { rewardEvents } from "../../steps/rewards/reward-handouts.ts";
import type { Work } from "./load.ts";
import { rewardFor, spendPointsOf, takeReward } from "./points.ts";
import { type Attempt, common, namesOfRedeemable, storedOrder } from "./rows.ts";

type AppliedOne = Decided & { outcome: { status: "APPLICABLE"; result: Applied } };
/** One redeemable that applies, with what it adds to the counters. */
export type AppliedStep = Addition & {
  redeemable: Redeemable;
  result: Applied;
  step: OrderStep;
  units: readonly UnitsRow[];
};

/** What the redeemables that apply do, one after the other. */
export function stepsOf({ command, work, decision, customer }: Attempt): AppliedStep[] {
  const asker: Asker = { api_key_id: command.api_key_id, customer_id: customer?.row.id ?? null, starts: work.starts };
  return decision.decided
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
        subject: { ref, campaign_id, row: work.known.get(ref)?.row ?? null },
        asker,
        values: { redemptions: 1, order_amount, discount_amount, gift_amount: result.gift?.credits ?? 0 },
        units: countersOf(redeemable, asker.customer_id, result.units ?? NO_UNITS),
      };
    });
}

/** The first step with which a counter would pass what can be read again. Units are within their limits anyway. */
export const stepWithoutRoom = ({ use }: Work, steps: readonly AppliedStep[]): AppliedStep | null =>
  steps[use.passing(steps)] ?? null;

export function succeed(attempt: Attempt, steps: readonly AppliedStep[]): Answer {
  const { command, work, decision, customer, referrer, overrides } = attempt;
  for (const one of [customer, referrer]) if (one) work.customers.accept(one);
  const before = orderBefore(attempt);
  const order = orderAfter(attempt, before);
  const parentId = steps.length > 1 ? command.newId("r") : null;
  const children = steps.map((one) => redeemStep(attempt, one, { order, parentId }));
  const parent: RedemptionRow | null =
    parentId === null
      ? null
      : { ...common(attempt, parentId), related_object_type: "redemption", related_object_id: parentId };
  const rows = parent ? [...children, parent] : children;
  const final = order && noteRedemptions(order, command, { children, parent });
  if (final) {
    if (overrides.products.length + overrides.skus.length > 0) work.overrides.push({ overrides, made: command });
    work.orders.set(final.id, final);
    work.ordersSaved.add(final.id);
  }
  for (const row of rows) {
    row.order_id = final?.id ?? null;
    row.order_shown = final && {
      ...(row.order_shown ?? orderRowView(final)),
      id: final.id,
      status: final.status,
      redemptions: final.redemptions,
    };
  }
  work.redemptions.push(...rows);
  work.referred.push(...redeemedReferrals(command.catalog, command, vouchersIn(attempt, children)));
  if (command.session) {
    work.released.add(command.session.key);
    for (const [id, locks] of work.locks)
      work.locks.set(
        id,
        locks.filter(({ session_key }) => session_key !== command.session!.key),
      );
  }
  for (const id of [customer?.row.id, order && before?.customer_id, referrer?.row.id])
    if (id) work.touched.set(id, command);
  const wasThere = order?.created_at !== command.now;
  const happened = withIds(command, happenedOf(attempt, { rows, order: final, wasThere }));
  work.events.push({ of: command, happened });
  work.moves.push(
    ...orderMoves(happened, final, { of: command, customer: work.customers.byId(final?.customer_id ?? "") }),
  );
  const records: RedeemableRecords = { ...command, voucherOf: (id) => work.known.get(id)?.row };
  const shown = children.map((row) => ({
    ...redemptionView(row, customer?.row ?? null),
    // A client application is shown less.
    ...(!command.isClient && redeemableRecord(row, records)),
  }));
  if (command.isSingle) return success({ ...shown[0], ...fullRedeemable(attempt, steps[0]!.redeemable) });
  const hasSkippedDetails = command.project.features.includes(SKIPPED_RESULT_DETAILS);
  const view = { showOrder: null, requestId: command.request_id, hasSkippedDetails };
  const of = (status: string) =>
    decision.decided.filter(({ outcome }) => outcome.status === status).map((one) => decidedView(one, view));
  return success({
    redemptions: shown,
    ...(parent && { parent_redemption: redemptionView(parent, customer?.row ?? null) }),
    order: final && orderRowView(final),
    inapplicable_redeemables: of("INAPPLICABLE"),
    skipped_redeemables: of("SKIPPED"),
  });
}

/** The codes that were redeemed. */
const vouchersIn = ({ work, customer }: Attempt, rows: readonly RedemptionRow[]) =>
  rows.flatMap(({ id: redemption_id, related_object_id }) => {
    const known = work.known.get(related_object_id ?? "");
    return known ? [{ redemption_id, voucher: known.row, referee_id: customer?.row.id ?? null }] : [];
  });

/** The code or the tier as it is after the redemption, as the older operations show it. */
function fullRedeemable({ command: { catalog, project }, work }: Attempt, { object, ref }: Redeemable) {
  if (object === "promotion_tier") {
    const tier = catalog.promotion_tiers.get(ref)!;
    const campaign = catalog.campaigns.get(tier.campaign_id)!;
    return { promotion_tier: tierView(catalog, tier, campaign, work.use.totalsOf(ref)) };
  }
  const { row, assignments } = work.known.get(ref)!;
  return { voucher: voucherWithRules(voucherView(catalog, row, project), assignments) };
}

/** The order as it was stored before the redemption. */
function orderBefore({ command, work }: Attempt): OrderRow | null {
  const stored = storedOrder(command, work);
  return stored && !("refused" in stored) ? stored : null;
}

/** The order as it is stored after the redemption; null when none was sent. */
function orderAfter({ command, cart, decision, customer }: Attempt, before: OrderRow | null): OrderRow | null {
  const { order: sent } = command.sent;
  if (!decision.order || !sent) return null;
  const items = decision.order.items.map((item) => ({
    ...item,
    id: item.id ?? command.newId("ordli"),
    collections: [],
  }));
  return {
    project_id: command.project.id,
    id: before?.id ?? command.newId("ord"),
    source_id: before?.source_id ?? sent.source_id ?? null,
    status: sent.status ?? "PAID",
    customer_id: customer?.row.id ?? before?.customer_id ?? null,
    referrer_id: cart.people.referrer_id,
    ...amountsOf({ ...decision.order, items }),
    metadata: { ...cart.order!.metadata },
    redemptions: before?.redemptions ?? {},
    created_at: before?.created_at ?? command.now,
    updated_at: before ? command.now : null,
  };
}

type Rows = { children: readonly RedemptionRow[]; parent: RedemptionRow | null };

/** The fields stand in the order in which the database gives them back. */
function noteRedemptions(order: OrderRow, { now }: RedeemRequest, { children, parent }: Rows): OrderRow {
  const entries = parent
    ? {
        [parent.id]: {
          date: now,
          stacked: children.map(({ id }) => id),
          related_object_id: parent.id,
          related_object_type: "redemption",
        },
      }
    : Object.fromEntries(
        children.map(({ id, related_object_type, related_object_id, campaign_id }) => [
          id,
          {
            date: now,
            related_object_id,
            related_object_type,
            related_object_parent_id: campaign_id,
          },
        ]),
      );
  return { ...order, redemptions: { ...order.redemptions, ...entries } };
}

/** One redeemable that applies: its unit is taken, its credits are spent, its counters go up. */
function redeemStep(
  attempt: Attempt,
  { redeemable, result, step, subject, asker, values, units }: AppliedStep,
  { order, parentId }: { order: OrderRow | null; parentId: string | null },
): RedemptionRow {
  const { command, work, cart } = attempt;
  const id = command.newId("r");
  const spent = result.gift?.credits ?? result.loyalty_card?.points ?? null;
  const known = work.known.get(redeemable.ref) ?? null;
  const reward = rewardFor(work, redeemable, command);
  const card = reward && work.points.get(redeemable.ref);
  const lots = card
    ? spendPointsOf(attempt, card, { id, points: spent!, order_id: order?.id ?? null, reward })
    : known && spent
      ? spendFrom(attempt, known.row, { id, spent, order })
      : [];
  if (known) takeUnit(attempt, known, redeemable);
  work.use.add(subject, asker, values);
  const counters = (subject.row !== null && work.countedLast) || work.counters;
  for (const key of counterKeys(subject, asker)) addCounter(counters, key, values);
  work.budgets.add(units);
  for (const row of units) addUnitsUsed(work.unitsUsed, row);
  const shownOrder = result.order && orderView(linesOf(result.order, order), cart.people);
  return {
    ...common(attempt, id),
    ...namesOfRedeemable(redeemable, command.catalog),
    parent_id: parentId,
    amount: spent,
    order_shown: shownOrder,
    effect: {
      shown: { ...redeemableShown(redeemable, command.catalog), ...(card && { loyalty_card: pointsShown(card) }) },
      use: useAfter(work, redeemable.ref),
      kind: result.gift ? "credits" : result.loyalty_card ? "points" : "discount",
      api_key_id: command.api_key_id,
      starts: work.starts,
      order_amount: values.order_amount,
      discount_amount: values.discount_amount,
      gift_amount: values.gift_amount,
      order_discount: step.order_discount,
      ...(step.zero_discounts && { zero_discounts: step.zero_discounts }),
      lines: step.lines,
      lots,
      units: units.map((row) => [row.subject_id, row.customer_id, row.name, row.units]),
      ...(reward && { reward: takeReward(attempt, reward, redeemable.ref) }),
    },
  };
}
const NO_UNITS: NonNullable<Applied["units"]> = new Map();

/** The figures of use of a code or a tier that was just redeemed. */
function useAfter({ known, use }: Work, ref: string): RedemptionUse {
  const row = known.get(ref)?.row;
  if (row) return { redeemed_quantity: row.redeemed_quantity, account: row.account };
  const { redemptions, order_amount, discount_amount } = use.totalsOf(ref);
  return { totals: { redemptions, order_amount, discount_amount } };
}

/** The lines of a step have the ids that the stored order gave them. */
const linesOf = (shown: Order, order: OrderRow | null): Order => ({
  ...shown,
  items: shown.items.map((item, n) => ({ ...item, id: order?.items[n]?.id ?? item.id })),
});

function addCounter(counters: Work["counters"], key: CounterKey, values: CounterValues): void {
  const name = nameOf(key);
  counters.set(name, { ...key, ...addedTo(counters.get(name), values) });
}

function addUnitsUsed(used: Work["unitsUsed"], row: UnitsRow): void {
  const name = JSON.stringify([row.subject_id, row.customer_id, row.name]);
  used.set(name, { ...row, units: row.units + (used.get(name)?.units ?? 0) });
}

/** The row of the code as the next command sees it. */
function takeUnit({ command, work }: Attempt, known: KnownVoucher, redeemable: Redeemable): void {
  const { row } = known;
  const campaign = campaignOf(command.catalog, row) ?? null;
  const before = work.uses.get(row.id);
  const uses = addUse(row.uses, { starts: work.starts, keyId: command.api_key_id, by: 1 });
  const template_version = row.template_version ?? (row.settings ? null : (campaign?.voucher_version ?? null));
  const points = work.points.get(row.id)?.change.card.account.sums;
  const account = points ?? work.accounts.get(row.id)?.sums ?? null;
  const updated_at = command.now;
  const redeemed_quantity = row.redeemed_quantity + 1;
  const next: VoucherRow = { ...row, redeemed_quantity, uses, template_version, account, updated_at };
  work.known.set(row.id, { ...known, row: next });
  work.uses.set(row.id, {
    id: row.id,
    by: (before?.by ?? 0) + 1,
    quantity: redeemable.quantity,
    uses,
    account,
    available: before ? before.available : (row.account?.available ?? null),
    template_version,
    updated_at,
  });
}

/** Spends credits; the account of a card is opened when it is first moved. Returns the lots they came from. */
function spendFrom(
  { command, work }: Attempt,
  row: VoucherRow,
  { id, spent, order }: { id: string; spent: number; order: OrderRow | null },
): [string, number][] {
  const entry = (moved: ReturnType<typeof spend>["entry"], redemption_id: string | null): EntryRow => ({
    ...moved,
    id: command.newId("vtx"),
    campaign_id: row.campaign_id,
    redemption_id,
    rollback_id: null,
    order_id: order?.id ?? null,
    source_id: null,
    source: null,
    reason: null,
    details: {},
    created_at: command.now,
  });
  let account = work.accounts.get(row.id);
  if (!account) {
    const campaign = campaignOf(command.catalog, row) ?? null;
    const amount = sumsOf(row, settingsOf(row, campaign))!.received;
    const lot = { id: command.newId("lopb"), expires_at: null, created_at: row.created_at };
    const opened = openAccount(row.id, { amount, lot });
    account = opened.account;
    work.entries.push(entry(opened.entry, null));
  }
  const moved = spend(account, { amount: spent, kind: "redemption" });
  const left = new Map(moved.account.lots.map((lot) => [lot.id, lot]));
  for (const lot of account.lots)
    work.lots.set(lot.id, { ...(left.get(lot.id) ?? { ...lot, remaining: 0 }), account_id: row.id });
  work.accounts.set(row.id, moved.account);
  work.entries.push(entry(moved.entry, id));
  return moved.entry.lots.map(([lot, amount]) => [lot, amount]);
}

const ORDER_EVENTS = {
  PAID: "customer.order.paid",
  FULFILLED: "customer.order.fulfilled",
  CANCELED: "customer.order.canceled",
  CREATED: null,
} as const;

function happenedOf(
  attempt: Attempt,
  { rows, order, wasThere }: { rows: readonly RedemptionRow[]; order: OrderRow | null; wasThere: boolean },
): NewEvent[] {
  const { customer, referrer } = attempt;
  const customer_id = customer?.row.id ?? null;
  const entered = order && ORDER_EVENTS[order.status];
  const payload = order && { order_id: order.id, status: order.status };
  return [
    ...customerEvents([customer, referrer].filter((one) => one !== null)),
    ...rows.flatMap((row): NewEvent[] => {
      const voucher_id = row.related_object_type === "voucher" ? row.related_object_id : null;
      const about = { customer_id, voucher_id, campaign_id: row.campaign_id };
      const spent = { redemption_id: row.id, points: row.amount ?? 0 };
      const payload = { redemption_id: row.id, ...(row.amount !== null && { amount: row.amount }) };
      return [
        { kind: "customer.redemption.succeeded", ...about, payload },
        ...(row.effect?.reward ? rewardEvents(attempt, row.effect.reward, { ...about, ...spent }) : []),
      ];
    }),
    ...(order
      ? [
          {
            kind: wasThere ? ("customer.order.updated" as const) : ("customer.order.created" as const),
            customer_id,
            payload: payload!,
          },
        ]
      : []),
    ...(entered ? [{ kind: entered, customer_id, payload: payload! }] : []),
  ];
}
