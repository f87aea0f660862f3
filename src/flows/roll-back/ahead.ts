import { StartOver } from "../../db/batches/commit.ts";
import type { Fragment, Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { lockCampaignCounters } from "../../resources/checkout/counters/store.ts";
import {
  findUndoable,
  lockUndoable,
  namedInRedemptions,
  type Undoable,
} from "../../resources/checkout/redemptions/rollback-store.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { loadLots, lotsById } from "../../resources/ledger/ledger/store.ts";
import { lockOrdersOf } from "../../resources/orders/orders/store.ts";
import { lockRedeemedVouchers } from "../../resources/promotions/vouchers/store.ts";
import { customerSent } from "../../steps/checkout/carts.ts";
import { countsDecide } from "../../steps/checkout/rule-facts.ts";
import { type CustomersAtWork, openCustomers } from "../../steps/customers/customers.ts";
import { customerNamedIn, type RollBackRequest } from "./state.ts";

/** What a batch of rollbacks reads with its first message. */
export type FirstRead = {
  found: readonly Undoable[];
  /** All that is locked, where it was with the same message; null: it is found and locked in its order afterwards. */
  locked: Awaited<ReturnType<typeof lockNamed>> | null;
};

const idsIn = (round: readonly RollBackRequest[]): string[] => [
  ...new Set(round.map(({ redemption_id }) => redemption_id)),
];

/** Reads the redemptions that the requests name, without locking them. */
export const findFor = async (tx: Tx, projectId: string, round: readonly RollBackRequest[]): Promise<FirstRead> => ({
  found: await findUndoable(tx, projectId, idsIn(round)),
  locked: null,
});

/** Where counters decide they are locked before codes, and which ones is known only from the redemptions. */
export async function readFirst(tx: Tx, commands: readonly RollBackRequest[]): Promise<FirstRead> {
  const { project } = commands[0]!;
  if (commands.some(({ catalog }) => countsDecide(catalog))) return findFor(tx, project.id, commands);
  const locked = await lockNamed(tx, project.id, commands);
  const isPlain = locked.found.every(
    ({ related_object_type, effect }) => related_object_type !== "promotion_tier" && !effect?.reward,
  );
  return { found: locked.found, locked: isPlain ? locked : null };
}

/**
 * Locks all that redemptions of codes name, in the one order that all flows keep, by sub-selects over their ids; and reads them
 * behind the locks. Each of these sends its statements as it is called, so the connection runs them in this order.
 */
async function lockNamed(tx: Tx, projectId: string, commands: readonly RollBackRequest[]) {
  const ids = idsIn(commands);
  const named = namedInRedemptions(tx, projectId, ids);
  const [customers, orders, vouchers, , counters, gone, left, found] = await together([
    lockPeople(tx, projectId, { round: commands, owners: [], alsoIds: named.customers }),
    lockOrdersOf(tx, projectId, named.orders),
    lockRedeemedVouchers(tx, projectId, named.vouchers),
    lockUndoable(tx, projectId, ids),
    lockCampaignCounters(tx, projectId, named),
    lotsById(tx, projectId, named.lots),
    loadLots(tx, projectId, named.vouchers),
    findUndoable(tx, projectId, ids),
  ]);
  const owners = orders.flatMap(({ customer_id }) => customer_id ?? []).filter((id) => !customers.byId(id));
  const isThere = { ids: owners, sourceIds: [], trackingIds: [] };
  if (owners.length > 0 && (await findCustomers(tx, projectId, isThere)).length > 0)
    throw new StartOver("the order was given to another customer meanwhile");
  return { customers, orders, vouchers, counters, gone, left, found };
}

type People = { round: readonly RollBackRequest[]; owners: readonly string[]; alsoIds?: Fragment };
export function lockPeople(tx: Tx, projectId: string, { round, owners, alsoIds }: People): Promise<CustomersAtWork> {
  const named = round.flatMap((command) => customerSent({ customer: customerNamedIn(command) }) ?? []);
  const ids = [...named.flatMap(({ id }) => id ?? []), ...owners];
  const texts = round.flatMap((command) => {
    const customer = customerNamedIn(command);
    return [typeof customer === "string" ? customer : [], command.sent.tracking_id || []].flat();
  });
  const sourceIds = [...named.flatMap(({ source_id }) => source_id ?? []), ...texts];
  return openCustomers(tx, projectId, [], { ids, sourceIds, trackingIds: texts, alsoIds });
}
