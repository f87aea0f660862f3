import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { type Catalog, createCatalogs } from "../../src/catalog/catalog.ts";
import { publish } from "../../src/flows/publish/publish.ts";
import type { PublishCommand } from "../../src/flows/publish/state.ts";
import type { Project } from "../../src/request.ts";
import { assertBatchLaw } from "../laws/batch-law.ts";
import { testDatabase } from "../support/engine.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();

type World = { codes: number };
type Input = {
  source: "STATIC" | "AUTO" | "ONCE" | "ALL" | "FREE" | "S0" | "S1" | "nobody" | "none";
  customer: "anna" | "bob" | "new" | "unknown";
  count: number;
  name: string | null;
  join_once: boolean | null;
  source_id: string | null;
  repeat: boolean;
};

/** Commands carry the project and its catalog, which are other ones for each world: found by the project's id. */
const worlds = new Map<string, { project: Project; catalog: Catalog }>();

async function setUp({ codes }: World): Promise<string> {
  const { call, project: own } = await testShop(db);
  const ok = okOf(call);
  const discount = { type: "PERCENT", percent_off: 10 };
  const campaign = async (name: string, more: object = {}, voucher: object = {}) =>
    ok("POST /v1/campaigns", { name, type: "STATIC", voucher: { discount, ...voucher }, ...more });
  const statics = await campaign("STATIC", { activity_duration_after_publishing: "P1D" });
  // Few codes can be made, so that some are made twice.
  await campaign("AUTO", { type: "AUTO_UPDATE" }, { code_config: { pattern: "A#", charset: "12345678" } });
  const once = await campaign("ONCE", { join_once: true });
  await campaign("ALL", { type: "STANDALONE" }, { code: "ALL" });
  await ok("POST /v1/vouchers/FREE", { discount });
  for (let n = 0; n < codes; n += 1) {
    await ok(`POST /v1/campaigns/${statics.id}/vouchers/S${n}`, {});
    await ok(`POST /v1/campaigns/${once.id}/vouchers/O${n}`, {});
  }
  await ok("POST /v1/segments", {
    name: "Annas",
    type: "auto-update",
    filter: { junction: "and", name: { conditions: { $is: ["Anna"] } } },
  });
  for (const source_id of ["anna", "bob"]) await ok("POST /v1/customers", { source_id });
  const [project] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${own.id}`;
  const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf(project!);
  worlds.set(own.id, { project: project!, catalog });
  const named = await db<{ id: string; name: string }[]>`
    select id, source_id as name from customers where project_id = ${own.id}
    union all select id, code from vouchers where project_id = ${own.id}
    union all select id, name from campaigns where project_id = ${own.id}`;
  for (const { id, name } of named) names.set(id, name);
  return own.id;
}

/** What the ids of a world stand for: they are other ones in each world, and the law is about everything else. */
const names = new Map<string, string>();
const stable = (text: string) =>
  text
    .replace(/WyJwcm9q[\w.-]+/g, "picture")
    .replace(/track_[\w-]+/g, "track_x")
    // The microseconds of customers come from their ids, and those of the set-up are other ones in each world.
    .replace(/("source_id":"\w+","created_at":"2026-01-01T12:00:00)\.\d+/g, "$1")
    .replace(/\b([a-z]+)[_-]019b7[0-9a-f]{19}\b/g, (id, prefix) => names.get(id) ?? `${prefix}_x`);

/** Ids and randomness of one command, the same however often it is made. */
const sources = (n: number) => {
  let count = 0;
  return {
    newId: (prefix: string) => `${prefix}_${(n * 1000 + ++count).toString(16).padStart(24, "0")}`,
    newSecret: () => createHash("sha256").update(`${n} ${++count}`).digest("hex"),
  };
};

const command = (n: number, input: Input): PublishCommand & { input: Input; n: number } => ({
  ...({} as Pick<PublishCommand, "project" | "catalog" | "newId" | "newSecret">),
  n,
  input,
  now: new Date(Date.parse("2026-01-01T12:00:00Z") + Math.floor(n / 3) * 60_000).toISOString(),
  request_id: `v-${n}`,
  api_key_id: "key",
  sent: sentOf(input),
  join_once: input.join_once,
  forCaller: (shown) => shown,
  claim: input.repeat
    ? { caller_id: "app a", key: "k", input_hash: "h", sealed_with: null, received_at: "2026-01-01T12:00:00.000Z" }
    : null,
});

function sentOf({ source, customer, count, name, source_id }: Input): PublishCommand["sent"] {
  const isCampaign = ["STATIC", "AUTO", "ONCE", "ALL"].includes(source);
  return {
    ...(isCampaign ? { campaign: { name: source, count } } : source === "none" ? {} : { voucher: source }),
    customer: customer === "unknown" ? "unknown" : { source_id: customer, ...(name !== null && { name }) },
    metadata: { count },
    source_id,
  };
}

const law = (flow: typeof publish) => ({
  db,
  flow: {
    ...flow,
    run: async (tx: never, projectId: string, commands: readonly ReturnType<typeof command>[]) => {
      const own = commands.map((one) => ({ ...one, ...sources(one.n), ...worlds.get(projectId)! }));
      const answers = await flow.run(tx, projectId, own as never);
      return answers.map((answer) => ({ ...answer, body: stable(answer.body) }));
    },
  } as never,
  world: fc.record({ codes: fc.integer({ min: 0, max: 4 }) }),
  setUp,
  input: fc.record({
    source: fc.constantFrom(
      "STATIC",
      "STATIC",
      "AUTO",
      "AUTO",
      "ONCE",
      "ONCE",
      "ALL",
      "FREE",
      "S0",
      "S1",
      "nobody",
      "none",
    ),
    customer: fc.constantFrom("anna", "anna", "bob", "new", "unknown"),
    count: fc.constantFrom(1, 1, 1, 2, 3, 51),
    name: fc.constantFrom("Anna", "Bob", null),
    join_once: fc.constantFrom(true, false, null),
    source_id: fc.constantFrom("s1", "s2", null, null),
    repeat: fc.boolean(),
  }) as fc.Arbitrary<Input>,
  command: command as never,
  numRuns: 20,
  same: stable,
});

test("a batch of publications is the same as one after the other", async () => {
  await assertBatchLaw(law(publish));
});

test("a batch is published in as many statements as a single publication", async () => {
  const projectId = await setUp({ codes: 0 });
  const { project, catalog } = worlds.get(projectId)!;
  await db`
    insert into vouchers (project_id, id, code, code_folded, campaign_id, type, created_at)
    select ${projectId}, 'v_' || n, 'N' || n, 'n' || n, ${catalog.campaigns.values().find(({ name }) => name === "STATIC")!.id},
      'DISCOUNT_VOUCHER', now() + n * interval '1 second' from generate_series(100, 299) n`;
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  await watched`select 1`;
  let n = 1000;
  const count = async (size: number) => {
    const plain = { ...catalog, segments: new Map() };
    const commands = Array.from({ length: size }, () => {
      n += 1;
      const sent = { campaign: "STATIC", customer: { source_id: `c${n}` } };
      return { ...command(0, {} as Input), sent, ...sources(n), project, catalog: plain, claim: null, join_once: null };
    });
    seen.length = 0;
    const answers = await watched.begin((tx) => publish.run(tx as never, projectId, commands as never));
    assert.ok((answers as { status: number }[]).every(({ status }) => status === 200));
    return seen.length;
  };
  const [one, many] = [await count(1), await count(40)];
  assert.equal(one, many);
  assert.ok(one <= 16, `${one} statements`);
});
