import assert from "node:assert/strict";
import { test } from "node:test";
import { examine } from "../../src/cli/doctor.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { testDatabase } from "../support/engine.ts";
import { cardWorld, jobsOf } from "../support/point-cards.ts";

const { db } = await testDatabase();

/** A program whose orders earn points that wait for three days. */
async function world(points = 15) {
  const w = await cardWorld(db);
  const { id } = await w.program("Club", { points: 0, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  await w.ok(`POST /v1/loyalties/${id}/earning-rules`, [
    {
      event: "order.paid",
      loyalty: { type: "FIXED", points },
      source: { banner: "Order" },
      pending_points: { period_type: "DAY", period_value: 3 },
    },
  ]);
  const { code, id: voucherId } = await w.join(id, "anna");
  const order = () =>
    w.ok("POST /v1/orders", { status: "PAID", amount: 1000, customer: { source_id: "anna" }, source_id: null });
  const pending = async (path = `members/${code}`, query = "") =>
    (await w.ok(`GET /v1/loyalties/${path}/pending-points?${query}`)).data;
  const of = (entry: { id: string }) => `POST /v1/loyalties/members/${code}/pending-points/${entry.id}`;
  return { ...w, id, code, voucherId, order, pending, of };
}

test("points of an order that wait are shown with what earned them, and are not in the balance", async () => {
  const { id, code, voucherId, order, pending, card, member } = await world();
  const { id: order_id } = await order();
  const [entry, ...others] = await pending();
  assert.deepEqual(others, []);
  assert.match(entry.id, /^lopp_/);
  assert.deepEqual(
    [entry.voucher_id, entry.campaign_id, entry.customer_id, entry.order_id, entry.points, entry.activates_at],
    [voucherId, id, (await member(code)).holder_id, order_id, 15, "2026-01-04"],
  );
  assert.equal(entry.details.order.id, order_id);
  assert.match(entry.details.earning_rule.id, /^ern_/);
  const { points, balance, pending_points } = await card(code);
  assert.deepEqual([points, balance, pending_points], [0, 0, 15]);
  for (const path of [id, "Club", `${id}/members/${code}`, `members/${voucherId}`])
    assert.deepEqual(await pending(path), [entry], path);
});

test("what waits is listed page by page, newest first", async () => {
  const { order, pending, ok, code, refused } = await world();
  for (const _ of [1, 2, 3]) await order();
  const all = await pending();
  assert.deepEqual(await pending(undefined, "order=id"), all.toReversed());
  const path = `GET /v1/loyalties/members/${code}/pending-points`;
  const page = await ok(`${path}?limit=2`);
  assert.deepEqual([page.data, page.has_more], [all.slice(0, 2), true]);
  const rest = await ok(`${path}?starting_after_id=${page.more_starting_after}`);
  assert.deepEqual([rest.data, rest.has_more], [all.slice(2), false]);
  await refused(`${path}?starting_after_id=lopp_none`, undefined, 400, "invalid_query_params");
  await refused(`${path}?order=points`, undefined, 400, "invalid_query_params");
});

test("what waits can be made more or less, as long as something is left", async () => {
  const { order, pending, of, ok, refused, voucherId, card, code } = await world();
  await order();
  const [entry] = await pending();
  assert.deepEqual(await ok(`${of(entry)}/balance`, { points: 1 }), {
    points: 1,
    total: 16,
    object: "balance",
    related_object: { type: "voucher", id: voucherId },
    operation_type: "MANUAL",
  });
  const text = "Amount has to be a valid positive number";
  for (const points of [-20, -16, 0]) await refused(`${of(entry)}/balance`, { points }, 400, "invalid_amount", text);
  await refused(`${of(entry)}/balance`, { points: Number.MAX_SAFE_INTEGER }, 400, "invalid_payload", /too large/);
  for (const points of [1.5, "1", null, undefined])
    await refused(`${of(entry)}/balance`, { points }, 400, "invalid_payload");
  assert.equal((await ok(`${of(entry)}/balance`, { points: -10 })).total, 6);
  assert.equal((await pending())[0].points, 6);
  assert.equal((await card(code)).pending_points, 6);
});

test("what waits is activated by hand once, and expires counted from then", async () => {
  const { order, pending, of, ok, refused, voucherId, card, code, add, move, transactions, kinds } = await world(1);
  await add(code, 9, { expiration_type: "NON_EXPIRING" });
  await add(code, 1, { expiration_type: "CUSTOM_DATE", expiration_date: "2026-01-01" });
  await move("2026-01-02T12:00:00.000Z");
  await order();
  const [entry] = await pending();
  assert.deepEqual(await ok(`${of(entry)}/activate`), {
    points: 1,
    total: 11,
    balance: 10,
    type: "loyalty_card",
    object: "balance",
    related_object: { type: "voucher", id: voucherId },
    operation_type: "MANUAL",
  });
  const verbs = { activate: "activated", cancel: "canceled", balance: "updated" };
  for (const [name, verb] of Object.entries(verbs))
    await refused(
      `${of(entry)}/${name}`,
      name === "balance" ? { points: 1 } : undefined,
      400,
      "invalid_pending_points_state",
      `Only pending points in 'PENDING' status can be ${verb}. Current status: 'ACTIVATED'.`,
    );
  assert.deepEqual(await pending(), []);
  const { next_expiration_date, pending_points } = await card(code);
  assert.deepEqual([next_expiration_date, pending_points], ["2026-02-02", 0]);
  const [activation] = await transactions(code);
  assert.equal(activation.type, "PENDING_POINTS_ACTIVATION");
  assert.equal(activation.details.balance.operation_type, "MANUAL");
  assert.deepEqual([activation.details.pending_points.id, activation.details.pending_points.points], [entry.id, 1]);
  assert.equal(activation.details.earning_rule.id, entry.details.earning_rule.id);
  const told = (await kinds()).filter((kind) => kind.includes("pending_points"));
  assert.deepEqual(told, [
    "voucher.loyalty_card.pending_points.added",
    "customer.voucher.loyalty_card.pending_points.added",
    "voucher.loyalty_card.pending_points.activated",
    "customer.voucher.loyalty_card.pending_points.activated",
  ]);
});

test("what waits is canceled once, and what does not exist is not found", async () => {
  const { order, pending, of, call, refused, card, code, program, join } = await world();
  await order();
  const [entry] = await pending();
  assert.equal((await call(`${of(entry)}/cancel`)).status, 204);
  await refused(
    `${of(entry)}/activate`,
    undefined,
    400,
    "invalid_pending_points_state",
    "Only pending points in 'PENDING' status can be activated. Current status: 'CANCELED'.",
  );
  const { points, balance, pending_points } = await card(code);
  assert.deepEqual([points, balance, pending_points], [0, 0, 0]);
  const other = await join((await program("Other")).id, "anna");
  for (const path of [
    `members/${code}/pending-points/lopp_none`,
    `members/${other.code}/pending-points/${entry.id}`,
    `members/${code}/pending-points/${entry.id.replace("lopp_", "lopb_")}`,
    `members/NONE/pending-points/${entry.id}`,
  ])
    await refused(`POST /v1/loyalties/${path}/activate`, undefined, 404, "not_found");
});

test("what waits becomes available at the midnight of its day, whether or not anybody swept", async () => {
  const { order, pending, of, refused, card, code, move, transactions, ok, id } = await world();
  await order();
  await order();
  const [entry] = await pending();
  await move("2026-01-03T23:59:59.999Z");
  assert.equal((await card(code)).balance, 0);
  await move("2026-01-04T00:00:00.000Z", { isSwept: false });
  const seen = await card(code);
  assert.deepEqual(
    [seen.points, seen.balance, seen.pending_points, seen.next_expiration_date, seen.next_expiration_points],
    [30, 30, 0, "2026-02-04", 30],
  );
  assert.deepEqual(await pending(), []);
  const buckets = await ok(`GET /v1/loyalties/${id}/members/${code}/points-expiration`);
  assert.deepEqual(
    buckets.data.map((one: any) => [one.bucket.total_points, one.expires_at]),
    [[30, "2026-02-04"]],
  );
  await refused(`${of(entry)}/cancel`, undefined, 400, "invalid_pending_points_state", /Current status: 'ACTIVATED'/);
  await advanceCards.run(jobsOf(db));
  assert.deepEqual(await card(code), seen);
  const all = await transactions(code);
  assert.deepEqual(
    all.map((one: any) => [one.type, one.source, one.details.balance.points, one.details.balance.operation_type]),
    [
      ["PENDING_POINTS_ACTIVATION", "Automation", 15, "AUTOMATIC"],
      ["PENDING_POINTS_ACTIVATION", "Automation", 15, "AUTOMATIC"],
    ],
  );
  await move("2026-02-05T00:00:00.000Z");
  assert.deepEqual([(await card(code)).balance, (await card(code)).expired_points], [0, 30]);
});

test("two who activate the same points at once get them once", async () => {
  const { order, pending, of, call, card, code } = await world();
  await order();
  const [entry] = await pending();
  const replies = await Promise.all(Array.from({ length: 5 }, () => call(`${of(entry)}/activate`)));
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 400, 400, 400, 400]);
  assert.equal((await card(code)).balance, 15);
});

test("everything that was moved adds up", async () => {
  assert.deepEqual(
    (await examine(db)).filter(({ ok: fine }) => !fine),
    [],
  );
});
