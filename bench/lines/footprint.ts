import fs from "node:fs";
import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import type { Line } from "../line.ts";
import { numbers } from "../shop.ts";
import { prepareQualifications } from "./qualifications.ts";
import { prepareValidations } from "./validations.ts";

// What the server takes of the machine's memory. "November" is revision 0702576.

/** Room for all that is allocated while it is counted, so that no collection takes any of it away. */
const ROOMY = ["--max-semi-space-size=1024", "--min-semi-space-size=1024"];
const NOVEMBER = { allocated: 269_000, rss: 510 };

export const allocated: Line = {
  name: "allocated",
  floor: 180_000 / NOVEMBER.allocated,
  aim: 120_000 / NOVEMBER.allocated,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer(ROOMY, undefined, { LAUREL_REQUEST_LOG_DAYS: "0" });
    const { requests } = await prepareValidations(lab, server);
    await server.measure(requests, { count: quick ? 40 : 15_000 });
    const count = quick ? 20 : 1_000;
    const before = await server.heap();
    await server.measure(requests, { count });
    const bytes = Math.round(((await server.used()) - before) / count);
    await server.stop();
    return {
      title: "bytes that a validation of 5 codes on 10 lines allocates, against November",
      unit: "bytes",
      baseline: NOVEMBER.allocated,
      engine: bytes,
      ratio: bytes / NOVEMBER.allocated,
    };
  },
};

/** Megabytes of a process, as the operator sees them. */
const rssOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

export const rss: Line = {
  name: "rss",
  floor: 300 / NOVEMBER.rss,
  aim: 200 / NOVEMBER.rss,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const { requests: validations } = await prepareValidations(lab, server);
    const codes = quick ? 200 : 25_000;
    const project = await makeRedeemableCodes(lab, server, codes);
    const redemptions = redemptionRequests(server, project, numbers(codes));
    const { requests: qualifications } = await prepareQualifications(lab, server, { promotions: 100, carts: 20 });
    const list = server.request(project, "/v1/redemptions?limit=20");
    const kinds = [
      (n: number) => validations[n % validations.length]!,
      redemptions,
      (n: number) => qualifications[n % 20]!,
    ];
    const mixed = (n: number) => (n % 10 === 9 ? list : kinds[n % kinds.length]!(n));
    const count = quick ? 200 : 100_000;
    await server.measure(mixed, { count });
    const megabytes = rssOf(server.pid);
    await server.stop();
    return {
      title: `memory of a server process after ${count} mixed requests, against November`,
      unit: "MB",
      baseline: NOVEMBER.rss,
      engine: megabytes,
      ratio: megabytes / NOVEMBER.rss,
    };
  },
};
