import { ROUNDS, warmUp } from "../compare.ts";
import type { Lab, Server } from "../lab.ts";
import { type Cpu, type Line, median } from "../line.ts";
import type { Requests } from "../load.ts";
import { TWINS } from "../orders.ts";
import { manyPromotions } from "../promotions.ts";
import { openShop } from "../shop.ts";
import { makeCodes, validationBodies } from "../vouchers.ts";

// What most shops send: one request at a time, a code for a cart of ten lines, in a project with 101 promotions.

const PATH = "/v1/validations";
const PROMOTIONS = 101;
/** As many people look at their carts at once in a large shop. */
const SESSIONS = 4_000;

const total = ({ node, postgres }: Cpu): number => (node ?? 0) + (postgres ?? 0);

/** CPU of one request of each kind, in turns: the median of some rounds, and that of their ratios. */
async function alone(server: Server, sides: { baseline: Requests; engine: Requests }, quick: boolean) {
  const count = quick ? 20 : 1_000;
  for (const requests of Object.values(sides)) await server.measure(requests, warmUp(quick));
  const rounds: { baseline: number; engine: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const baseline = total((await server.measure(sides.baseline, { count }, 1)).cpu);
    rounds.push({ baseline, engine: total((await server.measure(sides.engine, { count }, 1)).cpu) });
  }
  return {
    unit: "us",
    baseline: median(rounds.map((one) => one.baseline)),
    engine: median(rounds.map((one) => one.engine)),
    ratio: median(rounds.map((one) => one.engine / Math.max(1, one.baseline))),
  };
}

async function openCarts(lab: Lab, server: Server) {
  const shop = await openShop(server, await lab.createProject("Carts"), 1);
  await makeCodes(server, shop);
  await manyPromotions(lab.db, shop, PROMOTIONS);
  await lab.settle();
  const bodies = validationBodies().map((body) => ({ ...body, redeemables: body.redeemables.slice(0, 1) }));
  return { project: shop.project, bodies };
}

export const cart: Line = {
  name: "cart",
  floor: 5,
  aim: 3,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const { project, bodies } = await openCarts(lab, server);
    const engine = bodies.map((body) => server.request(project, PATH, body));
    await server.setConstant(await server.answer(engine));
    const baseline = bodies.map((body) => server.request(project, TWINS[PATH], body));
    const measured = await alone(server, { baseline, engine }, quick);
    await server.stop();
    const title = `CPU of a code on a cart of 10 lines with ${PROMOTIONS} promotions, one at a time, against an echo`;
    return { title, ...measured };
  },
};

export const sessions: Line = {
  name: "sessions",
  floor: 1.2,
  aim: 1.05,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const [calm, busy] = [await openCarts(lab, server), await openCarts(lab, server)];
    const [body] = busy.bodies;
    const locked = (n: number) => ({ ...body, session: { type: "LOCK", key: `cart-${n}`, ttl: 1, ttl_unit: "DAYS" } });
    const live = Array.from({ length: quick ? 40 : SESSIONS }, (_, n) => server.request(busy.project, PATH, locked(n)));
    await server.measure(live, { count: live.length });
    await lab.settle();
    const measured = await alone(
      server,
      {
        baseline: [server.request(calm.project, PATH, calm.bodies[0])],
        engine: [server.request(busy.project, PATH, body)],
      },
      quick,
    );
    await server.stop();
    return { title: `CPU of a validation of a code with ${live.length} live sessions, against none`, ...measured };
  },
};
