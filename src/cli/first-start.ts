import fs from "node:fs";
import { join, resolve } from "node:path";
import { keyChange } from "../catalog/audit.ts";
import { type Config, isDemo } from "../config.ts";
import { transaction } from "../db/commit.ts";
import type { Pool } from "../db/db.ts";
import { DEMO_SETTINGS } from "../demo/demo-data.ts";
import { DEMO_PROJECT_ID } from "../demo/requests.ts";
import { wipeProject } from "../demo/wipe.ts";
import { createKey, createProject } from "../flows/platform/create-project.ts";
import { newId, newSecret, now } from "../sources.ts";
import { logCommand } from "./audit.ts";
import { readKeys, writeCredentials } from "./credentials.ts";
import { checkDataDir } from "./data-dir.ts";
import { showProgress } from "./print/progress.ts";

/**
 * Makes the first project, when there is none, and returns its id. The files are written before the commit:
 * a crash in between leaves files of a project that does not exist, which the next start writes anew; the other way
 * round it would leave a project to which nobody has the key.
 */
async function makeFirstProject(config: Config, db: Pool): Promise<string | null> {
  const sources = { newId, newSecret, now: now(), is_sandbox: true };
  const given = (id: string | null, secret: string | null) => ({ ...(id && { id }), ...(secret && { secret }) });
  return transaction(db, async (tx) => {
    // The row that keeps two migrations apart also keeps two first starts apart.
    await tx`select name from migrations where name = 'lock' order by name for no key update`;
    const [any] = await tx`select id from projects limit 1`;
    if (any) return null;
    checkDataDir(config);
    const body = {
      ...{ name: "Sandbox", timezone: "UTC", currency: "USD", case_sensitive_codes: false },
      ...(isDemo(config) && DEMO_SETTINGS),
    };
    const { project, app, client, changes } = await createProject(tx, sources, body, {
      ...(config.LAUREL_PROJECT_ID ? { id: config.LAUREL_PROJECT_ID } : isDemo(config) ? { id: DEMO_PROJECT_ID } : {}),
      app: given(config.LAUREL_APP_ID, config.LAUREL_APP_TOKEN),
      client: given(config.LAUREL_CLIENT_ID, config.LAUREL_CLIENT_TOKEN),
    });
    const management = await createKey(tx, sources, {
      kind: "management",
      project_id: null,
      name: "default",
      ...given(config.LAUREL_MANAGEMENT_ID, config.LAUREL_MANAGEMENT_TOKEN),
    });
    await logCommand(tx, "first start", ...changes, keyChange("management", management.id));
    const keys = { app, client, management };
    writeCredentials(config.LAUREL_DATA_DIR, keys);
    if (isDemo(config)) fs.writeFileSync(unfinishedDemo(config), project.id);
    return project.id;
  });
}

/** Names the project whose demo data is not there, or not all of it: a start that was killed left it behind. */
const unfinishedDemo = ({ LAUREL_DATA_DIR }: Config) => join(resolve(LAUREL_DATA_DIR), "demo-unfinished");

/** The first start as a whole: the project, its credentials files and, where asked for, the demo data. */
export async function firstStart(config: Config, db: Pool): Promise<void> {
  await makeFirstProject(config, db);
  const [mark, keys] = [unfinishedDemo(config), readKeys(config.LAUREL_DATA_DIR)];
  if (!fs.existsSync(mark) || !keys) return;
  const projectId = fs.readFileSync(mark, "utf8");
  if (!process.stderr.isTTY) console.error("Loading demo data…");
  await wipeProject(db, projectId);
  const { runDemo } = await import("./run-demo.ts");
  await runDemo(config, db, { projectId, keys, progress: showProgress("Loading demo data") });
  fs.rmSync(mark);
}
