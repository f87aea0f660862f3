import assert from "node:assert/strict";
import { test } from "node:test";
import { examine } from "../../src/cli/doctor.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { vouchersOf } from "../../src/resources/promotions/vouchers/state-store.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { cardWorld, jobsOf } from "../support/point-cards.ts";

const { db } = await testDatabase();

const world = () => cardWorld(db);

const RULES = { period_type: "MONTH", period_value: 3 };

test("who joins a program gets a card, which is a voucher with its points, and the same one when they join again", async () => {
  const { program, join, member, ok, kinds } = await world();
  const { id } = await program("Club", { points: 50, expiration_rules: RULES });
  const made = await join(id, "anna", { metadata: {} });
  assert.equal(made.object, "voucher");
  const { loyalty_card, discount, gift, type, campaign, campaign_id, is_referral_code, redemption, publish } = made;
  assert.deepEqual(loyalty_card, {
    points: 50,
    balance: 50,
    next_expiration_date: "2026-04-01",
    next_expiration_points: 50,
    pending_points: 0,
    expired_points: 0,
    subtracted_points: 0,
  });
  assert.deepEqual([discount, gift, type, is_referral_code], [null, null, "LOYALTY_CARD", false]);
  assert.deepEqual([campaign, campaign_id], ["Club", id]);
  assert.deepEqual([redemption.redeemed_quantity, redemption.redeemed_points, publish.count], [0, 0, 1]);
  assert.equal(made.holder_id, (await ok("GET /v1/customers/anna")).id);
  assert.deepEqual(await join("Club", "anna"), made, "by the name of the campaign too");
  for (const path of [made.code, made.id]) {
    assert.deepEqual(await member(path), made);
    assert.deepEqual(await ok(`GET /v1/loyalties/${id}/members/${path}`), made);
    assert.deepEqual(await ok(`GET /v1/loyalties/Club/members/${path}`), made);
  }
  const seen = await kinds();
  assert.equal(seen.filter((kind) => kind === "customer.publication.succeeded").length, 1);
});

test("a member has every field of the interface", async (t) => {
  const { program, join, ok, add } = await world();
  const { id: campaign_id } = await program("Club", { points: 50, expiration_rules: RULES });
  const settings = {
    start_date: "2026-01-01T00:00:00.000Z",
    expiration_date: "2027-01-01T00:00:00.000Z",
    validity_timeframe: { interval: "P1D", duration: "PT12H" },
    validity_day_of_week: [0, 6],
    validity_hours: { daily: [{ start_time: "08:00", expiration_time: "20:00", days_of_week: [0, 6] }] },
    additional_info: "Welcome",
    metadata: { colour: "blue" },
  };
  const redemption = { quantity: 7 };
  const sent = { ...settings, redemption, category: "VIP" };
  const made = await ok(`POST /v1/campaigns/${campaign_id}/vouchers/CARD`, sent);
  await join(campaign_id, "anna", { voucher: "CARD" });
  await add("CARD", 20);
  await add("CARD", -5);
  const { assets, categories, ...member } = await ok("GET /v1/loyalties/members/CARD");
  const [category] = (await ok("GET /v1/categories")).data;
  const expected = {
    id: made.id,
    code: "CARD",
    campaign: "Club",
    campaign_id,
    category: "VIP",
    category_id: category.id,
    type: "LOYALTY_CARD",
    discount: null,
    gift: null,
    loyalty_card: {
      points: 70,
      balance: 65,
      next_expiration_date: "2026-04-01",
      next_expiration_points: 65,
      pending_points: 0,
      expired_points: 0,
      subtracted_points: 5,
    },
    ...settings,
    active: true,
    is_referral_code: false,
    created_at: made.created_at,
    updated_at: NOW,
    holder_id: (await ok("GET /v1/customers/anna")).id,
    referrer_id: null,
    redemption: {
      quantity: 7,
      redeemed_quantity: 0,
      redeemed_points: 0,
      object: "list",
      url: "/v1/vouchers/CARD/redemption?page=1&limit=10",
    },
    publish: { object: "list", count: 1, url: "/v1/publications?voucher=CARD&page=1&limit=10" },
    object: "voucher",
  };
  await holdsFields(t, "member", member, expected);
  await holdsRows(t, "member", {
    categories: () => assert.deepEqual(categories, [category]),
    assets: () => {
      for (const asset of [assets.qr, assets.barcode]) assert.deepEqual(Object.keys(asset), ["id", "url"]);
    },
  });
  await holdsRows(t, "member.get", { answer: () => assert.deepEqual(member, expected) });
  const { validation_rules_assignments: _, ...voucher } = await ok("GET /v1/vouchers/CARD");
  assert.deepEqual(voucher, { assets, categories, ...member }, "it is the voucher");
});

test("a card can be named by who joins, when it is one of the campaign and nobody's", async () => {
  const { program, join, ok, refused } = await world();
  const { id } = await program("Club");
  await program("Other");
  await ok(`POST /v1/campaigns/${id}/vouchers/MINE`, {});
  await ok("POST /v1/campaigns/Other/vouchers/THEIRS", {});
  assert.equal((await join(id, "anna", { voucher: "MINE" })).code, "MINE");
  const bob = { customer: { source_id: "bob" } };
  const path = `POST /v1/loyalties/${id}/members`;
  await refused(path, { ...bob, voucher: "MINE" }, 400, "voucher_already_published");
  await refused(path, { ...bob, voucher: "THEIRS" }, 404, "not_found");
  await refused(path, { ...bob, voucher: "NONE" }, 404, "not_found");
  await refused("POST /v1/loyalties/None/members", bob, 404, "not_found");
  await refused(path, {}, 400, "invalid_payload");
  await refused(path, { customer: 1 }, 400, "invalid_payload");
});

test("what is no loyalty card, or none of the campaign, or another project's, is not found", async () => {
  const { program, join, ok, refused, call } = await world();
  const { id } = await program("Club");
  const { id: other } = await program("Other");
  const { code } = await join(id, "anna");
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 100 } });
  const stranger = await world();
  for (const path of ["members/GIFT", "members/NONE", `${other}/members/${code}`, `None/members/${code}`])
    await refused(`GET /v1/loyalties/${path}`, undefined, 404, "not_found");
  for (const path of ["members/GIFT/balance", `${other}/members/${code}/balance`])
    await refused(`POST /v1/loyalties/${path}`, { points: 1 }, 404, "not_found");
  await refused(`POST /v1/loyalties/${other}/members/${code}/transfers`, [{ code, points: 1 }], 404, "not_found");
  for (const path of ["", "/pending-points", "/transactions", "/activity", "/tiers"]) {
    await stranger.refused(`GET /v1/loyalties/members/${code}${path}`, undefined, 404, "not_found");
    await stranger.refused(`GET /v1/loyalties/members/GIFT${path}`, undefined, 404, "not_found");
  }
  for (const path of ["members", "pending-points", "transactions"])
    await stranger.refused(`GET /v1/loyalties/${id}/${path}`, undefined, 404, "not_found");
  assert.equal((await call(`DELETE /v1/campaigns/${id}`)).status, 202);
  await refused(`GET /v1/loyalties/members/${code}`, undefined, 404, "not_found");
  await refused(`POST /v1/loyalties/members/${code}/balance`, { points: 1 }, 404, "not_found");
});

test("members are listed newest first, by their customer, their code, their ids and their dates", async () => {
  const { program, join, ok, refused, add, move } = await world();
  const { id } = await program("Club", { points: 10, expiration_rules: RULES });
  await program("Other");
  const codes: string[] = [];
  for (const who of ["anna", "bob", "carl"]) codes.push((await join(id, who)).code);
  await join("Other", "dora");
  const list = async (query = "") => {
    const { vouchers, total, data_ref } = await ok(`GET /v1/loyalties/${id}/members?${query}`);
    assert.equal(data_ref, "vouchers");
    return [vouchers.map((one: { code: string }) => codes.indexOf(one.code)), total];
  };
  assert.deepEqual(await list(), [[2, 1, 0], 3]);
  assert.deepEqual(await list("order=created_at&limit=2"), [[0, 1], 3]);
  assert.deepEqual(await list("order=created_at&limit=2&page=2"), [[2], 3]);
  assert.deepEqual(await list("customer=bob"), [[1], 1]);
  assert.deepEqual(await list(`code=${codes[0]}`), [[0], 1]);
  const { vouchers } = await ok(`GET /v1/loyalties/${id}/members?ids=${(await ok(`GET /v1/vouchers/${codes[2]}`)).id}`);
  assert.equal(vouchers[0].code, codes[2]);
  assert.deepEqual(await list("created_at[after]=2027-01-01"), [[], 0]);
  await refused(`GET /v1/loyalties/${id}/members?limit=101`, undefined, 400, "invalid_query_params");
  await refused(`GET /v1/loyalties/${id}/members?order=points`, undefined, 400, "invalid_query_params");
  await add(codes[0]!, 5);
  await move("2026-04-02T12:00:00.000Z", { isSwept: false });
  const after = await ok(`GET /v1/loyalties/${id}/members?customer=anna`);
  assert.deepEqual([after.vouchers[0].loyalty_card.balance, after.vouchers[0].loyalty_card.expired_points], [0, 15]);
});

test("points are added and taken away, and each transaction says how many, why and by whom", async () => {
  const { program, join, add, card, transactions, ok } = await world();
  const { id } = await program("Club", { points: 998 });
  const { code, id: voucher } = await join(id, "anna");
  const other = await join((await program("Other")).id, "anna");
  assert.deepEqual(await add(code, 100, { source_id: "s-1", reason: "Thanks" }), {
    points: 100,
    total: 1098,
    balance: 1098,
    type: "loyalty_card",
    object: "balance",
    related_object: { type: "voucher", id: voucher },
    operation_type: "MANUAL",
  });
  const [less, more] = [await add(code, -1), await ok(`POST /v1/vouchers/${code}/balance`, { amount: 100 })];
  assert.deepEqual([less.points, less.total, less.balance], [-1, 1097, 1097]);
  assert.deepEqual([more.amount, more.total, more.balance, more.type], [100, 1197, 1197, "loyalty_card"]);
  await ok(`POST /v1/loyalties/${other.campaign_id}/members/${other.code}/transfers`, [{ code, points: 1 }]);
  assert.deepEqual(await card(code), {
    points: 1198,
    balance: 1196,
    next_expiration_date: null,
    next_expiration_points: null,
    pending_points: 0,
    expired_points: 0,
    subtracted_points: 2,
  });
  const all = await transactions(code);
  assert.deepEqual(
    all.map((one: any) => [
      one.type,
      one.details.balance.points,
      one.details.balance.total,
      one.details.balance.balance,
    ]),
    [
      ["POINTS_TRANSFER_OUT", -1, 1196, 1196],
      ["POINTS_ADDITION", 100, 1197, 1197],
      ["POINTS_REMOVAL", -1, 1097, 1097],
      ["POINTS_ADDITION", 100, 1098, 1098],
    ],
  );
  const { id: _, created_at: __, ...first } = all[3];
  assert.deepEqual(first, {
    source_id: "s-1",
    voucher_id: voucher,
    campaign_id: id,
    source: "API",
    reason: "Thanks",
    type: "POINTS_ADDITION",
    details: {
      balance: {
        type: "loyalty_card",
        total: 1098,
        points: 100,
        balance: 1098,
        operation_type: "MANUAL",
        related_object: { type: "voucher", id: voucher },
        object: "balance",
      },
    },
    related_transaction_id: null,
  });
  const path = `GET /v1/loyalties/${id}`;
  assert.deepEqual((await ok(`${path}/members/${code}/transactions?limit=100`)).data, all);
  assert.deepEqual((await ok(`${path}/transactions?limit=100`)).data, all);
  const page = await ok(`${path}/transactions?limit=2`);
  assert.deepEqual([page.data, page.has_more], [all.slice(0, 2), true]);
  const rest = await ok(`${path}/transactions?starting_after_id=${page.more_starting_after}`);
  assert.deepEqual([rest.data, rest.has_more], [all.slice(2), false]);
});

test("each transaction of a card says what was there after it, whatever moved the points", async () => {
  const { program, join, add, card, transactions, ok } = await world();
  const { id } = await program("Club", { points: 998 });
  const { code } = await join(id, "anna");
  const other = await join((await program("Other")).id, "anna");
  const { id: product } = await ok("POST /v1/products", { name: "Mug" });
  const reward = await ok("POST /v1/rewards", { name: "Mug", parameters: { product: { id: product } } });
  await ok(`POST /v1/loyalties/${id}/rewards`, [{ reward: reward.id, parameters: { loyalty: { points: 1000 } } }]);
  await add(code, 100);
  const redemption = await ok(`POST /v1/loyalties/members/${code}/redemption`, { reward: { id: reward.id } });
  await ok(`POST /v1/redemptions/${redemption.id}/rollback`);
  const rule = { event: "order.paid", loyalty: { type: "FIXED", points: 200 }, source: { banner: "Order" } };
  await ok(`POST /v1/loyalties/${id}/earning-rules`, [rule]);
  await ok("POST /v1/orders", { status: "PAID", amount: 100, customer: { source_id: "anna" } });
  await add(code, -1);
  await add(code, 100);
  await ok(`POST /v1/loyalties/${other.campaign_id}/members/${other.code}/transfers`, [{ code, points: 1 }]);
  assert.deepEqual(
    (await transactions(code))
      .toReversed()
      .map(({ type, details: { balance: one } }: any) => [type, one.points, one.total, one.balance]),
    [
      ["POINTS_ADDITION", 100, 1098, 1098],
      ["POINTS_REDEMPTION", -1000, 1098, 98],
      ["POINTS_REFUND", 1000, 1098, 1098],
      ["POINTS_ACCRUAL", 200, 1298, 1298],
      ["POINTS_REMOVAL", -1, 1297, 1297],
      ["POINTS_ADDITION", 100, 1397, 1397],
      ["POINTS_TRANSFER_OUT", -1, 1396, 1396],
    ],
  );
  assert.equal((await card(code)).balance, 1396);
});

test("the balance is what was put on the card less what was redeemed", async () => {
  const { program, join, member, ok } = await world();
  const { id } = await program("Club", { points: 13_436 });
  const { code } = await join(id, "anna");
  const { id: product } = await ok("POST /v1/products", { name: "Mug" });
  const reward = await ok("POST /v1/rewards", { name: "Mug", parameters: { product: { id: product } } });
  await ok(`POST /v1/loyalties/${id}/rewards`, [{ reward: reward.id, parameters: { loyalty: { points: 300 } } }]);
  await ok(`POST /v1/loyalties/members/${code}/redemption`, { reward: { id: reward.id } });
  const { loyalty_card, redemption } = await member(code);
  assert.deepEqual(
    [loyalty_card.points, loyalty_card.balance, redemption.redeemed_points, redemption.redeemed_quantity],
    [13_436, 13_136, 300, 1],
  );
});

test("points that are no number, too many, too few, or on a card that nobody has are refused, and nothing changes", async () => {
  const { program, join, refused, card, ok, call } = await world();
  const { id } = await program("Club", { points: 10 });
  const { code } = await join(id, "anna");
  const path = `POST /v1/loyalties/members/${code}/balance`;
  for (const points of [1.5, "5", null, 1e30, undefined]) await refused(path, { points }, 400, "invalid_payload");
  await refused(path, { points: 0 }, 400, "invalid_add_balance_params");
  await refused(path, { points: -11 }, 400, "loyalty_card_points_exceeded", code);
  await refused(path, { points: Number.MAX_SAFE_INTEGER }, 400, "invalid_payload", /too large/);
  await refused(path, { points: 1, reason: "\u0000" }, 400, "invalid_payload");
  for (const expiration_date of ["soon", "2026-02-30", "2026-13-01", "+012026-01-01", "9999-12-31", "2026-01-01Tx"])
    await refused(
      path,
      { points: 1, expiration_type: "CUSTOM_DATE", expiration_date },
      400,
      "invalid_payload",
      "Property .expiration_date cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31",
    );
  await refused(
    path,
    { points: 1, expiration_type: "CUSTOM_DATE", expiration_date: "2025-12-31" },
    400,
    "invalid_expiration_date",
    "Expiration date cannot be set in the past",
  );
  await refused(path, { points: 1, expiration_type: "CUSTOM_DATE" }, 400, "invalid_payload", /expiration_date/);
  await refused(path, { points: 1, expiration_type: "SOME_DAY" }, 400, "invalid_payload");
  await ok(`POST /v1/campaigns/${id}/vouchers/NOBODYS`, {});
  await refused("POST /v1/loyalties/members/NOBODYS/balance", { points: 1 }, 400, "invalid_customer", /NOBODYS/);
  await refused("POST /v1/vouchers/NOBODYS/balance", { amount: 1 }, 400, "invalid_customer");
  const { points, balance } = await card(code);
  assert.deepEqual([points, balance], [10, 10]);
  assert.equal((await call(`GET /v1/loyalties/members/${code}/transactions`)).body.data.length, 0);
});

test("points of one day are one bucket, soonest first, those that never expire last, and are spent in that order", async () => {
  const { program, join, add, ok, card, move, refused } = await world();
  const { id } = await program("Club", { points: 13_124 });
  const { code, id: voucher_id } = await join(id, "anna");
  const custom = (expiration_date: string) => ({ expiration_type: "CUSTOM_DATE", expiration_date });
  await add(code, 1, custom("2026-11-30"));
  await add(code, 2, custom("2026-11-25"));
  await add(code, 11, custom("2026-11-30T20:00:00+01:00"));
  await add(code, 7, custom("2026-03-30"));
  await add(code, 3, { expiration_type: "NON_EXPIRING" });
  await add(code, -8);
  const path = `GET /v1/loyalties/${id}/members/${code}/points-expiration`;
  const { data, total } = await ok(path);
  assert.deepEqual(
    data.map((one: any) => [one.bucket.total_points, one.expires_at, one.status]),
    [
      [0, "2026-03-30", "ACTIVE"],
      [1, "2026-11-25", "ACTIVE"],
      [12, "2026-11-30", "ACTIVE"],
      [13_127, undefined, "ACTIVE"],
    ],
  );
  assert.equal(total, 4);
  assert.match(data[0].id, /^lopb_/);
  assert.deepEqual(
    [data[0].voucher_id, data[0].campaign_id, data[0].object],
    [voucher_id, id, "loyalty_points_bucket"],
  );
  assert.deepEqual((await ok(`${path}?limit=2&page=2`)).data, data.slice(2));
  await refused(`${path}?limit=0`, undefined, 400, "invalid_query_params");
  const { next_expiration_date, next_expiration_points } = await card(code);
  assert.deepEqual([next_expiration_date, next_expiration_points], ["2026-11-25", 1]);
  await move("2026-11-26T00:00:00.000Z", { isSwept: false });
  const later = await ok(path);
  assert.deepEqual(
    later.data.map((one: any) => one.id),
    [data[2].id, data[3].id],
  );
  assert.equal((await card(code)).balance, 13_139);
});

test("points expire at the midnight after their last day, whether or not anybody swept, and the counters say so", async () => {
  const { program, join, add, card, move, transactions, kinds, refused, project } = await world();
  const { id } = await program("Club", { points: 10, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  const { code } = await join(id, "anna");
  await move("2026-01-15T12:00:00.000Z");
  await add(code, 5);
  await move("2026-02-01T23:59:59.000Z");
  assert.equal((await card(code)).balance, 15);
  await move("2026-02-02T00:00:00.000Z", { isSwept: false });
  const seen = await card(code);
  assert.deepEqual(
    [seen.points, seen.balance, seen.expired_points, seen.next_expiration_date, seen.next_expiration_points],
    [15, 5, 10, "2026-02-15", 5],
  );
  await refused(`POST /v1/loyalties/members/${code}/balance`, { points: -6 }, 400, "loyalty_card_points_exceeded");
  await advanceCards.run(jobsOf(db));
  assert.deepEqual(await card(code), seen, "the sweep changes nothing that anybody can see");
  const [expired] = await transactions(code);
  assert.deepEqual(
    [expired.type, expired.source, expired.created_at, expired.details.balance.points, expired.details.balance.balance],
    ["POINTS_EXPIRATION", null, "2026-02-02T00:00:00.000Z", -10, 5],
  );
  await move("2026-06-01T00:00:00.000Z");
  const end = await card(code);
  assert.deepEqual([end.balance, end.expired_points, end.next_expiration_date], [0, 15, null]);
  const all = await kinds();
  for (const kind of ["voucher.loyalty_card.points_expired", "customer.voucher.loyalty_card.points_expired"])
    assert.equal(all.filter((one) => one === kind).length, 2, kind);
  const [row] = await db`select due_at from vouchers where project_id = ${project.id}`;
  assert.equal(row!.due_at, null, "nothing is due any more");
});

test("points that have expired cannot be spent or moved, though nobody swept", async () => {
  const { program, join, refused, move, ok } = await world();
  const { id } = await program("Club", { points: 10, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  const [anna, bob] = [await join(id, "anna"), await join(id, "bob")];
  const { id: product } = await ok("POST /v1/products", { name: "Mug" });
  const reward = await ok("POST /v1/rewards", { name: "Mug", parameters: { product: { id: product } } });
  await ok(`POST /v1/loyalties/${id}/rewards`, [{ reward: reward.id, parameters: { loyalty: { points: 5 } } }]);
  await move("2026-02-02T00:00:00.000Z", { isSwept: false });
  const path = `POST /v1/loyalties/members/${anna.code}/redemption`;
  await refused(path, { reward: { id: reward.id } }, 400, "loyalty_card_points_exceeded");
  const [held] = (await ok("GET /v1/customers/anna/redeemables")).data;
  assert.deepEqual([held.redeemable.status, held.redeemable.voucher.loyalty_card.balance], ["NO_BALANCE", 0]);
  assert.equal((await ok(`GET /v1/vouchers/${anna.code}`)).loyalty_card.balance, 0);
  const transfer = `POST /v1/loyalties/${id}/members/${bob.code}/transfers`;
  await refused(transfer, [{ code: anna.code, points: 1 }], 400, "loyalty_card_points_exceeded");
});

test("a card in a campaign that is in the bin keeps nobody waiting", async () => {
  const { program, join, move, card, call, project } = await world();
  const { id } = await program("Club", { points: 10, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  const other = await program("Other", { points: 7, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  const [anna, bob] = [(await join(id, "anna")).code, (await join(other.id, "bob")).code];
  assert.equal((await call(`DELETE /v1/campaigns/${id}`)).status, 202);
  await move("2026-03-01T12:00:00.000Z");
  assert.equal((await card(bob)).balance, 0);
  const [row] = await db`select account, due_at from ${vouchersOf(db, project.id)} as v where code = ${anna}`;
  assert.deepEqual([row!.account.available, row!.due_at], [10, "2026-03-02T12:00:00.000Z"], "it is tried again");
});

test("points are transferred all or nothing, linked to each other, and expire as the card says that gets them", async () => {
  const { program, join, add, card, transactions, ok, refused, kinds } = await world();
  const club = await program("Club", { points: 0, expiration_rules: RULES });
  const other = await program("Other", { points: 0 });
  const target = await join(club.id, "anna");
  const [bob, carl] = [await join(other.id, "bob"), await join(other.id, "carl")];
  await add(bob.code, 100);
  await add(carl.code, 50);
  const path = `POST /v1/loyalties/${club.id}/members/${target.code}/transfers`;
  await refused(
    path,
    [
      { code: bob.code, points: 60 },
      { code: carl.code, points: 51 },
    ],
    400,
    "loyalty_card_points_exceeded",
    carl.code,
  );
  await refused(
    path,
    [
      { code: bob.code, points: 60 },
      { code: bob.code, points: 41 },
    ],
    400,
    "loyalty_card_points_exceeded",
    bob.code,
  );
  await refused(path, [{ code: target.code, points: 1 }], 400, "invalid_payload");
  await refused(path, [{ code: "NONE", points: 1 }], 404, "not_found");
  for (const bad of [
    [],
    {},
    [{ code: bob.code }],
    [{ code: bob.code, points: 0 }],
    [{ code: bob.code, points: -1 }],
    [{ points: 1 }],
    [{ code: 1, points: 1 }],
  ])
    await refused(path, bad, 400, "invalid_payload");
  await ok(`POST /v1/campaigns/${other.id}/vouchers/NOBODYS`, {});
  await refused(path, [{ code: "NOBODYS", points: 1 }], 400, "invalid_customer");
  assert.deepEqual([(await card(bob.code)).balance, (await card(target.code)).balance], [100, 0]);
  const answer = await ok(path, [
    { code: bob.code, points: 60, source_id: "t-1", reason: "Gift" },
    { code: carl.id, points: 50, source_id: "t-2" },
  ]);
  const { loyalty_card } = answer;
  assert.deepEqual(
    [loyalty_card.points, loyalty_card.balance, loyalty_card.next_expiration_date, loyalty_card.next_expiration_points],
    [110, 110, "2026-04-01", 110],
  );
  assert.deepEqual(await ok(`GET /v1/loyalties/members/${target.code}`), answer);
  const [[out], into] = [await transactions(bob.code), await transactions(target.code)];
  const first = into.find((one: any) => one.source_id === "t-1");
  assert.deepEqual([out.type, first.type], ["POINTS_TRANSFER_OUT", "POINTS_TRANSFER_IN"]);
  assert.deepEqual([out.related_transaction_id, first.related_transaction_id], [first.id, out.id]);
  assert.equal(out.reason, "Gift");
  const shown = out.details.destination_voucher;
  assert.deepEqual(
    [shown.id, shown.code, shown.type, shown.campaign, shown.campaign_id, shown.is_referral_code],
    [target.id, target.code, "LOYALTY_CARD", "Club", club.id, false],
  );
  assert.equal(first.details.source_voucher.code, bob.code);
  assert.ok((await kinds()).includes("customer.voucher.loyalty_card.points_transferred"));
});

test("transfers crosswise at the same time lose nothing and wait for nobody for ever", async () => {
  const { program, join, add, card, call } = await world();
  const { id } = await program("Club", { points: 0 });
  const cards: { code: string }[] = [];
  for (const who of ["anna", "bob", "carl"]) cards.push(await join(id, who));
  for (const { code } of cards) await add(code, 1000);
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, n) => {
      const [to, one, two] = [cards[n % 3]!, cards[(n + 1) % 3]!, cards[(n + 2) % 3]!];
      return call(`POST /v1/loyalties/${id}/members/${to.code}/transfers`, [
        { code: one.code, points: 1 + (n % 7) },
        { code: two.code, points: 2 },
      ]);
    }),
  );
  for (const reply of replies) assert.equal(reply.status, 200, reply.text);
  const balances = await Promise.all(cards.map(async ({ code }) => (await card(code)).balance));
  assert.equal(
    balances.reduce((sum, one) => sum + one, 0),
    3000,
  );
});

const TIERS = [
  { name: "Bronze", points: { from: 100, to: 199 } },
  { name: "Silver", points: { from: 200 } },
];

test("a member is in the tier of the balance, and what happened to the card is told", async () => {
  const { program, join, add, ok, kinds, call } = await world();
  const { id } = await program("Club", { points: 0 });
  const [bronze, silver] = await ok(`POST /v1/loyalties/${id}/tiers`, TIERS);
  const { code, holder_id } = await join(id, "anna");
  const tiers = async () => (await ok(`GET /v1/loyalties/members/${code}/tiers`)).data;
  assert.deepEqual(await tiers(), []);
  await add(code, 150);
  const [tier] = await tiers();
  assert.deepEqual(tier, {
    ...bronze,
    expiration: {
      customer_id: holder_id,
      campaign_id: id,
      tier_id: bronze.id,
      start_date: "2026-01-01",
      created_at: NOW,
      updated_at: null,
    },
  });
  await add(code, 50);
  assert.equal((await tiers())[0].id, silver.id);
  await add(code, -150);
  assert.deepEqual(await tiers(), []);
  const seen = (await kinds()).filter((kind) => kind.startsWith("customer.loyalty.tier."));
  assert.deepEqual(seen, [
    "customer.loyalty.tier.joined",
    "customer.loyalty.tier.upgraded",
    "customer.loyalty.tier.left",
  ]);
  const activity = await ok(`GET /v1/loyalties/members/${code}/activity?limit=100`);
  const types = activity.data.map((one: any) => one.type);
  for (const type of [...seen, "customer.publication.succeeded", "customer.voucher.loyalty_card.points_added"])
    assert.ok(types.includes(type), type);
  assert.ok(!types.includes("voucher.loyalty_card.points_added"));
  assert.match(activity.data[0].id, /^evcus_/);
  const path = `GET /v1/loyalties/${id}/members/${code}/activity`;
  const page = await ok(`${path}?limit=2`);
  assert.deepEqual([page.data, page.has_more], [activity.data.slice(0, 2), true]);
  const rest = await ok(`${path}?limit=100&starting_after_id=${page.more_starting_after}`);
  assert.deepEqual(rest.data, activity.data.slice(2));
  const oldest = await ok(`${path}?limit=100&order=created_at`);
  assert.deepEqual(oldest.data, activity.data.toReversed());
  assert.equal((await call(`${path}?starting_after_id=evcus_none`)).body.key, "invalid_query_params");
});

test("a card that begins with points is in their tier, and one sweep tells of it", async () => {
  const { program, join, ok, kinds } = await world();
  const { id } = await program("Club", { points: 120 });
  const [bronze] = await ok(`POST /v1/loyalties/${id}/tiers`, TIERS);
  const { code } = await join(id, "anna");
  assert.equal((await ok(`GET /v1/loyalties/members/${code}/tiers`)).data[0].id, bronze.id, "at once");
  await advanceCards.run(jobsOf(db));
  await advanceCards.run(jobsOf(db));
  assert.equal((await kinds()).filter((kind) => kind === "customer.loyalty.tier.joined").length, 1);
});

test("who is in a program when it gets tiers is looked at by the next sweep, once", async () => {
  const { program, join, add, ok, kinds, call } = await world();
  const { id } = await program("Club", { points: 0 });
  const { code } = await join(id, "anna");
  await add(code, 150);
  await advanceCards.run(jobsOf(db));
  const [bronze] = await ok(`POST /v1/loyalties/${id}/tiers`, TIERS);
  const tiers = async () => (await ok(`GET /v1/loyalties/members/${code}/tiers`)).data;
  await advanceCards.run(jobsOf(db));
  await advanceCards.run(jobsOf(db));
  assert.equal((await tiers())[0].id, bronze.id);
  assert.equal((await kinds()).filter((kind) => kind === "customer.loyalty.tier.joined").length, 1);
  assert.equal((await call(`DELETE /v1/loyalties/${id}/tiers/${bronze.id}`)).status, 204);
  assert.deepEqual(await tiers(), []);
});

test("a tier that is kept for three months ends with the third month, and the balance does not matter", async () => {
  const { program, join, add, ok, move } = await world();
  const { id } = await program(
    "Club",
    { points: 0 },
    {
      loyalty_tiers_expiration: {
        qualification_type: "BALANCE",
        start_date: { type: "IMMEDIATE" },
        expiration_date: { type: "CUSTOM", extend: "P3M", rounding: { type: "MONTH", strategy: "END" } },
      },
    },
  );
  await ok(`POST /v1/loyalties/${id}/tiers`, TIERS);
  const { code } = await join(id, "anna");
  await move("2026-11-10T12:00:00.000Z");
  await add(code, 150);
  await add(code, -150);
  const tiers = async () => (await ok(`GET /v1/loyalties/members/${code}/tiers`)).data;
  const [{ expiration }] = await tiers();
  assert.deepEqual([expiration.start_date, expiration.expiration_date], ["2026-11-10", "2027-02-28"]);
  await move("2027-02-28T23:59:59.000Z");
  assert.equal((await tiers()).length, 1);
  await move("2027-03-01T00:00:00.000Z", { isSwept: false });
  assert.deepEqual(await tiers(), []);
});

test("those who join at once get one card each, however often they ask", async () => {
  const { program, join, ok } = await world();
  const { id } = await program("Club", { points: 10 });
  const names = ["anna", "bob", "carl", "anna", "bob", "carl", "anna", "bob", "carl"];
  const cards = await Promise.all(names.map((who) => join(id, who)));
  for (const [n, who] of names.entries()) assert.deepEqual(cards[n], cards[names.indexOf(who)]);
  assert.equal(new Set(cards.map(({ code }) => code)).size, 3);
  assert.equal((await ok(`GET /v1/loyalties/${id}/members`)).total, 3);
});

test("a sweep after months leaves the rows that sweeps of every few days leave", async () => {
  const live = async (days: readonly string[]) => {
    const { program, join, add, ok, move, project } = await world();
    const { id } = await program(
      "Club",
      { points: 120, expiration_rules: { period_type: "MONTH", period_value: 1, rounding_type: "END_OF_MONTH" } },
      {
        loyalty_tiers_expiration: {
          qualification_type: "POINTS_IN_PERIOD",
          qualification_period: "MONTH",
          start_date: { type: "NEXT_PERIOD" },
          expiration_date: { type: "END_OF_NEXT_PERIOD", extend: "P7D" },
        },
      },
    );
    await ok(`POST /v1/loyalties/${id}/tiers`, TIERS);
    await ok(`POST /v1/loyalties/${id}/earning-rules`, [
      {
        event: "order.paid",
        loyalty: { type: "FIXED", points: 110 },
        source: { banner: "Order" },
        pending_points: { period_type: "DAY", period_value: 40 },
      },
    ]);
    const { code } = await join(id, "anna");
    await advanceCards.run(jobsOf(db));
    await add(code, 150);
    await ok("POST /v1/orders", { status: "PAID", amount: 100, customer: { source_id: "anna" } });
    for (const day of days) await move(`${day}T05:00:00.000Z`);
    const entries = await db`
      select kind, amount, balance, total, created_at from ledger_entries where project_id = ${project.id} order by id`;
    const tiers = await db`
      select type, status, details ->> 'start_at' as start_at, details ->> 'expires_at' as expires_at, created_at
      from loyalty_transactions where project_id = ${project.id} order by created_at, type`;
    const [card] = await db`select account, due_at from ${vouchersOf(db, project.id)} as v`;
    return { entries: [...entries], tiers: [...tiers], card };
  };
  const start = Temporal.PlainDate.from("2026-01-02");
  const often = Array.from({ length: 45 }, (_, n) => start.add({ days: 4 * n }).toString());
  const [steps, leap] = [await live(often), await live([often.at(-1)!])];
  assert.deepEqual(leap, steps);
  assert.deepEqual(
    leap.tiers.map(({ type, status }) => [type, status]),
    [
      ["JOINED", "APPROVED"],
      ["PROLONGED", "APPROVED"],
      ["LEFT", "APPROVED"],
    ],
  );
});

test("everything that was moved adds up", async () => {
  assert.deepEqual(
    (await examine(db)).filter(({ ok: fine }) => !fine),
    [],
  );
});
