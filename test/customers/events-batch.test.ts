import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import type { Answer } from "../../src/core/answer.ts";
import type { Flow } from "../../src/db/batches/batch.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import type { TrackCommand } from "../../src/flows/track-event/state.ts";
import { trackEvent } from "../../src/flows/track-event/track-event.ts";
import type { Project } from "../../src/request.ts";
import { assertBatchLaw } from "../laws/batch-law.ts";
import { clubOf } from "../support/clubs.ts";
import { testDatabase } from "../support/engine.ts";

// BATCH_RUNS raises the number of mixes, BATCH_SEED repeats one.
const RUNS = Number(process.env.BATCH_RUNS ?? 4);
const SEED = process.env.BATCH_SEED === undefined ? {} : { seed: Number(process.env.BATCH_SEED) };
const { db, open } = await testDatabase();
const NOW = "2026-01-01T12:00:00.000Z";

type World = { isSegmented: boolean; stock: number; max: number };
type Input = {
  event: "visit" | "receipt" | "nothing";
  customer: "ann" | "ann's id" | "bob" | "new" | "nobody";
  vip: boolean | null;
  stars: unknown;
  card: "none" | "member's" | "campaign's";
  mayEarn: boolean;
  mayWrite: boolean;
  key: string | null;
};
type BatchShop = Pick<TrackCommand, "project" | "catalog"> & {
  ids: Record<string, string>;
  codes: Record<string, string>;
};
const worlds = new Map<string, BatchShop>();
/** The ids of a world by what they stand for, so that two worlds can be compared. */
const meaning = new Map<string, string>();

async function setUp({ isSegmented, stock, max }: World): Promise<string> {
  const pending_points = (event: { id: string }) => ({
    type: "EVENT_BASED",
    event_based: { event_types: [event.id], cancel_period: { value: 5, unit: "DAY" } },
  });
  const club = await clubOf(db, {
    wallet: {
      earning_limits: { global: { limits: [{ type: "BALANCE_BASED", max }] }, transactions: { type: "NO_LIMIT" } },
    },
  });
  const visit = await club.define("visit", { stars: { type: "number", optional: true } });
  const receipt = await club.define("receipt");
  const waiting = await club.addWallet({ name: "Waiting", pending_points: pending_points(receipt) });
  const { structure, tiers } = await club.tiers(club.wallet.id, "Bronze", "Silver");
  await club.ok(`POST /v2/loyalties/tier-structures/${structure.id}/activate`);
  const material = { product: { id: (await club.product("cup")).id } };
  const cup = await club.benefit({
    name: "cup",
    type: "MATERIAL",
    status: "ACTIVE",
    material,
    stock: { limited: { quantity: stock } },
  });
  const voucher = { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 100 } };
  const campaign = await club.ok("POST /v1/campaigns", { name: "Codes", type: "AUTO_UPDATE", voucher });
  const digital = { discount_coupons: { campaign_id: campaign.id } };
  const coupon = await club.benefit({ name: "coupon", type: "DIGITAL", status: "ACTIVE", digital });
  const filter = { junction: "AND", "metadata.vip": { conditions: { $is: [true] } } };
  const often = { junction: "AND", "events.visit.count": { conditions: { $more_than: [2] } } };
  const segments = isSegmented
    ? [
        await club.ok("POST /v1/segments", { name: "vips", type: "auto-update", filter }),
        await club.ok("POST /v1/segments", { name: "often", type: "auto-update", filter: often }),
      ]
    : [];
  const trigger = { event: "customer.custom_event", custom_event: { schema_id: visit.id } };
  const stars = {
    calculation_type: "CUSTOM_EVENT_METADATA_VALUE",
    card_definition_id: club.wallet.id,
    custom_event: { metadata: { every: 1, value: 10, property: "stars" } },
  };
  const twice = { limits: [{ period: { current_period: { unit: "DAY" } }, triggers: { max: 2 } }] };
  const isVip = { logic: "1", 1: { name: "customer.metadata", property: "vip", conditions: { $is: [true] } } };
  const silver = { any_of: [{ tier_structure_id: structure.id, tier_ids: [tiers[1].id] }] };
  const program = await club.open(
    [
      {
        trigger,
        earnings: [{ rules: isVip, effects: [{ points_proportional: stars }] }, { effects: [club.points(7)] }],
      },
      {
        trigger,
        earnings: [
          { tier_rules: silver, effects: [{ incentive: { id: cup.id } }, { incentive: { id: coupon.id } }] },
          { effects: [{ points: { value: 3, card_definition_id: waiting.id } }] },
        ],
      },
      { trigger, earnings: [{ effects: [club.points(20)] }], trigger_limits: { frequency: twice } },
      ...segments.map(({ id }) => ({
        trigger: { event: "customer.segment.entered", segment: { id } },
        earnings: [{ effects: [club.points(50), { incentive: { id: cup.id } }] }],
      })),
    ],
    { card_definitions: [{ id: club.wallet.id }, { id: waiting.id }], tier_structures: [{ id: structure.id }] },
  );
  const [ann, bob] = [await program.enrol("ann"), await program.enrol("bob")];
  const named = { ann, bob };
  const ids: Record<string, string> = { ann: ann.customer.id, bob: bob.customer.id };
  for (const [name, one] of Object.entries(named)) {
    meaning.set(one.customer.id, name).set(one.member.id, `member ${name}`);
    for (const { card } of one.member.cards) meaning.set(card.id, `${name} ${card.card_definition_id === waiting.id}`);
  }
  const { own, campaigns } = await openCardPrograms(club, visit);
  for (const [name, id] of Object.entries(campaigns)) meaning.set(id, name);
  const { project } = club;
  const [row] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${project.id}`;
  const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf(row!);
  const { code } = await ann.cardOf();
  codes.set(code, "CODE");
  worlds.set(project.id, { project: row!, catalog, ids, codes: { "member's": code, "campaign's": own.code } });
  return project.id;
}

/** Programs of loyalty cards: Ann and Bob have a card of one, whose tiers change what rules give and give themselves. */
async function openCardPrograms(club: Awaited<ReturnType<typeof clubOf>>, visit: { id: string }) {
  const onVisit = { event: "visit", custom_event: { schema_id: visit.id } };
  const fixed = (points: number) => ({ type: "FIXED", points });
  const make = (name: string, more: object = {}) =>
    club.ok("POST /v1/loyalties", {
      name,
      type: "AUTO_UPDATE",
      voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 5 } },
      ...more,
    });
  const [cards, open] = [await make("Cards"), await make("Open", { auto_join: true })];
  const stars = {
    type: "PROPORTIONAL",
    calculation_type: "CUSTOM_EVENT_METADATA",
    custom_event: { metadata: { every: 2, points: 10, property: "stars" } },
  };
  const [per] = await club.ok(`POST /v1/loyalties/${cards.id}/earning-rules`, [{ ...onVisit, loyalty: stars }]);
  const [, high] = await club.ok(`POST /v1/loyalties/${cards.id}/tiers`, [
    { name: "Low", points: { from: 10, to: 39 } },
    { name: "High", points: { from: 40 }, earning_rules: { [per.id]: { type: "MULTIPLY", multiplier: 2 } } },
  ]);
  const moved = { event: "customer.loyalty.tier.upgraded", loyalty_tier: { id: high.id }, loyalty: fixed(100) };
  await club.ok(`POST /v1/loyalties/${cards.id}/earning-rules`, [moved]);
  await club.ok(`POST /v1/loyalties/${open.id}/earning-rules`, [{ ...onVisit, loyalty: fixed(3) }, moved]);
  const [ann] = [await join(club, cards.name, "ann"), await join(club, cards.name, "bob")];
  return { own: ann, campaigns: { cards: cards.id, open: open.id, high: high.id, per: per.id } };
}

async function join(club: Awaited<ReturnType<typeof clubOf>>, name: string, source_id: string) {
  const { voucher } = await club.ok("POST /v1/publications", { campaign: { name }, customer: { source_id } });
  meaning.set(voucher.id, `card of ${source_id}`);
  codes.set(voucher.code, `CARD OF ${source_id}`);
  return voucher as { id: string; code: string };
}

/** Those of Ann's cards, and what they stand for. */
const codes = new Map<string, string>();
const stable = (text: string) =>
  [...codes]
    // A code of small letters and digits is folded to itself.
    .reduce(
      (all, [code, name]) => all.replaceAll(code, name),
      text.replace(/"code_folded":"[^"]*"/g, '"code_folded":"x"'),
    )
    .replace(/\b[a-z]+[_-]019b7[0-9a-f]{19}\b/g, (id) => meaning.get(id) ?? id.replace(/[_-].*/, "_x"))
    .replace(/track_[\w-]+/g, "track_x")
    .replace(/"code":"[^"]{8,12}"/g, '"code":"x"')
    .replace(/("source_id":"\w+","created_at":"2026-01-01T12:00:00)\.\d+/g, "$1")
    .replace(/"id":"[0-9a-f-]{36}"/g, '"id":"x"');

/** At which of the moments it comes; without one each comes later than the one before. */
type Numbered = { n: number; input: Input; at?: number };

function commandOf(projectId: string, { n, input, at = n }: Numbered): TrackCommand {
  const { project, catalog, ids, codes: own } = worlds.get(projectId)!;
  const { customer, vip, stars, event } = input;
  let made = 0;
  const named = {
    ann: { source_id: "ann" },
    "ann's id": { id: ids.ann! },
    bob: { source_id: "bob" },
    new: { source_id: "new" },
    nobody: { id: "cust_nobody" },
  }[customer];
  return {
    project,
    catalog,
    now: new Date(Date.parse(NOW) + at * 7 * 3_600_000).toISOString(),
    request_id: `v-${n}`,
    api_key_id: "key",
    newId: (prefix) => `${prefix}_${(n * 1000 + ++made).toString(16).padStart(24, "0")}`,
    newSecret: () => createHash("sha256").update(`${n} ${++made}`).digest("hex"),
    sent: {
      event,
      customer: { ...named, ...(vip !== null && { metadata: { vip } }) },
      metadata: { stars },
      ...(input.card !== "none" && { loyalty: { code: own[input.card]! } }),
    },
    mayEarn: input.mayEarn,
    mayWrite: input.mayWrite,
    forCaller: (event) => event,
    claim:
      input.key === null
        ? null
        : { caller_id: "app a", key: input.key, input_hash: "h", sealed_with: null, received_at: NOW },
  };
}

const flow: Flow<Numbered, Answer> = {
  name: "track-event",
  failed: () => ({ status: 500, body: "" }),
  run: async (tx, projectId, commands) => {
    const answers = await trackEvent.run(
      tx,
      projectId,
      commands.map((one) => commandOf(projectId, one)),
    );
    return answers.map((answer) => ({ ...answer, body: stable(answer.body) }));
  },
};

test("a batch of events is the same as one after the other: customers, points, tiers, benefits, segments", async () => {
  await assertBatchLaw<World, Input, Numbered, Answer>({
    db,
    flow,
    world: fc.record({
      isSegmented: fc.boolean(),
      stock: fc.integer({ min: 0, max: 3 }),
      max: fc.constantFrom(150, 10_000),
    }),
    setUp,
    input: fc.record({
      event: fc.constantFrom("visit", "visit", "visit", "receipt", "nothing"),
      customer: fc.constantFrom("ann", "ann", "ann's id", "bob", "new", "nobody"),
      vip: fc.constantFrom(true, false, null, null),
      stars: fc.constantFrom(5, 3, 0, undefined, "many"),
      card: fc.constantFrom("none", "none", "none", "member's", "campaign's"),
      mayEarn: fc.constantFrom(true, true, true, false),
      mayWrite: fc.constantFrom(true, true, true, false),
      key: fc.constantFrom(null, null, null, "k1", "k2"),
    }) as fc.Arbitrary<Input>,
    command: (n, input) => ({ n, input }),
    numRuns: RUNS,
    ...SEED,
    same: stable,
    alike: {
      oauth_tokens: () => [],
      // A batch makes the cards that people are given for joining before the codes of benefits, and the moments at which
      // codes were made only grow. Its requests came at the same time: here they come hours apart.
      vouchers: (rows) => rows.map(({ created_at: _, ...row }) => row),
      redeemable_stamps: () => [],
    },
  });
});

test("a batch of 40 events takes as many statements as three", async () => {
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  const count = async (size: number) => {
    const projectId = await setUp({ isSegmented: false, stock: 1000, max: 150 });
    const base = { event: "visit", stars: 12, card: "none", mayEarn: true, mayWrite: true } as const;
    const commands = Array.from({ length: size }, (_, n): Numbered => {
      const customer = (["ann", "bob", "ann's id"] as const)[n % 3]!;
      return { n: n + 1, at: 1, input: { ...base, customer, vip: n % 2 === 1, key: `key ${n}` } };
    });
    // The first ones lead to a tier, so that those that are counted give benefits.
    const first = (["ann", "bob"] as const).map((customer, n) => ({
      n: 500 + n,
      at: 0,
      input: { ...base, customer, vip: true, key: null },
    }));
    await transaction(watched, (tx) => flow.run(tx, projectId, first));
    seen.length = 0;
    const answers = await transaction(watched, (tx) => flow.run(tx, projectId, commands));
    for (const { status, body } of answers) assert.equal(status, 200, body);
    const [{ given }] = await db<[{ given: number }]>`
      select count(*) as given from loyalty_transactions where project_id = ${projectId} and kind = 'benefit'`;
    assert.ok(given > 0);
    const [{ earned, joined }] = await db<[{ earned: number; joined: number }]>`
      select count(*) filter (where e.kind = 'accrual') as earned, count(distinct v.campaign_id) as joined
      from ledger_entries e join vouchers v on v.project_id = e.project_id and v.id = e.account_id
      where e.project_id = ${projectId} and v.type = 'LOYALTY_CARD'`;
    assert.ok(earned >= size && joined === 2, `${earned} earnings on cards of ${joined} programs`);
    return [...seen];
  };
  await count(3);
  const [few, many] = [await count(3), await count(40)];
  const often = (all: readonly string[]) =>
    Object.fromEntries(
      Map.groupBy(all, (text) => text)
        .entries()
        .map(([text, same]) => [text, same.length]),
    );
  assert.deepEqual(often(many), often(few));
  assert.ok(few.length <= 45, `${few.length} statements`);
});
