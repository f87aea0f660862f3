import fs from "node:fs";
import os from "node:os";
import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { compare, perSecond, ROUNDS, warmUp } from "../compare.ts";
import { type Line, median } from "../line.ts";
import { percentile } from "../load.ts";
import { againstLeast, hasPgbench, makeLeastTables, runLeast } from "../pgbench.ts";
import { numbers } from "../shop.ts";

const CODES = 100_000;

export const redemptions: Line = {
  name: "redemptions",
  floor: 0.2,
  aim: 0.28,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const count = quick ? 200 : CODES;
    const project = await makeRedeemableCodes(lab, server, count);
    const requests = redemptionRequests(server, project, numbers(count));
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const title =
      "POST /v1/redemptions, 100,000 codes by turns, each with its key, against one statement of PostgreSQL";
    const measured = await againstLeast(lab, server, { requests, quick, title });
    await server.stop();
    return measured;
  },
};

/** CPU seconds of all cores that were used and that were idle, since the machine started. */
function machineTimes(): { used: number; idle: number } {
  const [user, nice, system, idle, wait, ...others] = fs
    .readFileSync("/proc/stat", "utf8")
    .split("\n", 1)[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number) as [number, number, number, number, number, ...number[]];
  return { used: user + nice + system + others.slice(0, 2).reduce((sum, one) => sum + one, 0), idle: idle + wait };
}

export const cores: Line = {
  name: "cores",
  floor: 0.85,
  aim: 0.92,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const count = quick ? 200 : 20_000;
    const project = await makeRedeemableCodes(lab, server, count);
    const requests = redemptionRequests(server, project, numbers(count));
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = machineTimes();
      await server.measure(requests, { seconds: quick ? 0.2 : 6 });
      const after = machineTimes();
      const [used, idle] = [after.used - before.used, after.idle - before.idle];
      shares.push(used / (used + idle));
    }
    await server.stop();
    const share = median(shares);
    const title = "part of the machine's CPU time that redemptions on 64 connections use";
    return {
      title,
      unit: "cores",
      baseline: os.availableParallelism(),
      engine: share * os.availableParallelism(),
      ratio: share,
    };
  },
};

export const hotCode: Line = {
  name: "hot-code",
  floor: 0.8,
  aim: 1,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const count = quick ? 200 : CODES;
    const project = await makeRedeemableCodes(lab, server, count);
    const distinct = redemptionRequests(server, project, numbers(count));
    const hot = redemptionRequests(server, project, [0]);
    const seconds = quick ? 0.2 : 6;
    for (const warm of [distinct, hot]) await server.measure(warm, warmUp(quick));
    await lab.settle();
    const compared = await compare(
      { baseline: () => server.measure(distinct, { seconds }), engine: () => server.measure(hot, { seconds }) },
      perSecond,
    );
    await server.stop();
    return { title: "POST /v1/redemptions of one code, against codes by turns", unit: "req/s", ...compared };
  },
};

export const loneRedemption: Line = {
  name: "lone-redemption",
  // What floors it: `lone-redemption-rows`.
  floor: null,
  aim: null,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const project = await makeRedeemableCodes(lab, server, quick ? 200 : 10_000);
    const requests = redemptionRequests(server, project, numbers(quick ? 200 : 10_000));
    const seconds = quick ? 0.2 : 4;
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const title = "p50 of POST /v1/redemptions, one at a time, against one statement of PostgreSQL alone";
    const alone = hasPgbench();
    if (alone) await makeLeastTables(lab);
    const rounds: { engine: number; baseline: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const baseline = alone ? percentile(await runLeast(lab, { seconds, clients: 1 }), 0.5) : 0;
      const engine = percentile(await server.measure(requests, { seconds }, 1), 0.5);
      rounds.push({ baseline, engine });
    }
    await server.stop();
    const engine = median(rounds.map((one) => one.engine));
    if (!alone)
      return { title, unit: "ms", baseline: null, engine, ratio: null, notes: ["no pgbench on this machine"] };
    return {
      title,
      unit: "ms",
      baseline: median(rounds.map((one) => one.baseline)),
      engine,
      ratio: median(rounds.map((one) => one.engine / one.baseline)),
    };
  },
};
