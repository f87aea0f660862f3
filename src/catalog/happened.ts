import type { NewId } from "../ctx.ts";

/** What is to be recorded. The kinds are those of the list of events. */
export type Telling<K extends string = string> = {
  kind: K;
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  payload?: Readonly<Record<string, unknown>>;
  /** When it happened, where that was before the request: time brought it. */
  at?: string;
};
/** The same under its id, so that something else can name it. */
export type Recorded<K extends string = string> = Telling<K> & { id: string };

/** Ids in the order of what happened. A list is in the order of ids, so what comes before a named event needs one too. */
export const withIds = <H extends object>({ newId }: { newId: NewId }, happened: readonly H[]) =>
  happened.map((one) => ({ ...one, id: newId("ev") }));
