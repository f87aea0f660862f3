import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { compare, perSecond, warmUp } from "../compare.ts";
import type { Line } from "../line.ts";
import { numbers } from "../shop.ts";

/** What redemptions lose while the follower counts them. Before each turn it has counted all that was there. */
export const rollups: Line = {
  name: "rollups",
  floor: 0.97,
  aim: 0.99,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const count = quick ? 200 : 20_000;
    const project = await makeRedeemableCodes(lab, server, count);
    const requests = redemptionRequests(server, project, numbers(count));
    const seconds = quick ? 0.2 : 12;
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const side = (goesOn: boolean) => async () => {
      await server.countRollups(goesOn);
      const measured = await server.measure(requests, { seconds });
      await server.countRollups(false);
      return measured;
    };
    const compared = await compare({ baseline: side(false), engine: side(true) }, perSecond);
    const [row] = await lab.db<[{ count: number }]>`
      select coalesce(sum(redemptions), 0)::int as count from rollup_days
      where project_id = ${project.id} and subject = 'project'`;
    await server.stop();
    const title =
      "POST /v1/redemptions while they are counted into the rollups every two seconds, against uncounted ones";
    return { title, unit: "req/s", ...compared, notes: [`${row.count} redemptions were counted`] };
  },
};
