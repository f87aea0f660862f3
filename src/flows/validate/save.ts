import type { SessionLock, ValidationRow } from "../../core/rows/validation.ts";
import type { Db, Tx } from "../../db/db.ts";
import { replaceLocks } from "../../resources/checkout/sessions/store.ts";
import { insertValidations } from "../../resources/checkout/validations/store.ts";
import { rememberUnconfirmed, type Unconfirmed } from "../../resources/customers/customers/unconfirmed-store.ts";
import type { ValidationPlan } from "./plan.ts";

/** When a session comes several times in a batch, its last valid validation decides what it locks. */
export async function saveLocks(tx: Tx, projectId: string, plans: readonly ValidationPlan[]): Promise<void> {
  const bySession = new Map<string, readonly SessionLock[]>();
  for (const { of, locks } of plans) if (locks) bySession.set(of.session!.key, locks);
  if (bySession.size === 0) return;
  await replaceLocks(tx, projectId, { keys: [...bySession.keys()], locks: [...bySession.values()].flat() });
}

export async function saveValidations(db: Db, projectId: string, plans: readonly ValidationPlan[]): Promise<void> {
  const rows = plans.flatMap(({ row }) => row ?? []);
  const tallies = plans.flatMap((plan) => plan.tallies);
  await rememberUnconfirmed(db, projectId, rows.flatMap(unconfirmedIn));
  await insertValidations(db, projectId, { rows, tallies });
}

/** A visitor who is no customer yet gets the id of the validation that saw them first. */
const unconfirmedIn = ({ id, tracking_id, created_at }: ValidationRow): Unconfirmed[] =>
  tracking_id === null ? [] : [{ id: id.replace(/^valid_/, "ucust_"), tracking_id, created_at }];
