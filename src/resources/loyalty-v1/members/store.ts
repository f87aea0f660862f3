import { ApiError } from "../../../core/errors.ts";
import { eventRowOf, shownEventId, storedEventId } from "../../../core/ids.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db } from "../../../db/db.ts";
import { behindEvent, unfolded } from "../../../db/unfolded.ts";
import type { MemberActivity, MemberActivityQuery } from "./schema.ts";

type EventRow = {
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  created_at: string;
  group_id: string;
};

const LIMIT = 10;
/** What is told of a card to who asks for its holder's loyalty. */
const KINDS = [
  "customer.loyalty.%",
  "customer.publication.%",
  "customer.redemption.%",
  "customer.rewarded%",
  "customer.reward_redemptions.%",
  "customer.voucher.%",
];
/** What happened to a card, newest first unless another order is asked for. Ids grow with time. */
export async function listMemberActivity(
  db: Db,
  projectId: string,
  voucherId: string,
  { limit = LIMIT, order = "-created_at", starting_after_id: last }: MemberActivityQuery,
): Promise<{ rows: EventRow[]; has_more: boolean }> {
  const falls = order.startsWith("-");
  const from = storedEventId(last ?? "");
  const own = db`r.project_id = ${projectId} and r.voucher_id = ${voucherId}`;
  if (last !== undefined) {
    const found = await db`
      select 1 from ${unfolded(db, db`${own} and r.id = ${eventRowOf(from)}`)} as e
      where voucher_id = ${voucherId} and id = ${from}`;
    if (found.length === 0)
      throw new ApiError("invalid_query_params", { details: `Property .starting_after_id names no entry: ${last}` });
  }
  const behind = last === undefined ? db`true` : behindEvent(db, from, falls);
  const entries = db<EventRow[]>`
    select id, kind, payload, created_at, group_id from ${unfolded(db, own)} as e
    where voucher_id = ${voucherId} and kind like any(${KINDS}) and ${behind}
    order by ${falls ? db`row_id desc, place desc` : db`row_id, place`} limit ${limit + 1}`;
  return firstRows(entries, limit);
}

export const viewMemberActivity = ({ id, kind, payload, created_at, group_id }: EventRow): MemberActivity => ({
  id: shownEventId(id),
  type: kind,
  data: payload,
  created_at,
  group_id,
});
