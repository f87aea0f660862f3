import { compare, warmUp } from "../compare.ts";
import type { BenchProject, Server } from "../lab.ts";
import type { Line } from "../line.ts";
import { percentile, type Requests } from "../load.ts";
import { prepareQualifications } from "./qualifications.ts";

const WRITES_A_SECOND = 10;

/** Changes one tier after the other while `work` runs, and says how many changes there were. */
async function whileWriting<T>(
  { server, project, tiers }: { server: Server; project: BenchProject; tiers: readonly string[] },
  work: () => Promise<T>,
): Promise<{ result: T; writes: number }> {
  let writes = 0;
  const under = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const timer = setInterval(() => {
    const tier = tiers[(writes * 7919) % tiers.length]!;
    writes += 1;
    const write = server
      .call(project, `PUT /v1/promotions/tiers/${tier}`, { name: `Tier, changed ${writes}` })
      .catch((error) => failures.push(error))
      .finally(() => under.delete(write));
    under.add(write);
  }, 1000 / WRITES_A_SECOND);
  const result = await work().finally(() => clearInterval(timer));
  await Promise.all(under);
  if (failures.length > 0) throw failures[0];
  return { result, writes };
}

export const configurationWrites: Line = {
  name: "configuration-writes",
  floor: 3,
  aim: 1.5,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const sizes = { promotions: quick ? 400 : 10_000, carts: quick ? 20 : 200 };
    const { shop, requests, notes } = await prepareQualifications(lab, server, sizes);
    const { project } = shop;
    const rows = await lab.db<{ id: string }[]>`
      select id from promotion_tiers where project_id = ${project.id} order by id`;
    const tiers = rows.map(({ id }) => id);
    const seconds = quick ? 0.3 : 8;
    let [writes, spent] = [0, 0];
    const load = (of: Requests) => server.measure(of, { seconds });
    const written = async () => {
      const done = await whileWriting({ server, project, tiers }, () => load(requests));
      writes += done.writes;
      spent += done.result.seconds;
      return done.result;
    };
    await server.measure(requests, warmUp(quick));
    const p99 = await compare({ baseline: () => load(requests), engine: written }, (side) => percentile(side, 0.99));
    await server.stop();
    return {
      title: "the same with 10 configuration writes a second, against without them",
      unit: "ms p99",
      ...p99,
      notes: [...notes, `${(writes / spent).toFixed(1)} writes/s`],
    };
  },
};
