import type { Line } from "../line.ts";
import { prepareValidations } from "./validations.ts";

const HALF = 50_000;

export const memory: Line = {
  name: "memory",
  floor: 0.02,
  aim: 0.005,
  better: "lower",
  isGrowth: true,
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const { requests } = await prepareValidations(lab, server);
    const count = quick ? 200 : HALF;
    const first = await server.measure(requests, { count });
    const before = await server.heap();
    const second = await server.measure(requests, { count });
    const after = await server.heap();
    await server.stop();
    return {
      title: `heap after a forced collection, validations ${count} to ${2 * count}`,
      unit: "MB",
      baseline: before / 2 ** 20,
      engine: after / 2 ** 20,
      ratio: after / before - 1,
      cpu: { baseline: first.cpu, engine: second.cpu },
    };
  },
};
