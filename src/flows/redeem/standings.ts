import { namedInRules } from "../../catalog/named-in-rules.ts";
import type { Tx } from "../../db/db.ts";
import type { Project } from "../../request.ts";
import type { CustomersAtWork } from "../../resources/customers/customers/store.ts";
import { personFrom } from "../../steps/checkout/carts.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import { loadSegmentsOf } from "../../steps/customers/segment-membership.ts";
import { loadTiersOf } from "../../steps/points/tiers-held.ts";

import type { RedeemState } from "./state.ts";

/** Segments of the customers as the requests describe them, and their tiers; each customer comes once in a round. */
export async function standingsFor(
  tx: Tx,
  project: Project,
  { round, customers }: { round: readonly RedeemRequest[]; customers: CustomersAtWork },
): Promise<Pick<RedeemState, "segmentsOf" | "tiersOf">> {
  const [{ catalog }] = round as readonly [RedeemRequest];
  const { segments: segmentIds, tiers } = namedInRules(catalog);
  if (segmentIds.size + tiers.size === 0) return { segmentsOf: null, tiersOf: null };
  const people = round.map((command) => {
    const person = personFrom(command.sent, customers, command.project.secret);
    return "refused" in person ? null : person.customer;
  });
  return {
    segmentsOf:
      segmentIds.size > 0 ? await loadSegmentsOf(tx, catalog, people, { projectId: project.id, segmentIds }) : null,
    tiersOf: tiers.size > 0 ? await loadTiersOf(tx, project, catalog, people) : null,
  };
}
