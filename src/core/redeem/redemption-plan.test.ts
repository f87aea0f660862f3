import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openAccount } from "../ledger/account.ts";
import type { Order } from "../order/order.ts";
import type { CounterRow, UnitsRow } from "../rows/counter.ts";
import type { LotRow } from "../rows/ledger.ts";
import type { OrderRow } from "../rows/order.ts";
import type { RedemptionRow, RewardKept } from "../rows/redemption.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import type { Decision } from "../validate/decide.ts";
import { NO_SETTINGS } from "../vouchers/settings.ts";
import { countsAt, keyUses } from "../vouchers/uses.ts";
import { addedTo, counterName, NO_COUNTER_VALUES, unitsName } from "./counters.ts";
import { applyPlan, mergePlans, type Plan } from "./plan.ts";
import {
  type AppliedStep,
  planRedemptions,
  type Redeeming,
  type RedemptionsPlanned,
  stepsOf,
} from "./redemption-plan.ts";
import { orderUndone, undoParts } from "./undo-plan.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const STARTS = { day: "2026-03-04", week: "2026-03-02", month: "2026-03-01" };
const KEY = "key_1";
const WORTH = 500;
const CAMPAIGN = {
  name: "Spring",
  voucher_version: 3,
  templates: new Map([[3, { ...NO_SETTINGS, gift: { amount: WORTH, effect: "APPLY_TO_ORDER" as const } }]]),
};
const REWARD = "rew_1";

const idMaker = () => {
  let count = 0;
  return (prefix: string) => `${prefix}_${++count}`;
};

const voucher = (id: string, more: Partial<VoucherRow> = {}): VoucherRow => ({
  project_id: "proj",
  id,
  code: id.toUpperCase(),
  code_folded: id,
  campaign_id: "camp_1",
  template_version: null,
  type: "DISCOUNT_VOUCHER",
  settings: null,
  category_id: null,
  active: true,
  additional_info: null,
  redeemed_quantity: 0,
  uses: null,
  account: null,
  tier: null,
  due_at: null,
  published_count: 0,
  holder_id: null,
  referrer_id: null,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null,
  deleted_at: null,
  ...more,
});

/** What is stored: what the statements that save a plan write to. */
type Stored = {
  vouchers: Map<string, VoucherRow>;
  lots: Map<string, LotRow>;
  counters: Map<string, CounterRow>;
  units: Map<string, UnitsRow>;
  rewards: Map<string, { stock: number | null; redeemed: number }>;
  orders: Map<string, OrderRow>;
  redemptions: Map<string, RedemptionRow>;
};

/** Two codes, a gift card that was never used, one with credits of two lots, and a card of the customer. */
function shop(): Stored {
  const opened = openAccount("v_open", { amount: 300, lot: { id: "lot_1", expires_at: null, created_at: NOW } });
  const rows = [
    voucher("v_a"),
    voucher("v_b", { campaign_id: "camp_2" }),
    voucher("v_new", { type: "GIFT_VOUCHER" }),
    voucher("v_open", { type: "GIFT_VOUCHER", account: opened.account.sums, template_version: 3 }),
    voucher("v_card", { type: "LOYALTY_CARD" }),
  ];
  return {
    vouchers: new Map(rows.map((row) => [row.id, row])),
    lots: new Map(opened.account.lots.map((lot) => [lot.id, { ...lot, account_id: "v_open" }])),
    counters: new Map(),
    units: new Map(),
    rewards: new Map([[REWARD, { stock: 100, redeemed: 0 }]]),
    orders: new Map(),
    redemptions: new Map(),
  };
}

/** As the statements do it: counters and units are added to, a code is compared with the balance that was decided on. */
function save(stored: Stored, plan: Plan): void {
  for (const row of [...plan.counters, ...plan.countedLast]) {
    const name = counterName(row);
    stored.counters.set(name, { ...row, ...addedTo(stored.counters.get(name), row) });
  }
  for (const row of plan.units) {
    const before = stored.units.get(unitsName(row))?.units ?? 0;
    stored.units.set(unitsName(row), { ...row, units: before + row.units });
  }
  for (const { id, by, available, quantity: _, updated_at, ...use } of plan.uses) {
    const before = stored.vouchers.get(id)!;
    assert.equal(before.account?.available ?? null, available, "the balance is what was decided on");
    const redeemed_quantity = before.redeemed_quantity + by;
    stored.vouchers.set(id, { ...before, ...use, redeemed_quantity, updated_at });
  }
  for (const row of plan.vouchers)
    assert.deepEqual(row, stored.vouchers.get(row.id), "the next command finds what is stored");
  for (const lot of plan.lots) stored.lots.set(lot.id, lot);
  for (const { id, by } of plan.rewards) {
    const { stock, redeemed } = stored.rewards.get(id)!;
    stored.rewards.set(id, { stock: stock === null ? null : stock - by, redeemed: redeemed + by });
  }
  for (const order of plan.orders) stored.orders.set(order.id, order);
  for (const row of plan.redemptions) stored.redemptions.set(row.id, row);
  applyPlan({ redemptions: stored.redemptions }, { ...mergePlans([]), rolledBack: plan.rolledBack });
}

/** What one redeemable of a request is, and what it takes off the order. */
type Wanted = { ref: string; off: number; credits?: number; units: number };

const cart = (amount: number, discount: number): Order =>
  ({
    id: null,
    source_id: "o-1",
    amount,
    initial_amount: amount,
    discount_amount: discount,
    applied_discount_amount: discount,
    items: [],
    metadata: {},
  }) as unknown as Order;

const AMOUNT = 10_000;

/** A decision in which everything applies, one after the other. */
function decisionOf(wanted: readonly Wanted[], vouchers: ReadonlyMap<string, VoucherRow>): Decision {
  let taken = 0;
  const decided = wanted.map(({ ref, off, credits, units }) => {
    const before = cart(AMOUNT, taken);
    taken += off + (credits ?? 0);
    const row = vouchers.get(ref);
    return {
      candidate: {
        object: row ? "voucher" : "promotion_tier",
        id: row?.code ?? ref,
        ref,
        campaign_id: row?.campaign_id ?? "camp_1",
        quantity: null,
      },
      before: { order: before },
      outcome: {
        status: "APPLICABLE",
        result: {
          order: cart(AMOUNT, taken),
          ...(credits !== undefined && { gift: { credits, balance: 0 } }),
          ...(row?.type === "LOYALTY_CARD" && { loyalty_card: { points: off } }),
          ...(units > 0 && { units: new Map([["product_campaign_quantity_limit x", units]]) }),
        },
      },
    };
  });
  return { valid: true, decided, order: cart(AMOUNT, taken) } as unknown as Decision;
}

const REWARD_KEPT = { id: REWARD, name: "Mug", type: "MATERIAL" } as unknown as RewardKept;

type Redeemed = RedemptionsPlanned & { steps: AppliedStep[] };

/** Plans the redemption of all that is wanted together. */
function redeem(
  stored: Stored,
  wanted: readonly Wanted[],
  { newId = idMaker(), areCodesCounted = true } = {},
): Redeemed {
  const asker = { api_key_id: KEY, customer_id: "cust_1", starts: STARTS };
  const decision = decisionOf(wanted, stored.vouchers);
  const steps = stepsOf(decision, asker, stored.vouchers);
  const accounts = [...stored.vouchers.values()].flatMap(({ id, account, type }) =>
    account && type === "GIFT_VOUCHER"
      ? [
          {
            id,
            sums: account,
            lots: [...stored.lots.values()].filter((lot) => lot.account_id === id && lot.remaining > 0),
          },
        ]
      : [],
  );
  const redeeming: Redeeming = {
    request: { project_id: "proj", api_key_id: KEY, customer_id: "cust_1", tracking_id: null, now: NOW },
    newId,
    starts: STARTS,
    areCodesCounted,
    accounts: new Map(accounts.map((one) => [one.id, one])),
    campaignOf: () => CAMPAIGN,
    totalsOf: (id) =>
      [...stored.counters.values()].find((row) => row.subject_id === id && row.period_kind === "total") ??
      NO_COUNTER_VALUES,
    shownOf: ({ ref }) => ({ id: ref }),
    points: {
      spend: ({ redeemable }) =>
        redeemable.ref === "v_card"
          ? { from: [], shown: { balance: 1 }, reward: REWARD_KEPT, rewards: [{ id: REWARD, by: 1 }] }
          : null,
      sumsOf: () => undefined,
    },
    order: {
      sent: { source_id: "o-1" },
      before: null,
      cart: decision.order!,
      metadata: {},
      people: { customer_id: "cust_1", referrer_id: null },
    },
  };
  return { ...planRedemptions(redeeming, steps), steps };
}

/** Plans the rollback of a redemption, or of a stack of them. */
function undo(stored: Stored, redemptionId: string, newId: (prefix: string) => string): Plan {
  const redemption = stored.redemptions.get(redemptionId)!;
  const own = [...stored.redemptions.values()].filter(
    (row) => row.parent_id === redemptionId && row.object === "redemption",
  );
  const parts = own.length > 0 ? own : [redemption];
  const request = { api_key_id: "key_2", tracking_id: null, reason: null, now: NOW };
  const undone = undoParts(
    {
      request,
      newId,
      dayEnd: () => "2026-03-05T00:00:00.000Z",
      ...stored,
      rewards: new Set([REWARD]),
      pointsBack: () => null,
    },
    parts,
    null,
  );
  const children = undone.map(({ row }) => row);
  const order = stored.orders.get(redemption.order_id!)!;
  const names = { redemption, parts, children, parent: null, sent: null, now: NOW };
  return mergePlans([
    ...undone.map(({ plan }) => plan),
    {
      redemptions: children,
      rolledBack: [...parts, redemption].map(({ id }) => id),
      orders: [orderUndone(order, names)],
    },
  ]);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const REFS = ["v_a", "v_b", "v_new", "v_open", "v_card", "tier_1"] as const;

/** Some of what the shop has, each once, with what it takes off. */
const wantedOf = fc
  .uniqueArray(fc.constantFrom(...REFS), { minLength: 1, maxLength: REFS.length })
  .chain((refs) =>
    fc.tuple(
      ...refs.map((ref) =>
        fc.record({
          ref: fc.constant(ref as string),
          off: fc.nat(200),
          credits: fc.integer({ min: 1, max: 40 }),
          units: fc.nat(3),
        }),
      ),
    ),
  )
  .map((all) =>
    all.map(({ credits, off, ...one }): Wanted => {
      const isGift = one.ref === "v_new" || one.ref === "v_open";
      return isGift ? { ...one, off: 0, credits } : { ...one, off };
    }),
  );

test("law: the parts of a stack sum to the whole", () => {
  fc.assert(
    fc.property(wantedOf, fc.boolean(), (wanted, areCodesCounted) => {
      const { plan, children, parent, order } = redeem(shop(), wanted, { areCodesCounted });
      const effects = children.map(({ effect }) => effect!);
      assert.equal(children.length, wanted.length);
      assert.equal(parent !== null, wanted.length > 1);
      assert.equal(
        sum(effects.map((one) => one.discount_amount)),
        order!.discount_amount,
        "what is taken off the order",
      );
      // Of each campaign and tier what its redemptions count.
      const { counters } = mergePlans([plan, { counters: plan.countedLast }]);
      for (const counter of counters) {
        const own = children.filter(({ campaign_id, related_object_id }) =>
          counter.subject_kind === "campaign"
            ? campaign_id === counter.subject_id
            : counter.subject_id.startsWith(related_object_id!),
        );
        assert.equal(counter.redemptions, own.length, counterName(counter));
        assert.equal(counter.discount_amount, sum(own.map(({ effect }) => effect!.discount_amount)));
        assert.equal(counter.gift_amount, sum(own.map(({ effect }) => effect!.gift_amount)));
      }
      assert.equal(sum(plan.units.map(({ units }) => units)), sum(wanted.map(({ units }) => units)));
      // What was spent is what entries tell of, and what lots and accounts have lost.
      const spent = sum(effects.map(({ gift_amount }) => gift_amount));
      const moved = plan.entries.filter(({ kind }) => kind === "redemption");
      assert.equal(0 - sum(moved.map(({ amount }) => amount)), spent);
      assert.equal(0 - sum(effects.flatMap(({ lots }) => lots.map(([, amount]) => amount))), spent);
      for (const account of plan.accounts)
        assert.equal(account.sums.available, sum(account.lots.map(({ remaining }) => remaining)));
      assert.equal(sum(plan.rewards.map(({ by }) => by)), wanted.filter(({ ref }) => ref === "v_card").length);
      assert.deepEqual(
        plan.uses.map(({ id, by }) => [id, by]),
        wanted.filter(({ ref }) => ref !== "tier_1").map(({ ref }) => [ref, 1]),
      );
      assert.deepEqual(plan.redemptions, parent ? [...children, parent] : children);
    }),
  );
});

test("law: a plan is a value, and what it was made from stays as it is", () => {
  fc.assert(
    fc.property(wantedOf, (wanted) => {
      const stored = shop();
      const before = structuredClone(stored);
      const { plan } = redeem(stored, wanted);
      assert.deepEqual(stored, before);
      assert.deepEqual(redeem(stored, wanted).plan, plan, "planned again it is the same");
      save(stored, plan);
      const redeemed = structuredClone(stored);
      undo(stored, plan.redemptions.at(-1)!.id, idMaker());
      assert.deepEqual(stored, redeemed);
    }),
  );
});

test("law: what several plans do as one is what they do one after the other", () => {
  fc.assert(
    fc.property(fc.array(wantedOf, { minLength: 1, maxLength: 4 }), (requests) => {
      const [apart, together] = [shop(), shop()];
      const newId = idMaker();
      const plans = requests.map((wanted) => {
        const { plan } = redeem(apart, wanted, { newId });
        save(apart, plan);
        return plan;
      });
      save(together, mergePlans(plans));
      assert.deepEqual(together, apart);
      const [first, ...others] = plans;
      assert.deepEqual(mergePlans([first!, mergePlans(others)]), mergePlans(plans), "in whichever way they are joined");
    }),
  );
});

/** Codes, lots, counters and stock without what a redemption that came and went may leave: zeros, and an open account. */
function standing({ vouchers, lots, counters, units, rewards }: Stored) {
  return {
    vouchers: [...vouchers.values()].map(({ id, redeemed_quantity, uses, account, type }) => [
      id,
      redeemed_quantity,
      countsAt(uses, redeemed_quantity, STARTS),
      keyUses(uses, KEY),
      type === "GIFT_VOUCHER" ? (account ?? { available: WORTH }).available : null,
      account?.spent ?? 0,
    ]),
    lots: [...lots.values()].map(({ account_id, amount, remaining }) => [account_id, amount, remaining]),
    counters: [...counters.values()].filter(
      (row) => row.redemptions || row.order_amount || row.discount_amount || row.gift_amount,
    ),
    units: [...units.values()].filter((row) => row.units !== 0),
    rewards,
  };
}

test("law: rolled back, in whichever order, everything is as it was", () => {
  fc.assert(
    fc.property(
      fc.array(wantedOf, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      (requests, choices) => {
        const stored = shop();
        const newId = idMaker();
        const open: string[] = [];
        for (const wanted of requests) {
          const { plan } = redeem(stored, wanted, { newId });
          save(stored, plan);
          open.push(plan.redemptions.at(-1)!.id);
        }
        const isOpened = requests.flat().some(({ ref }) => ref === "v_new");
        while (open.length > 0) {
          const [id] = open.splice(choices.next().value % open.length, 1);
          save(stored, undo(stored, id!, newId));
        }
        const expected = standing(shop());
        // The first redemption of a gift card opens its account: what it is worth is a lot from then on.
        const lots = isOpened ? [...expected.lots, ["v_new", WORTH, WORTH]] : expected.lots;
        assert.deepEqual(standing(stored), { ...expected, lots });
        for (const { discount_amount, status } of stored.orders.values())
          assert.deepEqual([discount_amount, status], [0, "CANCELED"]);
        for (const { object, status } of stored.redemptions.values())
          assert.equal(status, object === "redemption" ? "ROLLED_BACK" : status);
      },
    ),
  );
});

test("counters that decide nothing are counted last, those of tiers never are", () => {
  const wanted = [
    { ref: "v_a", off: 10, units: 0 },
    { ref: "tier_1", off: 5, units: 0 },
  ];
  const kinds = ({ plan }: Redeemed) =>
    [plan.counters, plan.countedLast].map((rows) => [...new Set(rows.map((row) => row.subject_kind))]);
  assert.deepEqual(kinds(redeem(shop(), wanted, { areCodesCounted: true })), [
    ["campaign", "promotion_tier", "api_key"],
    [],
  ]);
  assert.deepEqual(kinds(redeem(shop(), wanted, { areCodesCounted: false })), [
    ["campaign", "promotion_tier", "api_key"],
    ["campaign"],
  ]);
});

test("a campaign that was deleted since has no counters to take back from", () => {
  const stored = shop();
  const { plan } = redeem(stored, [{ ref: "v_a", off: 10, units: 0 }]);
  save(stored, plan);
  for (const [name, row] of stored.counters) stored.counters.set(name, { ...row, ...NO_COUNTER_VALUES });
  assert.deepEqual(undo(stored, plan.redemptions[0]!.id, idMaker()).counters, []);
});

test("the first redemption of a code keeps the settings that its campaign has now", () => {
  const { plan } = redeem(shop(), [{ ref: "v_a", off: 10, units: 0 }]);
  assert.equal(plan.vouchers[0]!.template_version, CAMPAIGN.voucher_version);
  const own = shop();
  own.vouchers.set("v_a", voucher("v_a", { settings: NO_SETTINGS }));
  assert.equal(redeem(own, [{ ref: "v_a", off: 10, units: 0 }]).plan.vouchers[0]!.template_version, null);
});
