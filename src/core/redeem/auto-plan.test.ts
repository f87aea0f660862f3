import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY } from "../ledger/account.ts";
import type { RewardKept } from "../rows/redemption.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import { NO_SETTINGS } from "../vouchers/settings.ts";
import { type AutoRedemption, planAutoRedemptions } from "./auto-plan.ts";

const STARTS = { day: "2026-03-04", week: "2026-03-02", month: "2026-03-01" };
const CAMPAIGN = {
  id: "camp_1",
  name: "Points",
  voucher_version: 2,
  templates: new Map([[2, { ...NO_SETTINGS, quantity: 5 }]]),
};
const card = (id: string) =>
  ({
    id,
    code: id,
    campaign_id: "camp_1",
    template_version: null,
    settings: null,
    redeemed_quantity: 1,
    uses: null,
    account: null,
  }) as unknown as VoucherRow;
const spent = (id: string, n: number): AutoRedemption => ({
  project_id: "proj",
  voucher: card(id),
  campaign: CAMPAIGN,
  sums: { ...EMPTY, available: 7 },
  received: 100,
  entry: {
    id: `vtx_${n}`,
    account_id: id,
    amount: -30,
    balance: 70,
    lots: [["lot", -30]],
    cause: { redemption_id: `r_${n}` },
    created_at: `2026-03-04T10:00:0${n}.000Z`,
  } as unknown as AutoRedemption["entry"],
  starts: STARTS,
  customer: { id: "cust_1", tracking_id: null },
  assignment_id: "rewa_1",
  reward: { id: "rew_1" } as unknown as RewardKept,
});

test("rewards that are redeemed by themselves are redemptions of their own, and one change of each card", () => {
  const plan = planAutoRedemptions([spent("a", 1), spent("b", 2), spent("a", 3)]);
  assert.deepEqual(
    plan.redemptions.map((row) => [row.id, row.related_object_id, row.amount, row.channel.channel_type]),
    [
      ["r_1", "a", 30, "AUTO_REDEEM"],
      ["r_2", "b", 30, "AUTO_REDEEM"],
      ["r_3", "a", 30, "AUTO_REDEEM"],
    ],
  );
  assert.deepEqual(
    plan.uses.map(({ id, by, quantity, available, template_version, uses, updated_at }) => [
      ...[id, by, quantity, available, template_version],
      ...[uses!.day, updated_at],
    ]),
    [
      ["a", 2, 5, 7, 2, [STARTS.day, 2, 0], "2026-03-04T10:00:03.000Z"],
      ["b", 1, 5, 7, 2, [STARTS.day, 1, 0], "2026-03-04T10:00:02.000Z"],
    ],
  );
  assert.deepEqual(
    plan.countedLast.map(({ subject_kind, redemptions }) => [subject_kind, redemptions]),
    Array.from({ length: 4 }, () => ["campaign", 3]),
  );
  assert.deepEqual([plan.counters, plan.entries, plan.orders], [[], [], []], "the points were spent before");
});
