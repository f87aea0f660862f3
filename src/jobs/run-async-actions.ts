import { type Catalogs, createCatalogs, revisionOf } from "../catalog/catalog.ts";
import { projectTime } from "../core/time/project-time.ts";
import { transaction } from "../db/batches/commit.ts";
import { isWaitOver } from "../db/db.ts";
import { renewStatistics } from "../db/records.ts";
import { PRODUCT_FILE, SKU_FILE } from "../flows/catalogue/import-goods.ts";
import { PRODUCTS } from "../flows/catalogue/update-products.ts";
import { CUSTOMER_FILE, CUSTOMERS } from "../flows/customers/update-customers.ts";
import { advanceStep, stopAdvance } from "../flows/loyalty/advance-cards.ts";
import { enrolNext, stopEnrolment } from "../flows/loyalty-v2/enrol-members.ts";
import { removeNextMembers, stopRemoval } from "../flows/loyalty-v2/remove-members.ts";
import { deleteCodesOfCampaign, stopDeletion } from "../flows/promotions/delete-codes.ts";
import { type GenerateCtx, generateCodes, stopGeneration } from "../flows/promotions/generate-codes.ts";
import { CAMPAIGN_VOUCHER_IMPORT, VOUCHER_IMPORT } from "../flows/promotions/import-vouchers.ts";
import { VOUCHERS } from "../flows/promotions/update-vouchers.ts";
import { ORDER_IMPORT } from "../flows/save-order/import-orders.ts";
import { takeCustomerStamps } from "../resources/customers/customers/store.ts";
import { dropParts } from "../resources/platform/async-actions/parts-store.ts";
import {
  type ActionStep,
  type ActionToDo,
  type AsyncActionRow,
  type AsyncActionType,
  listActionsToDo,
  saveStep,
  takeAction,
} from "../resources/platform/async-actions/store.ts";
import { takeStamps } from "../resources/promotions/vouchers/store.ts";
import { type ImportKind, importNext, stopImport } from "../steps/bulk/imports.ts";
import type { TurnCtx } from "../steps/bulk/turn.ts";
import { type BulkKind, stopUpdates, updateNext } from "../steps/bulk/updates.ts";
import type { Job, JobCtx } from "./job.ts";
import { reasonOf, takeTurns } from "./take-turns.ts";

/** Turns that a project has in a round. More than one, so that several workers find something to do in one project. */
const SHARE = 4;
const FAILURES_MAX = 5;
/** A statement that takes too long may do so because the server is busy: it has some minutes to become less so. */
const WAITS_MAX = 20;

/** Memory for the configuration of the projects that have something to do. */
const CATALOGS_BYTES = 32 * 1_048_576;

type ActionCtx = GenerateCtx & TurnCtx;
type Step = (c: ActionCtx, action: AsyncActionRow) => Promise<ActionStep>;
type Stop = (c: ActionCtx, action: AsyncActionRow, reason: string) => Promise<ActionStep> | ActionStep;
type Action = { step: Step; stop: Stop };

const updating = <V>(kind: BulkKind<V>): Action => ({
  step: (c, action) => updateNext(c, action, kind),
  stop: (c, action, reason) => stopUpdates(c, action, { kind, reason }),
});

const importing = <V>(kind: ImportKind<V>): Action => ({
  step: (c, action) => importNext(c, action, kind),
  stop: (c, action, reason) => stopImport(c, action, { kind, reason }),
});

/** A chunk of the work of each type, and how it is given up. Another type is a line here. */
const ACTIONS: Record<AsyncActionType, Action> = {
  "CAMPAIGN.VOUCHERS_GENERATE": { step: generateCodes, stop: stopGeneration },
  "CAMPAIGN.VOUCHERS_DELETE": {
    step: deleteCodesOfCampaign,
    stop: (_, action, reason) => stopDeletion(action, reason),
  },
  "CAMPAIGN.VOUCHERS_IMPORT": importing(CAMPAIGN_VOUCHER_IMPORT),
  "CAMPAIGN.VOUCHERS_IMPORT_CSV": importing(CAMPAIGN_VOUCHER_IMPORT),
  "CUSTOMERS.BULK_UPDATE": updating(CUSTOMERS),
  "CUSTOMERS.IMPORT_CSV": importing(CUSTOMER_FILE),
  "ORDERS.IMPORT": importing(ORDER_IMPORT),
  "PRODUCTS.IMPORT_CSV": importing(PRODUCT_FILE),
  "SKUS.IMPORT_CSV": importing(SKU_FILE),
  "VOUCHERS.IMPORT": importing(VOUCHER_IMPORT),
  "VOUCHERS.IMPORT_CSV": importing(VOUCHER_IMPORT),
  "CUSTOMERS.METADATA_UPDATE": updating(CUSTOMERS),
  "PRODUCTS.BULK_UPDATE": updating(PRODUCTS),
  "PRODUCTS.METADATA_UPDATE": updating(PRODUCTS),
  "VOUCHERS.BULK_UPDATE": updating(VOUCHERS),
  "VOUCHERS.METADATA_UPDATE": updating(VOUCHERS),
  "PROGRAM.MEMBERS_CREATE": { step: enrolNext, stop: stopEnrolment },
  "PROGRAM.MEMBERS_DELETE": { step: removeNextMembers, stop: (_, action, reason) => stopRemoval(action, reason) },
  "PROJECT.CLOCK_ADVANCE": { step: advanceStep, stop: (_, action, reason) => stopAdvance(action, reason) },
};

/**
 * Does what was put off, as long as there is some: each action a chunk in turn, so that a large one keeps nobody
 * waiting. A chunk is a transaction that locks its action: whoever goes on, after whatever crash, sees what was done.
 */
export const runAsyncActions: Job = {
  name: "run-async-actions",
  everyMs: 1_000,
  run: async (c) => {
    const kept: Kept = { ahead: new Map(), catalogs: createCatalogs(c.db, { bytesMax: CATALOGS_BYTES }) };
    const turn = (one: ActionToDo, step: Step) => takeTurn({ ...c, ...kept }, one, step);
    await takeTurns(
      {
        list: () => listActionsToDo(c.db, SHARE),
        take: async (one) => {
          await renewStatistics(c.db);
          return turn(one, takeStep);
        },
        note: async (one, error) => {
          try {
            await turn(one, noteFailure(error, stopProperly));
          } catch (failed) {
            // It may be what ends it that fails. It ends all the same, or somebody would wait for it for ever.
            await turn(one, noteFailure(error, stopAtOnce));
            throw failed;
          }
        },
      },
      c,
    );
  },
};

/** What one turn leaves for the next ones. It may be lost. */
type Kept = Pick<GenerateCtx, "ahead"> & { catalogs: Catalogs };

/** False when there is nothing to do, or another worker is at it. */
const takeTurn = (c: JobCtx & Kept, { project_id, id, clock_offset_ms }: ActionToDo, step: Step) =>
  transaction(c.db, async (tx) => {
    const began_at = c.now();
    const began = projectTime(began_at, { clock_offset_ms });
    const action = await takeAction(tx, project_id, id);
    if (!action) return false;
    const reserving = (take: typeof takeCustomerStamps) => (count: number) =>
      transaction(c.db, (own) => take(own, project_id, { now: began, count }));
    const stamps = { takeStamps: reserving(takeStamps), takeCustomerStamps: reserving(takeCustomerStamps) };
    const catalogOf: TurnCtx["catalogOf"] = async (own, projectId) =>
      c.catalogs.catalogOf({ id: projectId, catalog_revision: await revisionOf(own, projectId) });
    const { newId, random, ahead } = c;
    const done = await step({ db: tx, now: began, began_at, newId, random, ahead, ...stamps, catalogOf }, action);
    const now = projectTime(c.now(), { clock_offset_ms });
    await saveStep(tx, action, done, { now, tookMs: Date.parse(now) - Date.parse(began) });
    return true;
  });

async function takeStep(c: ActionCtx, action: AsyncActionRow): Promise<ActionStep> {
  const step = await ACTIONS[action.type].step(c, action);
  return { ...step, work: { ...step.work, failures: 0 } };
}

/** What fails time and again is given up, and says so. */
const noteFailure =
  (error: unknown, stop: Stop): Step =>
  async (c, action) => {
    const failures = Number(action.work.failures ?? 0) + 1;
    if (failures >= (isWaitOver(error) ? WAITS_MAX : FAILURES_MAX)) return stop(c, action, reasonOf(error, failures));
    return { work: { ...action.work, failures }, progress: action.progress };
  };

const stopProperly: Stop = (c, action, reason) => ACTIONS[action.type].stop(c, action, reason);

/** Ends an action that cannot even be given up as others of its type are. */
const stopAtOnce: Stop = async (c, { project_id, id, work, progress }, message) => {
  await dropParts(c.db, project_id, id);
  const done_count = Number(work.done_count ?? 0);
  return { work: {}, progress, end: { operation_status: "FAILED", message, done_count } };
};
