import { ApiError } from "../../../core/errors.ts";
import { shownEventId } from "../../../core/ids.ts";
import { EVENTS } from "../../../events/kinds.ts";
import { type FeedEventRow, readFeedPage } from "../../../flows/platform/read-feed.ts";
import { read, stream } from "../../../http/route.ts";
import { FeedEvent, FeedList, FeedQuery, StreamQuery } from "./schema.ts";
import { endPosition, FEED_START, type FeedFilters, feedCursor, parseFeedCursor } from "./store.ts";

const LIMIT = 10;
const STREAM_LIMIT = 100;

/** The filters of a request. A type that nothing records would wait for ever, so it is refused. */
function parseFilters({ type, ...filters }: Pick<FeedQuery, "type"> & Omit<FeedFilters, "kinds">): FeedFilters {
  if (type === undefined) return filters;
  const kinds = [type].flat();
  const unknown = kinds.find((kind) => !Object.hasOwn(EVENTS, kind));
  if (unknown !== undefined)
    throw new ApiError("invalid_query_params", {
      details: `There are no events of the type ${unknown}; a type is a name such as customer.redemption.succeeded`,
    });
  return { ...filters, kinds };
}

const eventView = ({ id, kind, ...row }: FeedEventRow): FeedEvent => ({
  id: shownEventId(id),
  object: "event",
  type: kind,
  created_at: row.created_at,
  group_id: row.group_id,
  customer_id: row.customer_id,
  voucher_id: row.voucher_id,
  campaign_id: row.campaign_id,
  data: row.data,
  data_built_at: row.data_built_at,
});

export const eventFeedRoutes = [
  read(
    "GET /v1/events",
    {
      id: "listEvents",
      summary: "Read what happened, in the order in which it was stored",
      description:
        "For a receiver that was down and catches up: keep the `cursor` of the last page, and ask with it again. No event is skipped and none comes twice, also when many requests write at once. An event is shown as soon as every transaction that began before its own has ended.",
      query: FeedQuery,
      ok: FeedList,
    },
    async (c) => {
      const { cursor, limit = LIMIT, ...filters } = c.query;
      const from = cursor === undefined ? FEED_START : parseFeedCursor(cursor);
      const { rows, position, has_more } = await readFeedPage({ db: c.db, projectId: c.project.id, now: c.now }, from, {
        ...parseFilters(filters),
        limit,
      });
      return {
        object: "list" as const,
        data_ref: "events" as const,
        events: rows.map(eventView),
        has_more,
        cursor: feedCursor(position),
      };
    },
  ),
  stream(
    "GET /v1/events/stream",
    {
      id: "streamEvents",
      summary: "Follow what happens, as server-sent events",
      description:
        "An event comes within a second. The `id` of each is its cursor: a client that was cut off sends the last one as `Last-Event-ID`, as browsers do by themselves, and goes on where it was. The server ends a stream after five minutes, so that keys are checked again; the client connects again.",
      query: StreamQuery,
      ok: FeedEvent,
    },
    async ({ db, project, now, query: { cursor, ...filters }, position: last }) => {
      const [from, asked] = [last ?? cursor, parseFilters(filters)];
      const start = from === undefined ? await endPosition(db) : parseFeedCursor(from);
      const { rows, position } = await readFeedPage({ db, projectId: project.id, now }, start, {
        ...asked,
        limit: STREAM_LIMIT,
      });
      const events = rows.map((row) => ({ id: feedCursor(row.position), type: row.kind, data: eventView(row) }));
      return { from: feedCursor(start), events, position: feedCursor(position) };
    },
  ),
];
