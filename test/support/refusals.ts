import type { Pool } from "../../src/db/db.ts";
import { createRefusalQueue } from "../../src/http/refusals/queue.ts";
import { type RefusalLimits, saveRefusals } from "../../src/resources/checkout/refusals/keeping-store.ts";
import { eventually } from "./child.ts";
import { NOW, newId, type Reply } from "./engine.ts";
import { testShop } from "./shop.ts";

/** A queue as `main` makes it, with limits of its own. */
export const testRefusalQueue = (
  db: Pool,
  limits: RefusalLimits & { now?: () => string; perProcess?: number } = {},
) => {
  const { now = () => NOW, perProcess = 1_000, ...kept } = limits;
  return createRefusalQueue(db, {
    save: (tx, projectId, batch) => saveRefusals(tx, projectId, batch, { now: now(), ...kept }),
    newId,
    now,
    report: (error) => console.error(error),
    perMinute: perProcess,
  });
};

/** A shop whose refusals are kept. */
export async function refusingShop(
  db: Pool,
  project: Parameters<typeof testShop>[1] = {},
  { limits, ...options }: Parameters<typeof testShop>[2] & { limits?: Parameters<typeof testRefusalQueue>[1] } = {},
) {
  const refusals = testRefusalQueue(db, limits);
  const shop = await testShop(db, project, { refusals, ...options });
  const find = async (query: string): Promise<any[]> => {
    await refusals.flush();
    return (await shop.ok(`GET /v1/refusals?limit=100&${query}`)).data;
  };
  /** The refusal of a request. It is noted after the answer was sent, so it is waited for. */
  const refusalOf = async (reply: Reply): Promise<any> => {
    let found: any;
    await eventually(async () => {
      [found] = await find(`request_id=${reply.headers["x-request-id"]}`);
      return found !== undefined;
    }, "the refusal is kept");
    return shop.ok(`GET /v1/refusals/${found.id}`);
  };
  return { ...shop, refusals, find, refusalOf };
}
