import assert from "node:assert/strict";
import { test } from "node:test";
import { createLanes, type Submit } from "../../src/db/batches/batch.ts";
import type { Tx } from "../../src/db/db.ts";
import { claimKeys } from "../../src/idempotency/claim.ts";
import type { RedeemRequest } from "../../src/steps/checkout/requests.ts";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { hold } from "../support/hold.ts";
import { lockWaits } from "../support/nodes.ts";
import { until } from "../support/storage.ts";

// What one project does keeps no other project waiting, and a row that somebody holds keeps only those waiting that need it.
const { db, open } = await testDatabase();

type Limits = Partial<Parameters<typeof createLanes>[1]>;

/** Two projects on one process, each with codes. */
async function shops(limits: Limits) {
  const [a, b] = [await testProject(db), await testProject(db)];
  const batches: number[] = [];
  const lanes = createLanes(open({ max: 3 }), {
    reserve: open({ max: 1 }),
    report: (error) => console.error(error),
    observe: (_, size) => void batches.push(size),
    timeoutMs: 120_000,
    ...limits,
  });
  // The next commands reach the lanes together: FIRST alone, and all others behind it as one batch.
  let wanted = 0;
  const gathered: { isFirst: boolean; go(): void }[] = [];
  const submit = ((flow: never, projectId: string, command: RedeemRequest) => {
    if (wanted === 0) return lanes(flow, projectId, command);
    return new Promise((resolve) => {
      const isFirst = command.sent.redeemables[0]!.id === "FIRST";
      gathered.push({ isFirst, go: () => resolve(lanes(flow, projectId, command)) });
      if (gathered.length < wanted) return;
      wanted = 0;
      for (const { go } of gathered.splice(0).sort((x, y) => Number(y.isFirst) - Number(x.isFirst))) go();
    });
  }) as Submit;
  const gather = (count: number) => {
    wanted = count;
  };
  const [ofA, ofB] = [await testEngine(db, a, { submit }), await testEngine(db, b, { submit })];
  for (const { call } of [ofA, ofB])
    for (const code of ["FIRST", "HELD", "FREE", "ALSO"]) {
      const made = await call(`POST /v1/vouchers/${code}`, { discount: { type: "AMOUNT", amount_off: 1 } });
      assert.equal(made.status, 200, made.text);
    }
  return { a, ofA, ofB, batches, gather };
}

const redeeming = (code: string, more: object = {}) => ({ redeemables: [{ object: "voucher", id: code }], ...more });

test("with every lane held by a locked code of one project, another project redeems before the lock is released", async () => {
  // The lock is waited for as long as it takes: both lanes stay held.
  const { a, ofA, ofB, batches } = await shops({ lanes: 2, lockMs: 0 });
  const release = await hold(
    db,
    (tx) => tx`select id from vouchers where project_id = ${a.id} and code = 'HELD' order by id for no key update`,
  );
  const waiting = Array.from({ length: 6 }, () => ofA.call("POST /v1/redemptions", redeeming("HELD")));
  await until("both lanes wait for the code", async () => (await lockWaits(db)) === 2);
  for (const code of ["FREE", "ALSO"]) {
    const other = await ofB.call("POST /v1/redemptions", redeeming(code));
    assert.equal(other.status, 200, other.text);
  }
  assert.deepEqual(batches.slice(-2), [1, 1]);
  await release();
  assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([200]));
});

type Case = [what: string, lock: (tx: Tx, projectId: string) => PromiseLike<unknown>, body: object, key?: string];
const CASES: Case[] = [
  [
    "code",
    (tx, id) => tx`select 1 from vouchers where project_id = ${id} and code = 'HELD' for no key update`,
    redeeming("held"),
  ],
  [
    "customer",
    (tx, id) => tx`select 1 from customers where project_id = ${id} and source_id = 'ann' for no key update`,
    redeeming("FREE", { customer: { source_id: "ann" } }),
  ],
  [
    "order",
    (tx, id) => tx`select 1 from orders where project_id = ${id} and source_id = 'o-1' for no key update`,
    redeeming("FREE", { order: { source_id: "o-1", amount: 500 } }),
  ],
  [
    "session",
    (tx, id) => tx`select 1 from sessions where project_id = ${id} and key = 'ses' for no key update`,
    redeeming("FREE", { session: { type: "LOCK", key: "ses" } }),
  ],
  [
    "idempotency key",
    (tx, id) => claimKeys(tx, id, [{ claim: claimOf(), request_id: "v-1" }]),
    redeeming("FREE"),
    "held",
  ],
];
let caller = "";
const claimOf = () => ({ caller_id: caller, key: "held", input_hash: "", sealed_with: null, received_at: NOW });

for (const [what, lock, body, key] of CASES)
  test(`a held ${what}: only the redemptions that need it wait; the others of their batch are answered before`, async () => {
    const asides: number[] = [];
    const observeSetAside = (_: string, count: number) => void asides.push(count);
    const { a, ofA, batches, gather } = await shops({ lanes: 1, lockMs: 20, pauseMs: 5, observeSetAside });
    caller = `app ${a.app.id}`;
    const ok = async (line: string, sent: object) => assert.equal((await ofA.call(line, sent)).status, 200);
    await ok("POST /v1/customers", { source_id: "ann" });
    await ok("POST /v1/orders", { source_id: "o-1", amount: 500 });
    await ok("POST /v1/validations", redeeming("FREE", { session: { type: "LOCK", key: "ses" } }));
    const [before, count] = [batches.length, asides.length];
    const release = await hold(db, (tx) => lock(tx, a.id));
    gather(9);
    const redeem = (sent: object, headers = {}) => ofA.call("POST /v1/redemptions", sent, headers);
    const first = redeem(redeeming("FIRST"));
    const waiting = [0, 1].map(() => redeem(body, key === undefined ? {} : { "idempotency-key": key }));
    const neighbours = Array.from({ length: 6 }, () => redeem(redeeming("ALSO")));
    for (const reply of await Promise.all([first, ...neighbours])) assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(batches.slice(before, before + 2), [1, 8]);
    assert.equal(asides[count], 2, "both at once: the flow says who waits");
    await release();
    // A key that stays held for some seconds, as it may on a slow machine, is told to its client.
    for (const reply of await Promise.all(waiting))
      if (key === undefined || reply.status !== 409) assert.equal(reply.status, 200, reply.text);
  });

test("a held code: only the validation with a session that needs it waits", async () => {
  const { a, ofA } = await shops({ lanes: 1, lockMs: 20, pauseMs: 5 });
  const release = await hold(
    db,
    (tx) => tx`select id from vouchers where project_id = ${a.id} and code = 'HELD' order by id for no key update`,
  );
  const ask = (code: string, key: string) =>
    ofA.call("POST /v1/validations", redeeming(code, { session: { type: "LOCK", key } }));
  const [first, held, ...others] = [ask("FREE", "1"), ask("HELD", "2"), ask("FREE", "3"), ask("ALSO", "4")];
  for (const reply of await Promise.all([first, ...others])) assert.equal(reply.status, 200, reply.text);
  const plain = await ofA.call("POST /v1/validations", redeeming("HELD"));
  assert.equal(plain.status, 200, "without a session nothing is locked");
  await release();
  assert.equal((await held).status, 200);
});

test("out of time, a validation without a session is overloaded: nothing was written; the others are unknown", async () => {
  const project = await testProject(db);
  let taken: string[] = [];
  const never: ReturnType<typeof createLanes> = (flow) => {
    taken.push(flow.name);
    return new Promise(() => {});
  };
  const { call } = await testEngine(db, project, { submit: never, requestTimeoutMs: 250 });
  const lines: [body: object, flow: string, key: string][] = [
    [redeeming("CODE"), "validate", "overloaded"],
    [redeeming("CODE", { session: { type: "LOCK" } }), "validate-and-lock", "outcome_unknown"],
  ];
  // On a busy machine the time may be over before the command is there; then nothing is unknown either.
  for (const [body, flow, key] of lines)
    await until(`${flow} is submitted in time`, async () => {
      taken = [];
      const reply = await call("POST /v1/validations", body);
      assert.deepEqual([reply.status, reply.body.key], [503, taken.length > 0 ? key : "overloaded"]);
      return taken[0] === flow;
    });
});
