import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { compare, perSecond } from "../compare.ts";
import type { BenchProject, Lab, Server } from "../lab.ts";
import { type Line, median } from "../line.ts";
import type { Outcome } from "../load.ts";

const MANY = 1_000_000;
const FEW = 1_000;
const CAMPAIGNS = 10;
/** So many redemptions each customer has at most. */
const A_CUSTOMER = 50;

/**
 * A project with so many redemptions: one that was made, and copies of it in ten campaigns, one in ten failed. `more` says
 * what else differs from copy to copy, by column.
 */
export async function fill(
  lab: Lab,
  server: Server,
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<BenchProject> {
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
    ...more,
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

const ORDERS = ["voucher_code", "-voucher_code", "tracking_id", "-tracking_id"];

/** Orders that have to be served by an index: the default order, on as many redemptions, is what they are held against. */
export const redemptionOrders: Line = {
  name: "redemption-orders",
  floor: 10,
  aim: 10,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    // Neither order is the one in which the rows came, so a page of them lies in as many places.
    const project = await fill(lab, server, quick ? 1_000 : MANY, {
      voucher_code: "'R-' || md5((n / 3)::text)",
      tracking_id: `'track_' || md5((n / ${A_CUSTOMER})::text)`,
    });
    const ask = (query: string) => [server.request(project, `/v1/redemptions?limit=10${query}`)];
    const seconds = quick ? 0.1 : 5;
    const [usual, asked] = [ask(""), ORDERS.map((order) => ask(`&order=${order}`))];
    for (const warm of [usual, ...asked]) await server.measure(warm, { count: quick ? 40 : 2_000 });
    const took: number[][] = ORDERS.map(() => []);
    const compared = await compare(
      {
        baseline: () => server.measure(usual, { seconds }),
        engine: async () => {
          const all: Awaited<ReturnType<Server["measure"]>>[] = [];
          for (const requests of asked) all.push(await server.measure(requests, { seconds }));
          for (const [n, one] of all.entries()) took[n]!.push(milliseconds(one));
          return all.reduce((slowest, one) => (milliseconds(one) > milliseconds(slowest) ? one : slowest));
        },
      },
      milliseconds,
    );
    await server.stop();
    return {
      title:
        "GET /v1/redemptions by voucher_code and tracking_id, up and down, of 1,000,000; the slowest, against the default",
      unit: "ms/req",
      ...compared,
      notes: ORDERS.map((order, n) => `${order}: ${median(took[n]!).toFixed(2)} ms`),
    };
  },
};
const milliseconds = (outcome: Outcome): number => 1000 / perSecond(outcome);
