import { STEPS_MAX } from "../../src/core/steps.ts";
import { makeClub, visitOf } from "../clubs.ts";
import type { BenchProject, Server } from "../lab.ts";
import type { Line } from "../line.ts";
import { numbers } from "../shop.ts";
import { prepareQualifications } from "./qualifications.ts";
import { prepareValidations } from "./validations.ts";

const REQUESTS = 20;

/** The most steps that one of these requests cost. They are counted, not timed: one at a time, on any machine alike. */
async function dearestOf(server: Server, project: BenchProject, asked: string, bodies: readonly object[]) {
  let most = 0;
  for (const body of bodies.slice(0, REQUESTS)) {
    await server.call(project, asked, body);
    most = Math.max(most, await server.steps());
  }
  return most;
}

/** What the requests of the other lines cost, against what one request may cost: how far ordinary ones are from it. */
export const ordinaryRequests: Line = {
  name: "ordinary-requests",
  floor: 0.1,
  aim: 0.05,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const cost = (project: BenchProject, asked: string, bodies: readonly object[]) =>
      dearestOf(server, project, asked, bodies);
    const { project, bodies } = await prepareValidations(lab, server);
    const first = bodies.map((body) => ({ ...body, redeemables: body.redeemables.slice(0, 1) }));
    const promotions = quick ? 400 : 10_000;
    const many = await prepareQualifications(lab, server, { promotions, carts: REQUESTS });
    const club = await makeClub(lab, server, REQUESTS);
    const found: Readonly<Record<string, number>> = {
      "validation of 5 codes, 10 lines": await cost(project, "POST /v1/validations", bodies),
      "redemption of 5 codes, 10 lines": await cost(project, "POST /v1/redemptions", bodies),
      "redemption of a code, 10 lines": await cost(project, "POST /v1/redemptions", first),
      [`qualification among ${promotions} promotions`]: await cost(
        many.shop.project,
        "POST /v1/qualifications",
        many.bodies,
      ),
      "event that earns points": await cost(club, "POST /v1/events", numbers(REQUESTS).map(visitOf)),
    };
    await server.stop();
    const dearest = Math.max(...Object.values(found));
    return {
      title: `ordinary requests, the dearest of ${REQUESTS} of each kind, against the budget of a request`,
      unit: "steps",
      baseline: STEPS_MAX,
      engine: dearest,
      ratio: dearest / STEPS_MAX,
      notes: Object.entries(found).map(([what, steps]) => `${what} ${steps.toLocaleString("en")}`),
    };
  },
};
