import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { MemberRow } from "../../rows/loyalty.ts";
import { applyEarningPlan, type EarningPlan, mergeEarningPlans, NOTHING_EARNED } from "./plan.ts";
import { CAMPAIGN_CAUSES } from "./triggers.ts";

type Card = { balance: number };
const id = fc.constantFrom("a", "b");
const plans = fc.array(
  fc.record({
    card: fc.tuple(id, fc.integer()),
    member: fc.tuple(id, fc.integer()),
    benefit: fc.tuple(id, fc.integer({ min: 1, max: 3 })),
    order: fc.record({ id, cause: fc.constantFrom(...CAMPAIGN_CAUSES), isDone: fc.boolean() }),
  }),
);
type Sample = typeof plans extends fc.Arbitrary<(infer P)[]> ? P : never;
const planOf = ({ card, member, benefit, order }: Sample): EarningPlan<Card> => ({
  ...NOTHING_EARNED,
  cards: new Map([[card[0], { balance: card[1] }]]),
  members: new Map([[member[0], { id: member[0], uses: { n: member[1] } } as unknown as MemberRow]]),
  benefits: new Map([benefit]),
  orders: [{ ...order, at: "" }],
});
const rows = () => ({
  cards: new Map<string, Card>(),
  members: new Map<string, MemberRow>(),
  stock: new Map([
    ["a", 1_000],
    ["b", 1_000],
  ]),
  done: new Set<string>(),
});

test("merged plans leave the rows that they leave one after the other", () => {
  fc.assert(
    fc.property(plans, (given) => {
      const all = given.map(planOf);
      const [apart, together] = [rows(), rows()];
      for (const plan of all) applyEarningPlan(apart, plan);
      applyEarningPlan(together, mergeEarningPlans(all));
      assert.deepEqual(together, apart);
    }),
  );
});

test("an empty plan changes nothing, and adds nothing to another", () => {
  fc.assert(
    fc.property(plans, (given) => {
      const [before, after] = [rows(), rows()];
      applyEarningPlan(after, NOTHING_EARNED);
      assert.deepEqual(after, before);
      const all = given.map(planOf);
      assert.deepEqual(mergeEarningPlans([NOTHING_EARNED, ...all, NOTHING_EARNED]), mergeEarningPlans(all));
    }),
  );
});

test("an order either earned or was returned last, never both", () => {
  fc.assert(
    fc.property(plans, (given) => {
      const after = rows();
      for (const plan of given.map(planOf)) applyEarningPlan(after, plan);
      for (const order of ["a", "b"]) {
        const noted = CAMPAIGN_CAUSES.filter((cause) => after.done.has(`${cause} ${order}`));
        assert.ok(noted.length <= 1, noted.join());
      }
    }),
  );
});
