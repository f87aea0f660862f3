import type { Promised } from "../../core/rows/validation.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { NotYet } from "../../db/batches/batch.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { loadPromises } from "../../resources/checkout/validations/store.ts";
import { findVouchers } from "../../resources/promotions/vouchers/store.ts";
import { codesIn, type RedeemRequest } from "../../steps/checkout/requests.ts";
import { isHolderAsked } from "./holders.ts";
import { lockRows, needsCodesFirst } from "./lock.ts";

/**
 * What a batch reads with its first message: the codes that it names, and what the validations that it names promised. Where
 * nothing depends on what the codes are, all that it needs is locked and read with it (`opened`).
 */
export type FirstRead = {
  vouchers: readonly VoucherRow[];
  promises: ReadonlyMap<string, Promised>;
  opened: Awaited<ReturnType<typeof lockRows>> | null;
};

/** A validation is stored behind its answer, so it may be asked for before it is there. It comes within this time. */
const STORED_MS = 2_000;
/** `valid_` and 12 digits of milliseconds. */
const MADE_AT = /^valid_([0-9a-f]{12})[0-9a-f]{12}$/;

export async function readFirst(tx: Tx, commands: readonly RedeemRequest[]): Promise<FirstRead> {
  const { project } = commands[0]!;
  const ids = commands.flatMap(({ validation_id }) => validation_id ?? []);
  const isOpened = !needsCodesFirst(commands) && !commands.some(isHolderAsked);
  const [opened, found, promises] = await together([
    isOpened ? lockRows(tx, project.id, commands, {}) : null,
    isOpened ? null : findVouchers(tx, project, codesIn(commands)),
    ids.length > 0 ? loadPromises(tx, project.id, ids).execute() : [],
  ]);
  const vouchers = opened?.vouchers ?? found ?? [];
  return { vouchers, opened, promises: new Map(promises.map((promise) => [promise.id, promise])) };
}

/** Sets aside the commands whose validation is not there and younger than two seconds: they look for it again. */
export function waitForPromises(commands: readonly RedeemRequest[], promises: ReadonlyMap<string, Promised>): void {
  const missing = commands.flatMap((command): [RedeemRequest, number][] => {
    const { validation_id, isLate, now, project } = command;
    if (isLate || validation_id === null || promises.has(validation_id)) return [];
    const madeAt = Number.parseInt(MADE_AT.exec(validation_id)?.[1] ?? "", 16);
    // The time of a project may be moved, ids are of the real one. Another machine's clock may be ahead of ours.
    const age = Math.max(0, Date.parse(now) - project.clock_offset_ms - madeAt);
    return age < STORED_MS ? [[command, STORED_MS - age]] : [];
  });
  if (missing.length > 0) throw new NotYet(new Map(missing));
}
