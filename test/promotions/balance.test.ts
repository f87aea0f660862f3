import assert from "node:assert/strict";
import { test } from "node:test";
import { examine } from "../../src/cli/doctor.ts";
import { NOW, testDatabase, testEngine } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();

async function world() {
  const { project, call, ok } = await testShop(db);
  const gift = (code: string, amount: number) =>
    ok(`POST /v1/vouchers/${code}`, { type: "GIFT_VOUCHER", gift: { amount } });
  const adjust = (code: string, body: object) => call(`POST /v1/vouchers/${code}/balance`, body);
  const rows = async (table: string) => [
    ...(await db`select * from ${db(table)} where project_id = ${project.id} order by id`),
  ];
  return { project, call, ok, gift, adjust, rows };
}

test("credits are added and taken away, and the card, its lots and its entries agree", async () => {
  const { ok, gift, adjust, rows } = await world();
  const { id } = await gift("CARD", 10_100);
  const { status, body } = await adjust("card", { amount: 10_000, source_id: "top-up", reason: "Thanks" });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    amount: 10_000,
    total: 20_100,
    balance: 20_100,
    type: "gift_voucher",
    operation_type: "MANUAL",
    related_object: { type: "voucher", id },
    object: "balance",
  });
  const less = (await adjust(id, { amount: -20_000 })).body;
  assert.deepEqual([less.amount, less.total, less.balance], [-20_000, 100, 100]);
  const { gift: card } = await ok("GET /v1/vouchers/CARD");
  assert.deepEqual(card, { amount: 20_100, subtracted_amount: 20_000, balance: 100, effect: "APPLY_TO_ORDER" });
  assert.deepEqual(
    (await rows("ledger_entries")).map((one) => [one.kind, one.amount, one.balance, one.total, one.source, one.reason]),
    [
      ["opening", 10_100, 10_100, 10_100, null, null],
      ["addition", 10_000, 20_100, 20_100, "API", "Thanks"],
      ["removal", -20_000, 100, 100, "API", null],
    ],
  );
  const lots = await rows("ledger_lots");
  assert.deepEqual(
    lots.map((lot) => [lot.amount, lot.remaining]),
    [
      [10_100, 0],
      [10_000, 100],
    ],
  );
  // What was put on the card is spent like the rest, and redeeming leaves the total as it is.
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "CARD", gift: { credits: 60 } }],
    order: { amount: 1000 },
  });
  const after = (await adjust("CARD", { amount: 1 })).body;
  assert.deepEqual([after.total, after.balance], [101, 41]);
  assert.deepEqual(
    (await examine(db)).filter(({ ok: fine }) => !fine),
    [],
  );
});

test("no more is taken away than there is", async () => {
  const { ok, gift, adjust, rows } = await world();
  await gift("CARD", 100);
  const { status, body } = await adjust("CARD", { amount: -101 });
  assert.deepEqual([status, body.key, body.details], [400, "gift_amount_exceeded", "CARD"]);
  assert.deepEqual([await rows("ledger_entries"), await rows("ledger_lots")], [[], []]);
  assert.equal((await adjust("CARD", { amount: -100 })).body.balance, 0);
  assert.equal((await ok("GET /v1/vouchers/CARD")).gift.balance, 0);
});

test("points need a holder", async () => {
  const { ok, adjust } = await world();
  const campaign = await ok("POST /v1/campaigns", {
    name: "Club",
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 10 } },
  });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/MEMBER`, {});
  const nobody = await adjust("MEMBER", { amount: 5 });
  assert.deepEqual([nobody.status, nobody.body.key, nobody.body.details], [400, "invalid_customer", "MEMBER"]);
  await ok("POST /v1/publications", { voucher: "MEMBER", customer: { source_id: "anna" } });
  const { body } = await adjust("MEMBER", { amount: 5 });
  assert.deepEqual([body.type, body.amount, body.total, body.balance], ["loyalty_card", 5, 15, 15]);
  const less = await adjust("MEMBER", { amount: -16 });
  assert.deepEqual([less.status, less.body.key], [400, "loyalty_card_points_exceeded"]);
  const { loyalty_card: card } = await ok("GET /v1/vouchers/MEMBER");
  assert.deepEqual([card.points, card.balance, card.subtracted_points], [15, 15, 0]);
  const customer = await ok("GET /v1/customers/anna");
  const kinds = (await ok(`GET /v1/customers/${customer.id}/activity?limit=100`)).data.map(({ type }: any) => type);
  assert.ok(kinds.includes("customer.voucher.loyalty_card.points_added"), kinds.join());
});

test("what cannot be done is refused, and nothing changes", async () => {
  const { call, ok, gift, adjust, rows } = await world();
  await gift("CARD", 100);
  await ok("POST /v1/vouchers/OFF", { discount: { type: "PERCENT", percent_off: 10 } });
  const refusals: [string, object, number, string][] = [
    ["OFF", { amount: 5 }, 400, "invalid_voucher"],
    ["CARD", { amount: 0 }, 400, "invalid_add_balance_params"],
    ["CARD", {}, 400, "invalid_payload"],
    ["CARD", { amount: "5" }, 400, "invalid_payload"],
    ["CARD", { amount: 1.5 }, 400, "invalid_payload"],
    ["CARD", { amount: null }, 400, "invalid_payload"],
    ["CARD", { amount: Number.MAX_SAFE_INTEGER }, 400, "invalid_payload"],
    ["CARD", { amount: 2 ** 53 }, 400, "invalid_payload"],
    ["CARD", { amount: 5, reason: 7 }, 400, "invalid_payload"],
    ["nobody", { amount: 5 }, 404, "not_found"],
  ];
  for (const [code, body, status, key] of refusals) {
    const reply = await adjust(code, body);
    assert.deepEqual([reply.status, reply.body.key], [status, key], JSON.stringify(body));
  }
  const other = await testShop(db);
  assert.equal((await other.call("POST /v1/vouchers/CARD/balance", { amount: 5 })).status, 404);
  assert.deepEqual(await rows("ledger_entries"), []);
  await call("DELETE /v1/vouchers/CARD");
  assert.equal((await adjust("CARD", { amount: 5 })).status, 404);
});

test("a repeated request with its key adds once", async () => {
  const { call, gift, ok } = await world();
  await gift("CARD", 100);
  const send = () => call("POST /v1/vouchers/CARD/balance", { amount: 5 }, { "idempotency-key": "once" });
  const [first, second] = [await send(), await send()];
  assert.equal(first.text, second.text);
  assert.equal((await ok("GET /v1/vouchers/CARD")).gift.balance, 105);
});

test("many at once, over two processes, never take more than there is", async () => {
  const { project, gift, ok } = await world();
  await gift("CARD", 1000);
  const engines = await Promise.all([1, 2].map(() => testEngine(open({ max: 4 }), project, { hot: open({ max: 3 }) })));
  const calls = Array.from({ length: 64 }, (_, n) =>
    n % 2 === 0
      ? engines[(n / 2) % 2]!.call("POST /v1/vouchers/CARD/balance", { amount: -50 })
      : engines[n % 2]!.call("POST /v1/redemptions", {
          redeemables: [{ object: "voucher", id: "CARD", gift: { credits: 50 } }],
          order: { amount: 1000 },
        }),
  );
  const replies = await Promise.all(calls);
  assert.equal(replies.filter(({ status }) => status === 200).length, 20);
  assert.ok(replies.every(({ status }) => status === 200 || status === 400));
  assert.equal((await ok("GET /v1/vouchers/CARD")).gift.balance, 0);
  assert.deepEqual(
    (await examine(db)).filter(({ ok: fine }) => !fine),
    [],
  );
});

test("a card of a campaign keeps its balance when the campaign gets another amount", async () => {
  const { ok, adjust } = await world();
  const campaign = await ok("POST /v1/campaigns", {
    name: "Gifts",
    campaign_type: "GIFT_VOUCHERS",
    voucher: { type: "GIFT_VOUCHER", gift: { amount: 500 } },
  });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/G`, {});
  assert.equal((await adjust("G", { amount: 1 })).body.balance, 501);
  await ok(`PUT /v1/campaigns/${campaign.id}`, {
    gift: { amount: 900 },
    expiration_date: "2026-06-01T00:00:00Z",
  });
  const card = await ok("GET /v1/vouchers/G");
  assert.deepEqual([card.gift.balance, card.expiration_date], [501, "2026-06-01T00:00:00.000Z"]);
  assert.equal(card.created_at.slice(0, 19), NOW.slice(0, 19));
});
