import { counterPeriods, tierKey } from "../../core/redeem/counters.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import type { Db } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { loadCounters } from "../../resources/checkout/counters/store.ts";
import type { SessionLocks } from "../../resources/checkout/sessions/store.ts";
import { campaignRewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { findWithBeside } from "../../resources/promotions/vouchers/store.ts";
import { type CartRows, readCarts } from "../../steps/checkout/carts.ts";
import { type CodesAhead, readCodesAhead } from "../../steps/checkout/codes-ahead.ts";
import { besideAsked, heldIn, knownFrom, lotsIn } from "../../steps/checkout/codes-beside.ts";
import { type KnownVoucher, locksAsked } from "../../steps/checkout/redeemables.ts";
import { codesIn, rewardsIn, tiersAsked } from "../../steps/checkout/requests.ts";
import { countersAsked } from "../../steps/checkout/rule-facts.ts";
import { unitTypesFor } from "../../steps/checkout/units.ts";
import { type Goods, loadGoods } from "../../steps/goods/goods.ts";
import type { ValidateCommand } from "./state.ts";

/** What a batch reads with its first message, behind the locks. */
export type ReadAhead = CodesAhead & { carts: CartRows; stocked: Awaited<ReturnType<typeof loadStock>> };

export async function readAhead(db: Db, commands: readonly ValidateCommand[]): Promise<ReadAhead> {
  const { project } = commands[0]!;
  const [codes, carts, stocked] = await together([
    readCodesAhead(db, commands, countingOf(commands)),
    readCarts(db, project, commands),
    loadStock(db, commands),
  ]);
  return { ...codes, carts, stocked };
}

/** What is counted: of the tiers that commands name, and whether it is asked of the campaigns of codes. */
function countingOf(commands: readonly ValidateCommand[]) {
  const starts = commands.map(({ now, project }) => startsOf(now, zoneOf(project)));
  const apiKeyIds = [...new Set(commands.map(({ api_key_id }) => api_key_id))];
  const asked = countersAsked(commands);
  const ofTiers = tiersAsked(commands).flatMap(({ id, campaign_id }) => [
    ...(asked.campaigns ? [campaign_id] : []),
    ...(asked.tiers ? [id, ...apiKeyIds.map((key) => tierKey(id, key))] : []),
  ]);
  return {
    days: [...new Set(starts.flatMap((one) => Object.values(counterPeriods(one))))],
    subjectIds: [...new Set(ofTiers)],
    asksCampaigns: asked.campaigns,
  };
}

/** What was read of a batch before its codes were known, or with them. */
export type ReadBefore = Partial<ReadAhead> & {
  known?: readonly KnownVoucher[];
  /** Null: that of a code was not read. */
  sessions?: SessionLocks | null;
  /** What tiers may add to carts. */
  units?: Goods;
};

/**
 * What a batch that locks nothing is decided from, in one message: its codes with what is stored beside them, and all that does not
 * depend on them.
 */
export async function readAtOnce(db: Db, commands: readonly ValidateCommand[]) {
  const { project } = commands[0]!;
  const [codes, { days, subjectIds, asksCampaigns }] = [codesIn(commands), countingOf(commands)];
  const types = [...unitTypesFor(commands, [], tiersAsked(commands))];
  const [found, carts, stocked, counted, units] = await Promise.all([
    codes.length > 0 ? findWithBeside(db, project, codes, besideAsked(commands, asksCampaigns ? days : [])) : [],
    readCarts(db, project, commands),
    loadStock(db, commands),
    subjectIds.length > 0 ? loadCounters(db, project.id, { subjectIds, starts: days }) : [],
    loadGoods(db, project.id, { products: types, skus: types }),
  ]);
  const vouchers = found.map(({ row }) => row);
  const read: ReadBefore = {
    ...{ carts, stocked, units },
    counted: [...counted, ...found.flatMap(({ beside }) => beside.counted)],
    known: knownFrom(project.id, found),
    sessions: heldIn(found, locksAsked(commands, vouchers)),
    lots: lotsIn(found),
  };
  return { vouchers, read };
}

/** What is left of the rewards that commands name. */
export async function loadStock(db: Db, commands: readonly ValidateCommand[]) {
  const ids = rewardsIn(commands);
  return ids.length > 0 ? campaignRewards.load(db, commands[0]!.project.id, ids) : [];
}
