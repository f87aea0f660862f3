import assert from "node:assert/strict";
import { test } from "node:test";
import { INVARIANTS } from "../../../src/db/invariants.ts";
import { type Seeded, seeded } from "../../../src/demo/requests.ts";
import { ALL_ROUTES } from "../../../src/routes.ts";
import { NOW, type Reply, testDatabase, testEngine, testProject } from "../../support/engine.ts";
import { okOf } from "../../support/shop.ts";
import { atMost } from "../../support/two-servers.ts";
import {
  balanceOf,
  type Code,
  emptyModel,
  hold,
  type Model,
  type OrderAsked,
  type Part,
  reasonsAgainst,
  redeem,
  release,
  timesRedeemed,
} from "./model.ts";

// Random operations on the engine and on a model of it: what the one answers, the other must say too.
//   npm run test:simulation                      a long run
//   SIMULATION_SEED=7 SIMULATION_STEPS=400 …     one again, to its failure
const SEED = Number(process.env.SIMULATION_SEED ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = Number(process.env.SIMULATION_STEPS ?? 300);
const ALL_EVERY = 50;
const { db } = await testDatabase();

const there = new Set(ALL_ROUTES.map(({ method, path }) => `${method} ${path}`.replace(/\{[^}]*\}/g, "{}")));
const discount = { type: "AMOUNT", amount_off: 1 };
const CLUB_POINTS = 300;
const FULL: Code = {
  quantity: null,
  balance: null,
  active: true,
  expiresAt: null,
  campaign: null,
  rule: null,
  holder: null,
};

type Shop = {
  model: Model;
  random: Seeded;
  call(request: string, body?: unknown): Promise<Reply>;
  ok(request: string, body?: unknown): Promise<any>;
  ids: Record<"campaign" | "campaignRule" | "customerRule" | "dailyRule" | "club" | "reward", string>;
  /** What the last step looked at. */
  touched: Set<string>;
  projectId: string;
};

async function openShop(): Promise<Shop> {
  const project = await testProject(db);
  const model = emptyModel(Date.parse(NOW));
  const { call } = await testEngine(db, project, { now: () => new Date(model.now).toISOString() });
  const ok = okOf(call);
  const rule = async (name: string, n: number): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name, rules: atMost(name, n) })).id;
  const campaignRule = await rule("campaign.redemptions.count", model.limits.campaign);
  const customerRule = await rule("redemption.count.per_customer", model.limits["per customer"]);
  const dailyRule = await rule("redemption.count.daily", model.limits.daily);
  const { id: campaign } = await ok("POST /v1/campaigns", {
    name: "Given away",
    type: "STATIC",
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 2 } },
    validation_rules: [campaignRule],
  });
  const loyalty_card = { points: CLUB_POINTS };
  const { id: club } = await ok("POST /v1/loyalties", {
    name: "Club",
    voucher: { type: "LOYALTY_CARD", loyalty_card },
  });
  const coin = { exchange_ratio: 0.01, points_ratio: 1 };
  const { id: reward } = await ok("POST /v1/rewards", { name: "Pay", parameters: { coin } });
  await ok(`POST /v1/rewards/${reward}/assignments`, { campaign: club });
  const ids = { campaign, campaignRule, customerRule, dailyRule, club, reward };
  return { model, random: seeded(SEED), call, ok, ids, touched: new Set(), projectId: project.id };
}

async function createCode({ model, random: { integer, pick }, ok, ids, touched }: Shop) {
  const name = `CODE-${model.codes.size}`;
  const kind = pick(["plain", "limited", "card", "points", "per customer", "daily", "campaign", "campaign"] as const);
  const code: Code = { ...FULL };
  if (kind === "campaign") {
    await ok(`POST /v1/campaigns/${ids.campaign}/vouchers/${name}`, {});
    code.campaign = "campaign";
    code.quantity = 2;
  } else if (kind === "points") {
    // A customer has one card of a loyalty campaign at most: each card is of a customer of its own.
    Object.assign(code, { balance: CLUB_POINTS, isPoints: true, holder: `member ${name}` });
    await ok(`POST /v1/campaigns/${ids.club}/vouchers/${name}`, {});
    await ok("POST /v1/publications", { voucher: name, customer: { source_id: code.holder } });
  } else if (kind === "card") {
    code.balance = integer(0, 500);
    const gift = { amount: code.balance, balance: code.balance };
    await ok(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift });
  } else {
    if (kind === "limited") code.quantity = integer(1, 6);
    if (kind === "per customer" || kind === "daily") code.rule = kind;
    const rules = { "per customer": [ids.customerRule], daily: [ids.dailyRule], limited: [], plain: [] }[kind];
    const redemption = { quantity: code.quantity };
    await ok(`POST /v1/vouchers/${name}`, { discount, redemption, validation_rules: rules });
  }
  model.codes.set(name, code);
  touched.add(name);
}

function someAsked({ model, random: { integer, pick } }: Shop): OrderAsked {
  const names = [...model.codes.keys()];
  const size = Math.min(names.length, pick([1, 1, 1, 2, 3]));
  // The newest come more often: what is used up says little.
  const pickOne = () => (integer(0, 30) === 0 ? "NOBODY" : names[Math.max(0, names.length - 1 - integer(0, 11))]!);
  const chosen = [...new Set(Array.from({ length: size }, pickOne))];
  const parts = chosen.map((code): Part => {
    const isCard = (model.codes.get(code)?.balance ?? null) !== null;
    return { code, credits: isCard ? integer(1, 120) : 0 };
  });
  const holders = chosen.flatMap((code) => (model.codes.get(code)?.isPoints ? model.codes.get(code)!.holder! : []));
  // Somebody else cannot spend points, and mostly does not try to.
  const customers = holders.length > 0 && integer(0, 5) > 0 ? holders : ["anna", "bert", "carl"];
  return {
    parts,
    customer: holders.length > 0 ? pick(customers) : pick([null, ...customers]),
    session: pick([null, null, null, "s1", "s2", "s3"]),
  };
}

const paying = (code: Code | undefined, credits: number, { reward }: Shop["ids"]) => {
  if (!code || code.balance === null) return {};
  return code.isPoints ? { reward: { id: reward, points: credits } } : { gift: { credits } };
};

const bodyOf = ({ model, ids }: Shop, { parts, customer }: OrderAsked) => ({
  redeemables: parts.map(({ code, credits }) => ({
    object: "voucher",
    id: code,
    ...paying(model.codes.get(code), credits, ids),
  })),
  order: { amount: 100_000 },
  ...(customer !== null && { customer: { source_id: customer } }),
});

const touch = ({ touched }: Shop, parts: readonly Part[]) => {
  for (const { code } of parts) touched.add(code);
};

async function tryRedeem(shop: Shop) {
  const { model, call } = shop;
  const asked = someAsked(shop);
  const reasons = reasonsAgainst(model, asked);
  const session = asked.session === null ? {} : { session: { type: "LOCK", key: asked.session } };
  const { status, body, text } = await call("POST /v1/redemptions", { ...bodyOf(shop, asked), ...session });
  const says = `${JSON.stringify(asked)}, the model says ${[...reasons].join(", ") || "yes"}: ${text}`;
  touch(shop, asked.parts);
  if (reasons.size > 0) return assert.ok(status >= 400 && status < 500 && reasons.has(body.key), says);
  assert.equal(status, 200, says);
  assert.deepEqual(body.redemptions.map((one: any) => one.voucher.code).sort(), asked.parts.map((p) => p.code).sort());
  redeem(model, (body.parent_redemption ?? body.redemptions[0]).id, asked);
}

async function tryValidate(shop: Shop) {
  const { model, ok, random } = shop;
  const asked = someAsked(shop);
  const minutes = random.integer(1, 600);
  const reasons = reasonsAgainst(model, asked);
  const session =
    asked.session === null ? {} : { session: { type: "LOCK", key: asked.session, ttl: minutes, ttl_unit: "MINUTES" } };
  const body = await ok("POST /v1/validations", { ...bodyOf(shop, asked), ...session });
  const key = body.inapplicable_redeemables?.[0]?.result.error.key;
  const says = `${JSON.stringify(asked)}, the model says ${[...reasons].join(", ") || "yes"}: ${JSON.stringify(body)}`;
  assert.equal(body.valid, reasons.size === 0, says);
  if (!body.valid) return assert.ok(reasons.has(key), says);
  if (asked.session !== null) hold(model, asked, model.now + minutes * 60_000);
}

async function tryRelease({ model, call, random: { pick } }: Shop) {
  const session = pick(["s1", "s2", "s3"]);
  const names = [...model.codes.keys()].slice(-12);
  const name = model.sessions.get(session)?.[0]?.code ?? pick(names);
  const held = release(model, session, name);
  assert.equal((await call(`DELETE /v1/vouchers/${name}/sessions/${session}`)).status, held ? 204 : 404);
}

async function switchCode({ model, ok, random: { pick }, touched }: Shop) {
  const name = pick([...model.codes.keys()].slice(-12));
  const code = model.codes.get(name)!;
  code.active = !code.active;
  await ok(`POST /v1/vouchers/${name}/${code.active ? "enable" : "disable"}`, {});
  touched.add(name);
}

async function setExpiry({ model, ok, random: { integer, pick }, touched }: Shop) {
  const name = pick([...model.codes.keys()].slice(-12));
  const code = model.codes.get(name)!;
  code.expiresAt = model.now + integer(-2, 60) * 3_600_000 + 1;
  await ok(`PUT /v1/vouchers/${name}`, { expiration_date: new Date(code.expiresAt).toISOString() });
  touched.add(name);
}

async function changeLimit({ model, ok, ids, random: { integer, pick } }: Shop) {
  const [limit, id, name] = pick([
    ["campaign", ids.campaignRule, "campaign.redemptions.count"],
    ["per customer", ids.customerRule, "redemption.count.per_customer"],
    ["daily", ids.dailyRule, "redemption.count.daily"],
  ] as const);
  const base = limit === "campaign" ? [...model.redeemed.values()].filter(({ isBack }) => !isBack).length : 0;
  model.limits[limit] = limit === "campaign" ? Math.max(5, integer(base - 30, base + 30)) : integer(1, 6);
  await ok(`PUT /v1/validation-rules/${id}`, { rules: atMost(name, model.limits[limit]) });
}

async function passTime({ model, random: { integer, pick } }: Shop) {
  model.now += pick([integer(1, 1000), integer(1, 3600) * 1000, integer(1, 20) * 3_600_000]);
}

const THREE_MONTHS = 80 * 86_400_000;

async function tryRollBack(shop: Shop) {
  const { model, call, random } = shop;
  const young = [...model.redeemed.values()].filter(({ at }) => model.now - at < THREE_MONTHS).slice(-30);
  if (young.length === 0) return;
  const one = random.pick(young);
  const operation = one.parts.length > 1 ? "rollbacks" : "rollback";
  const { status, body, text } = await call(`POST /v1/redemptions/${one.id}/${operation}`, { reason: "simulated" });
  touch(shop, one.parts);
  if (one.isBack) return assert.deepEqual([status, body.key], [400, "already_rolled_back"], text);
  assert.equal(status, 200, text);
  one.isBack = true;
}

async function tryPublish(shop: Shop) {
  const { model, call, random } = shop;
  const customer = random.pick(["anna", "bert", "carl"]);
  const free = [...model.codes].filter(
    ([name, { campaign, holder, active }]) =>
      campaign !== null && holder === null && active && timesRedeemed(model, name) === 0,
  );
  const body = { campaign: { name: "Given away" }, customer: { source_id: customer } };
  const { status, body: given, text } = await call("POST /v1/publications", body);
  if (status !== 200) {
    assert.equal(given.key, "no_voucher_suitable_for_publication", text);
    // One that is over may or may not be given away.
    const now = free.filter(([, { expiresAt }]) => expiresAt === null || expiresAt > model.now);
    return assert.deepEqual(now, [], text);
  }
  const { code } = given.voucher;
  assert.ok(
    free.some(([name]) => name === code),
    `${code} was given away already, or cannot be: ${text}`,
  );
  model.codes.get(code)!.holder = customer;
  shop.touched.add(code);
}

type Step = { name: string; weight: number; run(shop: Shop): Promise<void>; needs?: string };
/** An operation that comes to be is a line here. */
const ALL_STEPS: Step[] = [
  { name: "create", weight: 8, run: createCode },
  { name: "redeem", weight: 30, run: tryRedeem },
  { name: "validate and lock", weight: 14, run: tryValidate },
  { name: "release", weight: 3, run: tryRelease },
  { name: "switch", weight: 3, run: switchCode },
  { name: "expire", weight: 3, run: setExpiry },
  { name: "change a limit", weight: 3, run: changeLimit },
  { name: "time passes", weight: 8, run: passTime },
  { name: "roll back", weight: 14, run: tryRollBack, needs: "POST /v1/redemptions/{}/rollbacks" },
  { name: "publish", weight: 5, run: tryPublish, needs: "POST /v1/publications" },
];
const POSSIBLE = ALL_STEPS.filter(({ needs }) => !needs || there.has(needs));
const DICE = POSSIBLE.flatMap((step) => Array.from({ length: step.weight }, () => step));

async function compare({ model, ok }: Shop, names: Iterable<string>) {
  for (const name of names) {
    if (!model.codes.has(name)) continue;
    const { redemption, gift, loyalty_card, active } = await ok(`GET /v1/vouchers/${name}`);
    const real = [redemption.redeemed_quantity, (gift ?? loyalty_card)?.balance ?? null, active];
    const wanted = [timesRedeemed(model, name), balanceOf(model, name), model.codes.get(name)!.active];
    assert.deepEqual(real, wanted, name);
  }
}

/** What must hold over all rows: cards hold what their lots and entries say, and everything doctor looks at. */
async function examineAll({ projectId }: Shop) {
  const wrong = await db`
    select v.code, s.account->>'available' as available, l.remaining, e.moved from vouchers v
    join voucher_states s on s.project_id = v.project_id and s.voucher_id = v.id
    left join lateral (select coalesce(sum(remaining), 0) as remaining from ledger_lots l
      where l.project_id = v.project_id and l.account_id = v.id and pot = 'available') l on true
    left join lateral (select coalesce(sum(amount), 0) as moved from ledger_entries e
      where e.project_id = v.project_id and e.account_id = v.id and pot = 'available') e on true
    where v.project_id = ${projectId} and s.account is not null
      and ((s.account->>'available')::bigint <> l.remaining or (s.account->>'available')::bigint <> e.moved)`;
  assert.deepEqual([...wrong], [], "a card holds what its lots and its entries say");
  const counters = await db`
    select c.subject_id, c.period_kind, c.period_start, c.redemptions, r.count from counters c
    cross join lateral (select count(*) from redemptions r
      where r.project_id = c.project_id and r.campaign_id = c.subject_id and r.object = 'redemption'
        and r.status = 'SUCCEEDED' and r.result = 'SUCCESS') r
    where c.project_id = ${projectId} and c.subject_kind = 'campaign' and c.period_kind = 'total'
      and c.redemptions <> r.count`;
  assert.deepEqual([...counters], [], "a campaign counts its redemptions");
  for (const [name, find] of Object.entries(INVARIANTS)) assert.equal((await find(db))[0]!.count, 0, name);
}

test(`${STEPS} random steps: the engine does what a small model of it does`, async (t) => {
  t.diagnostic(`SIMULATION_SEED=${SEED} SIMULATION_STEPS=${STEPS}`);
  const shop = await openShop();
  const done = new Map<string, number>();
  for (let n = 0; n < 10; n += 1) await createCode(shop);
  let [step, name] = [0, ""];
  try {
    for (step = 1; step <= STEPS; step += 1) {
      shop.touched.clear();
      const chosen = shop.random.pick(DICE);
      name = chosen.name;
      await chosen.run(shop);
      done.set(name, (done.get(name) ?? 0) + 1);
      await compare(shop, shop.touched);
      if (step % ALL_EVERY === 0) await examineAll(shop);
    }
    await compare(shop, shop.model.codes.keys());
    await examineAll(shop);
  } catch (error) {
    (error as Error).message = `SIMULATION_SEED=${SEED}, step ${step} (${name}): ${(error as Error).message}`;
    throw error;
  }
  const redeemed = shop.model.redeemed.size;
  t.diagnostic(`${[...done].map(([one, times]) => `${one} ${times}`).join(", ")}; ${redeemed} redeemed`);
  assert.ok(redeemed > STEPS / 50, "enough was redeemed to say something");
});
