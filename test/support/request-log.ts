import type { Pool } from "../../src/db/db.ts";
import { createRequestQueue } from "../../src/http/request-log/queue.ts";
import { insertRequests } from "../../src/resources/platform/request-log/store.ts";
import { eventually } from "./child.ts";
import { NOW, type Reply } from "./engine.ts";
import { testShop } from "./shop.ts";

type QueueOptions = Partial<Parameters<typeof createRequestQueue>[0]>;

/** What a server logs its requests with, and how many it dropped. */
export function testRequestQueue(db: Pool, options: QueueOptions = {}) {
  const dropped = { count: 0 };
  const requests = createRequestQueue({
    save: (projectId, rows) => insertRequests(db, projectId, rows),
    now: () => NOW,
    countDropped: (count) => {
      dropped.count += count;
    },
    report: (error) => console.error(error),
    perSecond: 10_000,
    ...options,
  });
  return { requests, dropped };
}

/** A shop whose requests are logged. */
export async function loggedShop(
  db: Pool,
  project: Parameters<typeof testShop>[1] = {},
  { queue = {}, ...options }: Parameters<typeof testShop>[2] & { queue?: QueueOptions } = {},
) {
  const { requests, dropped } = testRequestQueue(db, queue);
  const shop = await testShop(db, project, { requests, ...options });
  /** The entry of a request. It is noted after the answer was sent, so it is waited for. */
  const entryOf = async (reply: Reply, log = "/v1/request-log"): Promise<any> => {
    let entry: Reply | undefined;
    await eventually(async () => {
      await requests.flush();
      entry = await shop.call(`GET ${log}/${reply.headers["x-request-id"]}`);
      return entry.status === 200;
    }, "the request is in the log");
    return entry!.body;
  };
  const find = async (query: string, log = "/v1/request-log"): Promise<any[]> =>
    (await shop.ok(`GET ${log}?limit=100&${query}`)).data;
  return { ...shop, requests, dropped, entryOf, find };
}
