import { INSTALLATION, recordVersions } from "../catalog/audit.ts";
import type { Tx } from "../db/db.ts";
import type { InstallationKind } from "../request.ts";
import { newId, now } from "../sources.ts";

/** Logs what a command changed. Who ran it is known to the machine and not to Laurel. */
export const logCommand = (tx: Tx, operation: string, kind: InstallationKind, id: string): Promise<void> =>
  recordVersions(tx, { actor: { type: "cli", id: "laurel" }, operation, request_id: null, created_at: now(), newId }, [
    { project_id: INSTALLATION, kind, id },
  ]);
