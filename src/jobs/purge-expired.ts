import { projectTime } from "../core/time/project-time.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import { deleteTenantRows } from "../db/tenant-tables.ts";
import {
  addRefusalCountsTogether,
  loadScatteredRefusalCounts,
  removeErasedRefusals,
  removeOldRefusals,
} from "../resources/checkout/refusals/keeping-store.ts";
import { removeEndedLocks } from "../resources/checkout/sessions/store.ts";
import { dropOldParts } from "../resources/platform/async-actions/parts-store.ts";
import { emptyOldFailures } from "../resources/platform/async-actions/store.ts";
import { removeOldExports } from "../resources/platform/exports/store.ts";
import { removeExpiredFile } from "../resources/platform/files/store.ts";
import { removeErasedRequests, removeOldRequests } from "../resources/platform/request-log/store.ts";
import { removeEndedSessions } from "../resources/platform/users/session-store.ts";
import { removeEndedSignOns } from "../resources/platform/users/single-sign-on-store.ts";
import type { Job } from "./job.ts";

const BATCH = 5_000;
/** A process that is further behind reads the whole catalog, which costs little more. */
const REVISIONS_KEPT = 1_000;
const SIGNING_KEY_DAYS = 60;
/** How long a validation is a promise, and how long somebody is remembered who never became a customer. */
const VALIDATION_DAYS = 30;
/** As long as the file of an export is kept, which expires by itself. */
const EXPORT_DAYS = 90;
/** How long it is told what an async action could not do. */
const FAILURES_DAYS = 30;
/** How long it is kept what webhooks were sent, and what came back. */
const DELIVERY_DAYS = 30;
/** How long it is kept why something was refused. */
const REFUSAL_DAYS = 30;
/** The hour that goes on is left alone, and so is the one before. */
const COUNTING_MS = 7_200_000;
/** How long requests are logged unless a setting says otherwise. */
const REQUEST_LOG_DAYS = 7;
/** No request is under way for as long as that. */
const ERASED_MS = 3_600_000;
/** After a deletion a request under way may still write; an hour later none is. */
const DELETED_PROJECT_MS = 3_600_000;

/** Removes what nobody can ask for any more: old answers, tokens, validations, sessions, files, catalog changes, projects. */
export const purgeExpired: Job = {
  name: "purge-expired",
  cron: "*/10 * * * *",
  run: async ({ db, now, requestLogDays = REQUEST_LOG_DAYS }) => {
    const time = now();
    const projects = await db<Project[]>`select id, clock_offset_ms from projects`;
    // The empty id stands for callers of management operations, which belong to no project.
    const all = [{ id: "", clock_offset_ms: 0 }, ...projects];
    const gone = await db<{ id: string }[]>`
      select id from projects where deleted_at < ${before(time, DELETED_PROJECT_MS)}`;
    await doEach([
      ...all.map((project) => () => purgeProject(db, project, time)),
      ...all.map((project) => () => purgeRequests(db, project, time, requestLogDays)),
      ...projects.map((project) => () => purgeRefusals(db, project, time)),
      () => db`
        delete from signing_keys s where created_at < ${before(time, SIGNING_KEY_DAYS * 86_400_000)}
          and not exists (select 1 from oauth_tokens t where t.signing_key_id = s.id)`,
      async () => {
        while ((await removeEndedSessions(db, time, BATCH)) >= BATCH);
      },
      async () => {
        while ((await removeEndedSignOns(db, time, BATCH)) >= BATCH);
      },
      // Windows of limits that all machines count together.
      () => db`delete from limit_counts where ends_at <= ${time}`,
      ...gone.map((project) => () => purgeDeleted(db, project.id)),
    ]);
  },
};

/** Does one after the other. What fails keeps nothing else waiting, and is told in the end. */
async function doEach(work: readonly (() => PromiseLike<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const one of work) {
    try {
      await one();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, "some could not be purged");
}

async function purgeDeleted(db: Pool, projectId: string): Promise<void> {
  // Nobody writes to them any more: then their files go in parts, as all others do.
  await db`delete from exports where project_id = ${projectId}`;
  while (await transaction(db, (tx) => removeExpiredFile(tx, projectId, "infinity")));
  await deleteTenantRows(db, projectId);
  await db`delete from tenants where project_id = ${projectId}`;
  await db`delete from keys where project_id = ${projectId}`;
  await db`delete from projects where id = ${projectId}`;
}

const before = (now: string, ms: number) => new Date(Date.parse(now) - ms).toISOString();

type Project = { id: string; clock_offset_ms: number };

async function purgeRequests(db: Pool, { id, clock_offset_ms }: Project, time: string, days: number): Promise<void> {
  while ((await removeOldRequests(db, id, before(time, days * 86_400_000), BATCH)) >= BATCH);
  // Before the notes of them go.
  await removeErasedRefusals(db, id);
  await removeErasedRequests(db, id, before(projectTime(time, { clock_offset_ms }), ERASED_MS));
}

/** Old refusals go. Their counts stay, one row for each hour, campaign and reason. */
async function purgeRefusals(db: Pool, { id, clock_offset_ms }: Project, time: string): Promise<void> {
  const now = projectTime(time, { clock_offset_ms });
  while ((await removeOldRefusals(db, id, before(now, REFUSAL_DAYS * 86_400_000), BATCH)) >= BATCH);
  for (const kind of await loadScatteredRefusalCounts(db, id, before(now, COUNTING_MS)))
    while (await transaction(db, (tx) => addRefusalCountsTogether(tx, id, kind)));
}

async function purgeProject(db: Pool, { id: projectId, clock_offset_ms }: Project, time: string): Promise<void> {
  // What a project wrote down is as old as its own clock says.
  const now = projectTime(time, { clock_offset_ms });
  const deletions = [
    () => db`
      delete from idempotency_keys where project_id = ${projectId} and (caller_id, key) in (
        select caller_id, key from idempotency_keys
        where project_id = ${projectId} and expires_at <= ${time} limit ${BATCH})`,
    () => db`
      delete from oauth_tokens where project_id = ${projectId} and id in (
        select id from oauth_tokens where project_id = ${projectId} and expires_at <= ${time} limit ${BATCH})`,
    () => db`
      delete from catalog_changes where project_id = ${projectId} and revision in (
        select revision from catalog_changes where project_id = ${projectId} and revision <=
          (select catalog_revision from tenants where project_id = ${projectId}) - ${REVISIONS_KEPT}::bigint limit ${BATCH})`,
    () => db`
      delete from validations where project_id = ${projectId} and id in (
        select id from validations where project_id = ${projectId}
          and created_at < ${before(now, VALIDATION_DAYS * 86_400_000)} limit ${BATCH})`,
    () => db`
      delete from unconfirmed_customers where project_id = ${projectId} and tracking_id in (
        select tracking_id from unconfirmed_customers where project_id = ${projectId}
          and created_at < ${before(now, VALIDATION_DAYS * 86_400_000)} limit ${BATCH})`,
    () => db`
      delete from webhook_attempts where project_id = ${projectId} and (delivery_id, number) in (
        select delivery_id, number from webhook_attempts where project_id = ${projectId}
          and created_at < ${before(time, DELIVERY_DAYS * 86_400_000)} limit ${BATCH})`,
    () => db`
      delete from webhook_deliveries where project_id = ${projectId} and id in (
        select id from webhook_deliveries where project_id = ${projectId}
          and created_at < ${before(now, DELIVERY_DAYS * 86_400_000)} limit ${BATCH})`,
    () => db`delete from webhook_secrets where project_id = ${projectId} and until <= ${time}`,
    async () => ({ count: await transaction(db, (tx) => removeEndedLocks(tx, projectId, now, BATCH)) }),
    () => db`
      delete from sessions where project_id = ${projectId} and key in (
        select key from sessions where project_id = ${projectId} and until < ${now} limit ${BATCH})`,
    () => emptyOldFailures(db, projectId, before(now, FAILURES_DAYS * 86_400_000), BATCH),
    () => dropOldParts(db, projectId, before(now, FAILURES_DAYS * 86_400_000)),
    () => removeOldExports(db, projectId, before(now, EXPORT_DAYS * 86_400_000), BATCH),
  ];
  const wholly = (deletion: () => PromiseLike<{ count: number }>) => async () => {
    let count: number;
    do ({ count } = await deletion());
    while (count >= BATCH);
  };
  const removeFiles = async () => {
    // A file may be large: it goes in parts, each in a transaction of its own.
    while (await transaction(db, (tx) => removeExpiredFile(tx, projectId, now)));
  };
  await doEach([...deletions.map(wholly), removeFiles]);
}
