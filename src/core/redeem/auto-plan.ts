import type { AccountSums } from "../ledger/account.ts";
import type { CardEntry } from "../loyalty/card/card.ts";
import { NO_EFFECT, type RedemptionRow, type RewardKept } from "../rows/redemption.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import { settingsOf } from "../vouchers/settings.ts";
import type { Starts } from "../vouchers/uses.ts";
import { type CodeTemplates, planUse, templateKept } from "./code-use.ts";
import { counterKeys } from "./counters.ts";
import { mergePlans, type Plan } from "./plan.ts";
import { redemptionRow } from "./redemption-row.ts";

/** Nobody asked for it. */
const CHANNEL = "AUTO_REDEEM";

/** Points that were spent on a reward without being asked for. */
export type AutoRedemption = {
  project_id: string;
  /** The card, what it holds after all that was spent, and what it had received by then. */
  voucher: VoucherRow;
  campaign: CodeTemplates & { id: string; name: string };
  sums: AccountSums;
  received: number;
  entry: CardEntry;
  starts: Starts;
  customer: { id: string; tracking_id: string | null };
  assignment_id: string;
  reward: RewardKept;
};

/** The redemptions of rewards that cards were redeemed for by themselves. Their points are spent already. */
export function planAutoRedemptions(redemptions: readonly AutoRedemption[]): Plan {
  const used = new Map<string, VoucherRow>();
  return mergePlans(
    redemptions.map((one): Partial<Plan> => {
      const { voucher, campaign, sums, starts, entry } = one;
      const before = used.get(voucher.id) ?? { ...voucher, account: sums };
      const use = planUse(before, {
        by: 1,
        starts,
        keyId: CHANNEL,
        quantity: settingsOf(voucher, campaign).quantity,
        account: sums,
        template_version: templateKept(before, campaign),
        now: entry.created_at,
      });
      used.set(voucher.id, use.vouchers[0]!);
      // A code counts for itself.
      const keys = counterKeys(
        { ref: voucher.id, campaign_id: campaign.id, row: voucher },
        { api_key_id: CHANNEL, starts },
      );
      const values = { redemptions: 1, order_amount: 0, discount_amount: 0, gift_amount: 0 };
      return { redemptions: [autoRedemptionRow(one)], countedLast: keys.map((key) => ({ ...key, ...values })), ...use };
    }),
  );
}

function autoRedemptionRow(one: AutoRedemption): RedemptionRow {
  const { project_id, voucher, campaign, received, entry, starts, customer, assignment_id, reward } = one;
  const request = {
    project_id,
    // Contract is silent: the channel is the assignment that says so.
    api_key_id: assignment_id,
    channel: CHANNEL,
    customer_id: customer.id,
    tracking_id: customer.tracking_id,
    now: entry.created_at,
  };
  return {
    ...redemptionRow(request, entry.cause!.redemption_id!),
    related_object_type: "voucher",
    related_object_id: voucher.id,
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    voucher_code: voucher.code,
    amount: -entry.amount,
    effect: {
      ...NO_EFFECT,
      shown: {
        id: voucher.id,
        code: voucher.code,
        campaign: campaign.name,
        campaign_id: campaign.id,
        is_referral_code: false,
        type: "LOYALTY_CARD",
        object: "voucher",
        loyalty_card: { points: received, balance: entry.balance },
      },
      kind: "points",
      api_key_id: CHANNEL,
      starts,
      lots: entry.lots.map(([lot, amount]) => [lot, amount]),
      reward,
    },
  };
}
