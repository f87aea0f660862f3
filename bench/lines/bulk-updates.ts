import { codeOf, makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { compare, warmUp } from "../compare.ts";
import type { Line } from "../line.ts";
import { percentile } from "../load.ts";
import { numbers } from "../shop.ts";

const CODES = 100_000;

// Redemptions while the metadata of the very codes that are redeemed is updated in bulk, by the same process, against
// redemptions alone. The worst case: a redemption may wait for the turn that holds its code.
export const bulkUpdates: Line = {
  name: "bulk-updates",
  floor: 2,
  aim: 1.5,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const count = quick ? 600 : CODES;
    const project = await makeRedeemableCodes(lab, server, count);
    const requests = redemptionRequests(server, project, numbers(count));
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const codes = numbers(count).map(codeOf);
    const [seconds, spent]: [number, number[]] = [quick ? 0.3 : 8, []];
    let round = 0;
    const updated = async () => {
      round += 1;
      await server.call(project, "POST /v1/vouchers/metadata/async", { codes, metadata: { round } });
      const began = performance.now();
      const jobs = server.runJobs().then(() => spent.push(performance.now() - began));
      const side = await server.measure(requests, { seconds });
      await jobs;
      return side;
    };
    const p99 = await compare({ baseline: () => server.measure(requests, { seconds }), engine: updated }, (side) =>
      percentile(side, 0.99),
    );
    await server.stop();
    return {
      title: `redemptions while the metadata of ${count} codes is updated, against without it`,
      unit: "ms p99",
      ...p99,
      notes: [`an update took ${(Math.max(...spent) / 1000).toFixed(1)} s at most`],
    };
  },
};
