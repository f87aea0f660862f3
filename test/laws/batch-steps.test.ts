import { test } from "node:test";
import type { Flow, ReadFlow, Submit } from "../../src/db/batches/batch.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import { assertNotSteep, type Calls, countCalls } from "../support/calls.ts";
import { cardClub, FIXED } from "../support/card-clubs.ts";
import { clubOf } from "../support/clubs.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

// Twice as many requests in one batch take about twice as many steps. Redemptions have it in
// test/checkout/redemptions-batch.test.ts. One thing is left out: a card that each command puts points on looks at all of
// its lots each time.
const { db } = await testDatabase();

type Waiting = { command: unknown; resolve(answer: any): void; reject(error: unknown): void };
type Counter = Awaited<ReturnType<typeof countCalls>>;
type AnyFlow = Flow<unknown, unknown> | ReadFlow<unknown, unknown>;

/** Lanes that wait until so many commands have come, and run them as one batch. */
function gatherer() {
  let calls: Counter | null = null;
  let size = 1;
  let waiting: Waiting[] = [];
  let counted: Calls = new Map();
  const runBatch = async (flow: AnyFlow, projectId: string, commands: readonly unknown[]) => {
    let answers: unknown[] = [];
    const run = async () => {
      answers =
        "read" in flow
          ? await flow.read(db, projectId, commands, (_, write) =>
              transaction(db, async (tx) => void (await write(tx))),
            )
          : await transaction(db, (tx) => flow.run(tx, projectId, commands));
    };
    if (calls) counted = await calls.of(run);
    else await run();
    return answers;
  };
  const submit = (async (flow: AnyFlow, projectId: string, command: unknown, isSure?: Promise<boolean>) => {
    if (isSure && !(await isSure)) return flow.failed(command, "overloaded");
    return new Promise((resolve, reject) => {
      waiting.push({ command, resolve, reject });
      if (waiting.length < size) return;
      const batch = waiting;
      waiting = [];
      runBatch(
        flow,
        projectId,
        batch.map((one) => one.command),
      ).then(
        (answers) => {
          for (const [n, one] of batch.entries()) one.resolve(answers[n]);
        },
        (error) => {
          for (const one of batch) one.reject(error);
        },
      );
    });
  }) as Submit;
  /** Sends as many requests as one batch, each of which must succeed. */
  const together = async <T>(count: number, send: (n: number) => Promise<T>): Promise<T[]> => {
    size = count;
    const answers = await Promise.all(Array.from({ length: count }, (_, n) => send(n)));
    size = 1;
    return answers;
  };
  const count = async (by: Counter, commands: number, send: Send): Promise<Calls> => {
    calls = by;
    await together(commands, send);
    return counted;
  };
  return { options: { submit }, together, count };
}
type Gatherer = ReturnType<typeof gatherer>;

type Send = (n: number) => Promise<unknown>;
const discount = { type: "PERCENT", percent_off: 10 };
const anna = { source_id: "anna" };
const items = [{ source_id: "p1", price: 1200, quantity: 2 }];
const key = (n: number) => ({ "idempotency-key": `key ${n}` });

/** A code, a gift card, a promotion and a customer who holds codes. */
async function shopOf({ options }: Gatherer) {
  const shop = await testShop(db, {}, options);
  const { ok } = shop;
  await ok("POST /v1/vouchers/ONE", { type: "DISCOUNT_VOUCHER", discount });
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 900_000, balance: 900_000 } });
  const promotion = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${promotion.id}/tiers`, { name: "T", action: { discount } });
  await ok("POST /v1/customers", anna);
  for (const code of ["OWN-1", "OWN-2"]) {
    await ok(`POST /v1/vouchers/${code}`, { type: "DISCOUNT_VOUCHER", discount });
    await ok("POST /v1/publications", { voucher: code, customer: anna });
  }
  const redeemables = [
    { object: "voucher", id: "ONE" },
    { object: "voucher", id: "CARD", gift: { credits: 1 } },
    { object: "promotion_tier", id: tier.id },
  ];
  return { ...shop, redeemables };
}

const BATCHES: Record<string, (gatherer: Gatherer, size: number) => Promise<Send>> = {
  validations: async (gathered) => {
    const { ok, redeemables } = await shopOf(gathered);
    return () => ok("POST /v1/validations", { redeemables, customer: anna, order: { items } });
  },
  "validations that hold one code for a session each": async (gathered) => {
    const { ok } = await shopOf(gathered);
    await ok("POST /v1/vouchers/LIMITED", { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 100_000 } });
    const redeemables = [{ object: "voucher", id: "LIMITED" }];
    const session = (n: number) => ({ type: "LOCK", key: `session ${n}`, ttl: 1, ttl_unit: "HOURS" });
    return (n) => ok("POST /v1/validations", { redeemables, session: session(n), order: { items } });
  },
  "validations that hold a code each": async (gathered, size) => {
    const { ok } = await shopOf(gathered);
    const one = { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 1 } };
    for (let n = 0; n < size; n += 1) await ok(`POST /v1/vouchers/CODE-${n}`, one);
    const session = (n: number) => ({ type: "LOCK", key: `session ${n}`, ttl: 1, ttl_unit: "HOURS" });
    return (n) => {
      const redeemables = [{ object: "voucher", id: `CODE-${n}` }];
      return ok("POST /v1/validations", { redeemables, session: session(n), order: { items } });
    };
  },
  "qualifications of one customer": async (gathered) => {
    const { ok } = await shopOf(gathered);
    return () => ok("POST /v1/qualifications", { scenario: "ALL", customer: anna, order: { items } });
  },
  "rollbacks of one code and one customer": async (gathered, size) => rollbacks(gathered, size, "ONE"),
  "rollbacks of a gift card": async (gathered, size) => rollbacks(gathered, size, "CARD"),
  "events of many loyalty cards, which earn points": async ({ options }, size) => {
    const club = await cardClub(db, { options });
    const visit = await club.define("visit");
    const rule = { event: "visit", custom_event: { schema_id: visit.id }, loyalty: FIXED(7) };
    const { join } = await club.open([rule]);
    for (let n = 0; n < size; n += 1) await join(`holder ${n}`);
    return (n) => club.track("visit", `holder ${n}`, {}, key(n));
  },
  "events of many members, who earn points": async ({ options }, size) => {
    const club = await clubOf(db, { options });
    const visit = await club.define("visit");
    const trigger = { event: "customer.custom_event", custom_event: { schema_id: visit.id } };
    const program = await club.open([{ trigger, earnings: [{ effects: [club.points(7)] }] }]);
    for (let n = 0; n < size; n += 1) await program.enrol(`member ${n}`);
    return (n) => club.track("visit", `member ${n}`, {}, key(n));
  },
};

async function rollbacks(gathered: Gatherer, size: number, code: string): Promise<Send> {
  const { ok, redeemables } = await shopOf(gathered);
  const own = redeemables.filter(({ id }) => id === code);
  const made = await gathered.together(size, (n) =>
    ok("POST /v1/redemptions", { redeemables: own, customer: anna, order: { items } }, key(n)),
  );
  return (n) => ok(`POST /v1/redemptions/${made[n].redemptions[0].id}/rollback`, {}, key(size + n));
}

const SIZE = 32;
for (const [what, setUp] of Object.entries(BATCHES))
  test(`twice as many take at most 2.2 times as many steps: ${what}`, async () => {
    const made: { size: number; gathered: Gatherer; send: Send }[] = [];
    for (const size of [2, SIZE, 2 * SIZE]) {
      const gathered = gatherer();
      made.push({ size, gathered, send: await setUp(gathered, size) });
    }
    const counter = await countCalls(/src\/(?:core|flows|steps|resources|events)\//);
    const counted: Calls[] = [];
    for (const { size, gathered, send } of made) counted.push(await gathered.count(counter, size, send));
    await counter.end();
    assertNotSteep(counted[1]!, counted[2]!, SIZE);
  });
