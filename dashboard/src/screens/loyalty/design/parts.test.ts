import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { EarningRule, LoyaltyReward } from "../../../api/operations.gen.ts";
import { en } from "../../../text/en.ts";
import { createText } from "../../../text/text.ts";
import { type Design, headOf, KINDS, linksOf, type Part, partsOf, placesOf } from "./parts.ts";
import { costBodyOf, costValueOf, earningBodyOf, earningValueOf, newEarning } from "./ways.ts";

const anybody = { type: "NO_REQUIREMENTS" } as const;
const gold = { type: "ANY_OF", any_of: [{ tier_structure_id: "lts_1", tier_ids: ["lt_2"] }] } as const;
type Earning = EarningRule["earnings"][number];
const perUnit = (id: string, value: number, tier_rules: object): Earning =>
  ({
    ...{ id, name: null, tier_rules },
    effects: [
      {
        type: "POINTS_PROPORTIONAL",
        points_proportional: {
          calculation_type: "POST_DISCOUNT_ORDER_AMOUNT",
          order: { total_amount: { every: 100, value } },
          ...{ card_definition_id: "w_1", points_expiration: null },
        },
      },
    ],
  }) as Earning;
const cost = (id: string, points: number, tier_rules: object) =>
  ({ id, tier_rules, spending: [{ id: `s${id}`, name: null, points, card_definition_id: "w_1" }] }) as never;

const design = {
  wallets: [
    { id: "w_1", name: "Points", status: "ACTIVE", points_expiration: { type: "NO_EXPIRATION" } },
    { id: "w_2", name: "Stars", status: "DRAFT", points_expiration: { type: "NO_EXPIRATION" } },
  ].map((one) => ({ ...one, pending_points: { type: "IMMEDIATE" } })),
  rules: [
    {
      ...{ id: "r_1", name: "Orders", status: "ACTIVE", trigger: { event: "customer.order.paid" } },
      earnings: [perUnit("e1", 2, gold), perUnit("e2", 1, anybody)],
    },
    {
      ...{ id: "r_2", name: "Elsewhere", status: "ACTIVE", trigger: { event: "customer.custom_event" } },
      earnings: [{ id: "e3", tier_rules: anybody, effects: [{ type: "INCENTIVE", incentive: { id: "b_1" } }] }],
    },
  ],
  structure: { id: "lts_1", card_definition_id: "w_1", type: "POINT_BALANCE" },
  tiers: [
    { id: "lt_2", name: "Gold", qualification_rules: { points: { min_value: 1000 } } },
    { id: "lt_1", name: "Silver", qualification_rules: { points: { min_value: 0, max_value: 999 } } },
  ],
  rewards: [
    {
      reward: {
        ...{ id: "rew_1", name: "Mug", status: "ACTIVE", type: "MATERIAL" },
        costs: [cost("c1", 600, gold), cost("c2", 800, anybody)],
      },
      assigned: { stock: { type: "LIMITED", limited: { quantity: 20 } }, redeemed: 3 },
    },
  ],
} as unknown as Design;
const look = { t: createText(en, "en-GB"), currency: "EUR" };

test("a program is told part by part, with names and amounts", () => {
  const parts = partsOf(design, look);
  const linesOf = (name: string) => parts.find((part) => part.name === name)!.lines;
  assert.deepEqual(
    parts.map(({ name }) => name),
    ["Orders", "Elsewhere", "Points", "Stars", "Silver", "Gold", "Mug"],
  );
  assert.match(linesOf("Orders")[1]!, /^Gold: 2 points for each .*1\.00 → Points$/);
  assert.deepEqual(linesOf("Mug"), ["a product · 20 left", "Gold: 600 Points", "800 Points", "bought 3 times"]);
  assert.deepEqual(linesOf("Gold"), ["from 1,000 points", "by the balance of Points"]);
});

test("links go from left to right between parts that are there, each once", () => {
  const kinds = new Map(partsOf(design, look).map(({ id, kind }) => [id, KINDS.indexOf(kind)]));
  const links = linksOf(design);
  for (const { from, to } of links) assert.ok(kinds.get(from)! < kinds.get(to)!, `${from} ${to}`);
  assert.deepEqual(links.map(({ from, to, how }) => `${from} ${how} ${to}`).sort(), [
    "lt_2 opens rew_1",
    "r_1 fills w_1",
    "w_1 counts lt_1",
    "w_1 counts lt_2",
    "w_1 pays rew_1",
  ]);
  assert.deepEqual(
    linksOf({ ...design, wallets: [] }).map(({ how }) => how),
    ["opens"],
  );
});

test("no two parts of a column overlap, whatever their heights are, and the flow is as high as the highest column", () => {
  const part = fc.record({ id: fc.uuid(), kind: fc.constantFrom(...KINDS), height: fc.integer({ min: 20, max: 200 }) });
  fc.assert(
    fc.property(fc.uniqueArray(part, { selector: ({ id }) => id, maxLength: 20 }), (all) => {
      const heights = new Map(all.map(({ id, height }) => [id, height]));
      const heightOf = (id: string) => heights.get(id) ?? 34;
      const parts = all.map((one): Part => ({ ...one, name: one.id, status: null, lines: [] }));
      const { places, column, height } = placesOf(parts, 1100, heightOf);
      for (const kind of KINDS) {
        const ids = [headOf(kind), ...all.filter((one) => one.kind === kind).map(({ id }) => id)];
        const ends = ids.map((id) => places.get(id)!.y + heightOf(id));
        for (const [n, id] of ids.slice(1).entries()) assert.ok(places.get(id)!.y >= ends[n]!);
        assert.ok(Math.max(...ends) <= height);
        assert.ok(places.get(headOf(kind))!.x + column <= 1100);
      }
    }),
  );
});

test("saving a rule or a reward that nobody changed sends what was there", () => {
  for (const { earnings } of design.rules)
    for (const earning of earnings) {
      const body = earningBodyOf(earningValueOf(earning, 0), "lts_1");
      assert.deepEqual(JSON.parse(JSON.stringify(body)), earning);
    }
  for (const one of (design.rewards[0]!.reward as LoyaltyReward).costs)
    assert.deepEqual(costBodyOf(costValueOf(one, 0), "lts_1"), one);
});

test("a way of earning that is new says everything that the interface asks for", () => {
  const value = { ...newEarning(1, "w_1"), tiers: ["lt_1"] };
  assert.deepEqual(earningBodyOf(value, "lts_1"), {
    tier_rules: { type: "ANY_OF", any_of: [{ tier_structure_id: "lts_1", tier_ids: ["lt_1"] }] },
    effects: [
      {
        type: "POINTS_PROPORTIONAL",
        points_proportional: {
          calculation_type: "POST_DISCOUNT_ORDER_AMOUNT",
          card_definition_id: "w_1",
          order: { total_amount: { every: 100, value: 1 } },
        },
      },
    ],
  });
  const fixed = earningBodyOf({ ...value, gives: "points", points: 50, tiers: [] }, null);
  assert.deepEqual(fixed.effects, [{ type: "POINTS", points: { value: 50, card_definition_id: "w_1" } }]);
});
