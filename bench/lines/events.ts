import type { Pool } from "../../src/db/db.ts";
import { makeClub, POINTS, visitRequests } from "../clubs.ts";
import { warmUp } from "../compare.ts";
import type { Line } from "../line.ts";
import { againstLeast } from "../pgbench.ts";

const MEMBERS = 100_000;

export const events: Line = {
  name: "events",
  floor: 0.2,
  aim: 0.28,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const count = quick ? 200 : MEMBERS;
    const project = await makeClub(lab, server, count);
    const requests = visitRequests(server, project, count);
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const title =
      "POST /v1/events, 100,000 members by turns, each event with its key and its points, against one statement of PostgreSQL";
    const measured = await againstLeast(lab, server, { requests, quick, title });
    await server.stop();
    await requireEarned(lab.db, project.id);
    return measured;
  },
};

/** Points that were not earned would be quick. */
async function requireEarned(db: Pool, projectId: string): Promise<void> {
  const [found] = await db`
    select (select count(*) from events where project_id = ${projectId} and kind = 'customer.custom_event') as visits,
      (select sum((account->'sums'->>'available')::bigint)::bigint from loyalty_cards
        where project_id = ${projectId}) as points`;
  const { visits, points } = found as { visits: number; points: number };
  if (visits === 0 || points !== visits * POINTS) throw new Error(`${visits} visits earned ${points} points`);
}
