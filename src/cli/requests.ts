import { INSTALLATION } from "../catalog/audit.ts";
import { type Config, ConfigError } from "../config.ts";
import { instantText } from "../core/time/calendar.ts";
import { parseInstant } from "../core/time/instant.ts";
import type { Pool } from "../db/db.ts";
import { getRequest, listRequests, type RequestLogOwner } from "../resources/platform/request-log/store.ts";
import { now } from "../sources.ts";
import { withDatabase } from "./database.ts";
import { printTable } from "./print/table.ts";
import { theProject } from "./project.ts";

/** Whose log is read. */
type Log = { project?: string | undefined; installation?: true | undefined };
type Filters = Log & {
  request?: string;
  code?: string;
  customer?: string;
  status?: string;
  error?: string;
  method?: string;
  route?: string;
  key?: string;
  after?: string;
  before?: string;
  last: string;
};

const LAST_MAX = 100;

/** Prints the last requests of a project or of the installation, the newest first. */
export async function listCommand(config: Config, { project, installation, ...filters }: Filters): Promise<void> {
  const query = parseFilters(filters);
  await withDatabase(config, async (db) => {
    const { data } = await listRequests(db, await logOf(db, { project, installation }), { ...query, now: now() });
    printTable(
      ["REQUEST", "TIME", "STATUS", "MS", "CALL", "KEY", "ERROR"],
      data.map(({ id, created_at, status, duration_ms, method, url, key, error_key }) => [
        ...[id, created_at, `${status}`, `${duration_ms}`, `${method} ${url}`, key.id, error_key ?? ""],
      ]),
    );
  });
}

/** The options as the query of `GET /v1/request-log`. */
function parseFilters({ last, request, error, key, method, after, before, ...same }: Omit<Filters, keyof Log>) {
  const limit = /^\d{1,3}$/.test(last) ? Number(last) : 0;
  if (limit < 1 || limit > LAST_MAX) throw new ConfigError(`--last must be a whole number from 1 to ${LAST_MAX}.`);
  if (same.status !== undefined && !/^[1-5](?:\d\d|xx)$/.test(same.status))
    throw new ConfigError("--status must be a status such as 404, or a class such as 4xx.");
  return {
    ...same,
    limit,
    ...(request !== undefined && { request_id: request }),
    ...(error !== undefined && { error_key: error }),
    ...(key !== undefined && { key_id: key }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    created_at: {
      ...(after !== undefined && { after: parseMoment("--after", after) }),
      ...(before !== undefined && { before: parseMoment("--before", before) }),
    },
  };
}

function parseMoment(flag: string, text: string): string {
  const moment = parseInstant(text, "UTC");
  if (moment === null)
    throw new ConfigError(`${flag} must be a day or a moment, such as 2026-05-01 or 2026-05-01T12:00:00Z.`);
  return instantText(moment);
}

async function logOf(db: Pool, { project, installation }: Log): Promise<RequestLogOwner> {
  if (!installation) return theProject(db, project);
  if (project !== undefined) throw new ConfigError("Say either --project or --installation.");
  return { id: INSTALLATION, case_sensitive_codes: true };
}

/** Prints a request with its bodies, as JSON. */
export async function showCommand(config: Config, id: string, log: Log): Promise<void> {
  await withDatabase(config, async (db) => {
    const { id: projectId } = await logOf(db, log);
    console.log(JSON.stringify(await getRequest(db, projectId, id), null, 2));
  });
}
