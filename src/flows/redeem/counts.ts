import type { CountedSubject } from "../../core/redeem/counters.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Starts } from "../../core/vouchers/uses.ts";
import type { Tx } from "../../db/db.ts";
import { type CustomerCount, loadCustomerCounts } from "../../resources/checkout/redemptions/counts-store.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import { sinceOf } from "../../steps/checkout/use.ts";
import type { CustomersAtWork } from "../../steps/customers/customers.ts";
import { namesOf } from "./lock.ts";

/** The customers of a round that are there already, by id. */
export function peopleIn(round: readonly RedeemRequest[], customers: CustomersAtWork): string[] {
  const people = round.flatMap(namesOf).flatMap((name) => {
    const row = customers.byId(name) ?? customers.bySource(name) ?? customers.byTracking(name);
    return row ? [row.id] : [];
  });
  return [...new Set(people)];
}

type Counting = {
  round: readonly RedeemRequest[];
  people: readonly string[];
  subjects: readonly CountedSubject[];
  starts: Starts;
};

/** How often the customers of the round redeemed what it is about. Their rows are locked: nobody adds to it. */
export async function loadCounts(
  tx: Tx,
  projectId: string,
  { round, people, subjects, starts }: Counting,
): Promise<readonly CustomerCount[]> {
  if (people.length === 0) return [];
  return loadCustomerCounts(tx, projectId, {
    customerIds: people,
    refs: subjects.map(({ ref }) => ref),
    campaignIds: subjects.flatMap(({ campaign_id }) => campaign_id ?? []),
    since: sinceOf(starts, zoneOf(round[0]!.project)),
  });
}
