import {
  type Customer,
  getCustomerMemberships,
  type HeldRedeemable,
  type LoyaltyMemberships,
  listCardTransactions,
  listCustomerActivity,
  listCustomerRedeemables,
  listCustomerSegments,
  listMemberTierTransactions,
  listOrders,
  listVoucherTransactions,
} from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { walk } from "../../api/walk.ts";
import { saveFile } from "../../kit/file/save-file.ts";

const limit = 100;
type Can = (operation: string) => boolean;
type Held = HeldRedeemable[] | undefined;
type Memberships = LoyaltyMemberships["memberships"] | undefined;

const after = (at: string | undefined) => ({ limit, ...(at !== undefined && { starting_after_id: at }) });
const from = (at: string | undefined) => ({ limit, ...(at !== undefined && { cursor: at }) });

async function allOrders(customerId: string) {
  const filters = { customer_id: { conditions: { $is: [customerId] } } };
  const orders = [];
  for (let page = 1; ; page += 1) {
    const answer = await send(listOrders, { limit, page, filters } as object);
    orders.push(...answer.orders);
    if (answer.orders.length < limit) return orders;
  }
}

/** What was booked on gift cards and loyalty cards, by code, one after the other: somebody may hold many. */
async function cardLedger(wallet: Held, can: Can) {
  const ledger: Record<string, unknown[]> = {};
  if (!can("listVoucherTransactions")) return ledger;
  for (const { redeemable } of wallet ?? []) {
    const { code, gift, loyalty_card } = redeemable.voucher;
    if (gift || loyalty_card) ledger[code] = await walk((at) => send(listVoucherTransactions, { code, ...after(at) }));
  }
  return ledger;
}

/** What was booked on the cards of programs, and each move between tiers. */
async function programLedger(memberships: Memberships, can: Can) {
  const points = [];
  const tiers = [];
  for (const { program, member, cards } of memberships ?? []) {
    const own = { programId: program.id, memberId: member.id };
    for (const { card } of can("listCardTransactions") ? cards : [])
      if (card)
        points.push(...(await walk((at) => send(listCardTransactions, { ...own, cardId: card.id, ...from(at) }))));
    if (can("listMemberTierTransactions"))
      tiers.push(...(await walk((at) => send(listMemberTierTransactions, { ...own, ...from(at) }))));
  }
  return { points, tiers };
}

/** Saves what the interface knows of somebody as one file. */
export async function exportCustomer(customer: Customer, can: Can): Promise<void> {
  const customerId = customer.id;
  const ifMay = async <T>(operation: string, read: () => Promise<T>) => (can(operation) ? read() : undefined);
  const [activities, orders, segments, wallet, memberships] = await Promise.all([
    ifMay("listCustomerActivity", () => walk((at) => send(listCustomerActivity, { customerId, ...after(at) }))),
    ifMay("listOrders", () => allOrders(customerId)),
    ifMay("listCustomerSegments", async () => (await send(listCustomerSegments, { customerId })).data),
    ifMay("listCustomerRedeemables", () => walk((at) => send(listCustomerRedeemables, { customerId, ...after(at) }))),
    ifMay("getCustomerMemberships", async () => (await send(getCustomerMemberships, { customerId })).memberships),
  ]);
  const ledger = { cards: await cardLedger(wallet, can), programs: await programLedger(memberships, can) };
  const content = { customer, segments, wallet, memberships, ledger, orders, activities };
  saveFile(`${customer.source_id ?? customer.id}.json`, JSON.stringify(content, null, 2), "application/json");
}
