import { type Answer, success } from "../../core/answer.ts";
import { orderView } from "../../core/order/view.ts";
import { SKIPPED_RESULT_DETAILS } from "../../core/projects/settings.ts";
import { addedTo } from "../../core/redeem/counters.ts";
import { wholeOrder } from "../../core/redeem/order-shown.ts";
import { type AppliedStep, planRedemptions, type RedemptionsPlanned } from "../../core/redeem/redemption-plan.ts";
import type { RequestKept } from "../../core/redeem/redemption-row.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { decidedView } from "../../core/validate/view.ts";
import { type NewEvent, ORDER_STATUS_EVENTS, withIds } from "../../events/events.ts";
import { madeOf } from "../../steps/checkout/redemption-answer.ts";
import {
  type RedeemableRecords,
  redeemableRecord,
  redeemableShown,
  redemptionView,
} from "../../steps/checkout/redemption-view.ts";
import { customerEvents } from "../../steps/customers/customers.ts";
import { orderMoves } from "../../steps/points/earning-triggers.ts";
import { tierView } from "../../steps/promotions/promotion-tiers.ts";
import { voucherView, voucherWithRules } from "../../steps/promotions/voucher-view.ts";
import { redeemedReferrals } from "../../steps/referrals/referrals.ts";
import { rewardEvents } from "../../steps/rewards/reward-handouts.ts";
import type { RedeemAttempt } from "./decide.ts";
import { spendOnReward } from "./spending.ts";
import { redemptionParts, stackKept } from "./webhook-parts.ts";

/** What redemptions keep of their request. */
export const requestKept = ({ command, cart, customer }: RedeemAttempt): RequestKept => ({
  project_id: command.project.id,
  api_key_id: command.api_key_id,
  channel: command.channel,
  metadata: command.sent.metadata,
  customer_id: customer?.row.id ?? null,
  tracking_id: cart.tracking_id,
  now: command.now,
});

/** What a request does that is not refused. */
export function planSuccess(attempt: RedeemAttempt, steps: readonly AppliedStep[]) {
  const { command, state, customer, referrer, before, overrides } = attempt;
  const planned = redemptionsOf(attempt, steps);
  const { plan, children, order } = planned;
  const vouchers = new Map(plan.vouchers.map((row) => [row.id, row]));
  const hasOverrides = overrides.products.length + overrides.skus.length > 0;
  const referred = redeemedReferrals(
    command.catalog,
    command,
    children.flatMap(({ id: redemption_id, related_object_id }) => {
      const voucher = vouchers.get(related_object_id ?? "");
      return voucher ? [{ redemption_id, voucher, referee_id: customer?.row.id ?? null }] : [];
    }),
  );
  const happened = withIds(command, happenedOf(attempt, planned));
  const owner = order?.customer_id ?? "";
  return {
    ...plan,
    customers: [customer, referrer].filter((person) => person !== null),
    additions: steps,
    gifts: attempt.gifts?.gifts() ?? null,
    released: command.session ? [command.session.key] : [],
    overrides: order && hasOverrides ? [{ overrides, made: command }] : [],
    events: [{ of: command, happened }],
    referred,
    triggers: orderMoves(happened, order, {
      of: command,
      customer: customer?.row.id === owner ? customer.row : state.customers.byId(owner),
    }),
    touched: [customer?.row.id, order && before?.customer_id, referrer?.row.id].filter((id) => id != null),
    answer: answerOf(attempt, { planned, steps, vouchers }),
  };
}

/** The rows of the redemptions. */
function redemptionsOf(attempt: RedeemAttempt, steps: readonly AppliedStep[]): RedemptionsPlanned {
  const { command, state, cards, cart, decision, before } = attempt;
  const { catalog, newId, sent } = command;
  const { starts, areCodesCounted, accounts } = state;
  return planRedemptions(
    {
      request: requestKept(attempt),
      newId,
      starts,
      areCodesCounted,
      accounts,
      campaignOf: (id) => catalog.campaigns.get(id),
      totalsOf: state.use.totalsOf,
      shownOf: (redeemable) => redeemableShown(redeemable, catalog),
      points: {
        spend: (step, redemption) => spendOnReward(attempt, step, redemption),
        sumsOf: (id) => cards.of(id)?.change.card.account.sums,
      },
      order: decision.order && {
        sent: sent.order ?? null,
        before,
        cart: decision.order,
        metadata: cart.order?.metadata ?? {},
        people: cart.people,
      },
    },
    steps,
  );
}

type Succeeded = {
  planned: RedemptionsPlanned;
  steps: readonly AppliedStep[];
  /** The codes as they are after the redemption. */
  vouchers: ReadonlyMap<string, VoucherRow>;
};

function answerOf(attempt: RedeemAttempt, succeeded: Succeeded): Answer {
  const { command, cart, customer, decision } = attempt;
  const { children, parent, order } = succeeded.planned;
  const records: RedeemableRecords = { ...command, voucherOf: (id) => succeeded.vouchers.get(id) };
  const shownWith = { customer: customer?.row ?? null, order };
  const shown = children.map((row) => ({
    ...redemptionView(row, shownWith),
    // A client application is shown less.
    ...(!command.isClient && redeemableRecord(row, records)),
  }));
  const rows = {
    redemptions: parent ? [...children, parent] : children,
    order,
    assetsOf: (id: string) => (shown.find((one) => one.related_object_id === id)!.voucher as { assets: object }).assets,
  };
  const answer = (view: object): Answer => ({
    ...success(command.forCaller(view)),
    // What a client application is shown is cut, and kept as it is.
    ...(command.claim && !command.isClient && { madeOf: madeOf(view, rows, command.isSingle === true) }),
  });
  if (command.isSingle) return answer({ ...shown[0], ...fullRedeemable(attempt, succeeded) });
  const hasSkippedDetails = command.project.features.includes(SKIPPED_RESULT_DETAILS);
  const view = { showOrder: null, requestId: command.request_id, hasSkippedDetails };
  const of = (status: string) =>
    decision.decided.filter(({ outcome }) => outcome.status === status).map((one) => decidedView(one, view));
  return answer({
    redemptions: shown,
    ...(parent && { parent_redemption: redemptionView(parent, shownWith) }),
    order: order ? wholeOrder(order) : decision.order && orderView(decision.order, cart.people),
    inapplicable_redeemables: of("INAPPLICABLE"),
    skipped_redeemables: of("SKIPPED"),
  });
}

/** The code or the tier as it is after the redemption, as the older operations show it. */
function fullRedeemable({ command: { catalog, project }, state }: RedeemAttempt, { steps, vouchers }: Succeeded) {
  const [{ redeemable, values }] = steps as readonly [AppliedStep];
  const { object, ref } = redeemable;
  if (object === "promotion_tier") {
    const tier = catalog.promotion_tiers.get(ref)!;
    const campaign = catalog.campaigns.get(tier.campaign_id)!;
    return { promotion_tier: tierView(catalog, tier, campaign, addedTo(state.use.totalsOf(ref), values)) };
  }
  const { assignments } = state.known.get(ref)!;
  return { voucher: voucherWithRules(voucherView(catalog, vouchers.get(ref)!, project), assignments) };
}

function happenedOf(attempt: RedeemAttempt, { plan, children, parent, order }: RedemptionsPlanned): NewEvent[] {
  const { command, customer, referrer } = attempt;
  const customer_id = customer?.row.id ?? null;
  const entered = order && ORDER_STATUS_EVENTS[order.status];
  const payload = order && { order_id: order.id, status: order.status };
  const wasThere = order?.created_at !== command.now;
  const stack = stackKept(attempt);
  return [
    ...customerEvents([customer, referrer].filter((person) => person !== null)),
    ...[...children, ...(parent ? [parent] : [])].flatMap((row: RedemptionRow): NewEvent[] => {
      const voucher_id = row.related_object_type === "voucher" ? row.related_object_id : null;
      const about = { customer_id, voucher_id, campaign_id: row.campaign_id };
      const spent = { redemption_id: row.id, points: row.amount ?? 0 };
      const payload = { redemption_id: row.id, ...(row.amount !== null && { amount: row.amount }), ...stack };
      return [
        {
          kind: "customer.redemption.succeeded",
          ...about,
          payload,
          shown: () => redemptionParts(attempt, row, { ...plan, order }),
        },
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
