import { createHash } from "node:crypto";
import { keyChange } from "../catalog/audit.ts";
import { type Config, ConfigError } from "../config.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import { createKey } from "../flows/platform/create-project.ts";
import { disableKey, findKeys, type KeyKind, listKeys, rotateKey } from "../resources/platform/keys/store.ts";
import { getProject } from "../resources/platform/projects/store.ts";
import { newSecret, now } from "../sources.ts";
import { logCommand } from "./audit.ts";
import { withDatabase } from "./database.ts";
import { checkName } from "./name.ts";
import { printTable } from "./print/table.ts";

const KINDS: readonly string[] = ["app", "client", "management"];
const OVERLAP_HOURS_MAX = 24 * 365;

export async function createCommand(
  config: Config,
  { kind, project, name }: { kind: string; project?: string; name: string },
): Promise<void> {
  checkKind(kind);
  checkName(name);
  if ((kind === "management") !== (project === undefined))
    throw new ConfigError("A management key has no --project; the other kinds need one.");
  const made = await withDatabase(config, async (db) => {
    if (project !== undefined) await getProject(db, project);
    const key = { kind: kind as KeyKind, project_id: project ?? null, name };
    return transaction(db, async (tx) => {
      const pair = await createKey(tx, { newSecret, now: now() }, key);
      await logCommand(tx, "key create", keyChange(kind, pair.id));
      return pair;
    });
  });
  console.log(`id      ${made.id}`);
  console.log(`secret  ${made.secret}`);
  console.log("The secret is not shown again.");
}

export async function listCommand(config: Config, { project }: { project?: string }): Promise<void> {
  const rows = await withDatabase(config, async (db) => {
    if (project !== undefined) await getProject(db, project);
    return listKeys(db, project ?? null);
  });
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

export async function disableCommand(config: Config, id: string, options: { kind?: string }): Promise<void> {
  await withDatabase(config, async (db) => {
    const key = await theKey(db, id, options.kind);
    await transaction(db, async (tx) => {
      await disableKey(tx, { ...key, now: now() });
      await logCommand(tx, "key disable", keyChange(key.kind, id));
    });
  });
  console.log(`${id} is disabled.`);
}

type Rotate = { overlapHours: string; kind?: string };
export async function rotateCommand(config: Config, id: string, options: Rotate): Promise<void> {
  const hours = /^\d+(?:\.\d+)?$/.test(options.overlapHours) ? Number(options.overlapHours) : Number.NaN;
  if (!(hours >= 0 && hours <= OVERLAP_HOURS_MAX))
    throw new ConfigError(`--overlap-hours must be from 0 to ${OVERLAP_HOURS_MAX}.`);
  const secret = newSecret();
  const previous_until = new Date(Date.parse(now()) + hours * 3_600_000).toISOString();
  const secret_hash = createHash("sha256").update(secret).digest("hex");
  const row = await withDatabase(config, async (db) => {
    const key = await theKey(db, id, options.kind);
    return transaction(db, async (tx) => {
      const rotated = await rotateKey(tx, { ...key, secret_hash, previous_until });
      await logCommand(tx, "key rotate", keyChange(key.kind, id));
      return rotated;
    });
  });
  if (!row) throw new ConfigError(`There is no active key ${id}.`);
  console.log(`secret  ${secret}`);
  console.log(`The old secret works until ${previous_until}. The new one is not shown again.`);
  console.log("Put it where the key is used. The key of the first start is also in a credentials file.");
}

function checkKind(kind: string): void {
  if (!KINDS.includes(kind)) throw new ConfigError(`--kind must be ${KINDS.join(", ")}.`);
}

/** The one key that is meant. Ids are unique within a kind only. */
async function theKey(db: Pool, id: string, wanted: string | undefined): Promise<{ kind: KeyKind; id: string }> {
  if (wanted !== undefined) checkKind(wanted);
  const found = (await findKeys(db, id)).filter(({ kind }) => wanted === undefined || kind === wanted);
  if (found.length === 0) throw new ConfigError(`There is no key ${id}.`);
  if (found.length > 1)
    throw new ConfigError(
      `There are keys ${id} of the kinds ${found.map((k) => k.kind).join(", ")}. Choose one with --kind.`,
    );
  return { kind: found[0]!.kind, id };
}
