import type { Answer } from "../../core/answer.ts";
import { CONSIDERED_MAX } from "../../core/qualify/page.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import type { Db } from "../../db/db.ts";
import type { CartProject } from "../../steps/checkout/carts.ts";
import { loadListed, loadPortion, loadUnits } from "./load.ts";
import { planAnswer } from "./plan.ts";
import type { QualifyCommand, QualifyRequest } from "./state.ts";

/** Codes are loaded in portions: most pages are full with the first. */
const PORTIONS = [100, 1000, CONSIDERED_MAX];

/** Answers requests in rounds: those whose page is not full are asked again with more codes. The last portion ends the search. */
export async function answerInRounds(
  db: Db,
  project: CartProject,
  requests: readonly QualifyRequest[],
): Promise<Map<QualifyCommand, Answer>> {
  const answers = new Map<QualifyCommand, Answer>();
  let open = requests;
  const listed = await loadListed(db, project, requests);
  for (const [round, size] of PORTIONS.entries()) {
    if (open.length === 0) break;
    const isLast = round === PORTIONS.length - 1;
    // A sorted page has to see them all.
    const now = open.filter(({ command }) => isLast || command.paging.sorting === "DEFAULT");
    const standalone = await loadPortion(db, project, now, size);
    const unitsFor = await loadUnits(db, project, { requests: now, rows: [...listed.all, ...standalone.all] });
    const planned = now.values().map((request) => planAnswer({ unitsFor, listed, standalone }, request, { isLast }));
    for (const [n, answer] of (await givingWay(planned)).entries()) if (answer) answers.set(now[n]!.command, answer);
    open = open.filter(({ command }) => !answers.has(command));
  }
  return answers;
}
