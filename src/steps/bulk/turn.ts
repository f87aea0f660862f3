import { type Actor, recordVersions } from "../../catalog/audit.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { type CatalogChange, raiseRevision } from "../../catalog/changes.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import type { Origin, Project } from "../../request.ts";
import type { AsyncActionRow } from "../../resources/platform/async-actions/store.ts";
import { getProject } from "../../resources/platform/projects/store.ts";

const SECRET_BYTES = 32;
/** Of actions that were begun before they said who asked for them. */
const UNKNOWN: Actor = { type: "server_key", id: "unknown" };

/** What the job gives to a turn of an async action. */
export type TurnCtx = Pick<Ctx<Tx>, "db" | "now" | "newId"> & {
  /** The time of the server, which logs have. */
  began_at: string;
  random(bytes: number): Uint8Array;
  /** Moments for that many codes, reserved in a transaction of their own: nobody waits for a turn to end. */
  takeStamps(count: number): Promise<string>;
  /** The same for customers. */
  takeCustomerStamps(count: number): Promise<string>;
  /** What the project has configured, as new as the transaction sees it. */
  catalogOf(tx: Tx, projectId: string): Promise<Catalog>;
};

/** What a turn works with: the project, its configuration, and the transaction of the turn. */
export type BulkCtx = Origin &
  Pick<WriteCtx, "db" | "changed"> &
  Pick<TurnCtx, "takeStamps" | "takeCustomerStamps"> & { project: Project; catalog: Catalog };

/** Runs a turn. What it changes of the configuration raises the revision and is logged, with its last statements. */
export async function inTurn<R>(
  { db, now, newId, random, catalogOf, began_at, ...stamps }: TurnCtx,
  { project_id, request_id, type, work }: AsyncActionRow,
  run: (c: BulkCtx) => Promise<R>,
): Promise<R> {
  const catalog = await catalogOf(db, project_id);
  const project = { ...(await getProject(db, project_id)), catalog_revision: catalog.revision };
  const changes: CatalogChange[] = [];
  // Whatever is changed in bulk is in the catalog.
  const changed: BulkCtx["changed"] = (kind, id) => void changes.push({ kind: kind as CatalogChange["kind"], id });
  const newSecret = () => Buffer.from(random(SECRET_BYTES)).toString("hex");
  const done = await run({ db, now, newId, newSecret, request_id, project, catalog, changed, ...stamps });
  if (changes.length === 0) return done;
  await raiseRevision(db, project_id, changes);
  const actor = (work.actor as Actor | undefined) ?? UNKNOWN;
  const origin = { actor, operation: type, request_id, created_at: began_at, newId };
  await recordVersions(
    db,
    origin,
    changes.map((change) => ({ ...change, project_id })),
  );
  return done;
}

/** So many of the entries that failed stand in the result. */
const TOLD_MAX = 1_000;
type ToldList = "failed" | "errors";
type ToldEntry = Record<string, unknown>;

/** What was told so far of entries that failed. An action that was begun some time ago has it in its work. */
export const toldOf = ({ result, work }: AsyncActionRow, list: ToldList): readonly ToldEntry[] =>
  (result?.[list] ?? work[list] ?? []) as ToldEntry[];

/** All that is told after a turn. `told` is there if there is more of it: the list is large, and else not written again. */
export function addTold(
  action: AsyncActionRow,
  list: ToldList,
  more: readonly ToldEntry[],
): { all: readonly ToldEntry[]; told?: Record<string, unknown> } {
  const before = toldOf(action, list);
  if (more.length === 0 || before.length >= TOLD_MAX) return { all: before };
  const all = [...before, ...more].slice(0, TOLD_MAX);
  return { all, told: { [list]: all } };
}
