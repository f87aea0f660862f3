import { type Config, ConfigError } from "../config.ts";
import { getRequest, listRequests } from "../resources/platform/request-log/store.ts";
import { now } from "../sources.ts";
import { withDatabase } from "./database.ts";
import { printTable } from "./print/table.ts";
import { theProject } from "./project.ts";

type Filters = { project?: string; code?: string; customer?: string; status?: string; route?: string; last: string };

const LAST_MAX = 100;

/** Prints the last requests of a project, the newest first. */
export async function listCommand(config: Config, { project, last, ...filters }: Filters): Promise<void> {
  const limit = /^\d{1,3}$/.test(last) ? Number(last) : 0;
  if (limit < 1 || limit > LAST_MAX) throw new ConfigError(`--last must be a whole number from 1 to ${LAST_MAX}.`);
  if (filters.status !== undefined && !/^[1-5](?:\d\d|xx)$/.test(filters.status))
    throw new ConfigError("--status must be a status such as 404, or a class such as 4xx.");
  await withDatabase(config, async (db) => {
    const { data } = await listRequests(db, await theProject(db, project), { ...filters, limit, now: now() });
    printTable(
      ["REQUEST", "TIME", "STATUS", "MS", "CALL", "KEY", "ERROR"],
      data.map(({ id, created_at, status, duration_ms, method, url, key, error_key }) => [
        ...[id, created_at, `${status}`, `${duration_ms}`, `${method} ${url}`, key.id, error_key ?? ""],
      ]),
    );
  });
}

/** Prints a request with its bodies, as JSON. */
export async function showCommand(config: Config, id: string, { project }: Pick<Filters, "project">): Promise<void> {
  await withDatabase(config, async (db) => {
    const { id: projectId } = await theProject(db, project);
    console.log(JSON.stringify(await getRequest(db, projectId, id), null, 2));
  });
}
