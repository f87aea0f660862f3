import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import type { TtlUnit } from "../../src/core/validate/session.ts";
import type { Write } from "../../src/db/batches/behind.ts";
import type { ValidateCommand } from "../../src/flows/validate/state.ts";
import { validate, validateAndLock } from "../../src/flows/validate/validate.ts";
import type { Project } from "../../src/request.ts";
import { expandOf } from "../../src/steps/checkout/redeemable-view.ts";
import { showValidation } from "../../src/steps/checkout/validation-view.ts";
import { assertBatchLaw } from "../laws/batch-law.ts";
import { newId, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();

type World = { quantity: number; credits: number };
type Input = {
  ids: ("ONE" | "CARD" | "OFF" | "NONE" | "TIER")[];
  credits: number;
  key: string;
  minutes: number;
  repeat: boolean;
};

/** Commands carry the project and its catalog, which are other ones for each world: found by the project's id. */
const worlds = new Map<string, Pick<ValidateCommand, "project" | "catalog"> & { tier: string }>();

async function setUp({ quantity, credits }: World): Promise<string> {
  const { project, ok } = await testShop(db);
  const vip = await ok("POST /v1/validation-rules", {
    name: "vip",
    rules: { 1: { name: "customer.metadata", property: "vip", conditions: { $is: [true] } }, logic: "1" },
  });
  const discount = { type: "PERCENT", percent_off: 10 };
  await ok("POST /v1/vouchers/ONE", { discount, redemption: { quantity } });
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: credits, balance: credits } });
  await ok("POST /v1/vouchers/OFF", { discount, validation_rules: [vip.id] });
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount } });
  await ok("POST /v1/customers", { source_id: "anna", metadata: { vip: true } });
  const [row] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${project.id}`;
  const catalog = await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf(row!);
  worlds.set(project.id, { project: row!, catalog, tier: tier.id });
  return project.id;
}

/** The ids and stamps of a world are its own: the law is about everything else. */
const stable = (text: string) =>
  text
    .replace(/(v|val|promo|camp|cust|proj|asgm|ev)_[0-9a-f]{24}/g, "$1_x")
    .replace(/track_[\w-]+/g, "track_x")
    // The microseconds of customers come from their ids, and those of the set-up are other ones in each world.
    .replace(/(2026-01-01T12:00:00)\.\d{4,6}/g, "$1")
    .replace(/("(?:group_id|request_id)": ?"v-)[0-9a-f]{24}/g, "$1x");

const command = (n: number, { ids, credits, key, minutes, repeat }: Input): ValidateCommand => ({
  ...({} as Pick<ValidateCommand, "project" | "catalog" | "show">),
  newId,
  newSecret: () => "",
  now: new Date(Date.parse("2026-01-01T12:00:00Z") + n * 60_000).toISOString(),
  request_id: `v-${n}`,
  api_key_id: "key",
  forCaller: (shown) => shown,
  id: `valid_${n}`,
  sent: {
    redeemables: ids.map((id) => ({
      object: id === "TIER" ? "promotion_tier" : "voucher",
      id,
      ...(id === "CARD" && { gift: { credits } }),
    })),
    order: { amount: 5000 },
    ...(n % 2 === 0 && { customer: "anna" }),
  },
  session: { type: "LOCK", key, ttl: minutes, ttl_unit: "MINUTES" as TtlUnit },
  claim: repeat
    ? { caller_id: "app a", key: "k", input_hash: "h", sealed_with: null, received_at: "2026-01-01T12:00:00.000Z" }
    : null,
});

/** The flow, told which project it works for. */
const within = <F extends { name: string; failed: typeof validate.failed }>(
  flow: F,
  run: (handle: never, projectId: string, commands: readonly ValidateCommand[]) => Promise<{ body: string }[]>,
) => ({
  ...flow,
  run: async (tx: never, projectId: string, commands: readonly ValidateCommand[]) => {
    const { project, catalog, tier } = worlds.get(projectId)!;
    const show = showValidation(catalog, expandOf(null), { features: [] });
    const own = commands.map((one) => {
      const redeemables = one.sent.redeemables.map((each) => (each.id === "TIER" ? { ...each, id: tier } : each));
      let made = 0;
      const counting: ValidateCommand["newId"] = (prefix) => `${prefix}_${one.request_id}_${++made}`;
      return { ...one, sent: { ...one.sent, redeemables }, project, catalog, show, newId: counting };
    });
    const answers = await run(tx, projectId, own);
    return answers.map((answer) => ({ ...answer, body: stable(answer.body) }));
  },
});

const input: fc.Arbitrary<Input> = fc.record({
  ids: fc.uniqueArray(fc.constantFrom("ONE", "CARD", "OFF", "NONE", "TIER"), { minLength: 1, maxLength: 4 }),
  credits: fc.integer({ min: 0, max: 400 }),
  key: fc.constantFrom("a", "b", "c"),
  minutes: fc.integer({ min: 1, max: 4 }),
  repeat: fc.boolean(),
}) as fc.Arbitrary<Input>;
const world = fc.record({ quantity: fc.integer({ min: 1, max: 3 }), credits: fc.integer({ min: 0, max: 900 }) });

/** Each batch adds rows of its own; the total is their sum. */
const alike: Parameters<typeof assertBatchLaw>[0]["alike"] = {
  validation_tallies: (rows) =>
    [...Map.groupBy(rows, ({ campaign_id, day }) => `${campaign_id} ${day}`)].map(([name, group]) => [
      name,
      group.reduce((sum: number, { succeeded }) => sum + succeeded, 0),
      group.reduce((sum: number, { failed }) => sum + failed, 0),
    ]),
};

test("a batch of validations with sessions is the same as one after the other", async () => {
  const flow = within(validateAndLock, (tx, projectId, commands) => validateAndLock.run(tx, projectId, commands));
  await assertBatchLaw({
    db,
    flow: flow as never,
    world,
    setUp,
    input,
    command: command as never,
    numRuns: 15,
    same: stable,
    alike,
  });
});

test("a batch of validations without sessions is the same as one after the other", async () => {
  const flow = within(validate, (tx, projectId, commands) =>
    validate.read(tx, projectId, commands, (_, write) => write(tx)),
  );
  const alone = (n: number, given: Input) => ({ ...command(n, given), session: null, claim: null });
  await assertBatchLaw({
    db,
    flow: flow as never,
    world,
    setUp,
    input,
    command: alone as never,
    numRuns: 10,
    same: stable,
    alike,
  });
});

test("a batch is loaded in as many statements as a single validation", async () => {
  const projectId = await setUp({ quantity: 100, credits: 1000 });
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  await watched`select 1`;
  const count = async (size: number) => {
    seen.length = 0;
    const { project, catalog, tier } = worlds.get(projectId)!;
    const show = showValidation(catalog, expandOf(null), { features: [] });
    const redeemables = ["ONE", "CARD", "OFF", "NONE"].map((id) => ({ object: "voucher" as const, id }));
    const items = [
      { product_id: "p1", price: 100 },
      { sku_id: "s1", price: 100 },
    ];
    const sent = { redeemables: [...redeemables, { object: "promotion_tier" as const, id: tier }], order: { items } };
    const one = {
      ...command(0, { ids: [], credits: 0, key: "a", minutes: 1, repeat: false }),
      session: null,
      claim: null,
    };
    const commands = Array.from({ length: size }, () => ({
      ...one,
      sent: { ...sent, customer: "anna" },
      project,
      catalog,
      show,
      id: newId("valid"),
    }));
    const writes: Write[] = [];
    await validate.read(watched, projectId, commands, async (_, write) => void writes.push(write));
    await watched.begin((tx) => Promise.all(writes.map((write) => write(tx))));
    return seen.length;
  };
  const [one, many] = [await count(1), await count(40)];
  assert.equal(one, many);
  assert.ok(one <= 12, `${one} statements`);
});
