import type { BenchProject, Lab, Server } from "../lab.ts";
import type { Line, Measured } from "../line.ts";
import { percentile } from "../load.ts";

/** What ten million redemptions leave behind, in a year and fifty campaigns. */
const MANY = 10_000_000;
const [CAMPAIGNS, DAYS] = [50, 365];
const FIRST = "2025-01-01";
const PERIOD = "from=2025-01-01&to=2026-01-01";

/** Makes rollups as the follower would have: each redemption of another customer of the day. */
async function fill(lab: Lab, server: Server, count: number): Promise<{ project: BenchProject; campaign: string }> {
  const { db } = lab;
  const project = await lab.createProject("Figures");
  const { id: campaign } = await server.call<{ id: string }>(project, "POST /v1/campaigns", {
    name: "Year",
    campaign_type: "PROMOTION",
  });
  const each = Math.max(1, Math.floor(count / CAMPAIGNS / DAYS));
  const idOf = db`case n when 1 then ${campaign} else 'camp_' || n end`;
  await db`
    insert into rollup_days (project_id, subject, subject_id, day, redemptions, rollbacks, discount, gift_credits, points_issued,
      points_spent, revenue, orders, refusals, unique_customers)
    select ${project.id}, 'campaign', ${idOf}, ${FIRST}::date + d, ${each}, 0, 1000, 0, 0, 0, 9000, ${each}, 0, ${each}
    from generate_series(1, ${CAMPAIGNS}::int) n, generate_series(0, ${DAYS - 1}::int) d`;
  for (let n = 1; n <= CAMPAIGNS; n += 1)
    await db`
      insert into rollup_customers (project_id, campaign_id, day, customer_id, is_sampled)
      select ${project.id}, ${n === 1 ? campaign : `camp_${n}`}, ${FIRST}::date + d,
        'cust_' || ((d * 7919 + k * 31) % ${each * 60}::int), false
      from generate_series(0, ${DAYS - 1}::int) d, generate_series(1, ${each}::int) k on conflict do nothing`;
  await lab.settle();
  return { project, campaign };
}

type Part = { name: string; title: string; most: number; metrics: string };

const lineOf = ({ name, title, most, metrics }: Part): Line => ({
  name,
  floor: 1,
  aim: 0.5,
  better: "lower",
  run: async (lab, { quick }): Promise<Measured> => {
    const server = await lab.startServer();
    const { project, campaign } = await fill(lab, server, quick ? 1_000 : MANY);
    const path = `/v1/time-series?campaign=${campaign}&metrics=${metrics}&${PERIOD}`;
    const requests = [server.request(project, path)];
    await server.measure(requests, { count: quick ? 4 : 50 }, 1);
    const measured = await server.measure(requests, { count: quick ? 4 : 100 }, 1);
    await server.stop();
    const engine = percentile(measured, 0.5);
    return { title: `${title}, of 10,000,000 redemptions`, unit: "ms", baseline: most, engine, ratio: engine / most };
  },
});

export const figures = lineOf({
  name: "figures",
  title: "GET /v1/time-series of a campaign, a year by day, against 20 ms",
  most: 20,
  metrics: "redemptions,discount,revenue,orders",
});
export const figuresOfCustomers = lineOf({
  name: "figures-of-customers",
  title: "the same with different customers, against 200 ms",
  most: 200,
  metrics: "redemptions,unique_customers",
});
