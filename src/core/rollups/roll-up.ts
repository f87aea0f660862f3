import { NO_SUMS, type RollupSubject, type RollupSums } from "./metrics.ts";

/** A redemption, a refusal or a rollback with the figures that it adds. A rollback takes back what its redemption gave. */
export type CountedRedemption = {
  id: string;
  result: "redemption" | "rollback" | "refusal";
  hour: string;
  day: string;
  campaign_id: string | null;
  tier_id: string | null;
  voucher_id: string | null;
  channel: string | null;
  customer_id: string | null;
  segment_ids: readonly string[];
  /** The redemption that it is a part of, or its own id. */
  stack: string;
  discount: number;
  gift_credits: number;
  points_spent: number;
  revenue: number;
};
/** Points that were moved beside redemptions. */
export type CountedEntry = {
  id: string;
  hour: string;
  day: string;
  campaign_id: string | null;
  metric: "points_issued" | "points_spent";
  points: number;
};

type Key = { subject: RollupSubject; subject_id: string };
export type HourRollup = Key & { hour: string } & RollupSums;
export type DayRollup = Key & { day: string } & RollupSums;
/** Somebody who redeemed something of a campaign on a day; an empty campaign is the whole project. */
export type CustomerDay = { campaign_id: string; day: string; customer_id: string };
export type Rollups = { hours: HourRollup[]; days: DayRollup[]; customers: CustomerDay[] };

/** What rows add to each hour and each day. The parts of a stack come together, in the order of their ids. */
export function rollUp(redemptions: readonly CountedRedemption[], entries: readonly CountedEntry[]): Rollups {
  const hours = new Map<string, HourRollup>();
  const days = new Map<string, DayRollup>();
  const customers = new Map<string, CustomerDay>();
  const stacks = new Set<string>();
  const addTo = (key: Key, { hour, day }: { hour: string; day: string }, sums: Partial<RollupSums>) => {
    const name = `${key.subject} ${key.subject_id}`;
    if (key.subject !== "code") add(hours, `${name} ${hour}`, () => ({ ...key, hour, ...NO_SUMS }), sums);
    add(days, `${name} ${day}`, () => ({ ...key, day, ...NO_SUMS }), sums);
  };
  for (const row of redemptions) {
    for (const key of subjectsOf(row)) {
      const stack = `${key.subject} ${key.subject_id} ${row.result} ${row.stack}`;
      addTo(key, row, sumsOf(row, !stacks.has(stack)));
      stacks.add(stack);
    }
    if (row.result === "redemption" && row.customer_id !== null)
      for (const campaign_id of new Set(["", row.campaign_id ?? ""])) {
        const { day, customer_id } = row;
        customers.set(`${campaign_id} ${day} ${customer_id}`, { campaign_id, day, customer_id });
      }
  }
  for (const { metric, points, campaign_id, ...at } of entries)
    for (const key of subjectsOf({ campaign_id })) addTo(key, at, { [metric]: points });
  return { hours: [...hours.values()], days: [...days.values()], customers: [...customers.values()] };
}

function add<R extends RollupSums>(
  rollups: Map<string, R>,
  name: string,
  make: () => R,
  sums: Partial<RollupSums>,
): void {
  const rollup: RollupSums = rollups.get(name) ?? rollups.set(name, make()).get(name)!;
  for (const [metric, value] of Object.entries(sums)) rollup[metric as keyof RollupSums] += value;
}

type About = Pick<CountedRedemption, "campaign_id"> &
  Partial<Pick<CountedRedemption, "tier_id" | "voucher_id" | "channel" | "segment_ids">>;
/** Everything that figures are kept of, and that a row counts for. */
const subjectsOf = ({ campaign_id, tier_id, voucher_id, channel, segment_ids = [] }: About): Key[] => [
  { subject: "project", subject_id: "" },
  ...(
    [
      ["campaign", campaign_id],
      ["tier", tier_id],
      ["code", voucher_id],
      ["channel", channel],
      ...segment_ids.map((id) => ["segment", id] as const),
    ] as const
  ).flatMap(([subject, subject_id]) => (subject_id == null ? [] : [{ subject, subject_id }])),
];

/** An order is one however many of its redeemables are counted, and so is a request that was refused. */
function sumsOf({ result, revenue, ...row }: CountedRedemption, isFirst: boolean): Partial<RollupSums> {
  if (result === "refusal") return { refusals: isFirst ? 1 : 0 };
  const { discount, gift_credits, points_spent } = row;
  return {
    ...(result === "redemption" ? { redemptions: 1 } : { rollbacks: 1 }),
    ...{ discount, gift_credits, points_spent },
    ...(isFirst && { revenue, orders: Math.sign(revenue) }),
  };
}
