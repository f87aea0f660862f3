import { loadCatalog } from "./catalog/catalog.ts";
import type { Flow, ReadFlow, Submit } from "./db/batches/batch.ts";
import { commit } from "./db/batches/commit.ts";
import { type Pool, planOnce, type Tx } from "./db/db.ts";
import { isSpread, noteNodes } from "./db/spread/nodes.ts";
import { createProject } from "./flows/platform/create-project.ts";
import type { Engine } from "./http/engine.ts";
import type { Route } from "./http/route.ts";

const LIMIT_MS = 10_000;
/** Ends a transaction of which nothing stays. */
class Undone extends Error {}

/** `all` are those that are told where the rows of projects are. */
type Connections = { hot: Pool; reserve: Pool; lanes: number; all?: readonly Pool[] };

/**
 * Runs a whole redemption, of a code in a project that nobody ever sees: its transaction is undone. Whatever is missing in
 * the database shows here and not with the first client. `once` runs it on one connection, then the server is ready; `all`
 * on the connections of the lanes too, so that clients find their statements planned. What ran is not run again; while it
 * does not, every call tries anew.
 */
export function createWarmUp(routes: readonly Route[], engine: Engine, connections: Connections): WarmUp {
  const { hot, reserve, lanes, all = [] } = connections;
  const redeem = (tx: Tx) => redeemOnce(tx, routes, engine);
  const onReserve = keep(async () => {
    await noteNodes([...all, reserve]);
    // Citus plans for the values at hand only.
    if (!isSpread(reserve)) for (const pool of [hot, reserve]) planOnce(pool);
    await together([reserve], redeem);
  }, engine.log);
  const onLanes = keep(() => together(Array(lanes).fill(hot), redeem), engine.log);
  return { once: onReserve, all: () => onReserve().then(onLanes) };
}
export type WarmUp = { once(): Promise<void>; all(): Promise<void> };

/** Runs it until it ran once. */
function keep(run: () => Promise<void>, log: Engine["log"]): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= run().catch((error) => {
      running = null;
      log.error({ err: error }, "the statements of a redemption do not run");
      throw error;
    });
    return running;
  };
}

/** One transaction for each, all at once: so each has a connection of its own. */
async function together(pools: readonly Pool[], run: (tx: Tx) => Promise<unknown>): Promise<void> {
  const all = Promise.withResolvers<void>();
  let open = 0;
  const outcomes = pools.map((pool) =>
    commit(
      pool,
      async (tx) => {
        open += 1;
        if (open === pools.length) all.resolve();
        await all.promise;
        await run(tx);
        throw new Undone();
      },
      { limitMs: LIMIT_MS },
    ),
  );
  for (const outcome of await Promise.all(outcomes))
    if (outcome.kind !== "aborted" || !(outcome.error instanceof Undone))
      throw outcome.kind === "committed" ? new Error("what is tried out was not undone") : outcome.error;
}

async function redeemOnce(tx: Tx, routes: readonly Route[], engine: Engine): Promise<void> {
  const now = engine.now();
  const { newId, newSecret, secretBox } = engine;
  const sources = { newId, newSecret, secretBox, now, is_sandbox: true };
  const settings = { name: "Warm-up", timezone: "UTC", currency: "EUR", case_sensitive_codes: false };
  const { project, app } = await createProject(tx, sources, settings);
  const submit = (async (flow: Flow<unknown, unknown>, projectId: string, command: unknown) => {
    const [answer] = await ("read" in flow
      ? (flow as unknown as ReadFlow<unknown, unknown>).read(tx, projectId, [command], (_, write) => write(tx))
      : flow.run(tx, projectId, [command]));
    return answer;
  }) as Submit;
  const call = async (id: string, given: { params?: object; body: object }) => {
    const caller = { kind: "app", key_id: app.id };
    const request = { request_id: engine.newRequestId(), now, project, caller, query: {}, params: {}, ...given };
    const claim = { caller_id: `app ${app.id}`, key: "warm-up", input_hash: "", sealed_with: null, received_at: now };
    const route = routes.find((one) => one.id === id)!;
    return (route.run as (input: object) => Promise<unknown>)({
      ...request,
      db: tx,
      catalog: () => loadCatalog(tx, project.id),
      submit,
      forCaller: (shown: object) => shown,
      claim: id === "redeemStackedDiscounts" ? claim : null,
      changed: () => {},
      newId: engine.newId,
      newSecret: engine.newSecret,
    });
  };
  const redeemables = [{ object: "voucher", id: "WARM-UP" }];
  const cart = {
    redeemables,
    customer: { source_id: "warm-up" },
    order: { source_id: "warm-up", amount: 100, items: [{ quantity: 1, price: 100, product_id: "warm-up" }] },
  };
  const discount = { type: "AMOUNT", amount_off: 1 };
  await call("createVoucherWithCode", { params: { code: "WARM-UP" }, body: { type: "DISCOUNT_VOUCHER", discount } });
  for (const id of ["validateStackedDiscounts", "redeemStackedDiscounts"]) {
    const { status, body } = (await call(id, { body: cart })) as { status: number; body: string };
    if (status !== 200) throw new Error(`${id} is answered with ${status} ${body}`);
  }
}
