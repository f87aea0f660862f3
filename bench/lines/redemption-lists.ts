import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { compare, perSecond } from "../compare.ts";
import type { BenchProject, Lab, Server } from "../lab.ts";
import type { Line } from "../line.ts";

const MANY = 1_000_000;
const FEW = 1_000;
const CAMPAIGNS = 10;
/** So many redemptions each customer has at most. */
const A_CUSTOMER = 50;

/** A project with so many redemptions: one that was made, and copies of it in ten campaigns, one in ten failed. */
export async function fill(lab: Lab, server: Server, count: number): Promise<BenchProject> {
  const { db } = lab;
  const project = await makeRedeemableCodes(lab, server, 2);
  await server.measure(redemptionRequests(server, project, [0]), { count: 1 }, 1);
  for (let n = 0; n < CAMPAIGNS; n += 1)
    await server.call(project, "POST /v1/campaigns", { name: `C${n}`, campaign_type: "PROMOTION" });
  const columns = (
    await db<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'laurel' and table_name = 'redemptions' order by ordinal_position`
  ).map(({ name }) => name);
  const own: Record<string, string> = {
    id: "'r_' || lpad(to_hex(n), 24, '0')",
    customer_id: `'cust_' || (n / ${A_CUSTOMER})`,
    campaign_id: "c.id",
    campaign_name: "c.name",
    result: "case when n % 10 = 0 then 'FAILURE' else 'SUCCESS' end",
    status: "case when n % 10 = 0 then 'FAILED' else 'SUCCEEDED' end",
    created_at: "r.created_at + n * interval '1 millisecond'",
  };
  await db.unsafe(
    `insert into redemptions (${columns.join(", ")})
     select ${columns.map((name) => own[name] ?? `r.${name}`).join(", ")}
     from (select * from redemptions where project_id = $1 limit 1) r,
       generate_series(1, $2::int) n
       join (select id, name, row_number() over (order by name) - 1 as at from campaigns
             where project_id = $1 and name like 'C%') c on c.at = (n / 10) % ${CAMPAIGNS}`,
    [project.id, count],
  );
  await db`
    insert into redemption_tallies (project_id, id, object, result, campaign_id, count)
    select project_id, 'bench ' || campaign_id || result, object, result, campaign_id, count(*) from redemptions
    where project_id = ${project.id} and campaign_name like 'C%' group by project_id, campaign_id, object, result`;
  await lab.settle();
  return project;
}

type Part = { name: string; floor: number; aim: number; title: string; paths(count: number): string[] };

const lineOf = ({ name, floor, aim, title, paths }: Part): Line => ({
  name,
  floor,
  aim,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const [small, large] = quick ? [100, 1000] : [FEW, MANY];
    const sides = { few: await fill(lab, server, small), many: await fill(lab, server, large) };
    const requests = (project: BenchProject, count: number) =>
      paths(count).map((path) => server.request(project, path));
    const [few, many] = [requests(sides.few, small), requests(sides.many, large)];
    const seconds = quick ? 0.2 : 5;
    for (const warm of [few, many]) await server.measure(warm, { count: quick ? 40 : 5_000 });
    const compared = await compare(
      { baseline: () => server.measure(few, { seconds }), engine: () => server.measure(many, { seconds }) },
      perSecond,
    );
    await server.stop();
    return { title: `${title}, of 1,000,000 against 1,000`, unit: "req/s", ...compared };
  },
});

/** The same number of questions, spread over the whole table. */
const spread = (count: number, questions: number): number[] =>
  Array.from({ length: questions }, (_, n) => Math.floor((n * count) / questions));

export const listsOfCustomers = lineOf({
  name: "lists-of-customers",
  floor: 0.7,
  aim: 0.95,
  title: "GET /v1/redemptions by customer",
  paths: (count) =>
    spread(count, 20).map(
      (n) => `/v1/redemptions?filters[customer_id][conditions][$is][0]=cust_${Math.floor(n / A_CUSTOMER)}`,
    ),
});

export const lists = lineOf({
  name: "lists",
  floor: 0.5,
  aim: 0.8,
  title: "GET /v1/redemptions unfiltered, and by campaign and result, by turns",
  paths: () => [
    "/v1/redemptions?limit=10",
    "/v1/redemptions?campaign=C3&result=FAILURE",
    "/v1/redemptions?campaign=C5&result=SUCCESS",
  ],
});
