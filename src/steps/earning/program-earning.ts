import type { Catalog } from "../../catalog/catalog.ts";
import { planInOrder } from "../../core/loyalty/earning/plan.ts";
import type { Tx } from "../../db/db.ts";
import { type Writes, writeLater } from "../../db/together.ts";
import type { EventsOf } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { insertOutcomes } from "../../resources/ledger/earnings/store.ts";
import { takeStock } from "../../resources/loyalty-v2/benefits/store.ts";
import { saveMembers } from "../../resources/loyalty-v2/members/store.ts";
import { insertTransactions } from "../../resources/loyalty-v2/transactions/store.ts";
import type { EarningProject } from "../points/earning-triggers.ts";
import { sendProgramCards } from "../points/program-cards.ts";
import { saveHanded } from "../publishing/handing-over.ts";
import type { Cause } from "./earn-causes.ts";
import type { EarningAhead } from "./earning-ahead.ts";
import { loadProgramEarning } from "./program-earning-load.ts";
import { type ProgramEarningPlan, type ProgramEarningState, planProgramEarning } from "./program-earning-plan.ts";

/**
 * Settles what causes bring to members of programs, in their order: load, plan and save, in a number of statements that
 * does not depend on how many causes there are. Returns the events; the caller records them, and waits for `writes`.
 */
export async function settleInPrograms(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  causes: readonly Cause[],
  { writes, ahead }: { writes: Writes; ahead: EarningAhead["inPrograms"] },
): Promise<EventsOf<Origin>[]> {
  if (causes.length === 0 || catalog.programs.size === 0) return [];
  const loaded = await loadProgramEarning(tx, project, catalog, causes, ahead);
  if (!loaded) return [];
  const plan = planInOrder(loaded.state, loaded.fresh, planProgramEarning);
  return saveProgramEarning(tx, loaded.state, plan, writes);
}

async function saveProgramEarning(
  tx: Tx,
  { project, handouts }: ProgramEarningState,
  plan: ProgramEarningPlan,
  writes: Writes,
): Promise<EventsOf<Origin>[]> {
  const { gifts } = plan;
  const following = handouts ? await saveHanded(tx, project.id, { codes: handouts.codes, handed: gifts }) : [];
  await sendProgramCards(tx, project.id, plan.cards, writes);
  const taken = [...plan.benefits].map(([id, by]) => ({ id, by }));
  for (const writing of [
    saveMembers(tx, project.id, [...plan.members.values()]),
    insertOutcomes(tx, project.id, plan.outcomes),
    insertTransactions(tx, plan.transactions),
    takeStock(tx, project.id, taken),
  ])
    writeLater(writes, writing);
  return following;
}
