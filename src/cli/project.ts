import { type Config, ConfigError } from "../config.ts";
import { isCurrency } from "../core/projects/currencies.ts";
import { FEATURES } from "../core/projects/settings.ts";
import { projectTime } from "../core/time/project-time.ts";
import { resolveZone, zoneOf } from "../core/time/zone.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import { createProject } from "../flows/platform/create-project.ts";
import { moveClock } from "../flows/platform/move-clock.ts";
import {
  getProject,
  listProjects,
  lockProject,
  type ProjectRow,
  updateProject,
} from "../resources/platform/projects/store.ts";
import { newId, newSecret, now } from "../sources.ts";
import { logCommand } from "./audit.ts";
import { secretBoxOf } from "./credentials.ts";
import { withDatabase } from "./database.ts";
import { checkName } from "./name.ts";
import { printTable } from "./print/table.ts";

/** The project that is named, or the only one there is. */
export async function theProject(db: Pool, id: string | undefined): Promise<ProjectRow> {
  if (id !== undefined) return getProject(db, id);
  const all = await listProjects(db);
  if (all.length === 1) return all[0]!;
  throw new ConfigError(
    all.length === 0 ? "There is no project." : "There are several projects. Choose one with --project.",
  );
}

type Create = { name: string; timezone: string; currency: string; sandbox?: true; caseSensitiveCodes?: true };

export async function createCommand(config: Config, options: Create): Promise<void> {
  const { name, timezone, currency } = options;
  checkName(name);
  if (resolveZone(timezone) === null) throw new ConfigError(`--timezone: there is no time zone ${timezone}.`);
  if (!isCurrency(currency)) throw new ConfigError(`--currency: ${currency} is not an ISO 4217 code.`);
  const sources = {
    newId,
    newSecret,
    secretBox: secretBoxOf(config),
    now: now(),
    is_sandbox: options.sandbox ?? false,
  };
  const body = { name, timezone, currency, case_sensitive_codes: options.caseSensitiveCodes ?? false };
  const { project, app, client } = await withDatabase(config, (db) =>
    transaction(db, async (tx) => {
      const made = await createProject(tx, sources, body);
      await logCommand(tx, "project create", ...made.changes);
      return made;
    }),
  );
  console.log(`project        ${project.id}`);
  console.log(`server side    X-App-Id: ${app.id}`);
  console.log(`               X-App-Token: ${app.secret}`);
  console.log(`client side    X-Client-Application-Id: ${client.id}`);
  console.log(`               X-Client-Token: ${client.secret}`);
  console.log("The tokens are not shown again.");
}

export async function listCommand(config: Config): Promise<void> {
  const rows = await withDatabase(config, listProjects);
  const cells = rows.map((p) => [
    p.id,
    p.name,
    p.is_sandbox ? "yes" : "no",
    p.timezone,
    p.currency,
    p.features.join(" "),
  ]);
  printTable(["ID", "NAME", "SANDBOX", "TIME ZONE", "CURRENCY", "FEATURES"], cells);
}

export async function featureCommand(
  config: Config,
  { id, feature, state }: { id: string; feature: string; state: string },
): Promise<void> {
  if (!(FEATURES as readonly string[]).includes(feature))
    throw new ConfigError(`There is no feature ${feature}. Features: ${FEATURES.join(", ")}.`);
  if (state !== "on" && state !== "off") throw new ConfigError("The last argument must be on or off.");
  await withDatabase(config, (db) =>
    transaction(db, async (tx) => {
      const project = await lockProject(tx, id);
      const others = project.features.filter((one) => one !== feature);
      await updateProject(tx, id, { features: state === "on" ? [...others, feature] : others, updated_at: now() });
      await logCommand(tx, "project feature", { kind: "project", id });
    }),
  );
  console.log(`${feature} is ${state} for ${id}.`);
}

/** Shows the time of a project, or moves it. A server with jobs does what the time in between brings. */
export async function clockCommand(
  config: Config,
  id: string,
  { to, advance }: { to?: string; advance?: string },
): Promise<void> {
  if (to !== undefined && advance !== undefined) throw new ConfigError("Use either --to or --advance, not both.");
  await withDatabase(config, async (db) => {
    const project = await getProject(db, id);
    const before = projectTime(now(), project);
    const wanted = advance === undefined ? to : advanced(before, advance, zoneOf(project));
    if (wanted === undefined) return void console.log(before);
    const c = { now: now(), newId, request_id: "laurel project clock" };
    const { async_action_id } = await transaction(db, (tx) => moveClock({ ...c, db: tx }, id, wanted));
    console.log(`It is now ${wanted} in ${id}. The action ${async_action_id} catches up on what happens in between.`);
  });
}

/** Days, months and years are those of the project's zone. */
function advanced(from: string, period: string, zone: string): string {
  try {
    const at = Temporal.Instant.from(from).toZonedDateTimeISO(zone).add(Temporal.Duration.from(period));
    return at.toInstant().toString({ fractionalSecondDigits: 3 });
  } catch {
    throw new ConfigError(`--advance: ${period} is not a period such as P30D or P1Y.`);
  }
}
