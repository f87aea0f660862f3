import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { refusingShop } from "../support/refusals.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, NO_KEYS, signIn } from "../support/sign-in.ts";

const { db } = await testDatabase();

const percent = (percent_off: number) => ({ type: "PERCENT", percent_off });
const above = (amount: number) => ({
  name: `above ${amount}`,
  rules: { "1": { name: "order.amount", conditions: { $more_than: [amount] } }, logic: "1" },
});
const coupons = (name: string, more: object = {}) => ({
  name,
  campaign_type: "DISCOUNT_COUPONS",
  type: "STANDALONE",
  voucher: { discount: percent(10), code: name },
  ...more,
});
const redeemable = (id: string) => ({ object: id.startsWith("promo_") ? "promotion_tier" : "voucher", id });

async function world(options: Parameters<typeof testShop>[2] = {}) {
  const shop = await testShop(db, { client_trusted_domains: ["https://shop.example"] }, options);
  const body = (ids: readonly string[], given: object, amount = 20_000) => ({
    redeemables: ids.map(redeemable),
    order: { amount },
    options: given,
  });
  const attempt = (ids: readonly string[], given: object, amount?: number) =>
    shop.call("POST /v1/validations", body(ids, given, amount));
  const decide = async (ids: readonly string[], given: object, amount?: number) =>
    shop.ok("POST /v1/validations", body(ids, given, amount));
  return { ...shop, body, attempt, decide };
}
const outcomes = ({ redeemables }: any): unknown[] =>
  redeemables.map(({ id, status, result, order }: any) => [
    ...[id, status, result?.error?.key ?? order?.applied_discount_amount],
  ]);

test("drafts: a campaign and a rule that nobody saved decide about the code of the campaign, with a trace", async () => {
  const { decide, call } = await world();
  const draft = {
    campaigns: [coupons("SPRING", { validation_rules: ["big"] })],
    validation_rules: [{ id: "big", ...above(10_000) }],
  };
  const good = await decide(["spring"], { draft, expand: ["order", "trace"] });
  assert.deepEqual(outcomes(good), [["SPRING", "APPLICABLE", 2_000]]);
  assert.match(JSON.stringify(good.redeemables[0]), /"rules":\[\{"id":"big","passed":true/);
  const small = await decide(["SPRING"], { draft }, 5_000);
  assert.deepEqual(outcomes(small), [["SPRING", "INAPPLICABLE", "order_rules_violated"]]);
  assert.equal((await call("GET /v1/vouchers/SPRING")).status, 404);
  assert.equal((await call("GET /v1/validation-rules/big")).status, 404);
  assert.deepEqual(outcomes(await decide(["SPRING"], {})), [["SPRING", "INAPPLICABLE", "not_found"]]);
});

test("drafts: a campaign without a chosen code stands for one code of it, whatever its kind is", async () => {
  const { decide } = await world();
  const campaigns = [
    { id: "a", name: "A", voucher: { discount: percent(10) } },
    { id: "b", name: "B", voucher: { gift: { amount: 3_000 } } },
    { id: "c", name: "C", voucher: { loyalty_card: { points: 10 } } },
  ];
  assert.deepEqual(outcomes(await decide(["a"], { draft: { campaigns } })), [["a", "APPLICABLE", 2_000]]);
  assert.deepEqual(outcomes(await decide(["b"], { draft: { campaigns } })), [["b", "APPLICABLE", 3_000]]);
  const [[, status]] = outcomes(await decide(["c"], { draft: { campaigns } })) as [[string, string]];
  assert.ok(status === "APPLICABLE" || status === "INAPPLICABLE", status);
});

test("drafts: tiers of a saved campaign, of a draft and beside it, with categories that nobody made", async () => {
  const { ok, decide } = await world();
  const saved = await ok("POST /v1/campaigns", { name: "Saved", campaign_type: "PROMOTION" });
  const tier = (id: string, off: number, more: object = {}) => ({
    ...{ id, name: id, action: { discount: percent(off) }, ...more },
  });
  const draft = {
    campaigns: [{ id: "new", name: "New", campaign_type: "PROMOTION", promotion: { tiers: [tier("promo_a", 10)] } }],
    promotion_tiers: [
      tier("promo_b", 20, { campaign_id: saved.id, category: "Mine" }),
      tier("promo_c", 30, { campaign_id: "new", active: false }),
    ],
  };
  const decided = await decide(["promo_a", "promo_b"], { draft, expand: ["order", "category"] });
  assert.deepEqual(outcomes(decided), [
    ["promo_a", "APPLICABLE", 2_000],
    ["promo_b", "APPLICABLE", 3_600],
  ]);
  assert.equal(decided.redeemables[1].categories[0].name, "Mine");
  assert.deepEqual(outcomes(await decide(["promo_c"], { draft })), [["promo_c", "INAPPLICABLE", "promotion_inactive"]]);
  assert.equal((await ok("GET /v1/categories")).total, 0);
});

test("drafts: one with the id of something saved stands in its place, for this decision alone", async () => {
  const { ok, decide, project } = await world();
  const rule = await ok("POST /v1/validation-rules", above(50_000));
  const campaign = await ok("POST /v1/campaigns", coupons("TEN", { validation_rules: [rule.id] }));
  const refused = [["TEN", "INAPPLICABLE", "order_rules_violated"]];
  assert.deepEqual(outcomes(await decide(["TEN"], { draft: {} })), refused);
  const softer = { validation_rules: [{ id: rule.id, ...above(10_000) }] };
  assert.deepEqual(outcomes(await decide(["TEN"], { draft: softer })), [["TEN", "APPLICABLE", 2_000]]);
  // A campaign that says nothing of its rules keeps them; one that names none has none.
  const dearer = { ...coupons("TEN"), id: campaign.id, voucher: { discount: percent(50), code: "TEN" } };
  assert.deepEqual(outcomes(await decide(["TEN"], { draft: { campaigns: [dearer] } })), refused);
  const free = { campaigns: [{ ...dearer, validation_rules: [] }] };
  assert.deepEqual(outcomes(await decide(["TEN"], { draft: free })), [["TEN", "APPLICABLE", 10_000]]);
  const off = { campaigns: [{ ...dearer, validation_rules: [], active: false }] };
  assert.deepEqual(outcomes(await decide(["TEN"], { draft: off })), [["TEN", "INAPPLICABLE", "voucher_disabled"]]);
  const assigned = {
    campaigns: [{ ...dearer, validation_rules: [] }],
    validation_rules_assignments: [
      { rule_id: rule.id, related_object_type: "campaign", related_object_id: campaign.id },
    ],
  };
  assert.deepEqual(outcomes(await decide(["TEN"], { draft: assigned })), refused);
  assert.deepEqual(outcomes(await decide(["TEN"], {})), refused);
  // How they stack.
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, { redeemables_application_mode: "ALL" });
  await ok("POST /v1/vouchers/FIVE", { type: "DISCOUNT_VOUCHER", discount: percent(5) });
  assert.equal((await decide(["FIVE", "TEN"], { draft: {} })).valid, false);
  const partial = { stacking_rules: { redeemables_application_mode: "PARTIAL" } };
  const shown = await decide(["FIVE", "TEN"], { draft: partial });
  assert.deepEqual([shown.valid, shown.stacking_rules.redeemables_application_mode], [true, "PARTIAL"]);
  assert.equal((await decide(["FIVE", "TEN"], { draft: {} })).valid, false);
});

/** An answer without what is made anew for each request. */
const withoutIds = (body: object): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(/(?:(?:valid|camp|asgm|val|promo|v)_|v-)[0-9a-f]{24}|rule\d+/g, "id"));

const drafted = fc.record({
  discount: fc.oneof(
    fc.integer({ min: 1, max: 100 }).map(percent),
    fc.integer({ min: 1, max: 30_000 }).map((amount_off) => ({ type: "AMOUNT", amount_off })),
  ),
  limit: fc.option(fc.integer({ min: 1_000, max: 40_000 })),
  validity: fc.constantFrom(
    {},
    { expiration_date: "2025-12-31T00:00:00Z" },
    { start_date: "2026-01-02T00:00:00Z" },
    { validity_day_of_week: [1, 2] },
    { validity_timeframe: { interval: "P2D", duration: "P1D" }, start_date: "2025-12-31T00:00:00Z" },
  ),
  kind: fc.constantFrom("code", "tier"),
  amount: fc.integer({ min: 1_000, max: 50_000 }),
  at: fc.constantFrom(undefined, "2025-12-30T10:00:00Z", "2026-01-05T10:00:00Z", "2026-02-01T00:00:00Z"),
});

test("drafts: what is drafted decides as the same does once it is saved, at any time", async () => {
  let now = NOW;
  const { ok, decide } = await world({ now: () => now });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(drafted, async ({ discount, limit, validity, kind, amount, at }) => {
      count += 1;
      const rule = limit === null ? [] : [{ id: `rule${count}`, ...above(limit) }];
      const of = (rules: string[]) =>
        kind === "code"
          ? coupons(`CODE${count}`, {
              ...validity,
              voucher: { discount, code: `CODE${count}` },
              validation_rules: rules,
            })
          : {
              ...{ name: `Promotion ${count}`, campaign_type: "PROMOTION" },
              promotion: { tiers: [{ name: "tier", action: { discount }, ...validity, validation_rules: rules }] },
            };
      const draft = of(rule.map(({ id }) => id)) as any;
      const tierId = `promo_${String(count).padStart(24, "0")}`;
      if (kind === "tier") draft.promotion.tiers[0].id = tierId;
      const options = { draft: { campaigns: [draft], validation_rules: rule }, ...(at && { at }) };
      const tried = await decide([kind === "code" ? `CODE${count}` : tierId], options, amount);
      const ids: string[] = [];
      for (const { id: _, ...one } of rule) ids.push((await ok("POST /v1/validation-rules", one)).id);
      const saved = await ok("POST /v1/campaigns", of(ids));
      // The server lives at that time.
      now = at ?? NOW;
      const real = await decide([kind === "code" ? `CODE${count}` : saved.promotion.tiers[0].id], {}, amount);
      now = NOW;
      assert.deepEqual(withoutIds(tried), withoutIds(real));
    }),
    { numRuns: 25 },
  );
});

/** What every table holds of a project. */
async function sums(projectId: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of await tenantTables(db)) {
    if (table === "request_log" || table === "oauth_tokens") continue;
    const [row] = await db<{ sum: string }[]>`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum
      from ${db(table)} t where project_id = ${projectId}`;
    found[table] = row!.sum;
  }
  return found;
}

test("drafts: nothing is stored, counted, noted or locked, whether it applies or not", async () => {
  const { ok, call, project, refusals, find } = await refusingShop(db);
  const rule = await ok("POST /v1/validation-rules", above(50_000));
  await ok("POST /v1/campaigns", coupons("TEN", { validation_rules: [rule.id] }));
  const before = await sums(project.id);
  const validate = (draft: object, more: object = {}) =>
    call("POST /v1/validations", {
      redeemables: [redeemable("TEN"), redeemable("NEW")],
      order: { amount: 20_000, source_id: "cart-1" },
      customer: { source_id: "somebody new" },
      options: { draft, ...more },
    });
  const good = await validate({
    campaigns: [coupons("NEW", { category: "Fresh" })],
    validation_rules: [{ id: rule.id, ...above(1) }],
    stacking_rules: { redeemables_limit: 5 },
  });
  assert.deepEqual([good.status, good.body.valid], [200, true], good.text);
  const bad = await validate({ campaigns: [coupons("NEW")] }, { at: "2030-01-01T00:00:00Z" });
  assert.deepEqual([bad.status, bad.body.valid], [200, false], bad.text);
  await refusals.flush();
  assert.deepEqual(await sums(project.id), before);
  // What is asked without drafts is stored and noted, so that the sums would tell.
  const real = await call("POST /v1/validations", { redeemables: [redeemable("TEN")], order: { amount: 1 } });
  assert.equal(real.body.valid, false);
  await refusals.flush();
  assert.notDeepEqual(await sums(project.id), before);
  assert.deepEqual(
    (await find("code=TEN")).map(({ request_id }) => request_id),
    [real.headers["x-request-id"]],
  );
  assert.equal((await call(`POST /v1/redemptions`, { ...REDEEM, validation_id: good.body.id })).status >= 400, true);
});
const REDEEM = { redeemables: [{ object: "voucher", id: "TEN" }], order: { amount: 20_000 } };

test("drafts: `at` alone decides as at that time, hours and days in the zone of the project", async () => {
  const { ok, decide, attempt } = await world();
  const hours = { daily: [{ start_time: "08:00", expiration_time: "10:00", days_of_week: [1] }] };
  await ok("POST /v1/campaigns", coupons("MONDAY", { validity_hours: hours, expiration_date: "2026-03-01T00:00:00Z" }));
  const at = async (moment: string) => outcomes(await decide(["MONDAY"], { at: moment }))[0];
  assert.deepEqual(await at("2026-01-05T09:00:00Z"), ["MONDAY", "APPLICABLE", 2_000]);
  assert.deepEqual(await at("2026-01-05T11:00:00+02:00"), ["MONDAY", "APPLICABLE", 2_000]);
  assert.deepEqual(((await at("2026-01-06T09:00:00Z")) as string[])[1], "INAPPLICABLE");
  assert.deepEqual(((await at("2026-03-02T09:00:00Z")) as string[])[2], "voucher_expired");
  for (const wrong of ["tomorrow", "2026-13-01T00:00:00Z", "1999-12-31T23:59:59Z", "2100-01-01T00:00:01Z", 5])
    assertRefused(await attempt(["MONDAY"], { at: wrong }), "invalid_payload", /at/);
});

test("drafts: what could not be saved is refused as saving it would be", async (t) => {
  const { ok, attempt, call, body } = await world();
  const gifts = await ok("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 5 } } });
  await ok("POST /v1/vouchers/TAKEN", { type: "DISCOUNT_VOUCHER", discount: percent(5) });
  const other = await world();
  const foreign = await other.ok("POST /v1/campaigns", { name: "Foreign", campaign_type: "PROMOTION" });
  const tier = { name: "t", action: { discount: percent(5) } };
  const wrong: [draft: object, key: Parameters<typeof assertRefused>[1]][] = [
    [{ campaigns: [{}] }, "invalid_payload"],
    [{ campaigns: [{ name: "x" }] }, "invalid_payload"],
    [{ campaigns: [coupons("x", { voucher: { discount: percent(101) } })] }, "invalid_payload"],
    [{ campaigns: [coupons("x", { id: gifts.id })] }, "invalid_payload"],
    [{ campaigns: [coupons("x", { id: "a" }), coupons("y", { id: "a" })] }, "invalid_payload"],
    [{ campaigns: [coupons("x", { category_id: "cat_none" })] }, "not_found"],
    [{ campaigns: [coupons("x", { validation_rules: ["val_none"] })] }, "not_found"],
    [{ campaigns: [coupons("TAKEN")] }, "invalid_payload"],
    [{ campaigns: "all" }, "invalid_payload"],
    [{ campaigns: Array(101).fill(coupons("x")) }, "invalid_payload"],
    [{ promotion_tiers: [tier] }, "invalid_payload"],
    [{ promotion_tiers: [{ ...tier, campaign_id: "camp_none" }] }, "not_found"],
    [{ promotion_tiers: [{ ...tier, campaign_id: foreign.id }] }, "not_found"],
    [{ promotion_tiers: [{ ...tier, campaign_id: gifts.id }] }, "invalid_campaign"],
    [
      { validation_rules: [{ name: "x", rules: { "1": { name: "no.such", conditions: {} }, logic: "1" } }] },
      "invalid_validation_rules",
    ],
    [
      {
        validation_rules_assignments: [
          { rule_id: "val_none", related_object_type: "campaign", related_object_id: gifts.id },
        ],
      },
      "not_found",
    ],
    [{ stacking_rules: { redeemables_limit: 31 } }, "invalid_payload"],
    [{ stacking_rules: { exclusive_categories: ["cat_none"] } }, "invalid_payload"],
  ];
  for (const [draft, key] of wrong)
    await t.test(JSON.stringify(draft).slice(0, 100), async () =>
      assertRefused(await attempt(["TAKEN"], { draft }), key),
    );
  const { status, body: shown } = await attempt(["TAKEN"], { draft: { stacking_rules: { nothing: 1 } } });
  assert.equal(status, 200, "unknown fields are ignored, as everywhere on v1");
  assert.equal("nothing" in shown.stacking_rules, false);
  const session = { type: "LOCK" };
  const locked = await call("POST /v1/validations", { ...body(["TAKEN"], { draft: {} }), session });
  assertRefused(locked, "invalid_payload", /session/);
});

test("drafts: are for server keys, tokens with the scopes of what is drafted, and users who may save it", async () => {
  const { call, ok, body, project } = await world();
  const saved = await ok("POST /v1/campaigns", coupons("TEN"));
  const send = (draft: object, headers: Record<string, string>, more: object = {}) =>
    call("POST /v1/validations", body(["TEN"], { draft, ...more }), headers);
  const draft = { campaigns: [coupons("NEW")] };
  const rules = { validation_rules: [above(1)] };
  const stacking = { stacking_rules: { applicable_redeemables_limit: 2 } };
  assertRefused(await send(draft, { "x-app-token": "wrong" }), "unauthorized");
  const fromClient = { origin: "https://shop.example" };
  for (const options of [{ draft }, { draft: {} }, { at: NOW }])
    assertRefused(
      await call("POST /client/v1/validations", body(["TEN"], options), fromClient),
      "missing_required_permission",
    );
  const bearer = async (scope: string) => ({ ...NO_KEYS, authorization: `Bearer ${await tokenOf(call, scope)}` });
  const campaigns = await bearer("validations campaigns");
  assert.equal((await send(draft, campaigns)).status, 200);
  assertRefused(await send({ ...draft, ...rules }, campaigns), "missing_required_permission", /validation-rules/);
  assertRefused(await send(stacking, campaigns), "missing_required_permission", /stacking-rules/);
  assertRefused(await send(draft, await bearer("validations")), "missing_required_permission", /campaigns/);
  assert.equal((await send({}, await bearer("validations"), { at: NOW })).status, 200);
  assert.equal((await send({ ...draft, ...rules, ...stacking }, await bearer("api"))).status, 200);
  const as = async (role: string) => {
    const { email } = await makeUser(db, { [project.id]: role });
    return (await signIn(call, email, project.id)).headers;
  };
  const user = await as("USER");
  assert.equal((await send({ ...draft, ...rules }, user)).status, 200);
  assert.equal((await send({ campaigns: [coupons("TEN", { id: saved.id })] }, user)).status, 200);
  assertRefused(await send(stacking, user), "missing_required_permission", /stacking-rules\.create/);
  assert.equal((await send(stacking, await as("ADMIN"))).status, 200);
  assertRefused(await send(draft, await as("VIEWER")), "missing_required_permission");
  const permissions = ["validations.create", "campaigns.create"];
  const { id } = await ok("POST /management/v1/roles", { name: "Drafts", permissions });
  const maker = await as(id);
  assert.equal((await send(draft, maker)).status, 200);
  const replacing = { campaigns: [coupons("TEN", { id: saved.id })] };
  assertRefused(await send(replacing, maker), "missing_required_permission", /campaigns\.update/);
});

test("drafts: a request with drafts may not cost more than any other", async () => {
  const { attempt } = await world({ newSteps: () => ({ used: 0, max: 5 }) as never });
  const draft = {
    campaigns: [coupons("NEW", { validation_rules: ["r"] })],
    validation_rules: [{ id: "r", ...above(1) }],
  };
  assertRefused(await attempt(["NEW"], { draft }), "request_too_expensive");
});
