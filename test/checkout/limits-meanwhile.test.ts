import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";
import { hold } from "../support/hold.ts";
import { lockWaits } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { atMost, voucher } from "../support/two-servers.ts";

const { db } = await testDatabase();

for (const { limit, customer } of [
  { limit: "campaign.redemptions.count", customer: undefined },
  { limit: "campaign.redemptions.customers_count", customer: { source_id: "anna" } },
])
  for (const brought of ["assigned", "changed"] as const)
    test(`a rule about ${limit} is ${brought} while a redemption waits: it is decided again, with the rule`, async () => {
      const { ok, call } = await testShop(db);
      await ok("POST /v1/customers", { source_id: "anna" });
      const discount = { type: "PERCENT", percent_off: 10 };
      const { id: campaign } = await ok("POST /v1/campaigns", {
        name: "C",
        type: "STATIC",
        voucher: { type: "DISCOUNT_VOUCHER", discount },
      });
      const codes = [`W-${limit}-${brought}`, `X-${limit}-${brought}`] as const;
      for (const code of codes) await ok(`POST /v1/campaigns/${campaign}/vouchers/${code}`, {});
      const rule = (n: number) => ({ name: "Limit", rules: atMost(limit, n) });
      const assign = (id: string) =>
        ok(`POST /v1/validation-rules/${id}/assignments`, {
          related_object_type: "campaign",
          related_object_id: campaign,
        });
      const { id } = await ok("POST /v1/validation-rules", rule(brought === "changed" ? 2 : 1));
      if (brought === "changed") await assign(id);
      const redeem = (code: string) =>
        call("POST /v1/redemptions", {
          redeemables: [voucher(code)],
          order: { amount: 1000 },
          ...(customer && { customer }),
        });

      const release = await hold(db, (tx) => tx`select 1 from vouchers where code = ${codes[0]} for update`);
      const waiting = redeem(codes[0]);
      await eventually(async () => (await lockWaits(db)) > 0, "the redemption waits");
      if (brought === "changed") await ok(`PUT /v1/validation-rules/${id}`, rule(1));
      else await assign(id);
      // Nobody waits for a row for long: the first one is set aside, and this one has its turn.
      assert.equal((await redeem(codes[1])).status, 200);
      await release();
      const { status, body } = await waiting;
      assert.deepEqual([status, body.key], [400, "redemption_rules_violated"]);
    });
