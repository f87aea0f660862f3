import type { Answer } from "../../core/answer.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import type { Db } from "../../db/db.ts";
import type { CartProject } from "../../steps/checkout/carts.ts";
import { isInRound, LAST_ROUND, type ReadAhead, readPortion } from "./ahead.ts";
import { loadListed, loadPortion, loadUnitTypes } from "./load.ts";
import { planAnswer } from "./plan.ts";
import type { QualifyCommand, QualifyRequest } from "./state.ts";

/**
 * Answers requests in rounds: those whose page is not full are asked again with more codes. The last portion ends the search. The
 * codes of the first round came with the carts.
 */
export async function answerInRounds(
  db: Db,
  project: CartProject,
  requests: readonly QualifyRequest[],
  ahead: ReadAhead,
): Promise<Map<QualifyCommand, Answer>> {
  const answers = new Map<QualifyCommand, Answer>();
  const first = ahead.portion.round;
  const among = (wanted: readonly QualifyRequest[], round: number) =>
    wanted.filter(({ command }) => isInRound(command, round));
  const [listed, firstCodes] = await Promise.all([
    loadListed(db, project, requests, ahead),
    loadPortion(db, project, among(requests, first), ahead.portion),
  ]);
  let open = requests;
  for (let round = first; round <= LAST_ROUND; round += 1) {
    const now = among(open, round);
    if (now.length === 0) continue;
    const standalone = round === first ? firstCodes : await nextCodes(db, project, now, round);
    const rows = [...listed.all, ...standalone.all];
    const unitsFor = await loadUnitTypes(db, project, { requests: now, rows, ahead: ahead.units });
    const isLast = round === LAST_ROUND;
    const planned = now.values().map((request) => planAnswer({ unitsFor, listed, standalone }, request, { isLast }));
    for (const [n, answer] of (await givingWay(planned)).entries()) if (answer) answers.set(now[n]!.command, answer);
    open = open.filter(({ command }) => !answers.has(command));
  }
  return answers;
}

async function nextCodes(db: Db, project: CartProject, requests: readonly QualifyRequest[], round: number) {
  const commands = requests.map(({ command }) => command);
  return loadPortion(db, project, requests, await readPortion(db, project, commands, round));
}
