import type { SessionLock, ValidationRow, ValidationTally } from "../../core/rows/validation.ts";
import type { Db, Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { replaceLocks } from "../../resources/checkout/sessions/store.ts";
import { insertValidations } from "../../resources/checkout/validations/store.ts";
import { rememberUnconfirmed, type Unconfirmed } from "../../resources/customers/customers/unconfirmed-store.ts";
import type { ValidationPlan } from "./plan.ts";
import type { ValidateState } from "./state.ts";

/** When a session comes several times in a batch, its last valid validation decides what it locks. */
export async function saveLocks(
  tx: Tx,
  projectId: string,
  { sessions }: ValidateState,
  plans: readonly ValidationPlan[],
): Promise<void> {
  const bySession = new Map<string, readonly SessionLock[]>();
  for (const { of, locks } of plans) if (locks) bySession.set(of.session!.key, locks);
  if (bySession.size === 0) return;
  const [keys, locks] = [[...bySession.keys()], [...bySession.values()].flat()];
  await replaceLocks(tx, projectId, { keys, gone: sessions.own, locks });
}

/** What is stored of validations. */
type Kept = { rows: readonly ValidationRow[]; tallies: readonly ValidationTally[] };

export const keptOf = (plans: readonly ValidationPlan[]): Kept => ({
  rows: plans.flatMap(({ row }) => row ?? []),
  tallies: plans.flatMap((plan) => plan.tallies),
});

/** Without counts of campaigns and visitors to remember there is one statement to send. */
export const isOneStatement = ({ rows, tallies }: Kept): boolean =>
  tallies.length === 0 && rows.every(({ tracking_id }) => tracking_id === null);

export async function saveValidations(db: Db, projectId: string, kept: Kept): Promise<void> {
  // Sent without waiting for each other.
  const remembered = rememberUnconfirmed(db, projectId, kept.rows.flatMap(unconfirmedIn));
  await together([remembered, insertValidations(db, projectId, kept)]);
}

/** A visitor who is no customer yet gets the id of the validation that saw them first. */
const unconfirmedIn = ({ id, tracking_id, created_at }: ValidationRow): Unconfirmed[] =>
  tracking_id === null ? [] : [{ id: id.replace(/^valid_/, "ucust_"), tracking_id, created_at }];
