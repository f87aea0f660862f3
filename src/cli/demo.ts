import { keyChange } from "../catalog/audit.ts";
import { type Config, ConfigError } from "../config.ts";
import { DEMO_LOADING } from "../core/projects/settings.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import { DemoRefused } from "../demo/load.ts";
import { KNOWN_CODES } from "../demo/promotions.ts";
import { wipeProject } from "../demo/wipe.ts";
import { createKey } from "../flows/platform/create-project.ts";
import { listProjects } from "../resources/platform/projects/store.ts";
import { newSecret, now } from "../sources.ts";
import { logCommand } from "./audit.ts";
import { withDatabase } from "./database.ts";
import { showProgress } from "./print/progress.ts";

async function sandboxOf(db: Pool, wanted: string | undefined) {
  const sandboxes = (await listProjects(db)).filter((project) => project.is_sandbox);
  const found = wanted === undefined ? sandboxes : sandboxes.filter(({ id }) => id === wanted);
  if (found.length === 1) return found[0]!;
  const names = sandboxes.map(({ id }) => id).join(", ") || "none";
  throw new ConfigError(`Choose a sandbox project with --project. There are: ${names}.`);
}

export async function loadCommand(config: Config, wanted: string | undefined): Promise<void> {
  const count = await withDatabase(config, async (db) => {
    const { id: projectId } = await sandboxOf(db, wanted);
    // Keys for this load only: the secrets of the others are not known here.
    const sources = { newSecret, now: now() };
    const name = "demo load";
    const [app, client, management] = await transaction(db, async (tx) => {
      const made = [
        await createKey(tx, sources, { kind: "app", project_id: projectId, name }),
        await createKey(tx, sources, { kind: "client", project_id: projectId, name }),
        await createKey(tx, sources, { kind: "management", project_id: null, name }),
      ];
      await logCommand(tx, name, ...changesOf(made));
      return made;
    });
    try {
      await db`update projects set features = features || ${[DEMO_LOADING]}::text[] where id = ${projectId}`;
      const progress = showProgress("Loading the demo data");
      const { runDemo } = await import("./run-demo.ts");
      return await runDemo(config, db, {
        projectId,
        keys: { app: app!, client: client!, management: management! },
        progress,
      });
    } catch (error) {
      if (error instanceof DemoRefused && error.status === 409)
        throw new ConfigError(`${projectId} already has demo data. Run \`laurel demo wipe\` first.`);
      throw error;
    } finally {
      await db`update projects set features = array_remove(features, ${DEMO_LOADING}) where id = ${projectId}`;
      const made = [app!, client!, management!];
      await transaction(db, async (tx) => {
        await tx`delete from keys where id = any(${made.map(({ id }) => id)})`;
        await logCommand(tx, name, ...changesOf(made));
      });
    }
  });
  console.log(`Loaded the demo data with ${count} requests. Codes to try:`);
  for (const { code, says } of KNOWN_CODES) console.log(`  ${code.padEnd(12)} ${says}`);
}

/** A key of each kind. */
const changesOf = (made: readonly { id: string }[]) =>
  ["app", "client", "management"].map((kind, n) => keyChange(kind, made[n]!.id));

export async function wipeCommand(config: Config, wanted: string | undefined): Promise<void> {
  const { id, count } = await withDatabase(config, async (db) => {
    const { id } = await sandboxOf(db, wanted);
    return { id, count: await wipeProject(db, id) };
  });
  console.log(`Deleted ${count} rows of ${id}. The project and its keys are still there.`);
}
