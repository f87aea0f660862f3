import { makeClub, visitRequests } from "../clubs.ts";
import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { ROUNDS, warmUp } from "../compare.ts";
import type { BenchProject, Lab, Server } from "../lab.ts";
import { type Cpu, type Line, median } from "../line.ts";
import { percentile, type Requests } from "../load.ts";
import { TWINS } from "../orders.ts";
import { changesOf, writeAgain } from "../same-rows.ts";
import { numbers } from "../shop.ts";

// The engine against the least that keeps the same: a server that answers a constant, and the same rows written by one statement.

const BATCH = 25;
/** What is logged behind the answers belongs to no operation. */
const NO_LOG = { LAUREL_REQUEST_LOG_DAYS: "0" };

type Operation = {
  name: "redemptions-rows" | "events-rows";
  path: keyof typeof TWINS;
  make(lab: Lab, server: Server, count: number): Promise<BenchProject>;
  requests(server: Server, project: BenchProject, count: number, path: string): Requests;
};
const sum = ({ node, postgres }: Cpu): number | null => (node === null || postgres === null ? null : node + postgres);

const lineOf = ({ name, path, make, requests }: Operation): Line => ({
  name,
  floor: 0.5,
  aim: 0.65,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer([], undefined, NO_LOG);
    const count = quick ? 200 : 5_000;
    const project = await make(lab, server, 3 * count);
    const operations = requests(server, project, 3 * count, path);
    await server.measure(operations, warmUp(quick));
    const answer = await server.answer(operations);
    await server.setConstant(answer);
    const echo = requests(server, project, 3 * count, TWINS[path]);
    await server.measure(echo, warmUp(quick));
    const rounds: { engine: number; baseline: number; parts: string }[] = [];
    for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
      let engine: Cpu = { node: null, postgres: null };
      const changed = await changesOf(lab.db, async () => {
        engine = (await server.measure(operations, { count })).cpu;
      });
      const by = await writeAgain(lab, changed, { operations: count, batches: Math.ceil(count / BATCH) });
      const constant = sum((await server.measure(echo, { count })).cpu);
      const whole = sum(engine);
      if (whole === null || constant === null || by.cpu === null) break;
      const parts = `echo ${Math.round(constant)} us, rows ${Math.round(by.cpu)} us`;
      rounds.push({ engine: whole, baseline: constant + by.cpu, parts });
    }
    await server.stop();
    const title = `CPU of an echo and of the same rows by one statement for ${BATCH}, against the engine's`;
    if (rounds.length === 0)
      return { title, unit: "us", baseline: null, engine: 1, ratio: null, notes: ["the database is elsewhere"] };
    return {
      title,
      unit: "us",
      baseline: median(rounds.map((one) => one.baseline)),
      engine: median(rounds.map((one) => one.engine)),
      ratio: median(rounds.map((one) => one.baseline / one.engine)),
      notes: rounds.map(({ parts }) => parts),
    };
  },
});

export const redemptionsRows = lineOf({
  name: "redemptions-rows",
  path: "/v1/redemptions",
  make: makeRedeemableCodes,
  requests: (server, project, count, path) => redemptionRequests(server, project, numbers(count), { path }),
});
export const eventsRows = lineOf({
  name: "events-rows",
  path: "/v1/events",
  make: makeClub,
  requests: visitRequests,
});

export const loneRedemptionRows: Line = {
  name: "lone-redemption-rows",
  floor: 2,
  aim: 1.5,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer([], undefined, NO_LOG);
    const count = quick ? 20 : 500;
    const project = await makeRedeemableCodes(lab, server, quick ? 200 : 10_000);
    const requests = redemptionRequests(server, project, numbers(quick ? 200 : 10_000));
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const rounds: { engine: number; baseline: number }[] = [];
    for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
      let engine = 0;
      const changed = await changesOf(lab.db, async () => {
        engine = percentile(await server.measure(requests, { count }, 1), 0.5);
      });
      rounds.push({ engine, baseline: (await writeAgain(lab, changed, { operations: count, batches: count })).p50 });
    }
    await server.stop();
    return {
      title: "p50 of POST /v1/redemptions, one at a time, against the same rows by one statement",
      unit: "ms",
      baseline: median(rounds.map((one) => one.baseline)),
      engine: median(rounds.map((one) => one.engine)),
      ratio: median(rounds.map((one) => one.engine / one.baseline)),
    };
  },
};
