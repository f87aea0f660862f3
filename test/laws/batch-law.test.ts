import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Answer, refusal, success } from "../../src/core/answer.ts";
import type { Flow } from "../../src/db/batches/batch.ts";
import type { Tx } from "../../src/db/db.ts";
import { answerAll, type Claim, claimKeys } from "../../src/idempotency/claim.ts";
import { NOW, testDatabase, testProject } from "../support/engine.ts";
import { assertBatchLaw } from "./batch-law.ts";

// A flow of the smallest kind that has everything: units that run out, rows of its own, idempotency keys.
const { db } = await testDatabase();
await db`
  create table units (project_id text not null, id text not null, quantity int not null, taken int not null,
    primary key (project_id, id))`;
await db`
  create table takings (project_id text not null, id text not null, unit_id text not null, left_over int not null,
    primary key (project_id, id))`;

type Command = { id: string; unit_id: string; claim: Claim | null; request_id: string };
type Unit = { id: string; quantity: number; taken: number };
type Load = (tx: Tx, projectId: string, commands: readonly Command[]) => Promise<(id: string) => Unit | undefined>;

const lockUnits: Load = async (tx, projectId, commands) => {
  const ids = [...new Set(commands.map(({ unit_id }) => unit_id))];
  const rows = await tx<Unit[]>`
    select id, quantity, taken from units where project_id = ${projectId} and id = any(${ids})
    order by id for no key update`;
  const units = new Map(rows.map((row) => [row.id, row]));
  return (id) => units.get(id);
};
/** The planted fault: every command decides on what was there before the batch. */
const forgetful: Load = async (tx, projectId, commands) => {
  const unitOf = await lockUnits(tx, projectId, commands);
  return (id) => {
    const unit = unitOf(id);
    return unit && { ...unit };
  };
};

const taking = (load: Load): Flow<Command, Answer> => ({
  name: "take",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  run: async (tx, projectId, commands) => {
    const { fresh, stored } = await claimKeys(tx, projectId, commands);
    const unitOf = await load(tx, projectId, fresh);
    const takings: { id: string; unit_id: string; left_over: number }[] = [];
    const answers = new Map<Command, Answer>();
    for (const command of fresh) {
      const unit = unitOf(command.unit_id);
      if (!unit || unit.taken === unit.quantity) {
        answers.set(command, refusal("not_found", { request_id: command.request_id }));
        continue;
      }
      unit.taken += 1;
      const left_over = unit.quantity - unit.taken;
      takings.push({ id: command.id, unit_id: unit.id, left_over });
      answers.set(command, success({ id: command.id, left_over }));
    }
    await tx`
      update units u set taken = u.taken + x.taken
      from (select unit_id, count(*)::int as taken from unnest(${takings.map((t) => t.unit_id)}::text[]) as t (unit_id)
        group by unit_id) as x
      where u.project_id = ${projectId} and u.id = x.unit_id`;
    await tx`
      insert into takings select ${projectId}, * from unnest(${takings.map((t) => t.id)}::text[],
        ${takings.map((t) => t.unit_id)}::text[], ${takings.map((t) => t.left_over)}::int[])`;
    return answerAll(tx, projectId, { commands, answers, stored });
  },
});

const claims = fc.record({
  caller_id: fc.constantFrom("app a", "app b"),
  key: fc.constantFrom("k1", "k2", "k3"),
  input_hash: fc.constantFrom("h1", "h1", "h2"),
});
const law = (flow: Flow<Command, Answer>) => ({
  db,
  flow,
  world: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 }),
  setUp: async (quantities: number[]) => {
    const { id: project_id } = await testProject(db);
    const units = quantities.map((quantity, n) => ({ project_id, id: `unit ${n}`, quantity, taken: 0 }));
    await db`insert into units ${db(units)}`;
    return project_id;
  },
  input: fc.record({ unit: fc.integer({ min: 0, max: 3 }), claim: fc.option(claims, { nil: null, freq: 2 }) }),
  command: (
    n: number,
    { unit, claim }: { unit: number; claim: Pick<Claim, "caller_id" | "key" | "input_hash"> | null },
  ) => ({
    id: `taking ${n}`,
    unit_id: `unit ${unit}`,
    request_id: `v-${n}`,
    claim: claim && { ...claim, sealed_with: null, received_at: NOW },
  }),
});

test("a batch of n gives the same rows and answers as n single runs in the same order", async () => {
  await assertBatchLaw(law(taking(lockUnits)));
});

test("the law is broken, and found to be, by a flow whose commands do not see those before them", async () => {
  const found = (error: Error) => /the (answers|rows) are the same/.test(`${error.message} ${error.cause}`);
  await assert.rejects(assertBatchLaw(law(taking(forgetful))), found);
});
