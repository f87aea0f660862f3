import { periodsOf, tierKey } from "../../core/redeem/counters.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import type { Db } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { rewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { type CartRows, readCarts } from "../../steps/checkout/carts.ts";
import { type CodesAhead, readCodesAhead } from "../../steps/checkout/codes-ahead.ts";
import { rewardsIn, tiersIn } from "../../steps/checkout/requests.ts";
import { countersAsked } from "../../steps/checkout/rule-facts.ts";
import type { ValidateCommand } from "./state.ts";

/** What a batch reads with its first message, behind the locks. */
export type ReadAhead = CodesAhead & { carts: CartRows; stocked: Awaited<ReturnType<typeof loadStock>> };

export async function readAhead(db: Db, commands: readonly ValidateCommand[]): Promise<ReadAhead> {
  const { project } = commands[0]!;
  const starts = commands.map(({ now }) => startsOf(now, zoneOf(project)));
  const apiKeyIds = [...new Set(commands.map(({ api_key_id }) => api_key_id))];
  const asked = countersAsked(commands);
  const ofTiers = tiersIn(commands).flatMap(({ id, campaign_id }) => [
    ...(asked.campaigns ? [campaign_id] : []),
    ...(asked.tiers ? [id, ...apiKeyIds.map((key) => tierKey(id, key))] : []),
  ]);
  const [codes, carts, stocked] = await together([
    readCodesAhead(db, commands, {
      days: [...new Set(starts.flatMap((one) => Object.values(periodsOf(one))))],
      subjectIds: [...new Set(ofTiers)],
      asksCampaigns: asked.campaigns,
    }),
    readCarts(db, project, commands),
    loadStock(db, commands),
  ]);
  return { ...codes, carts, stocked };
}

/** What is left of the rewards that commands name. */
export async function loadStock(db: Db, commands: readonly ValidateCommand[]) {
  const ids = rewardsIn(commands);
  return ids.length > 0 ? rewards.load(db, commands[0]!.project.id, ids) : [];
}
