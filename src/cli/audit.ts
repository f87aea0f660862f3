import { type ConfigChange, INSTALLATION, recordVersions } from "../catalog/audit.ts";
import type { Tx } from "../db/db.ts";
import type { ConfigKind, InstallationKind } from "../request.ts";
import { newId, now } from "../sources.ts";

/** Who ran a command is known to the machine and not to Laurel. */
async function record(tx: Tx, operation: string, changes: readonly ConfigChange[]): Promise<void> {
  const actor = { type: "cli", id: "laurel" } as const;
  await recordVersions(tx, { actor, operation, request_id: null, created_at: now(), newId }, changes);
}

type Change<K extends ConfigKind> = { kind: K; id: string };

/** Logs what a command changed that belongs to the installation. */
export const logCommand = (tx: Tx, operation: string, ...changes: readonly Change<InstallationKind>[]): Promise<void> =>
  record(
    tx,
    operation,
    changes.map((change) => ({ ...change, project_id: INSTALLATION })),
  );

/** Logs what a command changed in a project. */
export const logCommandIn = (
  tx: Tx,
  operation: string,
  change: Change<ConfigKind> & { project_id: string },
): Promise<void> => record(tx, operation, [change]);
