import type { Pool } from "../../../src/db/db.ts";
import type { Lab } from "./lab.ts";
import { type Client, ok, type Reply, type Request } from "./load.ts";

const BALANCE = 1_000_000_000;
const CUSTOMERS = 7;
const SETTLE_MS = 120_000;

/** A code and a gift card that can be redeemed for ever: each redemption takes one unit and one credit. */
export async function openShop(client: Client): Promise<void> {
  await ok(client, "POST /v1/vouchers/CODE", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "AMOUNT", amount_off: 1 },
    redemption: { quantity: 1_000_000_000 },
  });
  await ok(client, "POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: BALANCE, balance: BALANCE } });
}

export const redeeming = (n: number): Request => ({
  line: "POST /v1/redemptions",
  key: `key ${n}`,
  body: {
    redeemables: [
      { object: "voucher", id: "CODE" },
      { object: "voucher", id: "CARD", gift: { credits: 1 } },
    ],
    order: { source_id: `order ${n}`, amount: 1000 },
    customer: { source_id: `customer ${n % CUSTOMERS}` },
  },
});

export const validating = (n: number): Request => ({
  line: "POST /v1/validations",
  body: {
    redeemables: [{ object: "voucher", id: "CODE" }],
    order: { amount: 1000 },
    customer: { source_id: `customer ${n % CUSTOMERS}` },
  },
});

/**
 * What clients know of the redemptions that they sent: the answers they got, and those they never did. They are numbered from
 * the first one after the given number.
 */
export function createLedger(after = 0) {
  const acknowledged = new Map<number, string>();
  const unknown = new Set<number>();
  const changed: number[] = [];
  let sent = after;
  return {
    acknowledged,
    unknown,
    /** Redemptions whose second answer was another than the first. */
    changed,
    next: () => ++sent,
    sent: () => sent,
    note: (n: number, { status, text }: Reply) => {
      if (status !== 200) return void (acknowledged.has(n) || unknown.add(n));
      const before = acknowledged.get(n);
      if (before !== undefined && before !== text) changed.push(n);
      acknowledged.set(n, before ?? text);
      unknown.delete(n);
    },
  };
}
export type Ledger = ReturnType<typeof createLedger>;

/** Sends what was not answered once more with its key, until all of it is. Gives what was refused for good. */
export async function settle(client: Client, ledger: Ledger, requestOf = redeeming): Promise<string[]> {
  const refused: string[] = [];
  const end = performance.now() + SETTLE_MS;
  while (ledger.unknown.size > 0 && performance.now() < end)
    for (const n of [...ledger.unknown]) {
      const reply = await client.send(requestOf(n));
      // The session of a process that was killed may hold the key for a moment.
      if (reply.status === 200) ledger.note(n, reply);
      else if (reply.status >= 400 && reply.status < 500 && !reply.text.includes("idempotency_in_progress")) {
        refused.push(`${n}: ${reply.text}`);
        ledger.unknown.delete(n);
      }
    }
  return refused;
}

/** Holds what is stored against what clients were told: each redemption is there once, in every place that counts it. */
export async function audit(lab: Lab, client: Client, ledger: Ledger, db: Pool): Promise<void> {
  const [code, card] = [
    await ok<{ redemption: { redeemed_quantity: number } }>(client, "GET /v1/vouchers/CODE"),
    await ok<{ gift: { balance: number } }>(client, "GET /v1/vouchers/CARD"),
  ];
  const stored = await db<{ source_id: string }[]>`
    select source_id from orders where source_id like 'order %' order by source_id`;
  const names = new Set(stored.map(({ source_id }) => source_id));
  const lost = [...ledger.acknowledged.keys()].filter((n) => !names.has(`order ${n}`));
  lab.figure("writes acknowledged", ledger.acknowledged.size, { atLeast: 1 });
  lab.figure("writes never answered, even by key", ledger.unknown.size, { is: 0 });
  lab.figure("acknowledged writes lost", lost.length, { is: 0 });
  const times = code.redemption.redeemed_quantity;
  lab.figure("units of the code beyond the writes", times - ledger.acknowledged.size, { is: 0 });
  lab.figure("credits of the card beyond the writes", BALANCE - card.gift.balance - ledger.acknowledged.size, {
    is: 0,
  });
  // The latest and some of all others are asked for once more.
  const all = [...ledger.acknowledged.keys()];
  for (const n of all.filter((_, at) => at % 20 === 0 || at > all.length - 50))
    ledger.note(n, await client.send(redeeming(n)));
  lab.figure("answers that changed when they were repeated", ledger.changed.length, { is: 0 });
}
