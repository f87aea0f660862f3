import assert from "node:assert/strict";
import { EVENT_PLACES, eventIdAt, eventRowOf } from "../core/ids.ts";
import type { NewId } from "../request.ts";

// Events of a request that come one after the other share a row where they can: a redemption that pays an order tells three
// things, and is one row. `unfolded` (`src/db/unfolded.ts`) reads them one by one.

/** What is recorded of an event, of whatever kind. */
type Recorded = {
  id?: string;
  kind: string;
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  subject_id?: string | null;
  payload?: object;
  at?: string;
};

/**
 * Whether events of a kind may stand behind another in its row. A statement that asks for such a kind, or changes what the
 * event tells, has to unfold the rows; all other kinds are found by the column `kind`.
 */
export const mayRide = (kind: string): boolean =>
  /^customer\.(?:order\.|redemption\.|reward_redemptions\.|rewarded$)/.test(kind);
/** What an order tells names neither a code nor a campaign. `unfolded` knows it too. */
const isOfOrder = (kind: string): boolean => kind.startsWith("customer.order.");

type About = Pick<Recorded, "customer_id" | "voucher_id" | "campaign_id" | "subject_id" | "at">;
const isSame = (a: About, b: About, fields: readonly (keyof About)[]): boolean =>
  fields.every((field) => (a[field] ?? null) === (b[field] ?? null));

/** Whether an event can share the row of the first: lists of its customer, code and campaign then find it there. */
function rides(event: Recorded, first: Recorded): boolean {
  if (!mayRide(event.kind) || event.subject_id || first.subject_id) return false;
  if (!isSame(event, first, ["customer_id", "at"])) return false;
  return isSame(event, isOfOrder(event.kind) ? {} : first, ["voucher_id", "campaign_id"]);
}

/** Names events in their order, so that those which share a row have its id and their place. A name that is given stays. */
export function nameEvents<E extends Recorded>(newId: NewId, events: readonly E[]): (E & { id: string })[] {
  let row: { first: E; id: string; places: number } | null = null;
  return events.map((event) => {
    if (event.id !== undefined) {
      row = null;
      return { ...event, id: event.id };
    }
    if (!row || row.places === EVENT_PLACES || !rides(event, row.first))
      row = { first: event, id: newId("ev"), places: 0 };
    const id = eventIdAt(row.id, row.places);
    row.places += 1;
    return { ...event, id };
  });
}

type Named = Recorded & { id: string };
export type FoldedEvent<E extends Named = Named> = E & {
  /** The kinds and the payloads of the events behind the first; null: it is alone. */
  also: string[] | null;
  /** As many as the kinds, but for those at the end that are the same as the one before. */
  also_payloads: object[] | null;
};

/** The rows of named events. */
export function foldEvents<E extends Named>(events: readonly E[]): FoldedEvent<E>[] {
  const rows: E[][] = [];
  for (const event of events) {
    const row = rows.at(-1);
    if (event.id === eventRowOf(event.id)) rows.push([event]);
    else {
      assert.equal(event.id, row && eventIdAt(row[0]!.id, row.length), "an event comes right behind those of its row");
      row!.push(event);
    }
  }
  return rows.map(([first, ...others]) => {
    if (others.length === 0) return { ...first!, also: null, also_payloads: null };
    const payloads = others.map(({ payload }) => payload ?? {});
    while (payloads.length > 1 && JSON.stringify(payloads.at(-1)) === JSON.stringify(payloads.at(-2))) payloads.pop();
    return { ...first!, also: others.map(({ kind }) => kind), also_payloads: payloads };
  });
}
