import {
  type Addition,
  type Asker,
  addedTo,
  type CountedSubject,
  counterKeys,
  counterName,
  counterPeriods,
  NO_COUNTER_VALUES,
  tierKey,
} from "../../core/redeem/counters.ts";
import type { CounterKey, CounterRow, CounterValues } from "../../core/rows/counter.ts";
import { type Counts, NO_COUNTERS, NO_COUNTS, type RuleFacts } from "../../core/rules/facts.ts";
import type { PeriodKind } from "../../core/time/period.ts";
import { periodStart } from "../../core/time/period.ts";
import { countsAt, keyUses, type Starts, startsOf } from "../../core/vouchers/uses.ts";
import type { Db } from "../../db/db.ts";
import { loadCounters } from "../../resources/checkout/counters/store.ts";
import { type CustomerCount, loadCustomerCounts } from "../../resources/checkout/redemptions/counts-store.ts";

export type RuleCounts = RuleFacts["counts"];

/** How often things were redeemed so far, as one transaction or one request sees it. */
export type Use = {
  countsOf(subject: CountedSubject, asker: Asker): RuleCounts;
  /** One redemption more: what comes after it counts it. The row of a code is the caller's. */
  add(subject: CountedSubject, asker: Asker, values: CounterValues): void;
  /** The first of these, one after the other, with which a counter would pass what can be counted; -1 without any. */
  passing(additions: readonly Addition[]): number;
  /** What a tier counts in all. */
  totalsOf(tierId: string): CounterValues;
};

/** A counter that something adds to, under its name. */
type NamedKey = { key: CounterKey; name: string };
type NamedKeys = Record<CounterKey["subject_kind"], readonly NamedKey[]> & { all: readonly NamedKey[] };

/** The counters of subjects. A batch asks for the same few again and again, and their names are long to make. */
function namingKeys(): (subject: CountedSubject, asker: Asker) => NamedKeys {
  const known = new Map<string, NamedKeys>();
  return (subject, asker) => {
    const { ref, campaign_id, row } = subject;
    // The codes of a campaign count for it alone.
    const own = row === null ? `${ref} ${asker.api_key_id}` : "";
    return known.getOrInsertComputed(`${campaign_id} ${asker.starts.day} ${own}`, () => {
      const all = counterKeys(subject, asker).map((key) => ({ key, name: counterName(key) }));
      const of = (kind: CounterKey["subject_kind"]) => all.filter(({ key }) => key.subject_kind === kind);
      return { all, campaign: of("campaign"), promotion_tier: of("promotion_tier"), api_key: of("api_key") };
    });
  };
}

export function useOf(counters: readonly CounterRow[], customers: readonly CustomerCount[]): Use {
  const found = new Map<string, CounterValues>(counters.map((row) => [counterName(row), row]));
  const keysOf = namingKeys();
  // By customer: whoever asks about one looks at nobody else's.
  const ofCustomers = new Map(
    [...Map.groupBy(customers, ({ customer_id }) => customer_id)].map(([id, own]) => [
      id,
      new Map(own.map((count) => [customerCountName(count), count])),
    ]),
  );
  const countsOfKeys = (keys: readonly NamedKey[]): Counts => {
    const of = (kind: PeriodKind) => {
      const named = keys.find(({ key }) => key.period_kind === kind);
      return (named && found.get(named.name)?.redemptions) ?? 0;
    };
    return { total: of("total"), day: of("day"), week: of("week"), month: of("month") };
  };
  const sumOf = (rows: readonly CustomerCount[]): Counts =>
    rows.reduce(
      (sum, counter) => ({
        total: sum.total + counter.total,
        day: sum.day + counter.day,
        week: sum.week + counter.week,
        month: sum.month + counter.month,
      }),
      NO_COUNTS,
    );
  return {
    countsOf: (subject, asker) => {
      const { ref, campaign_id, row } = subject;
      const { api_key_id, customer_id, starts } = asker;
      const isCounted = found.size > 0 || ofCustomers.size > 0 || (row !== null && row.redeemed_quantity > 0);
      if (!isCounted) return NO_COUNTERS;
      const { campaign, promotion_tier, api_key } = keysOf(subject, asker);
      const total = campaign[0] && found.get(campaign[0].name);
      const own = [...(ofCustomers.get(customer_id ?? "")?.values() ?? [])];
      return {
        campaign: countsOfKeys(campaign),
        campaign_customer:
          campaign_id === null ? NO_COUNTS : sumOf(own.filter((counter) => counter.campaign_id === campaign_id)),
        incentive: row === null ? countsOfKeys(promotion_tier) : countsAt(row.uses, row.redeemed_quantity, starts),
        incentive_customer: sumOf(own.filter((counter) => counter.related_object_id === ref)),
        incentive_api_key: row === null ? countsOfKeys(api_key).total : keyUses(row.uses, api_key_id),
        incentive_user: 0,
        campaign_orders_amount: total?.order_amount ?? 0,
        campaign_discount_amount: total?.discount_amount ?? 0,
        campaign_gift_amount: total?.gift_amount ?? 0,
      };
    },
    add: (subject, asker, values) => {
      for (const { name } of keysOf(subject, asker).all) found.set(name, addedTo(found.get(name), values));
      const { customer_id } = asker;
      if (customer_id === null) return;
      const none = { customer_id, related_object_id: subject.ref, campaign_id: subject.campaign_id, ...NO_COUNTS };
      const own = ofCustomers.getOrInsertComputed(customer_id, () => new Map<string, CustomerCount>());
      const { total, day, week, month, ...who } = own.get(customerCountName(none)) ?? none;
      own.set(customerCountName(none), { ...who, total: total + 1, day: day + 1, week: week + 1, month: month + 1 });
    },
    passing: (additions) => {
      const sums = new Map<string, CounterValues>();
      return additions.findIndex(({ subject, asker, values }) =>
        keysOf(subject, asker).all.some(({ name }) => {
          const sum = addedTo(sums.get(name) ?? found.get(name), values);
          sums.set(name, sum);
          return Object.values(sum).some((value) => value > Number.MAX_SAFE_INTEGER);
        }),
      );
    },
    totalsOf: (subject_id) => {
      const period_start = periodStart("total", "", "");
      const key: CounterKey = { subject_kind: "promotion_tier", subject_id, period_kind: "total", period_start };
      return found.get(counterName(key)) ?? NO_COUNTER_VALUES;
    },
  };
}

const customerCountName = ({ related_object_id, campaign_id }: CustomerCount): string =>
  `${related_object_id} ${campaign_id}`;

/** The first moments of the periods in the project's zone. */
export const sinceOf = (starts: Starts, zone: string): Record<"day" | "week" | "month", string> => {
  const first = (day: string) => Temporal.PlainDate.from(day).toZonedDateTime(zone).toInstant().toString();
  return { day: first(starts.day), week: first(starts.week), month: first(starts.month) };
};

type Wanted = {
  subjects: readonly CountedSubject[];
  apiKeyIds: readonly string[];
  /** The moments of the requests, in the project's zone. */
  moments: readonly { now: string; zone: string }[];
  /** Those whom a rule asks about, with what it asks. */
  customers: readonly { id: string; refs: readonly string[]; campaignIds: readonly string[] }[];
  /** Whose counters anybody asks about; all where it is not said. */
  asked?: CountersAsked;
  /** The counters, where they were read already. */
  counters?: readonly CounterRow[] | null;
};

/** Counters of campaigns, and of tiers. */
export type CountersAsked = { campaigns: boolean; tiers: boolean };

/** What campaigns and tiers have counted, of those that are asked: one statement, or none. */
export async function loadCounted(
  db: Db,
  projectId: string,
  {
    subjects,
    apiKeyIds,
    moments,
    asked = { campaigns: true, tiers: true },
  }: Pick<Wanted, "subjects" | "apiKeyIds" | "moments" | "asked">,
): Promise<readonly CounterRow[]> {
  const ids = subjects.flatMap(({ ref, campaign_id, row }) => [
    ...(campaign_id === null || !asked.campaigns ? [] : [campaign_id]),
    ...(row === null && asked.tiers ? [ref, ...apiKeyIds.map((key) => tierKey(ref, key))] : []),
  ]);
  if (ids.length === 0) return [];
  const starts = moments.flatMap(({ now, zone }) => Object.values(counterPeriods(startsOf(now, zone))));
  return loadCounters(db, projectId, { subjectIds: [...new Set(ids)], starts: [...new Set(starts)] });
}

/** What was redeemed so far, without locks: two statements at most. */
export async function loadUse(db: Db, projectId: string, wanted: Wanted): Promise<Use> {
  const { moments, customers } = wanted;
  const [counters, counts] = await Promise.all([
    wanted.counters ?? loadCounted(db, projectId, wanted),
    customers.length > 0
      ? loadCustomerCounts(db, projectId, {
          customerIds: [...new Set(customers.map(({ id }) => id))],
          refs: [...new Set(customers.flatMap(({ refs }) => refs))],
          campaignIds: [...new Set(customers.flatMap(({ campaignIds }) => campaignIds))],
          since: sinceOf(startsOf(moments[0]!.now, moments[0]!.zone), moments[0]!.zone),
        })
      : [],
  ]);
  return useOf(counters, counts);
}
