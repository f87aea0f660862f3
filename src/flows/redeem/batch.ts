import { requireNoNewLimit } from "../../catalog/changes.ts";
import type { CounterRow } from "../../core/rows/counter.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { recordInto } from "../../events/events.ts";
import { countLast } from "../../resources/checkout/counters/store.ts";
import { type Fragments, noFragments, saveFragments } from "../../steps/checkout/receipts.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import type { Cause } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";

/** The rounds of a batch share what is written at its end. */
export type Batch = {
  tx: Tx;
  projectId: string;
  /** The oldest revision that a command is decided with; null: all of them were answered before. */
  revision: number | null;
  fragments: Fragments;
  /** What decides nothing is counted with the last statement. */
  countedLast: Map<string, CounterRow>;
  /** What points may follow from, until they are given. */
  causes: Cause[];
  /** Statements that nobody has waited for yet. */
  written: Promise<unknown>[];
};
export const openBatch = (tx: Tx, projectId: string, commands: readonly RedeemRequest[]): Batch => ({
  tx,
  projectId,
  revision: commands.length > 0 ? Math.min(...commands.map(({ catalog }) => catalog.revision)) : null,
  fragments: noFragments(),
  countedLast: new Map(),
  causes: [],
  written: [],
});

/** Gives the points that follow from the redemptions before. */
export async function settleEarned(
  { tx, projectId, causes, written }: Batch,
  { project, catalog }: Pick<RedeemRequest, "project" | "catalog">,
): Promise<void> {
  if (causes.length > 0)
    await recordInto(
      written,
      tx,
      projectId,
      await settleCauses(tx, project, catalog, causes.splice(0), { writes: written }),
    );
}

/**
 * The last statements of a batch: the configuration that was decided on, what decides nothing, and whether it still does not. What
 * was written before is waited for as well.
 */
export const saveLast = ({ tx, projectId, revision, written, fragments, countedLast }: Batch): Promise<unknown> =>
  together([
    ...written,
    saveFragments(tx, projectId, fragments),
    countLast(tx, projectId, [...countedLast.values()]),
    revision !== null && requireNoNewLimit(tx, projectId, revision),
  ]);
