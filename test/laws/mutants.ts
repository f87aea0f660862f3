// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of code, and hold templates of theirs
/** A guard that is taken out of a copy of the tree, and the tests that must notice it. */
export type Mutant = {
  /** What is missing then. */
  without: string;
  /** Without a file: wherever in `src` the code is. It must be there once. */
  edits: readonly { file?: string; from: string; to: string }[];
  /** The test file, and a part of the names of the tests of it that are run; one of them must fail. */
  caughtBy: { file: string; tests: string };
  /** Who runs it beside `npm run test:mutants`: the gate, or every `npm test`. */
  with?: "gate" | "npm test";
};

const VOUCHERS = "src/resources/promotions/vouchers/store.ts";
const COUNTERS = "src/resources/checkout/counters/store.ts";
const CUSTOMERS = "src/resources/customers/customers/store.ts";
const ORDERS = "src/resources/orders/orders/store.ts";

const racing = (tests: string) => ({ file: "test/checkout/redemptions-concurrency.test.ts", tests });
const CIRCLES = "no two transactions waited";

const spending = (tests: string) => ({ file: "test/loyalty-v2/loyalty-concurrency.test.ts", tests });

const MONEY = { file: "test/checkout/reference/reference-calculator.test.ts", tests: "agree about random carts" };
const ITEMS = "src/core/discounts/items.ts";

const unlockedVouchers = ["id = any(${ids})", "${called(tx, project, references)}"].map((where) => ({
  file: VOUCHERS,
  from: `${where} and deleted_at is null\n      order by id for no key update\`.execute(),`,
  to: `${where} and deleted_at is null\n      order by id\`.execute(),`,
}));
const unguardedUses = {
  file: "src/resources/promotions/vouchers/state-store.ts",
  from: "is not distinct from x.available then 1 else 0 end)",
  to: "is not distinct from x.available then 1 else 1 end)",
};

const unlockedMembers = {
  file: "src/resources/loyalty-v2/members/store.ts",
  from: "id = any(${ids}) and status <> 'DELETED'\n    order by id for no key update`.execute();",
  to: "id = any(${ids}) and status <> 'DELETED'\n    order by id`.execute();",
};
const unlockedCards = {
  file: "src/resources/loyalty-v2/cards/store.ts",
  from: "and deleted_at is null\n    order by id for no key update`.execute();",
  to: "and deleted_at is null\n    order by id`.execute();",
};

export const MUTANTS: Mutant[] = [
  {
    without: "the count of rows that a statement compares before COMMIT",
    edits: [{ file: "src/db/each-row.ts", from: "1 / (count(*) = ${count}::bigint)::int", to: "count(*)" }],
    caughtBy: { file: "test/db/each-row.test.ts", tests: "where a row is gone" },
  },
  {
    without: "the question whether a limit came meanwhile",
    edits: [
      {
        file: "src/flows/redeem/batch.ts",
        from: "revision !== null && requireNoNewLimit(tx, projectId, revision),",
        to: "",
      },
    ],
    caughtBy: { file: "test/checkout/limits-meanwhile.test.ts", tests: "is decided again" },
  },
  {
    without: "the rule that an earning rule gives once per move to a tier",
    edits: [
      {
        file: "src/steps/earning/campaign-earning-plan.ts",
        from: "if (once !== null && given.has(once)) continue;",
        to: "",
      },
    ],
    caughtBy: { file: "src/steps/earning/campaign-earning-plan.test.ts", tests: "once for each kind of move" },
  },
  {
    without: "the limit of an entry over its lines",
    edits: [{ file: ITEMS, from: "target.entry.aggregated_amount_limit - used,", to: "null," }],
    caughtBy: MONEY,
    with: "npm test",
  },
  {
    without: "the limit of an entry over the lines of a split",
    edits: [{ file: ITEMS, from: "limit: entry.aggregated_amount_limit,", to: "limit: Number.MAX_SAFE_INTEGER," }],
    caughtBy: MONEY,
  },
  {
    without: "the limit of an entry on a line of a split",
    edits: [{ file: ITEMS, from: "value, target.entry.amount_limit, discount.amountLimit)", to: "value)" }],
    caughtBy: MONEY,
  },
  {
    without: "the units that an amount off a line is for",
    edits: [{ file: ITEMS, from: "target.count < item.quantity", to: "target.count < 0" }],
    caughtBy: MONEY,
  },
  {
    without: "the limit on units of a line",
    edits: [{ file: ITEMS, from: "entry.quantity_limit * unitLimitFactor,", to: "null," }],
    caughtBy: MONEY,
  },
  {
    without: "the limit on units over time",
    edits: [{ file: ITEMS, from: "...budgets.map(({ left }) => left),", to: "" }],
    caughtBy: MONEY,
  },
  {
    without: "the order of lines where a split is tied",
    edits: [{ file: ITEMS, from: "\n    .toSorted((a, b) => a.index - b.index)", to: "" }],
    caughtBy: MONEY,
  },
  {
    without: "the digits of a percentage that a formula gives",
    edits: [{ file: "src/core/money/amounts.ts", from: "exact.toSignificantDigits(SETTLED_DIGITS)", to: "exact" }],
    caughtBy: MONEY,
  },
  {
    without: "the other lines of a product that free units are of",
    edits: [
      {
        file: "src/core/discounts/units.ts",
        from: "i === found.index || holds(item, unitType, unit)",
        to: "i === found.index",
      },
    ],
    caughtBy: MONEY,
  },
  {
    without: "units that a gift card paid for before",
    edits: [
      {
        file: "src/core/validate/judge.ts",
        from: "usedUnits: usedBefore(redeemable, running),\n        })",
        to: "usedUnits: new Map(),\n        })",
      },
    ],
    caughtBy: MONEY,
  },
  {
    without: "the lock on members, nor on their cards",
    edits: [unlockedMembers, unlockedCards],
    caughtBy: spending("spend no more points"),
  },
  {
    without: "the lock on members",
    edits: [unlockedMembers],
    caughtBy: spending("a purchase limit of a member"),
  },
  {
    without: "the lock on the stock of a reward",
    edits: [
      {
        file: "src/resources/loyalty-v2/programs/assignments-store.ts",
        from: "order by component_id for no key update`;",
        to: "order by component_id`;",
      },
    ],
    caughtBy: spending("the last one in stock"),
  },
  {
    without: "the lock on an order that is paid with points",
    edits: [
      {
        file: ORDERS,
        from: ": tx`id = ${given.id}`}\n    order by id for no key update`;",
        to: ": tx`id = ${given.id}`}\n    order by id`;",
      },
    ],
    caughtBy: spending("many members pay"),
  },
  {
    without: "the lock on codes, nor the guard when they are saved",
    edits: [...unlockedVouchers, unguardedUses],
    caughtBy: racing("redeemed 10 times"),
    with: "gate",
  },
  {
    without: "the lock on cards, nor the guard when they are saved",
    edits: [...unlockedVouchers, unguardedUses],
    caughtBy: racing("balance of a gift card"),
  },
  { without: "the lock on codes", edits: unlockedVouchers, caughtBy: racing("redeemed 10 times") },
  { without: "the guard when codes are saved", edits: [unguardedUses], caughtBy: racing("a use that breaks a limit") },
  {
    without: "one order in which codes are locked",
    edits: unlockedVouchers.map((one) => ({
      ...one,
      to: one.from.replace("order by id", "order by md5(id || pg_backend_pid())"),
    })),
    caughtBy: racing(`stacks name in different orders|${CIRCLES}`),
  },
  {
    without: "the lock on the counters of a campaign",
    edits: [
      {
        file: COUNTERS,
        from: "::text[]::date[])\n    order by subject_kind, subject_id, period_kind, period_start for no key update",
        to: "::text[]::date[])\n    order by subject_kind, subject_id, period_kind, period_start",
      },
    ],
    caughtBy: racing("a campaign's"),
    with: "gate",
  },
  {
    without: "counters that are made before they are locked",
    edits: [
      {
        file: COUNTERS,
        from: "on conflict do nothing`.execute();",
        to: "on conflict do nothing`;",
      },
    ],
    caughtBy: racing("a campaign's number of redemptions"),
  },
  {
    without: "what a batch has added to counters so far",
    edits: [
      {
        from: "  for (const { subject, asker, values } of plan.additions) state.use.add(subject, asker, values);\n",
        to: "",
      },
    ],
    caughtBy: racing("a campaign's|so often with an API key"),
  },
  {
    without: "what a batch has taken of a code so far",
    edits: [{ from: "  for (const row of plan.vouchers) rows.vouchers?.set(row.id, row);\n", to: "" }],
    caughtBy: racing(`redeemed 10 times|${CIRCLES}`),
  },
  {
    without: "what a batch has spent so far",
    edits: [{ from: "  for (const account of plan.accounts) rows.accounts?.set(account.id, account);\n", to: "" }],
    caughtBy: racing("balance of a gift card"),
  },
  {
    without: "the lock on customers",
    edits: [
      {
        file: CUSTOMERS,
        from: "${wanted} order by id for no key update`.execute();",
        to: "${wanted} order by id`.execute();",
      },
    ],
    caughtBy: racing("a customer of whom every redemption changes something else"),
  },
  {
    without: "starting over when a customer was made meanwhile",
    edits: [{ file: CUSTOMERS, from: "throw isTaken(error) ? new StartOver", to: "throw !error ? new StartOver" }],
    caughtBy: racing("who is made by the redemption"),
  },
  {
    without: "the lock on orders",
    edits: [
      {
        file: ORDERS,
        from: "source_id: sourceIds })}\n  order by id for no key update`.execute();",
        to: "source_id: sourceIds })}\n  order by id`.execute();",
      },
    ],
    caughtBy: racing("an order that every redemption adds to"),
  },
  {
    without: "starting over when an order was made meanwhile",
    edits: [
      { file: "src/flows/redeem/save.ts", from: "throw isTaken(error) ?", to: "throw isTaken(error) && false ?" },
    ],
    caughtBy: racing("customers and orders that are all new|an order that every redemption adds to"),
  },
  {
    without: "all locks before the first round of a batch",
    edits: [{ from: "if (rounds.length > 1) await lockRows", to: "if (rounds.length < 0) await lockRows" }],
    caughtBy: racing(`who enter segments|${CIRCLES}`),
  },
  {
    without: "what sessions hold",
    edits: [
      {
        file: "src/flows/redeem/decide.ts",
        from: "heldOf: (id) => state.sessions.held.get(id),",
        to: "heldOf: () => undefined,",
      },
    ],
    caughtBy: racing("units that sessions hold"),
  },
  {
    without: "the lock on codes that a session is to hold",
    edits: [
      {
        file: "src/flows/validate/load.ts",
        from: "codes.length > 0 ? lockNamedVouchers(tx, project, codes) : [],",
        to: "findVouchers(tx, project, codes),",
      },
    ],
    caughtBy: racing("locks and redemptions without a session"),
  },
  {
    without: "the claim of an Idempotency-Key",
    edits: [
      {
        file: "src/idempotency/claim.ts",
        from: "if (claims.length === 0) return",
        to: "if (claims.length >= 0) return",
      },
    ],
    caughtBy: racing("one Idempotency-Key"),
  },
  {
    without: "the wait for whoever holds an Idempotency-Key",
    edits: [
      {
        file: "src/idempotency/claim.ts",
        from: "select pg_advisory_xact_lock(hash) from (",
        to: "select hash from (",
      },
    ],
    caughtBy: { file: "test/http/idempotency.test.ts", tests: "40 requests at once" },
  },
  {
    without: "the status of a redemption that is locked before it is rolled back, nor the lock on its card",
    edits: [
      {
        file: "src/resources/checkout/redemptions/rollback-store.ts",
        from: "id = any(${ids})\n    order by id for no key update`.execute();",
        to: "id = any(${ids})\n    order by id`.execute();",
      },
      {
        file: "src/resources/checkout/redemptions/rollback-store.ts",
        from: "order by r.id for no key update`.execute();",
        to: "order by r.id`.execute();",
      },
      {
        file: ORDERS,
        from: "id = any(${ids}) order by id for no key update`.execute();",
        to: "id = any(${ids}) order by id`.execute();",
      },
      {
        file: VOUCHERS,
        from: "id = any(${ids}) order by id for no key update`.execute(),",
        to: "id = any(${ids}) order by id`.execute(),",
      },
      {
        file: ORDERS,
        from: "sourceIds })}\n  order by id for no key update`.execute();",
        to: "sourceIds })}\n  order by id`.execute();",
      },
    ],
    caughtBy: racing("the rollback of one redemption|redemptions and rollbacks"),
  },
  {
    without: "the lock on a campaign whose codes are given away, nor on the codes",
    edits: [
      ...unlockedVouchers,
      {
        file: "src/resources/promotions/campaigns/codes-store.ts",
        from: "any(${campaignIds}) and deleted_at is null\n    order by id for no key update`.execute();\n  return new Set",
        to: "any(${campaignIds}) and deleted_at is null\n    order by id`.execute();\n  return new Set",
      },
    ],
    caughtBy: racing("that are given away"),
  },
];
