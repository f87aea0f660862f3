import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeRedeemableCodes, redemptionRequests } from "./codes.ts";
import { type BenchProject, type Lab, type Server, withLab } from "./lab.ts";
import { drive, percentile } from "./load.ts";
import { numbers } from "./shop.ts";

// npm run test:fairness [-- --quick]
// How long a redemption of one project takes while another project does its worst to the same process, next to how long it
// takes while nobody else is there. It is no part of `npm test`, where nothing depends on the machine: there
// `test/http/fairness.test.ts` and `test/db/shares.test.ts` count.

/** Its 99th percentile may grow to so many times what it is when all is quiet. */
const FLOOR = 3;
const [OWN_CLIENTS, WORST_CLIENTS] = [2, 16];
const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
const SECONDS = quick ? 1 : 12;
// The first requests run cold code and read a catalog anew: they alone would be the slowest hundredth.
const WARM_UP_MS = quick ? 200 : 2_000;
const CODES = quick ? 200 : 2_000;

type Scenario = { name: string; prepare(shop: Shop): Promise<{ paths: readonly Request[]; end?(): Promise<void> }> };
type Shop = { lab: Lab; server: Server; project: BenchProject };
type Request = { path: string; body?: object };

const redemption = (n: number): Request => ({
  path: "/v1/redemptions",
  body: { redeemables: [{ object: "voucher", id: `R-${n}` }], order: { amount: 5000 } },
});

const SCENARIOS: readonly Scenario[] = [
  {
    name: "a locked code, asked for by half of its requests",
    prepare: async ({ lab, project }) => {
      const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holder = lab.db.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`;
        await tx`select id from vouchers where project_id = ${project.id} and code = 'R-0' order by id for no key update`;
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const end = async () => {
        release.resolve();
        await holder;
      };
      return { paths: numbers(100).map((n) => redemption(n % 2 === 0 ? 0 : 2 * n)), end };
    },
  },
  {
    name: "expensive rules on large carts",
    prepare: async ({ server, project }) => {
      const ids = numbers(500).map((n) => `product-${n}`);
      const conditions = { $is: ids.map((id) => ({ id, object: "product" })) };
      const nodes = numbers(10).map((n) => [n + 1, { name: "product.id", conditions }]);
      const logic = nodes.map(([n]) => n).join(" and ");
      const rule = await server.call<{ id: string }>(project, "POST /v1/validation-rules", {
        name: "Expensive",
        rules: { ...Object.fromEntries(nodes), logic },
      });
      const body = { code: "EXPENSIVE", discount: { type: "PERCENT", percent_off: 10 }, validation_rules: [rule.id] };
      await server.call(project, "POST /v1/vouchers", body);
      const items = ids.map((product_id) => ({ product_id, quantity: 1, price: 100 }));
      const cart = { redeemables: [{ object: "voucher", id: "EXPENSIVE" }], order: { items } };
      return { paths: [{ path: "/v1/validations", body: cart }] };
    },
  },
  {
    name: "huge lists",
    prepare: async ({ lab, project }) => {
      await lab.db`
        update vouchers set additional_info = repeat('x', 8000) where project_id = ${project.id}`;
      return { paths: [{ path: "/v1/vouchers?limit=100&order=-code" }, { path: "/v1/vouchers?limit=100&page=5" }] };
    },
  },
];

/** Asks without a pause and whatever the answer is, until told. */
function rage({ server, project }: Shop, paths: readonly Request[]): () => Promise<number> {
  let [isOver, count] = [false, 0];
  const client = async (first: number) => {
    for (let n = first; !isOver; n += 1) {
      const { path, body } = paths[n % paths.length]!;
      const headers = { ...project.headers, ...(body && { "Content-Type": "application/json" }) };
      const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
      await fetch(server.url + path, init).then(
        (reply) => reply.arrayBuffer(),
        () => null,
      );
      count += 1;
    }
  };
  const clients = numbers(WORST_CLIENTS).map(client);
  return async () => {
    isOver = true;
    await Promise.all(clients);
    return count;
  };
}

await withLab(process.env.DATABASE_URL, async (lab) => {
  const server = await lab.startServer();
  const [quiet, worst] = [await makeRedeemableCodes(lab, server, CODES), await makeRedeemableCodes(lab, server, CODES)];
  const shop: Shop = { lab, server, project: worst };
  const requests = redemptionRequests(server, quiet, numbers(CODES));
  const p99 = async () => percentile(await drive(server.url, requests, { seconds: SECONDS }, OWN_CLIENTS), 0.99);
  await drive(server.url, requests, { count: quick ? 40 : 5_000 }, OWN_CLIENTS);
  await lab.settle();
  for (const { name, prepare } of SCENARIOS) {
    const { paths, end } = await prepare(shop);
    const alone = await p99();
    const stop = rage(shop, paths);
    await wait(WARM_UP_MS);
    const beside = await p99();
    const stopped = stop();
    await end?.();
    const count = await stopped;
    const ratio = beside / alone;
    const verdict = ratio <= FLOOR ? "ok" : "MISSED";
    console.log(
      `${name}: p99 of another project ${beside.toFixed(1)} ms, quiet ${alone.toFixed(1)} ms: ` +
        `${ratio.toFixed(2)} times, floor ${FLOOR} (${verdict}); ${count} requests of the one at its worst`,
    );
    if (ratio > FLOOR && !quick) process.exitCode = 1;
  }
});
