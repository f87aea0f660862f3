import { ApiError } from "../../../core/errors.ts";
import { shownEventId, storedEventId } from "../../../core/ids.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db } from "../../../db/db.ts";
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
  if (last !== undefined) {
    const found = await db`
      select 1 from events
      where project_id = ${projectId} and voucher_id = ${voucherId} and id = ${storedEventId(last)}`;
    if (found.length === 0)
      throw new ApiError("invalid_query_params", { details: `Property .starting_after_id names no entry: ${last}` });
  }
  const from = storedEventId(last ?? "");
  const behind = last === undefined ? db`true` : falls ? db`id < ${from}` : db`id > ${from}`;
  const entries = db<EventRow[]>`
    select id, kind, payload, created_at, group_id from events
    where project_id = ${projectId} and voucher_id = ${voucherId} and kind like any(${KINDS}) and ${behind}
    order by id ${falls ? db`desc` : db`asc`} limit ${limit + 1}`;
  return firstRows(entries, limit);
}

export const viewMemberActivity = ({ id, kind, payload, created_at, group_id }: EventRow): MemberActivity => ({
  id: shownEventId(id),
  type: kind,
  data: payload,
  created_at,
  group_id,
});
