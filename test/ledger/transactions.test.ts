import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function world() {
  const { project, call, ok } = await testShop(db);
  const gifts = async (name: string, ...codes: string[]) => {
    const voucher = { type: "GIFT_VOUCHER", gift: { amount: 1000 } };
    const campaign = await ok("POST /v1/campaigns", { name, campaign_type: "GIFT_VOUCHERS", voucher });
    for (const code of codes) await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${code}`, {});
    return campaign;
  };
  const adjust = (code: string, amount: number, more: object = {}) =>
    ok(`POST /v1/vouchers/${code}/balance`, { amount, ...more });
  const spend = (code: string, credits: number, more: object = {}) =>
    ok("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id: code, gift: { credits } }],
      order: { source_id: "o-1", amount: 5000 },
      ...more,
    });
  return { project, call, ok, gifts, adjust, spend };
}

test("everything that was moved on a card, newest first, with what caused it", async () => {
  const { ok, gifts, adjust, spend } = await world();
  const campaign = await gifts("Gifts", "CARD");
  await adjust("CARD", 200, { source_id: "s-1", reason: "Thanks" });
  const { redemptions, order } = await spend("CARD", 300);
  await adjust("CARD", -100);
  const { id: voucher_id } = await ok("GET /v1/vouchers/CARD");
  const page = await ok("GET /v1/vouchers/card/transactions");
  assert.deepEqual([page.object, page.data_ref, page.has_more], ["list", "data", false]);
  const [removal, redemption, addition] = page.data;
  assert.match(addition.id, /^vtx_[0-9a-f]{24}$/);
  const balance = { type: "gift_voucher", related_object: { type: "voucher", id: voucher_id }, object: "balance" };
  const common = { voucher_id, campaign_id: campaign.id, related_transaction_id: null, created_at: NOW };
  assert.deepEqual(addition, {
    id: addition.id,
    ...common,
    source_id: "s-1",
    source: "API",
    reason: "Thanks",
    type: "CREDITS_ADDITION",
    details: { balance: { ...balance, total: 1200, amount: 200, balance: 1200, operation_type: "MANUAL" } },
  });
  assert.deepEqual(redemption, {
    id: redemption.id,
    ...common,
    source_id: null,
    source: redemption.source,
    reason: null,
    type: "CREDITS_REDEMPTION",
    details: {
      balance: { ...balance, total: 1200, amount: -300, balance: 900, operation_type: "AUTOMATIC" },
      order: { id: order.id, source_id: "o-1" },
      redemption: { id: redemptions[0].id },
    },
  });
  assert.deepEqual(
    [removal.type, removal.details.balance.amount, removal.details.balance.total, removal.details.balance.balance],
    ["CREDITS_REMOVAL", -100, 1100, 800],
  );
  assert.equal(page.data.length, 3, "with what the card began is no transaction");
});

test("points have names and fields of their own", async () => {
  const { ok, adjust } = await world();
  const campaign = await ok("POST /v1/campaigns", {
    name: "Club",
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 998 } },
  });
  await ok("POST /v1/publications", { campaign: "Club", customer: { source_id: "anna" } });
  const [card] = (await ok(`GET /v1/vouchers?campaign_id=${campaign.id}&filters[holder_id][conditions][$has_value]=`))
    .vouchers;
  await adjust(card.code, 100);
  await adjust(card.code, -1);
  for (const path of [`vouchers/${card.code}`, `campaigns/${campaign.id}`]) {
    const { data } = await ok(`GET /v1/${path}/transactions`);
    assert.deepEqual(
      data.map(({ type, details: { balance } }: any) => [
        type,
        balance.type,
        balance.points,
        balance.total,
        balance.balance,
      ]),
      [
        ["POINTS_REMOVAL", "loyalty_card", -1, 1097, 1097],
        ["POINTS_ADDITION", "loyalty_card", 100, 1098, 1098],
      ],
    );
  }
});

test("the transactions of all cards of a campaign, by pages and filters", async () => {
  const { call, ok, gifts, adjust } = await world();
  const campaign = await gifts("Gifts", "A", "B");
  await gifts("Others", "C");
  for (const [code, amount] of [
    ["A", 1],
    ["B", 2],
    ["C", 3],
    ["A", 4],
  ] as const)
    await adjust(code, amount);
  const path = `/v1/campaigns/${campaign.id}/transactions`;
  const amounts = (page: any) => page.data.map(({ details }: any) => details.balance.amount);
  assert.deepEqual(amounts(await ok(`GET ${path}`)), [4, 2, 1]);
  assert.deepEqual(amounts(await ok(`GET /v1/campaigns/Gifts/transactions?order=id`)), [1, 2, 4]);
  const first = await ok(`GET ${path}?limit=2`);
  assert.deepEqual([amounts(first), first.has_more, first.more_starting_after], [[4, 2], true, first.data[1].id]);
  const second = await ok(`GET ${path}?limit=2&starting_after_id=${first.more_starting_after}`);
  assert.deepEqual([amounts(second), second.has_more, "more_starting_after" in second], [[1], false, false]);
  const up = await ok(`GET ${path}?order=id&starting_after_id=${second.data[0].id}`);
  assert.deepEqual(amounts(up), [2, 4]);
  const { id } = await ok("GET /v1/vouchers/B");
  assert.deepEqual(amounts(await ok(`GET ${path}?filters[voucher_id][conditions][$is]=${id}`)), [2]);
  assert.deepEqual(amounts(await ok(`GET ${path}?filters[id][conditions][$in][0]=${first.data[0].id}`)), [4]);
  const ofA = "/v1/vouchers/A/transactions";
  assert.deepEqual(amounts(await ok(`GET ${ofA}?limit=1&order=id`)), [1]);
  assert.deepEqual(amounts(await ok(`GET ${ofA}?filters[created_at][conditions][$before]=2020-01-01`)), []);
  for (const query of [
    "order=amount",
    "limit=0",
    "limit=101",
    "starting_after_id=vtx_none",
    `starting_after_id=${(await ok("GET /v1/vouchers/C/transactions")).data[0].id}`,
    "filters[colour][conditions][$is]=red",
  ]) {
    const reply = await call(`GET ${path}?${query}`);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
  }
});

test("nothing for codes and campaigns without a balance, 404 for those that are not there", async () => {
  const { call, ok, gifts } = await world();
  const { id } = await gifts("Gifts", "A");
  await ok("POST /v1/vouchers/OFF", { discount: { type: "PERCENT", percent_off: 10 } });
  await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  for (const path of ["vouchers/OFF", "campaigns/P", `campaigns/${id}`, "vouchers/A"])
    assert.deepEqual((await ok(`GET /v1/${path}/transactions`)).data, [], path);
  const { call: others } = await testShop(db);
  for (const path of ["vouchers/nobody", "campaigns/nobody"])
    assert.equal((await call(`GET /v1/${path}/transactions`)).status, 404);
  for (const path of ["vouchers/A", `campaigns/${id}`])
    assert.equal((await others(`GET /v1/${path}/transactions`)).status, 404);
  await call(`DELETE /v1/campaigns/${id}`);
  for (const path of ["vouchers/A", `campaigns/${id}`])
    assert.equal((await call(`GET /v1/${path}/transactions`)).status, 404, path);
});
