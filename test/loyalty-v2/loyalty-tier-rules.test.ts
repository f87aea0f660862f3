import assert from "node:assert/strict";
import { test } from "node:test";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import type { Project } from "../../src/request.ts";
import { loadTiersOf } from "../../src/steps/points/tiers-held.ts";
import { type CardClub, cardClub, PAID } from "../support/card-clubs.ts";
import { clubOf } from "../support/clubs.ts";
import { NOW, testDatabase } from "../support/engine.ts";

const { db, open } = await testDatabase();

const TEN = { type: "PERCENT", percent_off: 10 };
const inTier = (id: string, operator = "$is") => ({
  name: "customer.loyalty.tier",
  conditions: { [operator]: [id] },
  error: { message: "For gold members" },
});
const asked = (id: string, source_id: string | null, more: object = {}) => ({
  redeemables: [{ object: "voucher", id }],
  ...(source_id !== null && { customer: { source_id } }),
  ...more,
});

/** What a shop asks about codes, and a code for those in a tier. */
function shopOf({ call, ok }: Pick<CardClub, "call" | "ok">) {
  const order = { amount: 1000 };
  const code = async (name: string, rules?: object) => {
    const made = rules && (await ok("POST /v1/validation-rules", { name, rules: { logic: "1", 1: rules } }));
    await ok(`POST /v1/vouchers/${name}`, {
      type: "DISCOUNT_VOUCHER",
      discount: TEN,
      ...(made && { validation_rules: [made.id] }),
    });
  };
  return {
    code,
    validate: (id: string, who: string | null) =>
      ok("POST /v1/validations", asked(id, who, { order, options: { expand: ["trace"] } })),
    isValid: async (id: string, who: string) => (await ok("POST /v1/validations", asked(id, who, { order }))).valid,
    /** What a customer can use, without their own cards. */
    qualified: async (who: string): Promise<string[]> => {
      const body = { scenario: "ALL", customer: { source_id: who }, order };
      const { data } = (await ok("POST /v1/qualifications", body)).redeemables;
      return data.flatMap((one: any) => (one.result?.loyalty_card ? [] : one.id)).sort();
    },
    redeem: (id: string, who: string, more: object = { order }) => call("POST /v1/redemptions", asked(id, who, more)),
  };
}

/** A club whose orders bring a hundred points, with a tier for those who have them. */
async function goldClub({ more = {}, points = 100 }: { more?: object; points?: number } = {}) {
  const it = await cardClub(db);
  const club = await it.open([PAID(points)], more);
  const [gold] = await club.addTiers({ name: "Gold", points: { from: 100 } });
  return { ...it, ...shopOf(it), club, gold: gold.id as string };
}

test("a code for a tier holds from the moment its points are earned, and for nobody else", async () => {
  const { club, gold, code, pay, validate, qualified, redeem, ok, call } = await goldClub();
  await code("GOLD", inTier(gold));
  await code("REST", inTier(gold, "$is_not"));
  const promotion = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const [{ rule_id }] = (await ok("GET /v1/vouchers/GOLD")).validation_rules_assignments.data;
  const tier = await ok(`POST /v1/promotions/${promotion.id}/tiers`, {
    name: "Gold only",
    action: { discount: TEN },
    validation_rules: [rule_id],
  });
  await club.join("anna");
  await club.join("bert");
  assert.equal((await validate("GOLD", "anna")).valid, false);
  assert.deepEqual(await qualified("anna"), ["REST"]);
  await pay("anna", { amount: 500 });

  const held = await validate("GOLD", "anna");
  assert.equal(held.valid, true);
  const seenIn = ({ redeemables }: any) => {
    const [{ passed, trace }] = redeemables[0].trace.rules;
    return [passed, trace.seen];
  };
  assert.deepEqual(seenIn(held), [true, [gold]]);
  assert.deepEqual(await qualified("anna"), ["GOLD", tier.id].sort());
  assert.equal((await validate("REST", "anna")).valid, false);
  const done = await redeem("GOLD", "anna");
  assert.equal(done.status, 200, done.text);

  const other = await validate("GOLD", "bert");
  const { error } = other.redeemables[0].result;
  assert.deepEqual([error.key, error.error.message], ["customer_rules_violated", "For gold members"]);
  assert.deepEqual(seenIn(other), [false, []]);
  assert.deepEqual(await qualified("bert"), ["REST"]);
  const refused = await redeem("GOLD", "bert");
  assert.deepEqual([refused.status, refused.body.key], [400, "customer_rules_violated"]);
  assert.equal(refused.body.error.message, "For gold members");
  assert.equal((await redeem("GOLD", "stranger")).status, 400, "who is new holds nothing");
  const nobody = (await validate("GOLD", null)).redeemables[0].result.error;
  assert.equal(nobody.key, "missing_customer");

  const id = done.body.redemptions[0].id;
  const receipt = await ok(`GET /v1/redemptions/${id}/receipt`);
  assert.deepEqual(receipt.facts.customer.loyalty_tiers, [gold]);
  await call(`DELETE ${club.path}/tiers/${gold}`);
  assert.equal((await ok(`POST /v1/redemptions/${id}/receipt/replay`)).same, true);
  assert.equal((await validate("GOLD", "anna")).valid, false, "a tier that is gone is held by nobody");
});

test("a tier whose time is over is not held any more, also before a job has saved that", async () => {
  const loyalty_tiers_expiration = {
    qualification_type: "BALANCE",
    start_date: { type: "IMMEDIATE" },
    expiration_date: { type: "CUSTOM", extend: "P1M" },
  };
  const { club, gold, code, pay, isValid, qualified, redeem, setNow, ok } = await goldClub({
    more: { loyalty_tiers_expiration },
  });
  await code("GOLD", inTier(gold));
  const anna = await club.join("anna");
  await pay("anna", { amount: 500 });
  await ok(`POST /v1/loyalties/members/${anna.code}/balance`, { points: -100 });
  assert.equal(await isValid("GOLD", "anna"), true, "it is kept for a month");
  setNow("2026-01-31T12:00:00.000Z");
  assert.equal(await isValid("GOLD", "anna"), true);
  assert.equal((await redeem("GOLD", "anna", {})).status, 200);
  setNow("2026-02-03T12:00:00.000Z");
  assert.equal(await isValid("GOLD", "anna"), false);
  assert.deepEqual(await qualified("anna"), []);
  const refused = await redeem("GOLD", "anna", {});
  assert.deepEqual([refused.status, refused.body.key], [400, "customer_rules_violated"]);
  assert.equal(await anna.tier(), gold, "nothing was saved by asking");
});

test("a card that is disabled, and one of a program that is off, holds no tier", async () => {
  const { club, gold, code, pay, isValid, ok } = await goldClub();
  await code("GOLD", inTier(gold));
  const anna = await club.join("anna");
  await pay("anna", { amount: 500 });
  for (const path of [`/v1/vouchers/${anna.code}`, `/v1/campaigns/${club.campaign.id}`]) {
    await ok(`POST ${path}/disable`);
    assert.equal(await isValid("GOLD", "anna"), false, path);
    await ok(`POST ${path}/enable`);
    assert.equal(await isValid("GOLD", "anna"), true, path);
  }
});

test("redemptions of one batch each find the tier that those before them left", async () => {
  const { club, gold, code, redeem, ok } = await goldClub({ points: 50 });
  await code("GOLD", inTier(gold));
  await code("OPEN");
  const { id } = await ok("POST /v1/rewards", { name: "Coins", parameters: { coin: { exchange_ratio: 1 } } });
  await ok(`POST /v1/rewards/${id}/assignments`, { campaign: club.campaign.id });
  const cards = { anna: await club.join("anna"), bert: await club.join("bert") };
  const spend = (who: "anna" | "bert") =>
    redeem(cards[who].code, who, {
      redeemables: [{ object: "voucher", id: cards[who].code, reward: { id, points: 60 } }],
      order: { amount: 10_000 },
    });
  // The first is alone, and the others wait for it together. A paid order brings fifty points.
  const replies = await Promise.all([
    redeem("OPEN", "carl"),
    ...[redeem("OPEN", "anna"), redeem("GOLD", "bert", {}), redeem("GOLD", "anna", {}), redeem("OPEN", "anna")],
    ...[redeem("OPEN", "bert"), redeem("GOLD", "anna", {}), redeem("OPEN", "bert"), redeem("GOLD", "bert", {})],
    ...[spend("anna"), redeem("GOLD", "anna", {}), redeem("GOLD", "bert", {})],
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, ...[200, 400, 400, 200], ...[200, 200, 200, 200], ...[200, 400, 200]],
  );
});

test("tiers of members of a program are held too, as their points are at the moment of the request", async () => {
  const club = await clubOf(db, {
    wallet: {
      points_expiration: {
        type: "ROLLING_EXPIRATION",
        rolling_expiration: { period: { value: 1, unit: "MONTH" } },
      },
    },
  });
  const { code, isValid, qualified, redeem } = shopOf(club as never);
  const { structure, tiers } = await club.tiers(club.wallet.id, "Bronze", "Silver");
  await club.ok(`PUT /v2/loyalties/tier-structures/${structure.id}`, { downgrade: { type: "MULTI_LEVEL" } });
  await club.ok(`POST /v2/loyalties/tier-structures/${structure.id}/activate`);
  const rule = { trigger: { event: "customer.order.paid" }, earnings: [{ effects: [club.points(100)] }] };
  const { enrol } = await club.open([rule], { tier_structures: [{ id: structure.id }] });
  await code("SILVER", inTier(tiers[1].id, "$in"));
  await code("OPEN");
  await enrol("anna");
  await enrol("bert");
  assert.equal(await isValid("SILVER", "anna"), false, "bronze");
  const replies = await Promise.all([
    redeem("OPEN", "carl"),
    ...[redeem("SILVER", "anna", {}), redeem("OPEN", "anna"), redeem("SILVER", "anna", {}), redeem("SILVER", "bert")],
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 400, 200, 200, 400],
  );
  assert.equal(await isValid("SILVER", "anna"), true);
  assert.deepEqual(await qualified("anna"), ["OPEN", "SILVER"]);
  club.setNow("2026-02-03T12:00:00.000Z");
  assert.equal(await isValid("SILVER", "anna"), false, "her points are gone");
});

test("nothing is read where no rule names a tier, and as much for twenty customers as for one", async () => {
  const { club, gold, code, pay, project } = await goldClub();
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  const people: { id: string }[] = [];
  for (let n = 0; n < 20; n += 1) {
    people.push({ id: (await club.join(`c${n}`)).customer });
    if (n % 2 === 0) await pay(`c${n}`, { amount: 500 });
  }
  const [row] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${project.id}`;
  const read = async (customers: readonly ({ id: string } | null)[]) => {
    const { catalog_revision } = (
      await db<
        Project[]
      >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${project.id}`
    )[0]!;
    const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf({ ...row!, catalog_revision });
    await watched`select 1`;
    seen.length = 0;
    const tiersOf = await loadTiersOf(watched, row!, catalog, customers);
    return { held: customers.map((_, n) => [...tiersOf(n, NOW)]), count: seen.length };
  };
  await code("VIP", { name: "customer.metadata", property: "vip", conditions: { $is: [true] } });
  assert.equal((await read(people)).count, 0);
  await code("GOLD", inTier(gold));
  const [one, all] = [await read(people.slice(0, 1)), await read([null, ...people])];
  assert.deepEqual(one.held, [[gold]]);
  assert.deepEqual(all.held, [[], ...people.map((_, n) => (n % 2 === 0 ? [gold] : []))]);
  assert.deepEqual([one.count, all.count], [2, 2]);
});
