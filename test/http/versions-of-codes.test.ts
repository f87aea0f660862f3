import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

// Codes are in no log, and change with every use: their version is what is configured of them, and nothing else.
const { db } = await testDatabase();

async function shopWithCode() {
  const shop = await testShop(db);
  const body = {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "PERCENT", percent_off: 10 },
    redemption: { quantity: 9 },
  };
  const { id } = await shop.ok("POST /v1/vouchers/SPRING", body);
  const etagOf = async (name = "SPRING") => (await shop.call(`GET /v1/vouchers/${name}`)).headers.etag as string;
  const change = (sent: object, etag: string, name = "SPRING") =>
    shop.call(`PUT /v1/vouchers/${name}`, sent, { "if-match": etag });
  return { ...shop, id, etagOf, change };
}

test("a change of a code that somebody changed meanwhile is refused, and changes nothing", async () => {
  const { ok, call, etagOf, change } = await shopWithCode();
  const seen = await etagOf();
  const theirs = await change({ additional_info: "theirs" }, seen);
  assert.equal(theirs.status, 200, theirs.text);
  assert.notEqual(theirs.headers.etag, seen);
  const before = await ok("GET /v1/vouchers/SPRING");
  const { status, body } = await change({ additional_info: "ours", active: false }, seen);
  assert.deepEqual([status, body.key, body.resource_type], [412, "precondition_failed", "voucher"]);
  assert.equal(body.details, `The current version is ${theirs.headers.etag}`);
  assert.deepEqual(await ok("GET /v1/vouchers/SPRING"), before);
  for (const line of ["POST /v1/vouchers/SPRING/disable", "POST /v1/vouchers/SPRING/enable"]) await ok(line);
  assert.equal(await etagOf(), theirs.headers.etag, "what is as it was has the version that it had");
  const deleted = await call("DELETE /v1/vouchers/SPRING", undefined, { "if-match": seen });
  assert.equal(deleted.status, 412);
});

test("uses, publications and credits are in no version of a code", async () => {
  const { ok, etagOf, change } = await shopWithCode();
  const seen = await etagOf();
  const redeemables = [{ object: "voucher", id: "SPRING" }];
  await ok("POST /v1/redemptions", { redeemables, customer: { source_id: "ann" }, order: { amount: 5000 } });
  await ok("POST /v1/publications", { voucher: "SPRING", customer: { source_id: "ann" } });
  assert.equal(await etagOf(), seen);
  const { status, body } = await change({ additional_info: "still ours" }, seen);
  assert.deepEqual([status, body.additional_info, body.redemption.redeemed_quantity], [200, "still ours", 1]);
  const card = { type: "GIFT_VOUCHER", gift: { amount: 1000 } };
  await ok("POST /v1/vouchers/CARD", card);
  const full = await etagOf("CARD");
  await ok("POST /v1/vouchers/CARD/balance", { amount: 500 });
  assert.equal(await etagOf("CARD"), full);
});

test("each setting of a code makes a version; the same by its id and by any spelling of the code", async () => {
  const { id, etagOf, change } = await shopWithCode();
  let seen = await etagOf();
  for (const sent of [
    { discount: { type: "PERCENT", percent_off: 20 } },
    { expiration_date: "2031-01-01T00:00:00Z" },
    { active: false },
    { metadata: { colour: "red" } },
    { category: "Spring" },
  ]) {
    const { status, text, headers } = await change(sent, seen);
    assert.equal(status, 200, text);
    assert.notEqual(headers.etag, seen, JSON.stringify(sent));
    assert.equal(await etagOf(), headers.etag);
    seen = headers.etag as string;
  }
  for (const name of [id, "spring", "%20SPRING"]) {
    assert.equal(await etagOf(name), seen, name);
    assert.equal((await change({ active: true }, '"stale"', name)).status, 412, name);
  }
});

test("of changes of one version of a code at once, one is taken", async () => {
  const { ok, etagOf, change } = await shopWithCode();
  for (let round = 0; round < 5; round += 1) {
    const seen = await etagOf();
    const notes = Array.from({ length: 6 }, (_, n) => `note ${round} ${n}`);
    const replies = await Promise.all(notes.map((additional_info) => change({ additional_info }, seen)));
    const taken = replies.filter(({ status }) => status === 200);
    assert.equal(taken.length, 1, replies.map(({ text }) => text).join("\n"));
    assert.ok(replies.every(({ status }) => status === 200 || status === 412));
    assert.equal((await ok("GET /v1/vouchers/SPRING")).additional_info, taken[0]!.body.additional_info);
  }
});
