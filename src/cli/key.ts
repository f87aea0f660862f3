import { createHash } from "node:crypto";
import { type Config, ConfigError } from "../config.ts";
import { transaction } from "../db/commit.ts";
import { createKey } from "../flows/create-project.ts";
import { newSecret, now } from "../main.ts";
import { disableKey, type KeyKind, listKeys, rotateKey } from "../resources/keys/store.ts";
import { getProject } from "../resources/projects/store.ts";
import { withDatabase } from "./database.ts";
import { printTable } from "./table.ts";

const KINDS: readonly string[] = ["app", "client", "management"];
const OVERLAP_HOURS_MAX = 24 * 365;

export async function createCommand(
  config: Config,
  { kind, project, name }: { kind: string; project?: string; name: string },
): Promise<void> {
  if (!KINDS.includes(kind)) throw new ConfigError(`--kind must be ${KINDS.join(", ")}.`);
  if ((kind === "management") !== (project === undefined))
    throw new ConfigError("A management key has no --project; the other kinds need one.");
  const made = await withDatabase(config, async (db) => {
    if (project !== undefined) await getProject(db, project);
    const key = { kind: kind as KeyKind, project_id: project ?? null, name };
    return transaction(db, (tx) => createKey(tx, { newSecret, now: now() }, key));
  });
  console.log(`id      ${made.id}`);
  console.log(`secret  ${made.secret}`);
  console.log("The secret is not shown again.");
}

export async function listCommand(config: Config, { project }: { project?: string }): Promise<void> {
  const rows = await withDatabase(config, (db) => listKeys(db, project ?? null));
  const cells = rows.map((k) => [
    k.id,
    k.kind,
    k.project_id ?? "-",
    k.name,
    k.disabled_at === null ? "active" : "disabled",
    k.last_used_at ?? "never",
  ]);
  printTable(["ID", "KIND", "PROJECT", "NAME", "STATE", "LAST USED"], cells);
}

export async function disableCommand(config: Config, id: string): Promise<void> {
  const row = await withDatabase(config, (db) => disableKey(db, { id, now: now() }));
  if (!row) throw new ConfigError(`There is no key ${id}.`);
  console.log(`${id} is disabled.`);
}

export async function rotateCommand(config: Config, id: string, options: { overlapHours: string }): Promise<void> {
  const hours = Number(options.overlapHours);
  if (!(hours >= 0 && hours <= OVERLAP_HOURS_MAX))
    throw new ConfigError(`--overlap-hours must be from 0 to ${OVERLAP_HOURS_MAX}.`);
  const secret = newSecret();
  const previous_until = new Date(Date.parse(now()) + hours * 3_600_000).toISOString();
  const secret_hash = createHash("sha256").update(secret).digest("hex");
  const row = await withDatabase(config, (db) => rotateKey(db, { id, secret_hash, previous_until }));
  if (!row) throw new ConfigError(`There is no active key ${id}.`);
  console.log(`secret  ${secret}`);
  console.log(`The old secret works until ${previous_until}. The new one is not shown again.`);
}
