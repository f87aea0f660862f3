import type { Answer } from "../../core/answer.ts";
import type { CounterRow } from "../../core/rows/counter.ts";
import { StartOver } from "../../db/commit.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { recordAll } from "../../events/events.ts";
import { countLast } from "../../resources/checkout/counters/store.ts";
import { type Fragments, noFragments, saveFragments } from "../../steps/checkout/receipts.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import type { Cause } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";

/** The rounds of a batch share what is written at its end. */
export type Batch = {
  tx: Tx;
  projectId: string;
  fragments: Fragments;
  /** What decides nothing is counted with the last statement. */
  countedLast: Map<string, CounterRow>;
  /** What points may follow from, until they are given. */
  causes: Cause[];
  /** Statements that nobody has waited for yet. */
  written: Promise<unknown>[];
};
export const openBatch = (tx: Tx, projectId: string): Batch => ({
  tx,
  projectId,
  fragments: noFragments(),
  countedLast: new Map(),
  causes: [],
  written: [],
});

/** Gives the points that follow from the redemptions before. */
export async function settleEarned(
  { tx, projectId, causes }: Batch,
  { project, catalog }: Pick<RedeemRequest, "project" | "catalog">,
): Promise<void> {
  if (causes.length > 0) await recordAll(tx, projectId, await settleCauses(tx, project, catalog, causes.splice(0)));
}

/** Ends a batch: its last points, and with the last message its answers, the configuration that was decided on, and what decides nothing. */
export async function saveLast(
  batch: Batch,
  commands: readonly RedeemRequest[],
  answer: () => Promise<Answer[]>,
): Promise<Answer[]> {
  const { tx, projectId, written, fragments, countedLast } = batch;
  if (batch.causes.length > 0) await settleEarned(batch, commands[0]!);
  const [, answers] = await together([
    together(written),
    answer(),
    saveFragments(tx, projectId, fragments),
    countLast(tx, projectId, [...countedLast.values()]).then((count) => {
      if (count < countedLast.size) throw new StartOver("more was counted meanwhile than can be counted");
    }),
  ]);
  return answers;
}
