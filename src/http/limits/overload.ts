import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../../core/errors.ts";
import type { Engine } from "../engine.ts";
import { refuseBeyond } from "./requests-in-flight.ts";

const SETTLE_MS = 2_500;
const TELL_MS = 1_000;

/** Refuses what would only make everybody wait: calls beyond what the process works on, and all of them while its loop is late. */
export async function refuseOverload(
  app: FastifyInstance,
  { requestsMax, eventLoopDelayMaxMs, newRequestId, metrics, log }: Engine,
): Promise<void> {
  if (requestsMax) {
    const refusals = tellRefusals(log);
    const count = () => {
      metrics.observeRequest("none", 503, 0);
      refusals.count();
    };
    refuseBeyond(app.server, { max: requestsMax, newRequestId, count });
    app.addHook("onClose", refusals.end);
  }
  if (eventLoopDelayMaxMs > 0) await refuseUnderPressure(app, eventLoopDelayMaxMs);
}

/** One line a second says how many were refused before they were read. A line for each would cost more than to refuse it. */
function tellRefusals(log: Engine["log"]) {
  let refused = 0;
  const tell = () => {
    if (refused > 0)
      log.warn({ refused, status: 503, key: "overloaded" }, "requests were refused before they were read");
    refused = 0;
  };
  const timer = setInterval(tell, TELL_MS).unref();
  return {
    count: () => {
      refused += 1;
    },
    end: async () => {
      clearInterval(timer);
      tell();
    },
  };
}

async function refuseUnderPressure(app: FastifyInstance, maxEventLoopDelay: number): Promise<void> {
  // Starting keeps the loop busy for a moment, and the first measurement tells of that: no reason to refuse anybody.
  let measuredFrom = 0;
  app.addHook("onListen", async () => {
    measuredFrom = performance.now() + SETTLE_MS;
  });
  await app.register(underPressure, {
    maxEventLoopDelay,
    pressureHandler: (request) => {
      // A busy process is alive: an orchestrator that hears otherwise would kill it in the middle of its work.
      const isOperation = request.routeOptions.config.operation !== undefined;
      if (isOperation && performance.now() >= measuredFrom) throw new ApiError("overloaded");
    },
  });
}
