import fs from "node:fs";
import { join, resolve } from "node:path";
import { keyChange } from "../catalog/audit.ts";
import { type Config, isDemo } from "../config.ts";
import { ApiError } from "../core/errors.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool, Tx } from "../db/db.ts";
import { DEMO_SETTINGS } from "../demo/demo-data.ts";
import { DEMO_PROJECT_ID } from "../demo/requests.ts";
import { wipeProject } from "../demo/wipe.ts";
import { createKey, createProject, ROLE_OF_OWNERS } from "../flows/platform/create-project.ts";
import { createUser, inviteAgain } from "../flows/platform/invite-user.ts";
import { newId, newSecret, now } from "../sources.ts";
import { logCommand } from "./audit.ts";
import { readKeys, secretBoxOf, writeCredentials } from "./credentials.ts";
import { checkDataDir } from "./data-dir.ts";
import { showProgress } from "./print/progress.ts";

/** Who keeps the embedded database. Nobody else can be asked for an address. */
const OWNER = { email: "owner@laurel.localhost", first_name: "Owner", last_name: "" };
const LINK_HOURS = 24;

/** Makes the owner, and returns the token of the link with which they sign in, once. */
async function makeOwner(tx: Tx, projectId: string): Promise<string> {
  const owner = { ...OWNER, projects: { [projectId]: ROLE_OF_OWNERS }, is_owner: true };
  const { id, invitation } = await createUser(tx, { newId, newSecret, now: now() }, owner, LINK_HOURS);
  await logCommand(tx, "first start", { kind: "user", id });
  return invitation.token;
}

/** A new link for an owner who has never signed in: the one before may have scrolled away, or was never printed. */
const inviteOwnerAgain = (db: Pool): Promise<string | null> =>
  transaction(db, async (tx) => {
    const { id, invitation } = await inviteAgain(tx, { newSecret, now: now() }, OWNER.email, { hours: LINK_HOURS });
    await logCommand(tx, "start", { kind: "user", id });
    return invitation.token;
  }).catch((error) => {
    // The owner has accepted, or has another address by now.
    if (error instanceof ApiError) return null;
    throw error;
  });

/**
 * Makes the first project, when there is none. Returns the token of the link of its owner, where the database is ours. The files are written before the commit:
 * a crash in between leaves files of a project that does not exist, which the next start writes anew; the other way
 * round it would leave a project to which nobody has the key.
 */
async function makeFirstProject(config: Config, db: Pool): Promise<string | null> {
  const sources = { newId, newSecret, secretBox: secretBoxOf(config), now: now(), is_sandbox: true };
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
    return config.DATABASE_URL === null ? makeOwner(tx, project.id) : null;
  });
}

/** Names the project whose demo data is not there, or not all of it: a start that was killed left it behind. */
const unfinishedDemo = ({ LAUREL_DATA_DIR }: Config) => join(resolve(LAUREL_DATA_DIR), "demo-unfinished");

/**
 * The first start as a whole: the project, its credentials files and, where asked for, the demo data. Returns the token of the
 * link with which the owner signs in, when there is one.
 */
export async function firstStart(config: Config, db: Pool): Promise<string | null> {
  const isOurs = config.DATABASE_URL === null;
  const token = (await makeFirstProject(config, db)) ?? (isOurs ? await inviteOwnerAgain(db) : null);
  const [mark, keys] = [unfinishedDemo(config), readKeys(config.LAUREL_DATA_DIR)];
  if (!fs.existsSync(mark) || !keys) return token;
  const projectId = fs.readFileSync(mark, "utf8");
  if (!process.stderr.isTTY) console.error("Loading demo data…");
  await wipeProject(db, projectId);
  const { runDemo } = await import("./run-demo.ts");
  await runDemo(config, db, { projectId, keys, progress: showProgress("Loading demo data") });
  fs.rmSync(mark);
  return token;
}
