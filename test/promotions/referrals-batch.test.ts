import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import type { Answer } from "../../src/core/answer.ts";
import type { Flow } from "../../src/db/batches/batch.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import { redeem } from "../../src/flows/redeem/redeem.ts";
import type { TrackCommand } from "../../src/flows/track-event/state.ts";
import { trackEvent } from "../../src/flows/track-event/track-event.ts";
import type { Project } from "../../src/request.ts";
import type { RedeemRequest } from "../../src/steps/checkout/requests.ts";
import { assertBatchLaw } from "../laws/batch-law.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

// BATCH_RUNS raises the number of mixes, BATCH_SEED repeats one.
const RUNS = Number(process.env.BATCH_RUNS ?? 4);
const SEED = process.env.BATCH_SEED === undefined ? {} : { seed: Number(process.env.BATCH_SEED) };
const { db, open } = await testDatabase();
const NOW = Date.parse("2026-01-01T12:00:00.000Z");

type World = { isSegmented: boolean; converts: "custom_event" | "redemption" | "order.paid"; stock: number };
type BatchShop = Pick<TrackCommand, "project" | "catalog">;
const worlds = new Map<string, BatchShop>();
/** The ids of a world by what they stand for, so that two worlds can be compared. */
const meaning = new Map<string, string>();

/**
 * Bob shares the code BOBS. Friends get points on a card on which visits and orders earn, too; Bob gets credits on his
 * gift card for each friend, and a coupon for the second, of which there are few.
 */
async function setUp({ isSegmented, converts, stock }: World): Promise<string> {
  const { project, ok } = await testShop(db);
  const note = <T extends { id: string }>(name: string, one: T): T => {
    meaning.set(one.id, name);
    return one;
  };
  const event = note(
    "visit",
    await ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, {
      name: "visit",
      schema: { properties: {} },
    }),
  );
  const discount = { type: "PERCENT", percent_off: 10 };
  const club = note("club", await ok("POST /v1/loyalties", { name: "Club", voucher: loyaltyCard }));
  const rules = await ok(`POST /v1/loyalties/${club.id}/earning-rules`, [
    { event: "visit", custom_event: { schema_id: event.id }, loyalty: { type: "FIXED", points: 5 } },
    { event: "order.paid", loyalty: { type: "FIXED", points: 3 } },
  ]);
  for (const [n, rule] of rules.entries()) note(`rule ${n}`, rule);
  await ok(`POST /v1/loyalties/${club.id}/tiers`, [{ name: "High", points: { from: 25 } }]).then(([tier]) =>
    note("high", tier),
  );
  const gifts = note("gifts", await ok("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 10 } } }));
  const coupons = note("coupons", await ok("POST /v1/campaigns", { name: "Coupons", voucher: { discount } }));
  const reward = async (name: string, body: object) => {
    const { id } = note(name, await ok("POST /v1/rewards", { name, ...body }));
    const cost = { campaign: club.id, parameters: { loyalty: { points: 1 } } };
    return {
      reward: { assignment_id: note(`${name} assigned`, await ok(`POST /v1/rewards/${id}/assignments`, cost)).id },
    };
  };
  const each = await reward("credits", { parameters: { campaign: { id: gifts.id, balance: 7 } } });
  const second = await reward("coupon", { parameters: { campaign: { id: coupons.id } }, stock });
  const friends = note(
    "friends",
    await ok("POST /v1/campaigns", {
      name: "Friends",
      campaign_type: "REFERRAL_PROGRAM",
      voucher: { discount },
      referral_program: {
        conversion_event_type: converts,
        ...(converts === "custom_event" && { custom_event: { id: event.id } }),
        referee_reward: { related_object_parent: { id: club.id }, type: "LOYALTY_CARD", amount: 10 },
        tiers: [
          { parameters: { type: "EACH" }, ...each },
          { parameters: { type: "MINIMUM", min: 2 }, ...second },
        ],
      },
    }),
  );
  for (const [n, tier] of friends.referral_program.tiers.entries()) note(`tier ${n}`, tier);
  const publish = async (campaign: { id: string }, code: string, source_id: string, email?: string) => {
    note(code, await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${code}`, {}));
    const customer = { source_id, ...(email && { email }) };
    const published = await ok("POST /v1/publications", { voucher: code, customer });
    meaning.set(published.customer_id, source_id);
  };
  await publish(friends, "BOBS", "bob", "bob@example.com");
  await publish(gifts, "PURSE", "bob");
  await publish(club, "CARD", "anna");
  note("PLAIN", await ok("POST /v1/vouchers/PLAIN", { type: "DISCOUNT_VOUCHER", discount }));
  if (isSegmented) {
    const filter = { junction: "AND", "loyalty.referred_customers": { conditions: { $is: [1] } } };
    note("once", await ok("POST /v1/segments", { name: "once", type: "auto-update", filter }));
  }
  const [row] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${project.id}`;
  worlds.set(project.id, { project: row!, catalog: await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf(row!) });
  return project.id;
}
const loyaltyCard = { type: "LOYALTY_CARD", loyalty_card: { points: 5 } };

const stable = (text: string) =>
  text
    .replace(/\b[a-z]+[_-]019b7[0-9a-f]{19}\b/g, (id) => meaning.get(id) ?? id.replace(/[_-].*/, "_x"))
    .replace(/track_[\w-]+/g, "track_x")
    .replace(/\bWy[\w-]+\.[\w-]{43}/g, "picture")
    .replace(/("source_id":"\w+","created_at":"2026-01-01T12:00:00)\.\d+/g, "$1")
    .replace(/"id":"[0-9a-f-]{36}"/g, '"id":"x"')
    // Of configuration and of answers, with ids in them.
    .replace(/\bx?(?:[0-9a-f]{32}){1,2}\b/g, "hash");

const stableAnswer = ({ madeOf, ...answer }: Answer): Answer => ({
  ...answer,
  body: stable(answer.body),
  ...(madeOf && { madeOf: JSON.parse(stable(JSON.stringify(madeOf))) }),
});

type Numbered<I> = { n: number; input: I; at?: number };
/** What a command makes, named after it. */
function makerOf(projectId: string, { n, at = n }: Numbered<{ key: string | null }>, key: string | null) {
  let made = 0;
  const now = new Date(NOW + at * 60_000).toISOString();
  return {
    ...worlds.get(projectId)!,
    now,
    request_id: `v-${n}`,
    api_key_id: "key",
    newId: (prefix: string) => `${prefix}_${(n * 1000 + ++made).toString(16).padStart(24, "0")}`,
    newSecret: () => createHash("sha256").update(`${n} ${++made}`).digest("hex"),
    forCaller: <Shown extends object>(shown: Shown) => shown,
    claim: key === null ? null : { caller_id: "app a", key, input_hash: "h", sealed_with: null, received_at: now },
  };
}

type Tracked = {
  event: "visit" | "nothing";
  customer: "anna" | "bob" | "new1" | "new2" | "nobody";
  email: string | null;
  code: string | null;
  referrer: string | null;
  mayEarn: boolean;
  key: string | null;
};
const tracking: Flow<Numbered<Tracked>, Answer> = {
  name: "track-event",
  failed: () => ({ status: 500, body: "" }),
  run: async (tx, projectId, commands) => {
    const answers = await trackEvent.run(
      tx,
      projectId,
      commands.map((one): TrackCommand => {
        const { event, customer, email, code, referrer: referrer_id, mayEarn, key } = one.input;
        const named = customer === "nobody" ? { id: "cust_nobody" } : { source_id: customer };
        return {
          ...makerOf(projectId, one, key),
          sent: {
            event,
            customer: { ...named, ...(email && { email }) },
            ...(code && { referral: { code, referrer_id } }),
          },
          mayEarn,
          mayWrite: true,
        };
      }),
    );
    return answers.map(stableAnswer);
  },
};
const eventInput = fc.record({
  event: fc.constantFrom("visit", "visit", "visit", "visit", "nothing"),
  customer: fc.constantFrom("anna", "anna", "anna", "bob", "new1", "new1", "new2", "nobody"),
  email: fc.constantFrom(null, null, null, null, null, "BOB@example.com", "other@example.com"),
  code: fc.constantFrom("BOBS", "bobs", "BOBS", "bobs", "BOBS", null, null, "NOTHING", "PLAIN"),
  referrer: fc.constantFrom(null, null, null, "bob", "bob", "anna"),
  mayEarn: fc.constantFrom(true, true, true, true, false),
  key: fc.constantFrom(null, null, null, "k1"),
}) as fc.Arbitrary<Tracked>;
const world = fc.record({
  isSegmented: fc.boolean(),
  converts: fc.constantFrom("custom_event", "redemption", "order.paid"),
  stock: fc.integer({ min: 0, max: 1 }),
}) as fc.Arbitrary<World>;
const law = {
  db,
  setUp,
  numRuns: RUNS,
  commandsMin: 4,
  commandsMax: 12,
  ...SEED,
  same: stable,
};
const came = async (projectIds: Iterable<string>): Promise<number> =>
  (
    await db<[{ count: number }]>`
    select count(*) as count from referral_conversions where project_id = any(${[...projectIds]})`
  )[0].count;

test("a batch of events with referrals is the same as one after the other: friends, cards, rewards, segments", async () => {
  await assertBatchLaw<World, Tracked, Numbered<Tracked>, Answer>({
    ...law,
    flow: tracking,
    world: world.map((one) => ({ ...one, converts: "custom_event" as const })),
    input: eventInput,
    command: (n, input) => ({ n, input }),
    alike: { oauth_tokens: () => [] },
  });
  assert.ok((await came(worlds.keys())) > RUNS / 2, "friends came");
});

type Redeemed = {
  ids: string[];
  customer: "anna" | "bob" | "new1" | "new2" | "guest";
  order: "none" | "amount" | "o-1" | "o-2";
  status: "PAID" | "CREATED";
  key: string | null;
};
const redeeming: Flow<Numbered<Redeemed>, Answer> = {
  name: "redeem",
  failed: () => ({ status: 500, body: "" }),
  run: async (tx, projectId, commands) => {
    const answers = await redeem.run(
      tx,
      projectId,
      commands.map((one) => {
        const { ids, customer, order, status, key } = one.input;
        const cart =
          order === "none" ? {} : { order: { ...(order !== "amount" && { source_id: order }), amount: 900, status } };
        return {
          ...makerOf(projectId, one, key),
          api_key_id: "k1",
          sent: {
            redeemables: ids.map((id) => ({ object: "voucher", id, ...(id === "PURSE" && { gift: { credits: 12 } }) })),
            ...(customer !== "guest" && { customer: { source_id: customer } }),
            ...cart,
          },
          session: null,
          validation_id: null,
          expand: new Set<string>(),
        } as unknown as RedeemRequest;
      }),
    );
    return answers.map(stableAnswer);
  },
};
const redeemInput = fc.record({
  ids: fc.uniqueArray(fc.constantFrom("BOBS", "BOBS", "PURSE", "PLAIN"), { minLength: 1, maxLength: 2 }),
  customer: fc.constantFrom("anna", "bob", "new1", "new2", "guest"),
  order: fc.constantFrom("amount", "amount", "o-1", "o-2"),
  status: fc.constantFrom("PAID", "PAID", "CREATED"),
  key: fc.constantFrom(null, null, null, "k1"),
}) as fc.Arbitrary<Redeemed>;

test("a batch of redemptions of referral codes is the same as one after the other: friends, cards, paid orders", async () => {
  worlds.clear();
  await assertBatchLaw<World, Redeemed, Numbered<Redeemed>, Answer>({
    ...law,
    flow: redeeming,
    world: world.map((one) => (one.converts === "custom_event" ? { ...one, converts: "redemption" as const } : one)),
    input: redeemInput,
    command: (n, input) => ({ n, input }),
    alike: {
      oauth_tokens: () => [],
      redemption_tallies: (rows) =>
        [...Map.groupBy(rows, ({ object, result, campaign_id }) => `${object} ${result} ${campaign_id}`)].map(
          ([name, group]) => [name, group.reduce((sum: number, { count }) => sum + count, 0)],
        ),
      counters: (rows) => rows.filter(({ redemptions }) => redemptions > 0),
    },
  });
  assert.ok((await came(worlds.keys())) > RUNS / 2, "friends came");
});

test("40 friends who come in one batch take as many statements as one", async () => {
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  await watched`select 1`;
  const count = async (size: number, flow: typeof tracking | typeof redeeming, converts: World["converts"]) => {
    const projectId = await setUp({ isSegmented: false, converts, stock: 1 });
    const commands = Array.from({ length: size }, (_, n) => ({
      n: n + 1,
      at: 1,
      input:
        converts === "custom_event"
          ? ({
              event: "visit",
              customer: `f${n}`,
              email: null,
              code: "BOBS",
              referrer: null,
              mayEarn: true,
              key: `k${n}`,
            } as never)
          : ({ ids: ["BOBS"], customer: `f${n}`, order: "amount", status: "PAID", key: `k${n}` } as never),
    }));
    seen.length = 0;
    const answers = await transaction(watched, (tx) => flow.run(tx, projectId, commands as never));
    for (const { status, body } of answers) assert.equal(status, 200, body);
    assert.equal(await came([projectId]), size);
    return [...seen];
  };
  for (const [flow, converts] of [
    [tracking, "custom_event"],
    [redeeming, "redemption"],
  ] as const) {
    await count(2, flow, converts);
    const [few, many] = [await count(2, flow, converts), await count(40, flow, converts)];
    const often = (all: readonly string[]) =>
      Object.fromEntries([...Map.groupBy(all, (text) => text)].map(([text, same]) => [text, same.length]));
    assert.deepEqual(often(many), often(few));
    assert.ok(few.length <= 90, `${few.length} statements`);
  }
});
