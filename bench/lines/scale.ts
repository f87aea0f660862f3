import { makeClub, visitRequests } from "../clubs.ts";
import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { compare, perSecond, warmUp } from "../compare.ts";
import type { BenchProject, Lab, Server } from "../lab.ts";
import type { Line } from "../line.ts";
import type { Requests } from "../load.ts";
import { numbers } from "../shop.ts";
import { prepareValidations } from "./validations.ts";

// The hot operations on fewer connections, and on as much data as a large shop has. None has a floor: they show what changes.

const FEW = 8;
const MANY = 64;

/** Requests on 8 connections, against the same on 64. */
const onFew = (name: string, make: (lab: Lab, server: Server, count: number) => Promise<Requests>): Line => ({
  name: `${name}-8`,
  floor: null,
  aim: null,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const requests = await make(lab, server, quick ? 200 : 20_000);
    await server.measure(requests, warmUp(quick));
    await lab.settle();
    const seconds = quick ? 0.2 : 6;
    const on = (connections: number) => () => server.measure(requests, { seconds }, connections);
    const compared = await compare({ baseline: on(MANY), engine: on(FEW) }, perSecond);
    await server.stop();
    return { title: `${name} on ${FEW} connections, against ${MANY}`, unit: "req/s", ...compared };
  },
});

const redeem = async (lab: Lab, server: Server, count: number) =>
  redemptionRequests(server, await makeRedeemableCodes(lab, server, count), numbers(count));

export const redemptionsOnFew = onFew("redemptions", redeem);
export const eventsOnFew = onFew("events", async (lab, server, count) =>
  visitRequests(server, await makeClub(lab, server, count), count),
);
export const validationsOnFew = onFew(
  "validations",
  async (lab, server) => (await prepareValidations(lab, server)).requests,
);

const LARGE = { codes: 1_000_000, customers: 1_000_000, campaigns: 200 };
const SMALL = { codes: 20_000, customers: 0, campaigns: 2 };
/** So many codes of the large shop are redeemed, spread over all of them. */
const USED = 50_000;

async function addCustomers({ db }: Lab, { id }: BenchProject, count: number): Promise<void> {
  await db`
    insert into customers (project_id, id, source_id, created_at)
    select ${id}, 'cust_' || lpad(to_hex(n), 24, '0'), 'other-' || n, timestamptz '2026-01-01' + n * interval '1 microsecond'
    from generate_series(1, ${count}::int) n`;
}

async function addCampaigns(server: Server, project: BenchProject, count: number): Promise<void> {
  for (const n of numbers(count))
    await server.call(project, "POST /v1/campaigns", {
      name: `Campaign ${n}`,
      campaign_type: "DISCOUNT_COUPONS",
      voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 5 } },
      vouchers_count: 0,
    });
}

/** Redemptions of orders that the shop names by an id of its own, in a shop of that size. */
async function openSize(
  lab: Lab,
  server: Server,
  { codes, customers, campaigns }: typeof LARGE,
): Promise<() => Buffer> {
  const project = await makeRedeemableCodes(lab, server, codes);
  await addCampaigns(server, project, campaigns - SMALL.campaigns);
  await addCustomers(lab, project, customers);
  await lab.settle();
  const used = Math.min(codes, USED);
  const step = codes / used;
  return redemptionRequests(
    server,
    project,
    numbers(used).map((n) => n * step),
    { more: (n) => ({ source_id: `order-${n}` }) },
  );
}

export const redemptionsLarge: Line = {
  name: "redemptions-large",
  floor: null,
  aim: null,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const small = await openSize(lab, server, quick ? { ...SMALL, codes: 200 } : SMALL);
    const large = await openSize(lab, server, quick ? { codes: 400, customers: 400, campaigns: 4 } : LARGE);
    const seconds = quick ? 0.2 : 8;
    for (const requests of [small, large]) await server.measure(requests, warmUp(quick));
    const compared = await compare(
      { baseline: () => server.measure(small, { seconds }), engine: () => server.measure(large, { seconds }) },
      perSecond,
    );
    await server.stop();
    const title =
      "POST /v1/redemptions with source_id on every order, 1,000,000 codes and customers, 200 campaigns, against 20,000 codes";
    return { title, unit: "req/s", ...compared };
  },
};
