import type { Tx } from "../../db/db.ts";
import type { Project } from "../../request.ts";
import { personFrom } from "../../steps/checkout/carts.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import { loadStandings, type Standings } from "../../steps/checkout/rule-facts.ts";
import type { CustomersAtWork } from "../../steps/customers/customers.ts";

/** Segments of the customers as the requests describe them, and their tiers; each customer comes once in a round. */
export const standingsFor = (
  tx: Tx,
  project: Project,
  { round, customers }: { round: readonly RedeemRequest[]; customers: CustomersAtWork },
): Promise<Standings> =>
  loadStandings(tx, project, round[0]!.catalog, () =>
    round.map((command) => {
      const person = personFrom(command.sent, customers, command.project.secret);
      return "refused" in person ? null : person.customer;
    }),
  );
