import type { Account } from "../../core/ledger/account.ts";
import type { CampaignRewardRow } from "../../core/rows/campaign.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { Promised } from "../../core/rows/validation.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Starts } from "../../core/vouchers/uses.ts";
import type { Project } from "../../request.ts";
import type { SessionLocks } from "../../resources/checkout/sessions/store.ts";
import type { Budgets } from "../../steps/checkout/budgets.ts";
import type { findingVouchers } from "../../steps/checkout/candidates.ts";
import type { KnownVoucher } from "../../steps/checkout/redeemables.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import type { Standings } from "../../steps/checkout/rule-facts.ts";
import type { Use } from "../../steps/checkout/use.ts";
import type { CustomersAtWork } from "../../steps/customers/customers.ts";
import type { Goods } from "../../steps/goods/goods.ts";
import type { PointCard } from "../../steps/points/point-cards.ts";
import type { ReferralsAhead } from "../../steps/referrals/friends.ts";
import type { RewardHandouts } from "../../steps/rewards/reward-handouts.ts";

/** What a round of redemptions is decided from: rows that are locked, as each command finds them after those before it. */
export type RedeemState = Standings & {
  round: readonly RedeemRequest[];
  project: Project;
  starts: Starts;
  customers: CustomersAtWork;
  orders: Map<string, OrderRow>;
  /** The ids of orders by their source ids. */
  orderIds: Map<string, string>;
  voucherOf: ReturnType<typeof findingVouchers>;
  /** Codes as they were loaded, with their rules and holders. The current row of a code is in `vouchers`. */
  known: ReadonlyMap<string, KnownVoucher>;
  vouchers: Map<string, VoucherRow>;
  /** The accounts of gift cards. */
  accounts: Map<string, Account>;
  /** Loyalty cards, with what has happened to them. */
  points: Map<string, PointCard>;
  /** The rewards that requests name, with what is left of them. */
  rewards: Map<string, CampaignRewardRow>;
  /** What rewards bring from other campaigns; null: none does. */
  handouts: RewardHandouts | null;
  sessions: SessionLocks;
  use: Use;
  budgets: Budgets;
  goods: Goods;
  units: Goods;
  unitTypes: ReadonlySet<string>;
  promises: ReadonlyMap<string, Promised>;
  /** What was read of who comes through referral codes; null: nothing, and it is asked when somebody does. */
  friends: Pick<ReferralsAhead, "conversions" | "holders"> | null;
  /** Whether what codes count for their campaigns decides anything: then it is locked. */
  areCodesCounted: boolean;
};
