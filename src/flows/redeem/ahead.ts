import { referencesIn } from "../../core/order/resolve.ts";
import { counterPeriods } from "../../core/redeem/counters.ts";
import type { Starts } from "../../core/vouchers/uses.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { idsOfNames } from "../../resources/customers/customers/store.ts";
import { loadConversions } from "../../resources/promotions/referrals/store.ts";
import { readCodesAhead } from "../../steps/checkout/codes-ahead.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import { loadGoods } from "../../steps/goods/goods.ts";

type Ahead = {
  starts: Starts;
  /** How the customers are named. */
  names: readonly string[];
  /** Whether codes may be shared: then it is read what the customers have counted for as friends. */
  isShared: boolean;
};

/** What is read behind the locks, with the same message. */
export async function readAhead(tx: Tx, round: readonly RedeemRequest[], { starts, names, isShared }: Ahead) {
  const { project } = round[0]!;
  const [codes, conversions, goods] = await together([
    readCodesAhead(tx, round, { days: Object.values(counterPeriods(starts)) }),
    isShared ? loadConversions(tx, project.id, idsOfNames(tx, project.id, names)) : null,
    loadGoods(tx, project.id, goodsIn(round)),
  ]);
  return { ...codes, conversions, goods };
}

/** What the lines of the orders name. */
export function goodsIn(round: readonly RedeemRequest[]) {
  const references = round.map(({ sent }) => referencesIn(sent.order?.items ?? []));
  return {
    products: references.flatMap(({ products }) => products),
    skus: references.flatMap(({ skus }) => skus),
  };
}
