import assert from "node:assert/strict";
import { test } from "node:test";
import { success } from "../../src/core/answer.ts";
import { notFound } from "../../src/core/errors.ts";
import { networkOf } from "../../src/http/limits/address-limit.ts";
import { createCodeGuard } from "../../src/http/limits/wrong-codes.ts";
import { NOW, type Reply, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";

const { db } = await testDatabase();
const SHOP = "https://shop.example";
const ALL_ON = {
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_loyalty_events_enabled: true,
  client_set_voucher_expiration_date_enabled: true,
};
const at = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

/** A shop whose clock is ours, asked from addresses of our choice. */
async function shop(options: Parameters<typeof testEngine>[2] = {}) {
  const project = await testProject(db, { client_trusted_domains: [SHOP], ...ALL_ON });
  const clock = { now: NOW };
  const { app, call } = await testEngine(db, project, { wrongCodesMax: 5, now: () => clock.now, ...options });
  const discount = { type: "PERCENT", percent_off: 10 };
  assert.equal((await call("POST /v1/vouchers", { code: "RIGHT", discount })).status, 200);
  assert.equal((await call("POST /v1/customers", { source_id: "ann" })).status, 200);
  const from =
    (remoteAddress: string, given: Record<string, string> = {}) =>
    async (line: string, body?: object): Promise<Reply> => {
      const [method, url] = line.split(" ") as ["GET", string];
      const type = body && { "content-type": "application/json" };
      const headers = { ...project.headers, origin: SHOP, ...type, ...given };
      const payload = body && { payload: JSON.stringify(body) };
      const reply = await app.inject({ method, url, headers, remoteAddress, ...payload });
      return { status: reply.statusCode, body: reply.json(), text: reply.body, headers: reply.headers };
    };
  return { project, call, clock, from };
}
const validate = (...ids: string[]) =>
  ["POST /client/v1/validations", { redeemables: ids.map((id) => ({ object: "voucher", id })) }] as const;
const isFree = async (ask: (line: string, body?: object) => Promise<Reply>) =>
  (await ask(...validate("RIGHT"))).status === 200;

test("five wrong codes in five seconds are answered, the next look-up from the address is 429 until the time is over", async () => {
  const { clock, from } = await shop();
  const ask = from("203.0.113.1");
  for (let n = 0; n < 5; n += 1) {
    clock.now = at(n / 2);
    assert.equal((await ask(...validate(`WRONG-${n}`))).body.valid, false);
  }
  clock.now = at(2.5);
  const refused = await ask(...validate("RIGHT"));
  assertRefused(refused, "too_many_requests", "Too many wrong codes from this address");
  const names = ["limit", "remaining", "retry", "type"].map((name) => refused.headers[`x-rate-limit-${name}`]);
  assert.deepEqual(names, ["5", "0", `${Date.parse(NOW) / 1000 + 5}`, "api_calls"]);
  assert.equal(refused.headers["retry-after"], "3");
  assert.equal(refused.headers["access-control-allow-origin"], SHOP, "so that a page can read it");
  assert.ok(await isFree(from("203.0.113.2")), "another address is not meant");
  clock.now = at(4.999);
  assert.ok(!(await isFree(ask)));
  clock.now = at(5);
  assert.ok(await isFree(ask));
  for (let n = 0; n < 5; n += 1) await ask(...validate(`WRONG-${n}`));
  assert.ok(!(await isFree(ask)), "and it begins anew");
});

test("right codes are not counted, however many, nor are those that are there and do not apply", async () => {
  const { call, from } = await shop();
  await call("POST /v1/vouchers", { code: "OFF", active: false, discount: { type: "PERCENT", percent_off: 1 } });
  const ask = from("203.0.113.3");
  for (let n = 0; n < 12; n += 1) {
    assert.equal((await ask(...validate("right"))).body.valid, true);
    assert.equal((await ask(...validate("OFF"))).body.valid, false);
    assert.equal((await ask("GET /client/v1/validate?code=RIGHT")).body.valid, true);
    const unknown = { event: "none", customer: { source_id: "ann" } };
    assert.equal((await ask("POST /client/v1/events", unknown)).status, 404);
  }
});

/** One wrong code in each operation that tells whether there is one. */
const WRONG: readonly (readonly [line: string, body?: object])[] = [
  validate("WRONG"),
  ["GET /client/v1/validate?code=WRONG"],
  ["POST /client/v1/redemptions", { redeemables: [{ object: "voucher", id: "WRONG" }] }],
  ["POST /client/v1/redeem?code=WRONG", {}],
  ["POST /client/v1/qualifications", { options: { filters: { code: { conditions: { $is: ["WRONG"] } } } } }],
  ["POST /client/v1/publish", { voucher: "WRONG", customer: "ann" }],
  ["PUT /client/v1/vouchers/WRONG", { expiration_date: "2030-01-01T00:00:00Z" }],
  ["POST /client/v1/events", { event: "visit", customer: { source_id: "ann" }, loyalty: { code: "WRONG" } }],
];

for (const [line, body] of WRONG)
  test(`a wrong code is counted in ${line.replace(/[?=].*/, "")}, and over the limit it is refused there`, async () => {
    const { project, call, from } = await shop({ wrongCodesMax: 2 });
    const events = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
    await call(events, { name: "visit", schema: { properties: {} } });
    const ask = from("203.0.113.4");
    for (let n = 0; n < 2; n += 1) assert.ok([200, 404].includes((await ask(line, body)).status));
    assertRefused(await ask(line, body), "too_many_requests");
    for (const other of WRONG) assertRefused(await ask(...other), "too_many_requests");
    assert.equal((await ask("GET /client/v1/promotions/tiers")).status, 200, "what tells of no code goes on");
  });

test("each wrong code of a request counts once, and those who try many wait as long as with one after the other", async () => {
  const { clock, from, call, project } = await shop();
  const ask = from("203.0.113.5");
  const twelve = Array.from({ length: 12 }, (_, n) => `WRONG-${n}`);
  const all = from("203.0.113.14");
  assert.equal((await all(...validate("RIGHT", ...twelve))).status, 200);
  assert.ok(await isFree(all), "where all must apply, the answer tells of the first that does not");
  const rules = { redeemables_application_mode: "PARTIAL" };
  assert.equal((await call(`POST /management/v1/projects/${project.id}/stacking-rules`, rules)).status, 200);
  assert.equal((await ask(...validate("RIGHT", ...twelve))).status, 200);
  const refused = await ask(...validate("RIGHT"));
  assertRefused(refused, "too_many_requests");
  assert.equal(refused.headers["retry-after"], "15");
  clock.now = at(14.9);
  assert.ok(!(await isFree(ask)));
  clock.now = at(15);
  assert.ok(await isFree(ask));
  const four = from("203.0.113.6");
  await four(...validate(...twelve.slice(0, 4)));
  assert.ok(await isFree(four), "four of five");
  // A redemption of none of them does not say which are wrong.
  const redeemables = twelve.slice(0, 5).map((id) => ({ object: "voucher", id }));
  const partial = from("203.0.113.7");
  assertRefused(await partial("POST /client/v1/redemptions", { redeemables }), "no_applicable_redeemables");
  assert.ok(!(await isFree(partial)));
  const some = from("203.0.113.16");
  const right = { object: "voucher", id: "RIGHT" };
  const taken = await some("POST /client/v1/redemptions", { redeemables: [right, ...redeemables] });
  assert.deepEqual([taken.status, taken.body.redemptions.length], [200, 1]);
  assert.ok(!(await isFree(some)));
});

test("each code that a filter of a qualification names and does not find counts", async () => {
  const { from } = await shop();
  const ask = from("203.0.113.15");
  const find = (...codes: string[]) =>
    ask("POST /client/v1/qualifications", { options: { filters: { code: { conditions: { $in: codes } } } } });
  for (let n = 0; n < 7; n += 1) assert.equal((await find("RIGHT")).body.redeemables.total, 1);
  assert.equal((await find("RIGHT", "A", "B", "C", "D")).status, 200);
  assert.ok(await isFree(ask), "four of five");
  assert.equal((await find("RIGHT", "E")).status, 200);
  assertRefused(await find("RIGHT"), "too_many_requests");
});

test("of wrong codes at once the address learns of five, and waits as long as with one after the other", async () => {
  const { clock, from } = await shop();
  const ask = from("203.0.113.8");
  const wrong = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(...validate(`WRONG-${n}`))));
  assert.equal(wrong.filter(({ status }) => status === 200).length, 5);
  const refused = wrong.filter(({ status }) => status === 429);
  assert.equal(refused.length, 35);
  for (const one of refused) {
    assertRefused(one, "too_many_requests", "Too many wrong codes from this address");
    assert.doesNotMatch(one.text, /WRONG|not_found/);
  }
  const seconds = Number((await ask(...validate("RIGHT"))).headers["retry-after"]);
  assert.equal(seconds, 40, "all of them were looked up");
  clock.now = at(39.9);
  assert.ok(!(await isFree(ask)));
  clock.now = at(40);
  assert.ok(await isFree(ask));
});

test("right codes are answered however many come at once, beside wrong ones as well", async () => {
  const { from } = await shop();
  const ask = from("203.0.113.9");
  const right = await Promise.all(Array.from({ length: 250 }, () => ask(...validate("RIGHT"))));
  assert.ok(right.every(({ status, body }) => status === 200 && body.valid));
  const mixed = await Promise.all(
    Array.from({ length: 60 }, (_, n) => ask(...validate(n % 2 ? "RIGHT" : `WRONG-${n}`))),
  );
  const odd = mixed.filter((_, n) => n % 2 === 1);
  assert.ok(odd.every(({ status, body }) => status === 200 && body.valid));
  assert.equal(mixed.filter(({ status }) => status === 429).length, 25);
});

/** What sends no code, or only tiers and stacks. */
const WITHOUT: readonly (readonly [line: string, body?: object])[] = [
  ["POST /client/v1/events", { event: "visit", customer: { source_id: "ann" } }],
  ["POST /client/v1/qualifications", {}],
  ["POST /client/v1/qualifications", { options: { filters: { voucher_type: { conditions: { $is: ["X"] } } } } }],
  ["POST /client/v1/validations", { redeemables: [{ object: "promotion_tier", id: "promo_none" }] }],
  ["POST /client/v1/redemptions", { redeemables: [{ object: "promotion_tier", id: "promo_none" }] }],
  ["POST /client/v1/redemptions", { redeemables: [{ object: "promotion_stack", id: "stack_none" }] }],
  ["POST /client/v1/publish", { campaign: { name: "None" }, customer: "ann" }],
];

test("what sends no code is neither counted nor refused, however many wrong codes the address sent", async () => {
  const { project, call, from } = await shop();
  const events = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await call(events, { name: "visit", schema: { properties: {} } });
  const ask = from("203.0.113.17");
  const all = async () => {
    for (const [line, body] of WITHOUT) {
      const replies = await Promise.all(Array.from({ length: 7 }, () => ask(line, body)));
      for (const { status, text } of replies) assert.ok([200, 404].includes(status), `${line}: ${text}`);
    }
  };
  await all();
  assert.ok(await isFree(ask));
  for (let n = 0; n < 5; n += 1) await ask(...validate(`WRONG-${n}`));
  assert.ok(!(await isFree(ask)));
  await all();
});

test("a right code whose reward is not there is no wrong code", async () => {
  const { call, from } = await shop();
  const voucher = { type: "LOYALTY_CARD", loyalty_card: { points: 9 }, code_config: { pattern: "CARD-######" } };
  const program = { name: "Club", type: "AUTO_UPDATE", campaign_type: "LOYALTY_PROGRAM", voucher };
  assert.equal((await call("POST /v1/loyalties", program)).status, 200);
  const member = await call("POST /v1/loyalties/Club/members", { customer: { source_id: "ann" } });
  assert.equal(member.status, 200, member.text);
  const redeemables = [{ object: "voucher", id: member.body.code, reward: { id: "rew_none" } }];
  const ask = from("203.0.113.18");
  for (let n = 0; n < 7; n += 1)
    for (const line of ["POST /client/v1/validations", "POST /client/v1/redemptions"]) {
      const reply = await ask(line, { redeemables, customer: { source_id: "ann" } });
      assert.match(reply.text, /Cannot find reward with id rew_none/);
    }
});

test("what was redeemed is answered, also when the address had tried enough by then", async () => {
  const { call, project, from } = await shop();
  const rules = { redeemables_application_mode: "PARTIAL" };
  assert.equal((await call(`POST /management/v1/projects/${project.id}/stacking-rules`, rules)).status, 200);
  const ask = from("203.0.113.19");
  const redeemables = ["RIGHT", "WRONG-A", "WRONG-B"].map((id) => ({ object: "voucher", id }));
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => ask("POST /client/v1/redemptions", { redeemables })),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal((await call("GET /v1/vouchers/RIGHT")).body.redemption.redeemed_quantity, 12);
  const refused = await ask("POST /client/v1/redemptions", { redeemables });
  assertRefused(refused, "too_many_requests");
  assert.equal(refused.headers["retry-after"], "25", "24 wrong codes");
});

test("behind a trusted proxy the address is the forwarded one; without trust the header says nothing", async () => {
  const [trusting, not] = [await shop({ trustProxy: "10.0.0.1" }), await shop()];
  for (const [{ from }, isMeant] of [
    [trusting, true],
    [not, false],
  ] as const) {
    const via = (address: string) => from("10.0.0.1", { "x-forwarded-for": address });
    for (let n = 0; n < 5; n += 1) await via("198.51.100.1")(...validate(`WRONG-${n}`));
    assert.ok(!(await isFree(via("198.51.100.1"))));
    assert.equal(await isFree(via("198.51.100.2")), isMeant);
  }
});

test("a token counts as well, server-side keys do not, and a repeated request with the same key is no new guess", async () => {
  const { call, from } = await shop();
  for (let n = 0; n < 12; n += 1)
    assert.equal(
      (await call("POST /v1/vouchers/WRONG/validate", {})).body.valid,
      false,
      "the server side is not meant",
    );
  const server = from("203.0.113.10", { "x-client-application-id": "", "x-client-token": "" });
  for (let n = 0; n < 7; n += 1)
    assert.equal((await server("POST /client/v1/publish", { voucher: "WRONG", customer: "ann" })).status, 404);
  const authorization = `Bearer ${await tokenOf(call, "client_api")}`;
  const token = from("203.0.113.11", { "x-client-application-id": "", "x-client-token": "", authorization });
  for (let n = 0; n < 5; n += 1) await token(...validate(`WRONG-${n}`));
  assert.ok(!(await isFree(token)));
  const again = from("203.0.113.12", { "idempotency-key": "same" });
  for (let n = 0; n < 7; n += 1)
    assert.equal((await again("POST /client/v1/redeem?code=WRONG", {})).status, 404, "the same answer again");
});

test("each of several processes allows its share, one at least; with 0 there is no limit", async () => {
  for (const [wrongCodesMax, processes, share] of [
    [5, 2, 2],
    [5, 8, 1],
    [0, 2, 30],
  ] as const) {
    const { from } = await shop({ wrongCodesMax, processes });
    const ask = from("203.0.113.13");
    for (let n = 0; n < share; n += 1) assert.equal((await ask(...validate(`WRONG-${n}`))).status, 200);
    assert.equal(await isFree(ask), wrongCodesMax === 0);
  }
});

test("addresses of one IPv6 network are one, and one that is IPv4 in disguise is itself", () => {
  for (const [address, network] of [
    ["203.0.113.1", "203.0.113.1"],
    ["::ffff:203.0.113.1", "203.0.113.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:DB8:1:2::9", "2001:db8:1:2"],
    ["2001:db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ] as const)
    assert.equal(networkOf(address), network, address);
});

test("memory is bounded: only the newest addresses are remembered, and those without a wrong code not at all", async () => {
  let now = 0;
  const guard = createCodeGuard(1, { processes: 1, nowMs: () => now });
  const validated = (valid: boolean) => ({ valid, ...(!valid && { error: notFound("voucher", "X").body }) });
  const ask = (ip: string, valid: boolean) =>
    guard({ ip, params: {}, query: { code: "X" }, body: undefined }, async () => success(validated(valid)));
  await ask("first", false);
  await assert.rejects(ask("first", true), { name: "Error" });
  for (let n = 0; n < 20_000; n += 1) await ask(`right-${n}`, true);
  await assert.rejects(ask("first", true), "right codes forget nobody");
  for (let n = 0; n < 10_000; n += 1) await ask(`wrong-${n}`, false);
  await ask("first", true);
  await assert.rejects(ask("wrong-9999", true));
  now = 5_000;
  await ask("wrong-9999", true);
});
