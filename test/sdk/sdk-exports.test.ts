import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/http.ts";
import { publishedClient, refused } from "./sdk.ts";

const { client, served } = await publishedClient();
const { exports } = client.distributions;

/** Waits until it is made, as a program that uses the client does, and downloads it. */
async function downloaded(id: string): Promise<string> {
  let made = await exports.get(id);
  await until(async () => {
    made = await exports.get(id);
    return made.status === "DONE";
  }, "the export is done");
  const reply = await fetch(new URL(made.result.url, served.url));
  assert.equal(reply.status, 200);
  return reply.text();
}

test("exports: created, read, listed, downloaded, deleted", async () => {
  await client.vouchers.create({
    code: "TEN",
    type: "DISCOUNT_VOUCHER",
    discount: { type: "PERCENT", percent_off: 10 },
  });
  const parameters = {
    order: "-created_at",
    fields: ["code", "value"],
    filters: { code: { conditions: { $is: ["TEN"] } } },
  };
  const made = await exports.create({ exported_object: "voucher", parameters });
  assert.deepEqual(
    [made.object, made.status, made.exported_object, made.result],
    ["export", "SCHEDULED", "voucher", null],
  );
  assert.equal(await downloaded(made.id), "Code,Value\nTEN,10\n");
  const list = await exports.list({ limit: 10, page: 1, order: "-created_at" });
  assert.deepEqual([list.data_ref, list.total, list.exports[0].status], ["exports", 1, "DONE"]);
  await exports.delete(made.id);
  await assert.rejects(exports.get(made.id), refused(404, "not_found"));
  await assert.rejects(
    exports.create({ exported_object: "voucher", parameters: { fields: ["none"] } }),
    refused(400, "invalid_export_fields"),
  );
});

test("exports of what was moved on cards", async () => {
  const { vouchers, campaigns, loyalties } = client;
  await vouchers.create({ code: "GIFT", type: "GIFT_VOUCHER", gift: { amount: 1000 } });
  await vouchers.balance.create("GIFT", { amount: 500 });
  const moved = await vouchers.exportTransactions("GIFT", {
    parameters: { order: "created_at", fields: ["type", "amount", "balance"] },
  });
  assert.equal(await downloaded(moved.id), "Type,Amount,Balance\nCREDITS_ADDITION,5.00,15.00\n");
  const club = await campaigns.create({
    name: "Club",
    campaign_type: "LOYALTY_PROGRAM",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
  });
  const member = await loyalties.createMember(club.id, { customer: { source_id: "ann" } });
  await loyalties.addOrRemoveCardBalance(member.code, { points: 7 });
  for (const campaign of [club.id, null]) {
    const card = await loyalties.exportCardTransactions(member.code, campaign, {
      parameters: { fields: ["type", "amount"] },
    });
    assert.equal(await downloaded(card.id), "Type,Amount\nPOINTS_ADDITION,7\n");
  }
});
