import { readProgramMember } from "../../../flows/loyalty-v2/read-memberships.ts";
import { cursorList, read } from "../../../http/route.ts";
import {
  BenefitTransactionList,
  ByMember,
  OrderTransactionList,
  RewardTransactionList,
  TierTransactionList,
  TransactionQuery,
} from "./schema.ts";
import { listTransactions, transactionViews } from "./store.ts";

const MEMBER = "/v2/loyalties/programs/{programId}/members/{memberId}";
const given = { params: ByMember, query: TransactionQuery };

export const loyaltyTransactionRoutes = [
  read(
    `GET ${MEMBER}/rewards/purchases`,
    { id: "listMemberRewardPurchases", summary: "List what a member bought", ...given, ok: RewardTransactionList },
    async (c) => {
      const { id: memberId } = await readProgramMember(c, c.params);
      return cursorList(
        await listTransactions(c.db, c, { memberId, kind: "reward" }, c.query),
        transactionViews.reward,
      );
    },
  ),
  read(
    `GET ${MEMBER}/orders/payments`,
    { id: "listMemberOrderPayments", summary: "List orders paid with points", ...given, ok: OrderTransactionList },
    async (c) => {
      const { id: memberId } = await readProgramMember(c, c.params);
      return cursorList(await listTransactions(c.db, c, { memberId, kind: "order" }, c.query), transactionViews.order);
    },
  ),
  read(
    `GET ${MEMBER}/benefits/transactions`,
    { id: "listMemberBenefitTransactions", summary: "List a member's benefits", ...given, ok: BenefitTransactionList },
    async (c) => {
      const { id: memberId } = await readProgramMember(c, c.params);
      const page = await listTransactions(c.db, c, { memberId, kind: "benefit" }, c.query);
      return cursorList(page, transactionViews.benefit);
    },
  ),
  read(
    `GET ${MEMBER}/tiers/transactions`,
    {
      id: "listMemberTierTransactions",
      summary: "List a member's moves between tiers",
      ...given,
      ok: TierTransactionList,
    },
    async (c) => {
      const { id: memberId } = await readProgramMember(c, c.params);
      return cursorList(await listTransactions(c.db, c, { memberId, kind: "tier" }, c.query), transactionViews.tier);
    },
  ),
];
