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

async function againstEcho(lab: Lab, quick: boolean) {
  const server = await lab.startServer();
  const { project, requests, bodies, answers } = await prepareValidations(lab, server);
  const mean = answers.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / answers.length;
  // The answer whose length is nearest to the mean stands for all.
  const constant = answers.toSorted((a, b) => Math.abs(a.length - mean) - Math.abs(b.length - mean))[0]!;
  if (Math.abs(Buffer.byteLength(constant) / mean - 1) > 0.05) throw new Error("the constant is not of the same size");
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
  return { compared, notes: [`body ${size(JSON.stringify(bodies[0]).length)}, answer ${size(mean)}`] };
}

/** The two lines of the table are read from one measurement. */
let measuring: ReturnType<typeof againstEcho> | null = null;
const measureOnce = (lab: Lab, quick: boolean) => {
  measuring ??= againstEcho(lab, quick);
  return measuring;
};

export const validations: Line = {
  name: "validations",
  // What floors it: `validation-cpu`.
  floor: null,
  aim: null,
  better: "higher",
  run: async (lab, { quick }) => {
    const { compared, notes } = await measureOnce(lab, quick);
    const title = "POST /v1/validations, 5 vouchers, 10 lines, 3 rules each, stored";
    return { title, unit: "req/s", ...compared, notes };
  },
};

const [CODES, LINES] = [5, 10];
/** Microseconds for each code and line, measured in November. */
const NOVEMBER_US = 8.9;

export const validationCpu: Line = {
  name: "validation-cpu",
  floor: 7 / NOVEMBER_US,
  aim: 5 / NOVEMBER_US,
  better: "lower",
  run: async (lab, { quick }) => {
    const { cpu } = (await measureOnce(lab, quick)).compared;
    const above = Math.max(0.01, (cpu.engine.node ?? 0) - (cpu.baseline.node ?? 0)) / (CODES * LINES);
    const title = "Node's CPU of a validation above that of the echo, for each code and line, against November";
    return { title, unit: "us", baseline: NOVEMBER_US, engine: above, ratio: above / NOVEMBER_US, cpu };
  },
};
