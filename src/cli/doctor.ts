import type { Config } from "../config.ts";
import type { Pool } from "../db/db.ts";
import { INVARIANTS } from "../db/invariants.ts";
import { addedByNewer, appliedMigrations, readMigrations, refuseChanged } from "../db/migrate.ts";
import type { SecretBox } from "../db/secrets/secret-box.ts";
import { examineSecrets } from "../db/secrets/stored-secrets.ts";
import { distributionFaults } from "../db/spread/distribute.ts";
import { clockSkew, SKEW_MAX_MS } from "../http/open-routes.ts";
import { now } from "../sources.ts";
import { VERSION } from "../version.ts";
import { secretBoxOf } from "./credentials.ts";
import { withDatabase } from "./database.ts";

type Finding = { name: string; ok: boolean; says: string };

/** Looks at everything and reports all of it. Exit code 1 when something is wrong. */
export async function doctorCommand(config: Config): Promise<void> {
  const findings = await withDatabase(config, async (db) => {
    const found = await examine(db);
    // Without the tables of this version there is nothing to look at, and the findings say so.
    if (found.some(({ name, ok }) => name === "migrations" && !ok)) return found;
    return [...found, await secretsFinding(db, secretBoxOf(config))];
  });
  for (const { name, ok, says } of findings) console.log(`${ok ? "ok  " : "BAD "} ${name}${says ? `: ${says}` : ""}`);
  const bad = findings.filter(({ ok }) => !ok).length;
  console.log(bad === 0 ? "All checks passed." : `${bad} of ${findings.length} checks failed.`);
  if (bad > 0) process.exitCode = 1;
}

export async function examine(db: Pool): Promise<Finding[]> {
  const [server] = await db<{ version: string }[]>`select current_setting('server_version') as version`;
  const findings: Finding[] = [{ name: "database", ok: true, says: `PostgreSQL ${server!.version}` }];

  const skew = await clockSkew(db, now);
  findings.push({ name: "clocks", ok: Math.abs(skew) <= SKEW_MAX_MS, says: `they differ by ${skew} ms` });

  const [schema] = await db`select to_regclass('laurel.migrations') is not null as there`;
  if (!schema!.there)
    return [...findings, { name: "migrations", ok: false, says: "none applied; run `laurel migrate`" }];
  const migrations = await migrationsFinding(db);
  findings.push(migrations);
  if (!migrations.ok) return findings;

  // On one machine there is nothing to look at.
  const faults = await distributionFaults(db);
  if (faults !== null)
    findings.push({
      name: "every table is on the machines that it belongs on",
      ok: faults.length === 0,
      says: faults.join("; "),
    });

  for (const [name, find] of Object.entries(INVARIANTS)) {
    const [found] = await find(db);
    const says = found!.count === 0 ? "" : `${found!.count} break it, for example ${found!.example}`;
    findings.push({ name, ok: found!.count === 0, says });
  }
  return findings;
}

const NAMED_MAX = 10;

/** Secrets that are lost with their key, each with what to do. That they are not encrypted is a choice, and no fault. */
export async function secretsFinding(db: Pool, secretBox: SecretBox): Promise<Finding> {
  const { unreadable, plain, previous } = await examineSecrets(db, secretBox);
  const named = unreadable.slice(0, NAMED_MAX).join(", ");
  const says = [
    ...(unreadable.length > 0 ? [`${unreadable.length} cannot be read with this LAUREL_SECRET_KEY: ${named}`] : []),
    ...(previous > 0 ? [`${previous} are encrypted with LAUREL_SECRET_KEY_PREVIOUS; start the server`] : []),
    ...(plain > 0 ? [`${plain} are not encrypted; set LAUREL_SECRET_KEY and start the server`] : []),
  ];
  return { name: "secrets", ok: unreadable.length === 0, says: says.join("; ") };
}

async function migrationsFinding(db: Pool): Promise<Finding> {
  const [known, done] = [readMigrations(), await appliedMigrations(db)];
  const newer = addedByNewer(known, done, VERSION);
  const own = done.filter((one) => !newer.includes(one));
  try {
    refuseChanged(known, own);
  } catch (error) {
    return { name: "migrations", ok: false, says: (error as Error).message };
  }
  const missing = known.length - own.length;
  const beside = newer.length > 0 ? `; ${newer.length} more of a newer version, which this one runs on with` : "";
  const says = missing === 0 ? `${own.length} applied${beside}` : `${missing} not applied; run \`laurel migrate\``;
  return { name: "migrations", ok: missing === 0, says };
}
