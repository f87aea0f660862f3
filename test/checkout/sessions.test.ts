import assert from "node:assert/strict";
import { test } from "node:test";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { skipOnCitus } from "../support/nodes.ts";

const { db, open } = await testDatabase();

/** A project with a clock that is moved by hand, and two engines with pools of their own: two processes in one. */
async function world() {
  const project = await testProject(db);
  let now = "2026-01-01T12:00:00.000Z";
  const clock = { now: () => now };
  const goTo = (to: string) => {
    now = to;
  };
  const engines = await Promise.all([1, 2].map(() => testEngine(db, project, { ...clock, hot: open({ max: 3 }) })));
  const { call } = engines[0]!;
  const code = async (name: string, quantity: number | null, more: object = {}) => {
    const discount = { type: "PERCENT", percent_off: 10 };
    const body = {
      type: "DISCOUNT_VOUCHER",
      discount,
      ...(quantity !== null && { redemption: { quantity } }),
      ...more,
    };
    const reply = await call(`POST /v1/vouchers/${name}`, body);
    assert.equal(reply.status, 200, reply.text);
  };
  const gift = (name: string, amount: number) =>
    call(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift: { amount, balance: amount } });
  const validate = async (ids: readonly (string | object)[], session?: object | null, by = call) => {
    const redeemables = ids.map((id) => (typeof id === "string" ? { object: "voucher", id } : id));
    return (await by("POST /v1/validations", { redeemables, order: { amount: 10_000 }, ...(session && { session }) }))
      .body;
  };
  const reason = (body: any) => body.inapplicable_redeemables?.[0].result.error.key ?? null;
  const locks = () =>
    db`select redeemable_id, session_key, quantity, credits, points, expires_at from session_locks
      where project_id = ${project.id} order by session_key, redeemable_id`;
  return { project, engines, call, code, gift, validate, reason, locks, goTo };
}

test("a session without a time lasts seven days, and its key is made when none is sent", async () => {
  const { code, validate, reason, goTo } = await world();
  await code("ONE", 1);
  const { session, valid } = await validate(["ONE"], { type: "LOCK" });
  assert.equal(valid, true);
  assert.match(session.key, /^ssn_[0-9a-f]{32}$/);
  assert.deepEqual([session.type, session.ttl, session.ttl_unit], ["LOCK", 7, "DAYS"]);
  assert.equal(reason(await validate(["ONE"])), "quantity_exceeded");
  assert.equal(reason(await validate(["ONE"], { type: "LOCK", key: "other" })), "quantity_exceeded");
  assert.equal(reason(await validate(["ONE"], { type: "LOCK", key: session.key })), null);
  goTo("2026-01-08T11:59:59.999Z");
  assert.equal(reason(await validate(["ONE"])), "quantity_exceeded");
  goTo("2026-01-08T12:00:00.001Z");
  assert.equal(reason(await validate(["ONE"])), null);
});

const ENDS: [ttl: number, unit: string, end: string][] = [
  [2, "DAYS", "2026-01-03T12:00:00.000Z"],
  [1.5, "HOURS", "2026-01-01T13:30:00.000Z"],
  [1, "MINUTES", "2026-01-01T12:01:00.000Z"],
  [10, "SECONDS", "2026-01-01T12:00:10.000Z"],
  [10, "MILLISECONDS", "2026-01-01T12:00:00.010Z"],
  [10, "MICROSECONDS", "2026-01-01T12:00:00.000010Z"],
  [1, "NANOSECONDS", "2026-01-01T12:00:00.000001Z"],
];
test("a session ends after its time, in every unit, and never early", async () => {
  const { code, validate, locks } = await world();
  await code("C", null);
  for (const [ttl, ttl_unit, end] of ENDS) {
    const { session } = await validate(["C"], { type: "LOCK", key: "k", ttl, ttl_unit });
    assert.deepEqual(session, { key: "k", type: "LOCK", ttl, ttl_unit });
    assert.deepEqual(
      (await locks()).map(({ expires_at }) => expires_at),
      [end],
    );
  }
});

test("the same key again holds what it holds now, and nothing of before", async () => {
  const { code, gift, validate, reason, locks } = await world();
  await code("A", 1);
  await code("B", 1);
  await gift("G", 500);
  await validate(["A", { object: "voucher", id: "G", gift: { credits: 300 } }], { type: "LOCK", key: "k" });
  assert.deepEqual(
    (await locks()).map(({ quantity, credits, points }) => [quantity, credits, points]),
    [
      [1, 0, 0],
      [1, 300, 0],
    ],
  );
  const left = (credits: number) => validate([{ object: "voucher", id: "G", gift: { credits } }]);
  assert.deepEqual([reason(await left(200)), reason(await left(201))], [null, "gift_amount_exceeded"]);
  assert.deepEqual((await left(150)).redeemables[0].result.gift, { credits: 150, balance: 50 });
  // What is not valid changes nothing.
  assert.equal((await validate(["A", "nobody"], { type: "LOCK", key: "k" })).valid, false);
  assert.equal(reason(await validate(["A"])), "quantity_exceeded");
  const { session } = await validate(["B"], { type: "LOCK", key: "k" });
  assert.equal(session.key, "k");
  assert.equal(reason(await validate(["A"])), null);
  assert.equal(reason(await left(500)), null);
  assert.equal(reason(await validate(["B"])), "quantity_exceeded");
});

test("what a session holds of a code is released by its key, once", async () => {
  const { call, code, validate, reason } = await world();
  await code("A", 1);
  await validate(["A"], { type: "LOCK", key: "a key/ü" });
  const path = `/v1/vouchers/a/sessions/${encodeURIComponent("a key/ü")}`;
  assert.equal((await call("DELETE /v1/vouchers/A/sessions/other")).status, 404);
  assert.equal((await call(`DELETE ${path}`)).status, 204);
  assert.equal(reason(await validate(["A"])), null);
  assert.equal((await call(`DELETE ${path}`)).status, 404);
});

test("no session is made when nothing applies", async () => {
  const { validate, locks } = await world();
  const body = await validate(["nobody"], { type: "LOCK", key: "k" });
  assert.deepEqual([body.valid, "session" in body, (await locks()).length], [false, false, 0]);
});

test("many sessions at once never hold more than there is, over two processes", async () => {
  const { code, gift, engines, validate, locks } = await world();
  await code("TEN", 10);
  await gift("CARD", 1000);
  const card = { object: "voucher", id: "CARD", gift: { credits: 100 } };
  const calls = Array.from({ length: 64 }, (_, n) => {
    const by = engines[n % 2]!.call;
    const ids = n % 3 === 0 ? ["TEN"] : n % 3 === 1 ? [card] : n % 2 === 0 ? ["TEN", card] : [card, "TEN"];
    return validate(ids, { type: "LOCK", key: `k${n}` }, by);
  });
  const answers = await Promise.all(calls);
  assert.ok(answers.every((body) => typeof body.valid === "boolean"));
  const held = await locks();
  const credits = held.reduce((sum, lock) => sum + lock.credits, 0);
  const units = held.filter((lock) => lock.credits === 0).length;
  assert.equal(credits, 1000, "all credits are held, and none twice");
  assert.equal(units, 10, "all units are held, and none twice");
  const valid = answers.flatMap((body, n) => (body.valid ? [n] : []));
  const keys = new Set(held.map((lock) => lock.session_key));
  assert.deepEqual(new Set(valid.map((n) => `k${n}`)), keys, "who was told so holds it");
});

test("two requests of one session at once leave the locks of one of them", async () => {
  const { code, engines, validate, locks } = await world();
  await Promise.all(["A", "B", "C", "D"].map((name) => code(name, 5)));
  for (let round = 0; round < 5; round += 1) {
    const sets = [
      ["A", "B"],
      ["C", "D"],
      ["B", "C"],
      ["D", "A"],
    ];
    await Promise.all(
      sets.map((ids, n) => validate(ids, { type: "LOCK", key: `same ${round}` }, engines[n % 2]!.call)),
    );
    const mine = (await locks()).filter((lock) => lock.session_key === `same ${round}`);
    assert.equal(mine.length, 2);
  }
});

test("a repeated request with its key holds nothing twice and answers the same", async () => {
  const { call, code, locks } = await world();
  await code("A", 5);
  const body = { redeemables: [{ object: "voucher", id: "A" }], order: { amount: 100 }, session: { type: "LOCK" } };
  const send = () => call("POST /v1/validations", body, { "idempotency-key": "once" });
  const [first, second] = [await send(), await send()];
  assert.equal(first.text, second.text);
  assert.equal(second.headers["idempotent-replayed"], "true");
  assert.equal((await locks()).length, 1);
});

/** What breaks the rule that sums are those of the locks. */
const wrongSums = () => INVARIANTS["what sessions hold of a code is the sum of their locks"]!(db);

test("law: whatever sessions do, the sum of a code is that of its locks, over two processes", async () => {
  const { project, engines, code, gift, validate, goTo } = await world();
  const { call } = engines[0]!;
  await Promise.all(["A", "B"].map((name) => code(name, 1_000)));
  await code("FREE", null);
  await gift("CARD", 100_000);
  const card = { object: "voucher", id: "CARD", gift: { credits: 100 } };
  for (let round = 0; round < 6; round += 1) {
    const ttl = { ttl: round % 2 === 0 ? 10 : 100, ttl_unit: "MINUTES" };
    await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const by = engines[n % 2]!.call;
        const session = { type: "LOCK", key: `s${n % 7}`, ...ttl };
        const ids = [["A"], ["A", "FREE"], [card, "B"], ["B", "A"]][(n + round) % 4]!;
        if (n % 6 !== 5) return validate(ids, session, by);
        if (n % 12 === 5) return by(`DELETE /v1/vouchers/A/sessions/s${n % 7}`);
        const redeemables = [{ object: "voucher", id: "B" }];
        return by("POST /v1/redemptions", { redeemables, order: { amount: 1_000 }, session });
      }),
    );
    assert.equal((await wrongSums())[0]!.count, 0, `after round ${round}`);
    goTo(`2026-01-01T12:${String(11 * (round + 1) - 7).padStart(2, "0")}:00.000Z`);
    if (round === 3)
      await Promise.all([purge("2026-01-01T12:40:00.000Z"), validate(["A"], { type: "LOCK", key: "s1" })]);
  }
  assert.equal((await call("DELETE /v1/vouchers/B?force=true")).status, 204);
  assert.equal((await wrongSums())[0]!.count, 0);
  await purge("2027-01-01T00:00:00.000Z");
  const left = await db`select * from session_locks where project_id = ${project.id}`;
  assert.equal(left.length, 0);
  const sums = await db`
    select sum(quantity)::int as quantity, sum(credits)::int as credits from session_sums where project_id = ${project.id}`;
  assert.deepEqual([...sums], [{ quantity: 0, credits: 0 }]);
});

const purge = (now: string) => purgeExpired.run({ db, now: () => now } as Parameters<typeof purgeExpired.run>[0]);

const onePlan = skipOnCitus("the plan of the machine that has the rows is wrapped in one of another form");
test("law: a request reads as many rows with 4,000 live sessions on its code as with none", onePlan, async () => {
  const { project, code, validate, engines } = await world();
  await code("LIMITED", 10_000);
  await code("FREE", null);
  const [limited] = await db`select id from vouchers where project_id = ${project.id} and code = 'LIMITED'`;
  const [unlimited] = await db`select id from vouchers where project_id = ${project.id} and code = 'FREE'`;
  for (const id of [limited!.id, unlimited!.id]) {
    await db`insert into session_locks (project_id, redeemable_id, session_key, quantity, expires_at)
      select ${project.id}, ${id}, 's' || n, 1, '2026-02-01' from generate_series(1, 4000) as n`;
    await db`insert into session_sums values (${project.id}, ${id}, 4000, 0, 0)`;
  }
  const asked: { text: string; parameters: readonly unknown[] }[] = [];
  const onQuery = (text: string, parameters: readonly unknown[]) => {
    if (text.includes("session_")) asked.push({ text, parameters });
  };
  const { call } = await testEngine(db, project, {
    now: () => "2026-01-01T12:00:00.000Z",
    hot: open({ max: 3, onQuery }),
  });
  assert.equal((await validate(["FREE"], null, call)).valid, true);
  assert.equal((await validate(["LIMITED"], null, call)).valid, true);
  assert.equal((await validate(["LIMITED"], { type: "LOCK", key: "new" }, call)).valid, true);
  const reads = asked.filter(({ text }) => text.includes("session_sums") && text.includes("union all"));
  assert.equal(reads.length, 3);
  await db`analyze session_locks, session_sums`;
  const read: { locks: number; sums: number }[] = [];
  for (const { text, parameters } of reads) {
    await db.begin(async (tx) => {
      // There are few sums yet: it would rather look at each.
      await tx`set local enable_seqscan = off`;
      const [row] = await tx.unsafe(`explain (analyze, format json) ${text}`, parameters as never);
      const plan = (row as Record<string, any>)["QUERY PLAN"][0].Plan;
      read.push({ locks: rowsRead(plan, "session_locks"), sums: rowsRead(plan, "session_sums") });
    });
  }
  const [free, one, own] = read;
  assert.deepEqual(free, { locks: 0, sums: 0 }, "of a code that nothing limits nobody asks what is held");
  assert.deepEqual(one, { locks: 0, sums: 1 });
  assert.deepEqual(own, { locks: 1, sums: 1 }, "only its own: explained once more, it finds what it holds now");
  // All that may be held are held: the next session is refused, and so is somebody without one.
  await db`update session_sums set quantity = 10000 where project_id = ${project.id} and redeemable_id = ${limited!.id}`;
  assert.equal((await validate(["LIMITED"], { type: "LOCK", key: "late" }, engines[1]!.call)).valid, false);
});

/** How many rows of a table a plan has read, those included that it dropped. */
const rowsRead = (plan: any, table: string): number =>
  (plan.Plans ?? []).reduce(
    (sum: number, part: any) => sum + rowsRead(part, table),
    plan["Relation Name"] === table ? plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0) : 0,
  );
