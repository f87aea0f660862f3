import { freshKeys, requestBytes } from "../../../bench/load.ts";
import type { Pool } from "../../../src/db/db.ts";
import type { Lab } from "./lab.ts";
import { type Client, ok } from "./load.ts";

const CODES = 2_000;

/** A campaign whose codes can be redeemed for ever. Gives what makes the next request, with a key of its own. */
export async function redemptionShop(
  client: Client,
  url: string,
  headers: Record<string, string>,
): Promise<() => Buffer> {
  const campaign = await ok(client, "POST /v1/campaigns", {
    ...{ name: "Codes", campaign_type: "DISCOUNT_COUPONS", vouchers_count: 0, type: "AUTO_UPDATE" },
    voucher: {
      type: "DISCOUNT_VOUCHER",
      discount: { type: "AMOUNT", amount_off: 100 },
      redemption: { quantity: null },
    },
  });
  for (let n = 0; n < CODES; n += 1) await ok(client, `POST /v1/campaigns/${campaign.id}/vouchers/CODE-${n}`, {});
  const bodies = Array.from({ length: CODES }, (_, n) => ({
    redeemables: [{ object: "voucher", id: `CODE-${n}` }],
    order: { amount: 5000 },
  }));
  return freshKeys((key) => bodies.map((body) => requestBytes(url, "/v1/redemptions", { ...headers, ...key }, body)));
}

/** Each redemption that was answered with success is stored. Others may be: those whose answer came too late. */
export async function tellStored(lab: Lab, db: Pool, acknowledged: number): Promise<void> {
  const [row] = await db<{ count: number }[]>`select count(*)::int as count from redemptions where result = 'SUCCESS'`;
  lab.figure("acknowledged redemptions that are not stored", Math.max(0, acknowledged - row!.count), { is: 0 });
}
