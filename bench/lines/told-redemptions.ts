import { raiseRevision } from "../../src/catalog/changes.ts";
import { newId, now } from "../../src/sources.ts";
import { makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import { compare, perSecond, warmUp } from "../compare.ts";
import type { Lab } from "../lab.ts";
import type { Line } from "../line.ts";
import { numbers } from "../shop.ts";

/** A webhook that is told of every redemption. Nobody sends: what is measured is writing it down. */
async function listen({ db }: Lab, project_id: string): Promise<void> {
  const id = newId("wh");
  const row = { project_id, id, target_url: "https://shop.example/hooks", active: true, created_at: now() };
  const events = ["redemption.succeeded", "voucher.gift.transaction.created"];
  await db.begin(async (tx) => {
    await tx`insert into webhooks ${tx({ ...row, events } as never)}`;
    await raiseRevision(tx, project_id, [{ kind: "webhook", id }]);
  });
}

export const toldRedemptions: Line = {
  name: "told-redemptions",
  floor: 0.6,
  aim: 0.8,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const count = quick ? 200 : 20_000;
    const projects = [await makeRedeemableCodes(lab, server, count), await makeRedeemableCodes(lab, server, count)];
    await listen(lab, projects[1]!.id);
    const [silent, told] = projects.map((project) => redemptionRequests(server, project, numbers(count)));
    const seconds = quick ? 0.2 : 6;
    for (const warm of [silent!, told!]) await server.measure(warm, warmUp(quick));
    await lab.settle();
    const compared = await compare(
      { baseline: () => server.measure(silent!, { seconds }), engine: () => server.measure(told!, { seconds }) },
      perSecond,
    );
    const [row] = await lab.db<[{ count: number }]>`
      select count(*) from webhook_deliveries where project_id = ${projects[1]!.id}`;
    await server.stop();
    const title = "POST /v1/redemptions that a webhook is told of, against those that nobody listens to";
    return { title, unit: "req/s", ...compared, notes: [`${row.count} deliveries were written`] };
  },
};
