import type { ExampleFacts } from "./examples.ts";
import type { Counts } from "./facts.ts";
import { defineRule, type LoadedFact, type RuleExample, single } from "./rule.ts";

type Counted = "campaign" | "campaign_customer" | "incentive" | "incentive_customer";

const PERIODS: readonly { suffix: string; period: keyof Counts; says: string }[] = [
  { suffix: "", period: "total", says: "" },
  { suffix: ".daily", period: "day", says: " today" },
  { suffix: ".weekly", period: "week", says: " this week" },
  { suffix: ".monthly", period: "month", says: " this month" },
];
type Subject = {
  name: string;
  counted: Counted;
  loads: LoadedFact & `${string}_counts`;
  says: string;
  hasTotal: boolean;
};
const SUBJECTS: readonly Subject[] = [
  {
    name: "campaign.redemptions.count",
    counted: "campaign",
    loads: "campaign_counts",
    says: "in the campaign",
    hasTotal: true,
  },
  {
    name: "campaign.redemptions.customers_count",
    counted: "campaign_customer",
    loads: "customer_counts",
    says: "by the customer in the campaign",
    hasTotal: true,
  },
  {
    name: "redemption.count",
    counted: "incentive",
    loads: "own_counts",
    says: "of this code or tier",
    hasTotal: false,
  },
  {
    name: "redemption.count.per_customer",
    counted: "incentive_customer",
    loads: "customer_counts",
    says: "of this code or tier by the customer",
    hasTotal: true,
  },
];

const isPerCustomer = (counted: Counted): boolean => counted.endsWith("_customer");

/**
 * A limit of 1 allows one redemption: the left side is those so far plus the one that is being decided, so that
 * 0 + 1 is within it and 1 + 1 is not.
 */
const atMostOne = (facts: (existing: number) => ExampleFacts): RuleExample[] => [
  { conditions: { $less_than_or_equal: [1] }, facts: facts(0), holds: true },
  { conditions: { $less_than_or_equal: [1] }, facts: facts(1), holds: false },
  { conditions: { $less_than: [3] }, facts: facts(1), holds: true },
];

const periodic = SUBJECTS.flatMap(({ name, counted, loads, says, hasTotal }) =>
  PERIODS.filter(({ period }) => hasTotal || period !== "total").map(({ suffix, period, says: when }) =>
    defineRule({
      name: `${name}${suffix}`,
      summary: `The number of redemptions ${says}${when}, including this one.`,
      family: "redemption",
      takes: "number",
      unit: "count",
      needs: isPerCustomer(counted) ? ["customer"] : [],
      loads: [loads],
      read: ({ counts }) => single(counts[counted][period] + 1),
      examples: atMostOne((existing) => ({ customer: {}, counts: { [counted]: { [period]: existing } } })),
    }),
  ),
);

const CALLERS: readonly { name: string; counted: "incentive_api_key" | "incentive_user"; says: string }[] = [
  { name: "redemption.count.per_api_key", counted: "incentive_api_key", says: "this API key" },
  { name: "redemption.count.per_user", counted: "incentive_user", says: "this user" },
];
const perCaller = CALLERS.map(({ name, counted, says }) =>
  defineRule({
    name,
    summary: `The number of redemptions of this code or tier by ${says}, including this one.`,
    family: "redemption",
    takes: "number",
    unit: "count",
    needs: [],
    loads: ["own_counts"],
    read: ({ counts }) => single(counts[counted] + 1),
    examples: atMostOne((existing) => ({ counts: { [counted]: existing } })),
  }),
);

export const redemptionCounts = [...periodic, ...perCaller];
