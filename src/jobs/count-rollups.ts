import { type RollupZone, rollupZone } from "../core/rollups/zone.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Tx } from "../db/db.ts";
import {
  clearSome,
  countBackwards,
  countForwards,
  feedEnd,
  lockPosition,
  startPosition,
} from "../resources/platform/time-series/rollup-store.ts";
import type { Job, JobCtx } from "./job.ts";

/** How many transactions a project that was left alone looks at first. */
const SPAN = 4_096n;

type Project = { id: string; timezone: string };
/** "busy": another process counts this project. */
type Turn = { span: bigint; state: "done" | "more" | "busy" };

/**
 * Adds what happened to the rollups. It follows the feed of events, so no transaction is counted before one that is still running,
 * and none twice: the position is stored with the counts. What was there before is counted by the way, some at a time.
 */
export function createCountRollups(): Job {
  /** Behind all that this process has looked for; null: it has not looked yet. */
  let looked: bigint | null = null;
  let open = new Set<string>();
  return {
    name: "count-rollups",
    everyMs: 2_000,
    run: async (c) => {
      const end = await feedEnd(c.db);
      for (const id of await findProjects(c, looked, end.oldest)) open.add(id);
      looked = end.oldest;
      const projects = await c.db<Project[]>`
        select id, timezone from projects where deleted_at is null and id = any(${[...open]}) order by id`;
      open = new Set(projects.map(({ id }) => id));
      const errors: unknown[] = [];
      let turns = projects.map((project) => ({ project, span: SPAN }));
      // Projects take turns, so that one with much to count keeps nobody waiting.
      while (turns.length > 0 && !c.signal?.aborted) {
        const again: typeof turns = [];
        for (const { project, span } of turns) {
          const turn = await transaction(c.db, (tx) => takeTurn(tx, c, project, span)).catch((error) => {
            errors.push(error);
            return null;
          });
          if (turn) c.progress?.();
          if (turn?.state === "more") again.push({ project, span: turn.span });
          if (turn?.state === "done") open.delete(project.id);
        }
        turns = again;
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}

/** Projects in which something happened since the last look; at the first look, and where counting is not whole, all of them. */
async function findProjects({ db }: JobCtx, from: bigint | null, to: bigint): Promise<string[]> {
  if (from === null) return (await db<{ id: string }[]>`select id from projects`).map(({ id }) => id);
  const rows = await db<{ id: string }[]>`
    select project_id as id from events where transaction_id >= ${`${from}`} and transaction_id < ${`${to}`}
    union select project_id from ledger_entries where transaction_id >= ${`${from}`} and transaction_id < ${`${to}`}
    union select project_id from rollup_waiting
    union select p.id from projects p left join rollup_positions r on r.project_id = p.id
      where r.transaction_id is null or not r.is_cleared or r.redemptions_from > '-infinity' or r.entries_from > ''`;
  return rows.map(({ id }) => id);
}

async function takeTurn(tx: Tx, c: JobCtx, project: Project, span: bigint): Promise<Turn> {
  const end = await feedEnd(tx);
  const zone = rollupZone(project, c.now());
  const position = await lockPosition(tx, project.id);
  if (!position) {
    const [there] = await tx`select 1 from rollup_positions where project_id = ${project.id}`;
    if (there) return { span, state: "busy" };
  }
  const isOther = position && (position.cluster !== end.cluster || !isSameZone(position, zone));
  if (!position || isOther || position.transaction_id === null) {
    await startPosition(tx, project.id, zone, end);
    return { span, state: "more" };
  }
  if (!position.is_cleared) {
    await clearSome(tx, project.id);
    return { span, state: "more" };
  }
  const from = BigInt(position.transaction_id);
  const until = from + span < end.oldest ? from + span : end.oldest;
  if (from < until) {
    const counted = await countForwards(tx, project.id, { from, until, mayRefuse: span > 1n });
    if (counted === "too many") return { span: span / 8n || 1n, state: "more" };
    if (until < end.oldest) return { span: counted < 1_000 ? span * 8n : span, state: "more" };
  }
  if (position.is_whole) return { span, state: "done" };
  await countBackwards(tx, project.id);
  return { span, state: "more" };
}

const isSameZone = (a: RollupZone, b: RollupZone): boolean => a.zone === b.zone && a.zone_minutes === b.zone_minutes;
