import { referencesIn } from "../../core/order/resolve.ts";
import { periodsOf } from "../../core/redeem/counters.ts";
import type { Starts } from "../../core/vouchers/uses.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { loadCounters } from "../../resources/checkout/counters/store.ts";
import { loadHeld } from "../../resources/checkout/sessions/store.ts";
import { loadLots } from "../../resources/ledger/ledger/store.ts";
import { loadHolders } from "../../resources/promotions/redeemable-holders/store.ts";
import { loadVoucherAssignments } from "../../resources/promotions/validation-rule-assignments/store.ts";
import { ofNamedVouchers } from "../../resources/promotions/vouchers/store.ts";
import { locksAsked } from "../../steps/checkout/redeemables.ts";
import { codesIn, type RedeemRequest, rewardsIn } from "../../steps/checkout/requests.ts";
import { loadGoods } from "../../steps/goods/goods.ts";

/**
 * What is read of codes that are locked by their names, with the same message: nothing waits for their ids. Behind the
 * locks, so it is as new as they are. Lots are read where a request names credits or a reward; of other gift cards they come
 * later. Who holds a code is read with a reward: that is a loyalty card, which somebody has.
 */
export async function readAhead(tx: Tx, round: readonly RedeemRequest[], starts: Starts) {
  const { project, catalog } = round[0]!;
  const codes = codesIn(round);
  const named = (field: "id" | "campaign_id") => ofNamedVouchers(tx, project, field, codes);
  const hasCredits = round.some(({ sent }) => sent.redeemables.some(({ gift }) => gift));
  const hasReward = rewardsIn(round).length > 0;
  const [assignments, held, counted, lots, holders, goods] = await together([
    codes.length > 0 ? loadVoucherAssignments(tx, project.id, named("id")) : [],
    loadHeld(tx, project.id, { ...locksAsked(round, []), codes: codes.length > 0 ? named("id") : [] }),
    codes.length > 0 && catalog.campaigns.size > 0
      ? loadCounters(tx, project.id, { subjectIds: named("campaign_id"), starts: Object.values(periodsOf(starts)) })
      : [],
    hasCredits || hasReward ? loadLots(tx, project.id, named("id")) : null,
    hasReward ? loadHolders(tx, project.id, named("id")) : null,
    loadGoods(tx, project.id, goodsIn(round)),
  ]);
  return { assignments, held, counted, lots, holders, goods };
}

/** What the lines of the orders name. */
export function goodsIn(round: readonly RedeemRequest[]) {
  const references = round.map(({ sent }) => referencesIn(sent.order?.items ?? []));
  return {
    products: references.flatMap(({ products }) => products),
    skus: references.flatMap(({ skus }) => skus),
  };
}
