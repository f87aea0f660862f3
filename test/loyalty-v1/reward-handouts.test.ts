import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { okOf } from "../support/shop.ts";

const { db, open } = await testDatabase();

const LIMIT = 12;
type Voucher = { id: string; code: string; type: string };
type Stack = { redemptions: { reward: { voucher: Voucher } }[]; parent_redemption: { id: string } };

/**
 * Anna has so many loyalty cards for each kind of reward: a coupon, credits, and points of another card. One request
 * redeems all of them. What is told are the statements that each request took.
 */
async function world(ofEachKind: number) {
  const seen: string[] = [];
  const project = await testProject(db);
  const hot = open({ max: 1, onQuery: (text) => seen.push(text) });
  await hot`select 1`;
  const { call } = await testEngine(db, project, { hot });
  const ok = okOf(call);
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, {
    redeemables_limit: LIMIT,
    applicable_redeemables_limit: LIMIT,
  });
  const type = "AUTO_UPDATE";
  const discount = { type: "AMOUNT", amount_off: 500 };
  const coupons = await ok("POST /v1/campaigns", { name: "Coupons", type, voucher: { discount } });
  const gifts = await ok("POST /v1/campaigns", { name: "Gifts", type, voucher: { gift: { amount: 50 } } });
  const loyalty = (name: string, points: number) =>
    ok("POST /v1/loyalties", { name, type, voucher: { type: "LOYALTY_CARD", loyalty_card: { points } } });
  const miles = await loyalty("Miles", 5);
  const given = [
    { id: coupons.id, type: "DISCOUNT_COUPONS" },
    { id: gifts.id, type: "GIFT_VOUCHERS", balance: 200 },
    { id: miles.id, type: "LOYALTY_PROGRAM", balance: 70 },
  ];
  const rewards: string[] = [];
  for (const campaign of given)
    rewards.push((await ok("POST /v1/rewards", { name: campaign.type, parameters: { campaign } })).id);
  const redeemables: object[] = [];
  for (let n = 0; n < ofEachKind * rewards.length; n += 1) {
    const { id } = await loyalty(`Club ${n}`, 1000);
    const reward = rewards[n % rewards.length]!;
    await ok(`POST /v1/rewards/${reward}/assignments`, { campaign: id, parameters: { loyalty: { points: 100 } } });
    const { voucher } = await ok("POST /v1/publications", { campaign: { id }, customer: { source_id: "anna" } });
    redeemables.push({ object: "voucher", id: voucher.code, reward: { id: reward } });
  }
  const counted = async (request: string, body?: unknown) => {
    seen.length = 0;
    const answer = await ok(request, body);
    return { answer, statements: [...seen] };
  };
  const redeem = async () => {
    const { answer, statements } = await counted("POST /v1/redemptions", { redeemables });
    const { redemptions, parent_redemption } = answer as Stack;
    return { statements, id: parent_redemption.id, vouchers: redemptions.map(({ reward }) => reward.voucher) };
  };
  const rollBack = async (id: string) => (await counted(`POST /v1/redemptions/${id}/rollbacks`)).statements;
  const cardOf = (vouchers: readonly Voucher[], kind: string): string => {
    const codes = new Set(vouchers.filter((one) => one.type === kind).map(({ code }) => code));
    assert.equal(codes.size, 1, "all of it is on one card");
    return [...codes][0]!;
  };
  const balances = async (vouchers: readonly Voucher[]): Promise<[credits: number, points: number]> => [
    (await ok(`GET /v1/vouchers/${cardOf(vouchers, "GIFT_VOUCHER")}`)).gift.balance,
    (await ok(`GET /v1/vouchers/${cardOf(vouchers, "LOYALTY_CARD")}`)).loyalty_card.balance,
  ];
  const coupon = (vouchers: readonly Voucher[]) => vouchers.filter((one) => one.type === "DISCOUNT_VOUCHER");
  return { call, ok, redeem, rollBack, balances, coupon };
}

/** Gives what rewards bring, fills up the cards that are there by then, and takes all of it back. */
async function run(ofEachKind: number) {
  const { call, ok, redeem, rollBack, balances, coupon } = await world(ofEachKind);
  const first = await redeem();
  assert.equal(new Set(coupon(first.vouchers).map(({ id }) => id)).size, ofEachKind, "a coupon for each");
  assert.deepEqual(await balances(first.vouchers), [50 + 200 * ofEachKind, 5 + 70 * ofEachKind]);
  const second = await redeem();
  assert.deepEqual(await balances(second.vouchers), [50 + 400 * ofEachKind, 5 + 140 * ofEachKind]);
  const { code } = first.vouchers.find((one) => one.type === "GIFT_VOUCHER")!;
  assert.equal((await ok(`GET /v1/vouchers/${code}/transactions?limit=100`)).data.length, 2 * ofEachKind);
  const back = await rollBack(first.id);
  assert.deepEqual(await balances(second.vouchers), [50 + 200 * ofEachKind, 5 + 70 * ofEachKind]);
  for (const one of coupon(first.vouchers)) assert.equal((await call(`GET /v1/vouchers/${one.id}`)).status, 404);
  for (const one of coupon(second.vouchers)) assert.equal((await call(`GET /v1/vouchers/${one.id}`)).status, 200);
  assert.equal((await ok("GET /v1/trash-bin?limit=100")).data.length, ofEachKind);
  return { given: first.statements, filled: second.statements, back };
}

test("12 rewards of campaigns take as many statements as three to give, to fill cards up and to take back", async () => {
  const [few, many] = [await run(1), await run(LIMIT / 3)];
  for (const name of ["given", "filled", "back"] as const) {
    const often = (all: readonly string[]) =>
      Object.fromEntries([...Map.groupBy(all, (text) => text)].map(([text, same]) => [text, same.length]));
    assert.deepEqual(often(many[name]), often(few[name]), name);
    assert.ok(few[name].length > 10 && few[name].length <= 90, `${name}: ${few[name].length} statements`);
  }
});
