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
import { cardClub, on } from "../support/card-clubs.ts";
import { testDatabase } from "../support/engine.ts";

// BATCH_RUNS raises the number of mixes, BATCH_SEED repeats one.
const RUNS = Number(process.env.BATCH_RUNS ?? 4);
const SEED = process.env.BATCH_SEED === undefined ? {} : { seed: Number(process.env.BATCH_SEED) };
const { db, open } = await testDatabase();
const NOW = Date.parse("2026-01-01T12:00:00.000Z");

type World = { stock: number | null; price: number; isCode: boolean };
type Input = { who: "ann" | "bob" | "eve"; event: "visit" | "party" };
type Numbered = { n: number; input: Input };
const worlds = new Map<string, Pick<TrackCommand, "project" | "catalog">>();
const codes = new Map<string, string>();

async function setUp({ stock, price, isCode }: World): Promise<string> {
  const club = await cardClub(db);
  const [visit, party] = [await club.define("visit"), await club.define("party")];
  const program = await club.open([on(visit, 10), on(party, 35)], { auto_join: true });
  await program.addTiers({ name: "Top", points: { from: 30 } });
  const coupons = isCode && {
    campaign: {
      id: (
        await club.ok("POST /v1/campaigns", {
          name: "Coupons",
          campaign_type: "DISCOUNT_COUPONS",
          type: "AUTO_UPDATE",
          voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 100 } },
        })
      ).id,
      type: "DISCOUNT_COUPONS",
    },
  };
  const mug = await club.ok("POST /v1/products", { name: "Mug" });
  const parameters = coupons || { product: { id: mug.id } };
  const reward = await club.ok("POST /v1/rewards", { name: "Prize", parameters, ...(stock !== null && { stock }) });
  await club.ok(`POST /v1/rewards/${reward.id}/assignments`, {
    campaign: program.campaign.id,
    parameters: { loyalty: { points: price, auto_redeem: true } },
  });
  for (const who of ["ann", "bob"]) codes.set((await program.join(who)).code, `CARD OF ${who}`);
  const [row] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${club.project.id}`;
  const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf(row!);
  worlds.set(row!.id, { project: row!, catalog });
  return row!.id;
}

function commandOf(projectId: string, { n, input: { who, event } }: Numbered): TrackCommand {
  let made = 0;
  return {
    ...worlds.get(projectId)!,
    now: new Date(NOW + n * 3_600_000).toISOString(),
    request_id: `v-${n}`,
    api_key_id: "key",
    newId: (prefix) => `${prefix}_${(n * 1000 + ++made).toString(16).padStart(24, "0")}`,
    newSecret: () => createHash("sha256").update(`${n} ${++made}`).digest("hex"),
    sent: { event, customer: { source_id: who }, metadata: {} },
    mayEarn: true,
    mayWrite: true,
    forCaller: (event) => event,
    claim: null,
  };
}

/** What is undone and decided again has other ids: whose they are is told by the rest of the row. */
const stable = (text: string) =>
  [...codes]
    .reduce((all, [code, name]) => all.replaceAll(code, name), text)
    .replace(/\b([a-z]+)[_-][0-9a-f]{24}\b/g, "$1_x")
    .replace(/track_[\w-]+/g, "track_x")
    .replace(/("code"|"code_folded"|"voucher_code"):"\w{8}"/g, '$1:"x"')
    .replace(/("source_id":"\w+","created_at":"2026-01-01T12:00:00)\.\d+/g, "$1")
    .replace(/"id":"[0-9a-f-]{36}"/g, '"id":"x"');

/** A batch counts in one row. */
const counted = (rows: readonly any[]) => [rows.reduce((sum, { count }) => sum + count, 0)];

/** No two codes are of one moment, and a batch makes its cards before the codes that rewards are. */
const undated = (rows: readonly any[]) => rows.map(({ created_at: _, ...row }) => row);

const flow: Flow<Numbered, Answer> = {
  name: "track-event",
  failed: () => ({ status: 500, body: "" }),
  run: async (tx, projectId, commands) => {
    const given = commands.map((one) => commandOf(projectId, one));
    const answers = await trackEvent.run(tx, projectId, given);
    return answers.map((answer) => ({ ...answer, body: stable(answer.body) }));
  },
};

test("a batch of events redeems the same rewards as one after the other, also where there are too few", async () => {
  await assertBatchLaw<World, Input, Numbered, Answer>({
    db,
    flow,
    world: fc.record({
      stock: fc.constantFrom(null, 0, 1, 3, 5),
      price: fc.constantFrom(10, 15, 30),
      isCode: fc.boolean(),
    }),
    setUp,
    input: fc.record({ who: fc.constantFrom("ann", "bob", "eve"), event: fc.constantFrom("visit", "party") }),
    command: (n, input) => ({ n, input }),
    numRuns: RUNS,
    ...SEED,
    same: stable,
    alike: { oauth_tokens: () => [], redemption_tallies: counted, vouchers: undated, redeemable_stamps: () => [] },
  });
});

test("a batch of 20 events that redeem rewards takes as many statements as one", async () => {
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  const count = async (size: number, isCode: boolean) => {
    const projectId = await setUp({ stock: 1000, price: 10, isCode });
    // At one moment, as a batch comes. A card has ten occasions a day.
    const commands = Array.from({ length: size }, (_, n) => {
      const input = { who: (["ann", "bob"] as const)[n % 2]!, event: "party" } as const;
      return { ...commandOf(projectId, { n, input }), now: new Date(NOW).toISOString() };
    });
    seen.length = 0;
    const answers = await transaction(watched, (tx) => trackEvent.run(tx, projectId, commands));
    for (const { status, body } of answers) assert.equal(status, 200, body);
    const [{ made }] = await db<[{ made: number }]>`
      select count(*) as made from redemptions where project_id = ${projectId}`;
    assert.equal(made, size * 3.5 - (size === 1 ? 0.5 : 0));
    return seen.map((text) => text.replace(/s\d+\$?/g, "")).sort();
  };
  for (const isCode of [false, true]) {
    await count(1, isCode);
    const [one, many] = [await count(1, isCode), await count(20, isCode)];
    assert.deepEqual(many, one);
  }
});
