import { createLogger, createRequestLog } from "../src/cli/log.ts";
import { readConfig } from "../src/config.ts";
import type { Answer } from "../src/core/answer.ts";
import { newSteps } from "../src/core/steps.ts";
import type { Engine } from "../src/http/engine.ts";
import { buildServer } from "../src/http/mount.ts";
import type { Route } from "../src/http/route.ts";
import { createCountRollups } from "../src/jobs/count-rollups.ts";
import { runAsyncActions } from "../src/jobs/run-async-actions.ts";
import { closePools, createEngine, openDbPools } from "../src/main.ts";
import { ALL_ROUTES } from "../src/routes.ts";
import { newId, now, random } from "../src/sources.ts";
import { type Order, type Reply, TWINS } from "./orders.ts";

// The server that is measured, in a process of its own: as `npm start` has it, but for jobs and what v2 asks for. Beside each
// operation that is held against a constant stands its twin: the same route with the same body and credentials, whose
// handler returns the constant that it was last told.
// The key pair alone opens all of the interface.
const { LAUREL_REQUEST_LOG_DAYS } = process.env;
const config = readConfig({ PORT: "0", LAUREL_V2_AUTH: "either", LAUREL_REQUEST_LOG_DAYS });
const pools = openDbPools(config, process.env.DATABASE_URL!);
/** Of the last request. */
let steps = newSteps();
const engine: Engine = {
  ...createEngine(config, pools, createLogger(config.LAUREL_LOG_LEVEL), {
    requestLog: createRequestLog(config.LAUREL_LOG_LEVEL),
  }),
  newSteps: () => {
    steps = newSteps();
    return steps;
  },
};
let constant: Answer = { status: 200, body: "{}" };
const twins = Object.entries(TWINS).map(([path, twin]): Route => {
  const route = ALL_ROUTES.find((one) => one.path === path && one.method === "POST" && one.runs === "hot");
  if (!route) throw new Error(`there is no hot route ${path}`);
  return { ...route, id: `${route.id}Constant`, path: twin, run: async () => constant };
});
const app = await buildServer([...ALL_ROUTES, ...twins], engine);
/** As often as a server counts. */
const FOLLOW_MS = 2_000;
const jobCtx = { db: pools.jobs, now, newId, random };
const rollups = createCountRollups();
let [counted, timer]: [Promise<unknown>, NodeJS.Timeout | undefined] = [Promise.resolve(), undefined];
/** Counts what happened, once the turn before is over. */
const count = () => {
  counted = counted.then(() => rollups.run(jobCtx));
  return counted;
};
const reply = (message: Reply) => void process.send!(message);

process.on("message", async (order: Order) => {
  switch (order.ask) {
    case "constant":
      constant = { status: 200, body: order.text };
      return reply({ done: true });
    case "jobs":
      await runAsyncActions.run(jobCtx);
      return reply({ done: true });
    case "count":
      clearInterval(timer);
      await count();
      if (order.goesOn) timer = setInterval(() => void count(), FOLLOW_MS);
      return reply({ done: true });
    case "heap":
      // What is only waiting to be finalised goes with the second collection.
      for (let n = 0; n < 2; n += 1) {
        globalThis.gc?.();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return reply({ heap: process.memoryUsage().heapUsed });
    case "used":
      return reply({ heap: process.memoryUsage().heapUsed });
    case "steps":
      return reply({ steps: steps.used });
    case "stop":
      await app.close();
      await closePools(pools);
      process.disconnect?.();
  }
});
process.once("disconnect", () => process.exit(0));
reply({ url: await app.listen({ host: config.HOST, port: 0 }) });
