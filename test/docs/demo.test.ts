import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { demoRequests } from "../../src/demo/demo-data.ts";
import { loadDemo } from "../../src/demo/load.ts";
import { KNOWN_CODES } from "../../src/demo/promotions.ts";
import { answeredId, demoClock, demoIds, fillIds, seeded } from "../../src/demo/requests.ts";
import { newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertInvariants } from "../support/loyalty-club.ts";

const { db } = await testDatabase();

test("the same seed gives the same shop, another seed another one with the same well-known names", () => {
  const bodies = (seed: number, path: string) =>
    demoRequests("proj_1", { seed, moreCategories: 50, moreProducts: 50 })
      .filter(({ line }) => line === `POST ${path}`)
      .map(({ body }) => body as { name: string });
  const names = (seed: number, path = "/v1/categories") => bodies(seed, path).map(({ name }) => name);
  assert.deepEqual(demoRequests("proj_1", { seed: 1 }), demoRequests("proj_1", { seed: 1 }));
  assert.notDeepEqual(names(1), names(2));
  assert.deepEqual(names(1).slice(0, 5), names(2).slice(0, 5));
  assert.equal(new Set(names(7)).size, 55);
  assert.notDeepEqual(bodies(1, "/v1/products"), bodies(2, "/v1/products"));
  assert.deepEqual(bodies(1, "/v1/products").slice(0, 7), bodies(2, "/v1/products").slice(0, 7));
  assert.notDeepEqual(bodies(1, "/v1/orders"), bodies(2, "/v1/orders"));
  assert.notDeepEqual(bodies(1, "/v1/customers"), bodies(2, "/v1/customers"));
});

test("a seeded generator stays in its range and reaches both ends", () => {
  const { integer } = seeded(3);
  const seen = new Set(Array.from({ length: 500 }, () => integer(2, 5)));
  assert.deepEqual([...seen].sort(), [2, 3, 4, 5]);
});

test("a request names what was made before it, and nothing else", () => {
  const request = { line: `POST /v1/products/${answeredId("tee")}/skus`, body: { list: [{ id: answeredId("mug") }] } };
  const ids = new Map([
    ["tee", "prod_1"],
    ["mug", "prod_2"],
  ]);
  assert.deepEqual(fillIds(request, ids), {
    line: "POST /v1/products/prod_1/skus",
    body: { list: [{ id: "prod_2" }] },
  });
  assert.throws(() => fillIds(request, new Map([["tee", "prod_1"]])), /names mug before it is made/);
});

/** A project with the demo, at half past four in the afternoon of a Wednesday. */
async function demo({ now = "2026-04-15T16:30:00.000Z", historyDays = 0 } = {}) {
  const project = await testProject(db);
  const clock = demoClock(() => now);
  const ids = demoIds(newId);
  const { app, call } = await testEngine(db, project, { now: clock.now, newId: ids.newId, v2Auth: "either" });
  const count = await loadDemo(app, { projectId: project.id, keys: project, clock, ids, historyDays });
  const total = async (path: string) => (await call(`GET ${path}`)).body.total as number;
  const validate = async (codes: readonly string[], items: readonly [name: string, quantity: number][], more = {}) =>
    (
      await call("POST /v1/validations", {
        redeemables: codes.map((id) => ({ object: "voucher", id })),
        order: {
          items: items.map(([source_id, quantity]) => ({ source_id, related_object: "product", quantity })),
        },
        ...more,
      })
    ).body;
  return { project, call, count, total, validate };
}

test("the demo loads through the interface into any project", async () => {
  const { project, call, count, total } = await demo();
  assert.equal(count, demoRequests(project.id, { historyDays: 0 }).length);
  assert.equal(await total("/v1/categories"), 8);
  assert.equal(await total("/v1/metadata-schemas"), 3);
  assert.equal(await total("/v1/products"), 17);
  assert.equal(await total("/v1/customers"), 15);
  assert.equal(await total("/v1/segments"), 3);
  assert.equal(await total("/v1/orders"), 6 + 31 + 3);
  assert.equal(await total("/v1/product-collections"), 3);
  const kinds = (await call("GET /v1/campaigns?limit=100")).body.campaigns.map((one: any) => one.campaign_type);
  assert.deepEqual([...new Set(kinds)].sort(), [
    "DISCOUNT_COUPONS",
    "GIFT_VOUCHERS",
    "LOYALTY_PROGRAM",
    "PROMOTION",
    "REFERRAL_PROGRAM",
  ]);
  const types = (await call("GET /v1/campaigns?limit=100")).body.campaigns.map((one: any) => one.type);
  assert.deepEqual([...new Set(types)].sort(), ["AUTO_UPDATE", "STANDALONE", "STATIC"]);
  const { tiers } = (await call("GET /v1/promotions/tiers")).body;
  assert.equal(tiers.length, 3);
  assert.equal(await total(`/v1/promotions/${tiers[0].campaign_id}/stacks`), 1);
  for (const { code } of KNOWN_CODES) assert.equal((await call(`GET /v1/vouchers/${code}`)).status, 200, code);
});

test("every well-known code of the demo does what is said of it", async () => {
  const { validate } = await demo();
  const alice = { customer: { source_id: "alice" } };
  const bob = { customer: { source_id: "bob" } };
  const off = async (...given: Parameters<typeof validate>) => {
    const body = await validate(...given);
    assert.equal(body.valid, true, JSON.stringify(body.redeemables));
    return body.order.total_applied_discount_amount as number;
  };
  const why = async (...given: Parameters<typeof validate>) => {
    const { valid, redeemables } = await validate(...given);
    assert.equal(valid, false);
    return redeemables[0].result.error.key as string;
  };
  assert.equal(await off(["WELCOME10"], [["tee", 2]]), 400);
  assert.equal(await off(["SUMMER5"], [["tee", 2]]), 500);
  assert.equal(
    await off(
      ["FREESHIP"],
      [
        ["grinder", 1],
        ["shipping", 1],
      ],
    ),
    499,
  );
  assert.equal(
    await why(
      ["FREESHIP"],
      [
        ["hoodie", 1],
        ["shipping", 1],
      ],
    ),
    "order_rules_violated",
  );
  assert.equal(
    await off(
      ["SECOND10"],
      [
        ["tee", 1],
        ["mug", 1],
      ],
    ),
    120,
  );
  assert.equal(
    await off(
      ["SECOND10"],
      [
        ["tee", 2],
        ["mug", 1],
      ],
    ),
    200,
  );
  assert.equal(
    await off(
      ["TEE15"],
      [
        ["tee", 2],
        ["mug", 1],
      ],
    ),
    1000,
  );
  assert.equal(
    await off(
      ["SHIRTS5"],
      [
        ["tee", 2],
        ["polo", 2],
        ["mug", 1],
      ],
    ),
    1500,
  );
  assert.equal(
    await off(
      ["SPLIT12"],
      [
        ["tee", 2],
        ["mug", 1],
        ["shipping", 1],
      ],
    ),
    1200,
  );
  const mug = await validate(["FREEMUG"], [["tee", 1]]);
  assert.deepEqual([mug.order.items.length, mug.order.total_amount], [2, 2000]);
  assert.equal(
    await off(
      ["COFFEEKIT"],
      [
        ["beans", 2],
        ["grinder", 1],
      ],
    ),
    1650,
  );
  assert.equal(
    await why(
      ["COFFEEKIT"],
      [
        ["beans", 1],
        ["grinder", 1],
      ],
    ),
    "order_rules_violated",
  );
  assert.equal(await off(["YEARS"], [["tee", 5]], alice), 1100);
  assert.equal(await off(["YEARS"], [["tee", 5]], { customer: { source_id: "carol" } }), 1500);
  assert.equal(await off(["YEARS"], [["tee", 5]]), 500);
  assert.equal(await off(["HAPPYHOUR"], [["tee", 1]]), 400);
  assert.equal(await off(["VIP20"], [["tee", 1]], alice), 400);
  assert.equal(await why(["VIP20"], [["tee", 1]], bob), "customer_rules_violated");
  assert.equal(await off(["ONCE15"], [["tee", 1]], bob), 300);
  assert.equal(await why(["ONCE15"], [["tee", 1]]), "missing_customer");
  assert.equal(await off(["GIFT50"], [["grinder", 1]]), 5000);
  assert.equal(await why(["LASTYEAR"], [["tee", 1]]), "voucher_expired");
  assert.equal(await off(["SPRING-DEMO"], [["tee", 1]]), 300);
  assert.equal(await off(["RADIO7"], [["tee", 1]]), 700);
  assert.equal(await off(["GIFT25"], [["grinder", 1]]), 2500);
  assert.equal(await off(["FRIEND-DEMO"], [["tee", 1]], bob), 1000);
  assert.equal(
    await why(["FRIEND-DEMO"], [["tee", 1]], { customer: { source_id: "carol" } }),
    "referrer_not_permitted_to_redeem",
  );
});

test("the demo has loyalty cards whose points follow from visits, orders and friends, and templates", async () => {
  const { call } = await demo();
  const points = async (code: string) => (await call(`GET /v1/loyalties/members/${code}`)).body.loyalty_card.balance;
  assert.equal(await points("CLUB-DEMO"), 110);
  const bob = { source_id: "bob" };
  await call("POST /v1/orders", { source_id: "beans-for-bob", customer: bob, amount: 1550, status: "PAID" });
  assert.equal(await points("CLUB-DEMO"), 125);
  const paid = await call("POST /v1/loyalties/members/CLUB-DEMO/redemption", {
    reward: {
      id: (await call("GET /v1/rewards?limit=100")).body.data.find((one: any) => one.type === "COIN").id,
      points: 100,
    },
    order: { amount: 2000 },
  });
  assert.deepEqual([paid.status, paid.body.order?.total_discount_amount], [200, 100], paid.text);
  assert.equal(await points("CLUB-DEMO"), 25 + 19, "and 19 points for what was left to pay");

  const friend = { source_id: "customer-4" };
  const redeemed = await call("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "FRIEND-DEMO" }],
    customer: friend,
    order: { amount: 3000 },
  });
  assert.equal(redeemed.status, 200, redeemed.text);
  const { vouchers } = (await call(`GET /v1/vouchers?customer=${(await call("GET /v1/customers/customer-4")).body.id}`))
    .body;
  const card = vouchers.find((one: any) => one.type === "LOYALTY_CARD");
  assert.equal(await points(card.code), 100 + 50 + 20);
  const { data } = (await call("GET /v1/templates/campaigns")).body;
  assert.deepEqual(data.map(({ name, campaign_type }: any) => `${name}: ${campaign_type}`).sort(), [
    "10% from 100.00: DISCOUNT_COUPONS",
    "A mailing: DISCOUNT_COUPONS",
  ]);
});

test("the demo has a category that stands alone, and one that may stand beside it", async () => {
  const { validate } = await demo();
  const statuses = async (codes: string[]) =>
    (await validate(codes, [["grinder", 1]])).redeemables.map((one: any) => `${one.id} ${one.status}`);
  assert.deepEqual(await statuses(["WELCOME10", "SUMMER5"]), ["WELCOME10 APPLICABLE", "SUMMER5 APPLICABLE"]);
  assert.deepEqual(await statuses(["CLEAR30", "MEMBER3"]), ["CLEAR30 APPLICABLE", "MEMBER3 APPLICABLE"]);
  const { redeemables, skipped_redeemables } = await validate(["CLEAR30", "SUMMER5"], [["grinder", 1]]);
  assert.deepEqual(
    [redeemables.map((one: any) => one.id), skipped_redeemables.map((one: any) => [one.id, one.details.key])],
    [["CLEAR30", "SUMMER5"], [["SUMMER5", "exclusion_rules_not_met"]]],
  );
});

test("the demo offers promotions to a cart that is large enough", async () => {
  const { call } = await demo();
  const offered = async (scenario: string, object: string, quantity: number) =>
    (
      await call("POST /v1/qualifications", {
        scenario,
        options: { limit: 50, expand: ["redeemable"] },
        order: { items: [{ source_id: "grinder", related_object: "product", quantity }] },
      })
    ).body.redeemables.data
      .filter((one: any) => one.object === object)
      .map((one: any) => one.name)
      .sort();
  assert.deepEqual(await offered("ALL", "promotion_tier", 1), ["5% from 50.00"]);
  assert.deepEqual(await offered("ALL", "promotion_tier", 2), [
    "10% from 100.00",
    "5% from 50.00",
    "A mug from 150.00",
  ]);
  assert.deepEqual(await offered("PROMOTION_STACKS", "promotion_stack", 1), []);
  assert.deepEqual(await offered("PROMOTION_STACKS", "promotion_stack", 2), ["10% and a mug"]);
});

test("the page about the demo lists its codes, and says of them what the demo says", () => {
  const page = fs.readFileSync(new URL("../../docs/reference/demo.md", import.meta.url), "utf8");
  const rows = [...page.split("## Campaigns")[0]!.matchAll(/^\| `(.*)` \| (.*) \|$/gm)];
  assert.deepEqual(
    rows.map(([, code, says]) => ({ code, says })),
    KNOWN_CODES,
  );
});

/** The rows of a table of the page, by the words of its head. */
function tableOf(head: string): string[][] {
  const page = fs.readFileSync(new URL("../../docs/reference/demo.md", import.meta.url), "utf8");
  const [, rows] = page.split(`| ${head} |`)[1]!.split(/\n\|[-|]+\n/);
  const cells = (row: string) => row.split("|").slice(1, -1);
  return rows!
    .split("\n\n")[0]!
    .trim()
    .split("\n")
    .map((row) => cells(row).map((cell) => cell.trim().replaceAll("`", "")));
}

const V2 = "/v2/loyalties";
const clubOf = async (call: Awaited<ReturnType<typeof demo>>["call"]) => {
  const data = async (path: string): Promise<any[]> => {
    const { status, body, text } = await call(`GET ${V2}/${path}`);
    assert.equal(status, 200, text);
    return body.data;
  };
  const [program] = await data("programs");
  const of = `programs/${program.id}`;
  const member = async (source_id: string) => {
    const path = `${V2}/${of}/memberships/${source_id}?identification_type=customer_source_id`;
    const { member, cards } = (await call(`GET ${path}`)).body;
    const list = (what: string) => data(`${of}/members/${member.id}/${what}?limit=100&order=created_at`);
    return { points: cards[0], stars: cards[1], list };
  };
  return { program, data, of, member };
};

test("the demo has a club with two wallets, three tiers, a rule of every kind and rewards with their stock", async () => {
  const { call } = await demo();
  const { program, data, of } = await clubOf(call);
  assert.deepEqual([program.name, program.status], ["Laurel club", "ACTIVE"]);
  const first = (head: string) => tableOf(head).map(([name]) => name);
  const names = async (path: string) => (await data(`${path}?limit=100&order=created_at`)).map(({ name }) => name);
  assert.deepEqual(await names("card-definitions"), first("Wallet | What it holds"));
  const [structure] = await data("tier-structures");
  assert.deepEqual(await names(`tier-structures/${structure.id}/tiers`), first("Tier | Points on the card"));
  assert.deepEqual(await names("earning-rules"), first("Earning rule | When | Gives"));
  const rules = await data("earning-rules?limit=100");
  assert.equal(new Set(rules.map(({ trigger }) => trigger.event)).size, 3);
  const types = rules.flatMap(({ earnings }) => earnings.flatMap((one: any) => one.effects.map((e: any) => e.type)));
  assert.deepEqual([...new Set(types)].sort(), ["INCENTIVE", "POINTS", "POINTS_PROPORTIONAL"]);
  const rewards = await data("rewards?limit=100&order=created_at");
  assert.deepEqual(
    rewards.map(({ name }) => name),
    first("Reward | Costs | Stock"),
  );
  const kinds = rewards.map(({ type, digital }) => digital?.type ?? type);
  assert.deepEqual(kinds, ["MATERIAL", "DISCOUNT_COUPONS", "GIFT_VOUCHERS", "LOYALTY_CARD_POINTS"]);
  const assigned = await data(`${of}/rewards?limit=100`);
  for (const [n, [, , stock]] of tableOf("Reward | Costs | Stock").entries()) {
    const { stock: real } = assigned.find(({ reward_id }) => reward_id === rewards[n].id);
    // One mug was bought.
    const start = n === 0 ? real.limited.quantity + 1 : real.limited?.quantity;
    assert.equal(start === undefined ? "no end" : `${start}`, stock);
  }
  assert.equal((await data(`${of}/members`)).length, 6);
  await assertInvariants(db);
});

for (const day of ["2026-04-15", "2026-08-31", "2027-03-01", "2028-02-29"])
  test(`members of the demo have a year behind them, and what the page says of them, on ${day}`, async () => {
    const { call } = await demo({ now: `${day}T16:30:00.000Z` });
    const { member } = await clubOf(call);
    for (const row of tableOf("Member | Tier | Points | Stars | Stars that wait")) {
      const { points, stars } = await member(row[0]!);
      const { balance } = stars.card;
      const has = [points.tier_progress.current.tier.name, points.card.balance.points, balance.points];
      assert.deepEqual([row[0], ...has, balance.pending_points].map(String), row);
    }
    const alice = await member("alice");
    const { earned, purchased, spent, expired } = alice.points.card.lifetime_bucket.points;
    assert.deepEqual([earned, purchased, spent, expired], [2060, 100, 500, 300]);
    const moves = await alice.list("tiers/transactions");
    const steps = moves.map(({ type, status }) => `${type} ${status}`);
    const steady = ["JOINED", "UPGRADED", "DOWNGRADED", "UPGRADED", "UPGRADED"].map((type) => `${type} APPROVED`);
    assert.deepEqual(steps, steady);
    const bought = await alice.list("rewards/purchases");
    assert.deepEqual(
      bought.map(({ status }) => status),
      ["APPROVED", "APPROVED", "APPROVED"],
    );
    const [given] = await alice.list("benefits/transactions");
    assert.equal(given.status, "APPROVED");
    const age = Date.parse(`${day}T16:30:00.000Z`) - Date.parse(moves[0].created_at);
    assert.equal(age, 365 * 86_400_000);
  });

test("the history has sales on each of 90 days, and names the offers of the page", () => {
  const all = demoRequests("proj_1");
  const days = new Set(
    all.flatMap(({ line, daysAgo }) => (line === "POST /v1/redemptions" && daysAgo ? [Math.floor(daysAgo)] : [])),
  );
  assert.deepEqual(
    [...days].sort((a, b) => a - b),
    Array.from({ length: 90 }, (_, n) => n),
  );
  // An offer is there before the first sale that names it.
  const made = new Map(all.map(({ line, body, daysAgo }) => [`${line} ${(body as any).voucher?.code}`, daysAgo]));
  for (const { line, body, daysAgo } of all) {
    const code = line === "POST /v1/redemptions" && (body as any).redeemables[0].id;
    const since = made.get(`POST /v1/campaigns ${code}`);
    if (since !== undefined && daysAgo) assert.ok(since > daysAgo, `${code} ${since} ${daysAgo}`);
  }
  const codes = all.map(({ body }) => (body as any).voucher?.code).filter((code) => /[A-Z]\d+$/.test(code ?? ""));
  for (const [, code] of tableOf("Campaign | Code | Offer | Runs")) assert.ok(codes.includes(code!), code!);
});

test("the history is sold, refused and given back, and the club does not notice", async () => {
  const { call, total } = await demo({ historyDays: 20 });
  const pages = [1, 2].map((page) => call(`GET /v1/redemptions?limit=100&page=${page}&result=SUCCESS`));
  const sold = (await Promise.all(pages)).flatMap(({ body }) => body.redemptions);
  const days = new Set(sold.map(({ date }: { date: string }) => date.slice(0, 10)));
  assert.ok(days.size >= 20, `${days.size} days`);
  assert.ok((await total("/v1/redemptions?limit=1&result=FAILURE")) > 0);
  assert.ok(sold.some(({ status }: { status: string }) => status === "ROLLED_BACK"));
  const { member } = await clubOf(call);
  for (const row of tableOf("Member | Tier | Points | Stars | Stars that wait"))
    assert.equal(String((await member(row[0]!)).points.card.balance.points), row[2]);
  const { campaigns } = (await call("GET /v1/campaigns?limit=100")).body;
  // What is worth something was made before it was used, and something ends soon on whatever day the demo is loaded.
  for (const { name, created_at } of campaigns) assert.ok(created_at < "2026-04-13", `${name} ${created_at}`);
  const { ending_campaigns } = (await call("GET /v1/project-summary")).body;
  assert.deepEqual(
    ending_campaigns.map(({ name }: { name: string }) => name),
    ["Podcast"],
  );
  const daysOf = async (what: string) => {
    const { redemptions } = (await call(`GET /v1/redemptions?limit=100&campaign=${encodeURIComponent(what)}`)).body;
    return new Set(redemptions.map(({ date }: { date: string }) => date.slice(0, 10))).size;
  };
  assert.ok((await daysOf("Gift cards")) >= 3);
  assert.ok((await daysOf("Spend and save")) >= 5);
  const { program } = await clubOf(call);
  const { data: members } = (await call(`GET /v2/loyalties/programs/${program.id}/members?limit=100`)).body;
  assert.equal(members.length, 6 + 12, "guests of the history are in the club, too");
  const referrals = campaigns.find(({ name }: { name: string }) => name === "Tell a friend");
  const top = (await call(`GET /v1/referrals/${referrals.id}/top-referrers`)).body;
  assert.deepEqual(
    top.data.map(({ code, friends }: { code: string; friends: number }) => [code, friends]),
    [7, 4, 2, 1].map((count, n) => [`TELL-GUEST-${n + 1}`, count]),
  );
});
