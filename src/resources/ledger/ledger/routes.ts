import { adjustBalance } from "../../../flows/promotions/adjust-balance.ts";
import { transactionsOfCampaign, transactionsOfVoucher } from "../../../flows/promotions/list-transactions.ts";
import { read, write } from "../../../http/route.ts";
import { Balance, BalanceBody, LedgerTransactionQuery, OfCampaign, OfVoucher, TransactionList } from "./schema.ts";

export const ledgerRoutes = [
  write(
    "POST /v1/vouchers/{code}/balance",
    {
      id: "adjustVoucherBalance",
      summary: "Change the balance of a card",
      description: "Adds credits to a gift card or points to a loyalty card, which needs a holder, or takes some away.",
      params: OfVoucher,
      body: BalanceBody,
      ok: Balance,
    },
    async (c) => adjustBalance(c, c.params.code, c.body),
  ),
  read(
    "GET /v1/vouchers/{code}/transactions",
    {
      id: "listVoucherTransactions",
      summary: "List what was moved on a card",
      description: "Newest first. Filters: `id`, `created_at`.",
      params: OfVoucher,
      query: LedgerTransactionQuery,
      ok: TransactionList,
    },
    async (c) => transactionsOfVoucher(c, c.params.code, c.query),
  ),
  read(
    "GET /v1/campaigns/{campaignId}/transactions",
    {
      id: "listCampaignTransactions",
      summary: "List what was moved on the cards of a campaign",
      description: "Newest first; empty for a campaign without cards. Filters: `id`, `voucher_id`, `created_at`.",
      params: OfCampaign,
      query: LedgerTransactionQuery,
      ok: TransactionList,
    },
    async (c) => transactionsOfCampaign(c, c.params.campaignId, c.query),
  ),
];
