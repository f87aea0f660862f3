import { compare, perSecond, warmUp } from "../compare.ts";
import type { Lab, Server } from "../lab.ts";
import type { Line } from "../line.ts";
import { TWINS } from "../orders.ts";
import { openShop } from "../shop.ts";
import { makeCodes, requireAllApply, validationBodies } from "../vouchers.ts";

const PATH = "/v1/validations";

/** A project with codes, and the bodies to ask with, each of which was asked once and applies. */
export async function prepareValidations(lab: Lab, server: Server) {
  const project = await lab.createProject("Validations");
  await makeCodes(server, await openShop(server, project, 1));
  await lab.settle();
  const bodies = validationBodies();
  const answers: string[] = [];
  for (const body of bodies) answers.push(JSON.stringify(await server.call(project, `POST ${PATH}`, body)));
  requireAllApply(answers.map((text) => JSON.parse(text)));
  return { project, requests: bodies.map((body) => server.request(project, PATH, body)), bodies, answers };
}

export const validations: Line = {
  name: "validations",
  floor: 0.5,
  aim: 0.7,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const { project, requests, bodies, answers } = await prepareValidations(lab, server);
    const mean = answers.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / answers.length;
    // The answer whose length is nearest to the mean stands for all.
    const constant = answers.toSorted((a, b) => Math.abs(a.length - mean) - Math.abs(b.length - mean))[0]!;
    if (Math.abs(Buffer.byteLength(constant) / mean - 1) > 0.05)
      throw new Error("the constant is not of the same size");
    await server.setConstant(constant);
    const twin = bodies.map((body) => server.request(project, TWINS[PATH], body));
    const seconds = quick ? 0.2 : 6;
    for (const warm of [twin, requests]) await server.measure(warm, warmUp(quick));
    const compared = await compare(
      {
        baseline: () => server.measure(twin, { seconds }),
        engine: () => server.measure(requests, { seconds }),
      },
      perSecond,
    );
    await server.stop();
    const size = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
    return {
      title: "POST /v1/validations, 5 vouchers, 10 lines, 3 rules each, stored",
      unit: "req/s",
      ...compared,
      notes: [`body ${size(JSON.stringify(bodies[0]).length)}, answer ${size(mean)}`],
    };
  },
};
