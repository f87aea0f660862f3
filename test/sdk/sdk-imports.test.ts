import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, tempDir } from "../support/child.ts";
import { publishedClient } from "./sdk.ts";

const { client } = await publishedClient();
const dir = tempDir();
const fileOf = (name: string, lines: readonly string[]) => {
  const path = join(dir, name);
  writeFileSync(path, lines.join("\n"));
  return path;
};
/** Waits as the tests of the client do: until the action says that it succeeded. */
async function succeeded({ async_action_id }: { async_action_id: string }): Promise<any> {
  let action: any;
  await eventually(async () => {
    action = await client.asyncActions.get(async_action_id);
    return action.operation_status === "SUCCESS";
  });
  return action;
}

const HEADER =
  "Code,Voucher Type,Value,Discount Type,Category,Start Date,Expiration Date,Redemption Limit,Redeemed Quantity,Redeemed Amount,Active,Additional Info,Custom Metadata Property";

test("the published client imports codes, customers, products and SKUs from files", async () => {
  const codes = fileOf("codes.csv", [HEADER, "SDKCODE1,DISCOUNT_VOUCHER,20,PERCENT,,,,,,,true,,hello"]);
  const { result } = await succeeded(await client.vouchers.importCSV(codes));
  assert.deepEqual([result.done_count, result.failed_count], [1, 0]);
  const voucher = await client.vouchers.get("SDKCODE1");
  assert.deepEqual([voucher.discount.percent_off, voucher.metadata], [20, { "Custom Metadata Property": "hello" }]);

  const campaign = await client.campaigns.create({
    name: "SDK imports",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 500 } },
  });
  const ofCampaign = fileOf("campaign.csv", [HEADER, "SDKCODE2,DISCOUNT_VOUCHER,20,PERCENT,,,,,,,true,,"]);
  await succeeded(await client.campaigns.importVouchersCSV(campaign.id, ofCampaign));
  const { vouchers } = await client.vouchers.list({ campaign_id: campaign.id });
  assert.deepEqual(
    vouchers.map(({ code, discount }: any) => [code, discount.amount_off]),
    [["SDKCODE2", 500]],
  );

  const people = fileOf("customers.csv", ["Name,Email,Source_id,Tier", "Ann,ann@shop.example,sdk-ann,gold"]);
  await succeeded(await client.customers.importCSV(people));
  const ann = await client.customers.get("sdk-ann");
  assert.deepEqual([ann.name, ann.metadata], ["Ann", { Tier: "gold" }]);

  const products = fileOf("products.csv", ["name,source_id,price,attributes", 'Tee,sdk-tee,21,"size,color"']);
  await succeeded(await client.products.importCSV(products));
  assert.equal((await client.products.get("sdk-tee")).price, 2100);
  const skus = fileOf("skus.csv", ["product_id,sku,source_id,price", "sdk-tee,Small,sdk-tee-s,22.50"]);
  await succeeded(await client.products.importSkusCSV(skus));
  assert.equal((await client.products.listSkus("sdk-tee")).skus[0].price, 2250);
});

test("the published client imports codes and orders from lists", async () => {
  const discount = { type: "AMOUNT", amount_off: 300 };
  const vouchers = [{ code: "SDKCODE3", type: "DISCOUNT_VOUCHER", discount, active: true }];
  await succeeded(await client.vouchers.import(vouchers));
  assert.deepEqual((await client.vouchers.get("SDKCODE3")).discount, discount);
  const campaign = await client.campaigns.create({
    name: "SDK lists",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount },
  });
  await succeeded(await client.campaigns.importVouchers(campaign.name, [{ code: "SDKCODE4", discount }]));
  assert.equal((await client.vouchers.get("SDKCODE4")).campaign, "SDK lists");
  await succeeded(await client.orders.import([{ source_id: "sdk-order", status: "PAID", amount: 900 }]));
  assert.equal((await client.orders.get("sdk-order")).amount, 900);
});

test("the published client updates customers, products and codes in bulk", async () => {
  await client.customers.create({ source_id: "sdk-bob" });
  await client.products.create({ source_id: "sdk-mug", name: "Mug" });
  await client.vouchers.create({ code: "SDKCODE5", discount: { type: "PERCENT", percent_off: 5 } });
  const customers = await succeeded(await client.customers.updateInBulk([{ source_id: "sdk-bob", name: "Bob" }]));
  assert.equal(customers.type, "CUSTOMERS.BULK_UPDATE");
  await succeeded(await client.customers.updateMetadataInBulk({ source_ids: ["sdk-bob"], metadata: { a: 1 } }));
  const bob = await client.customers.get("sdk-bob");
  assert.deepEqual([bob.name, bob.metadata], ["Bob", { a: 1 }]);
  await succeeded(await client.products.bulkUpdate([{ source_id: "sdk-mug", price: 900 }]));
  await succeeded(await client.products.bulkUpdateMetadata({ source_ids: ["sdk-mug"], metadata: { b: 2 } }));
  const mug = await client.products.get("sdk-mug");
  assert.deepEqual([mug.price, mug.metadata], [900, { b: 2 }]);
  await succeeded(await client.vouchers.bulkUpdate([{ code: "SDKCODE5", metadata: { c: 3 } }]));
  await succeeded(await client.vouchers.bulkUpdateMetadata({ codes: ["SDKCODE5"], metadata: { d: 4 } }));
  assert.deepEqual((await client.vouchers.get("SDKCODE5")).metadata, { c: 3, d: 4 });
});
