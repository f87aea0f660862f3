import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { foldCode } from "../../../core/codes/code.ts";
import { ApiError, notFound } from "../../../core/errors.ts";
import type { RefusalDetails, RefusalNames, RefusalRow } from "../../../core/rows/refusal.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import type { Project } from "../../../request.ts";
import type {
  KeptRefusal,
  RefusalList,
  RefusalQuery,
  RefusalRead,
  RefusalSummary,
  RefusalSummaryQuery,
} from "./schema.ts";

const PAGE_LIMIT = 10;
const OBJECT = "refusal";
/** How long refusals are kept. */
const DAYS = 30;

/** A name is found by this, and cannot be read from it. */
export const hashOf = (name: string): string => createHash("sha256").update(name).digest("hex");

const KEY_TYPES = { app: "server_key", client: "client_key", management: "management_key", session: "user" } as const;
type ListedRow = Omit<RefusalRow, "bytes" | "details">;

const view = ({ key_kind, key_id, redeemables, ...row }: ListedRow): KeptRefusal => ({
  ...row,
  redeemables: [...redeemables],
  key: { type: KEY_TYPES[key_kind], id: key_id },
  object: OBJECT,
});

const columns = (db: Db) =>
  db`id, created_at, request_id, kind, operation, status, reason, message, redemption_id, key_kind, key_id, channel, codes,
    customers, redeemables`;

/** The refusals that are found by a name. */
const naming = (db: Db, projectId: string, kind: keyof RefusalNames, name: string): Fragment => db`
  and id in (select refusal_id from refusal_names
    where project_id = ${projectId} and kind = ${kind} and hash = ${hashOf(name)})`;

/** The newest first. */
export async function listRefusals(
  db: Db,
  { id: projectId, case_sensitive_codes }: Pick<Project, "id" | "case_sensitive_codes">,
  { limit = PAGE_LIMIT, starting_after_id, created_at, request_id, now, ...query }: RefusalQuery & { now: string },
): Promise<RefusalList> {
  const last = starting_after_id === undefined ? null : await getRefusal(db, projectId, starting_after_id);
  const names: Partial<Record<keyof RefusalNames, string | undefined>> = {
    ...query,
    code: query.code && foldCode(query.code, case_sensitive_codes),
  };
  const wanted = [
    ...(["code", "customer", "campaign", "reason"] as const).flatMap((kind) =>
      names[kind] === undefined ? [] : [naming(db, projectId, kind, names[kind])],
    ),
    ...(request_id === undefined ? [] : [db`and request_id = ${request_id}`]),
    ...(last ? [db`and (created_at, id) < (${last.created_at}, ${last.id})`] : []),
  ];
  const found = db<ListedRow[]>`
    select ${columns(db)} from refusals
    where project_id = ${projectId} ${wanted.length > 0 ? wanted : db``}
      and ${whereOf(db, created_at ? { created_at } : {}, { fields: {}, now })}
    order by created_at desc, id desc limit ${limit + 1}`;
  const { rows, has_more } = await firstRows(found, limit);
  const data = rows.map(view);
  const next = has_more ? { more_starting_after: data.at(-1)!.id } : {};
  return { object: "list", data_ref: "data", data, has_more, ...next };
}

export async function getRefusal(db: Db, projectId: string, id: string): Promise<RefusalRead> {
  const [row] = await db<(ListedRow & { details: Uint8Array })[]>`
    select ${columns(db)}, details from refusals where project_id = ${projectId} and id = ${id}`;
  if (!row) throw notFound(OBJECT, id);
  const { details, ...listed } = row;
  const { url, request, answer, trace }: RefusalDetails = JSON.parse(inflateRawSync(details).toString());
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return { ...view(listed), url, request: parsed(request), answer: parsed(answer), trace: parsed(trace) };
}

/** Whole hours: that of `from` and all that begin before `to`; without it the one that goes on counts too. */
export async function summarizeRefusals(
  db: Db,
  projectId: string,
  { campaign, now, to: end, from: start }: RefusalSummaryQuery & { now: string },
): Promise<RefusalSummary> {
  const to = end ?? now;
  const from = start ?? daysBefore(to, DAYS);
  if (Temporal.Instant.compare(from, to) > 0)
    throw new ApiError("invalid_query_params", { details: "Query parameter from must not be after to" });
  const rows = await db<{ reason: string; count: number; kept: number }[]>`
    select reason, sum(count)::bigint as count, sum(kept)::bigint as kept from refusal_counts
    where project_id = ${projectId} and hour >= date_trunc('hour', ${from}::timestamptz, 'UTC') 
      ${end === undefined ? db`` : db`and hour < ${end}`}
      ${campaign === undefined ? db`` : db`and campaign_id = ${campaign}`}
    group by reason order by 2 desc, 1`;
  const reasons = rows.map(({ reason, count, kept }) => ({ reason, count, not_kept: count - kept }));
  const sum = (field: "count" | "not_kept") => reasons.reduce((all, one) => all + one[field], 0);
  return { from, to, count: sum("count"), not_kept: sum("not_kept"), reasons, object: "refusal_summary" };
}

/** PostgreSQL has no year 0 in this form. */
const FIRST = "0001-01-01T00:00:00.000Z";

function daysBefore(time: string, days: number): string {
  const before = Temporal.Instant.from(time).subtract({ hours: 24 * days });
  return Temporal.Instant.compare(before, FIRST) < 0 ? FIRST : before.toString({ smallestUnit: "millisecond" });
}
