import { orderFromJson } from "../../core/redeem/order-shown.ts";
import type { Tx } from "../../db/db.ts";
import { redemptionsById } from "../../resources/checkout/redemptions/list-store.ts";
import { picturesOf } from "../../resources/promotions/vouchers/picture-store.ts";
import { answerFrom, type MadeOf } from "../../steps/checkout/redemption-answer.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";

/** The answers of redemptions that were made before, from their rows: one statement for all of them. */
export async function rebuildAnswers(
  tx: Tx,
  projectId: string,
  some: readonly { command: RedeemRequest; madeOf: object }[],
): Promise<(string | null)[]> {
  const made = some.map((one) => one.madeOf as MadeOf);
  const rows = await redemptionsById(
    tx,
    projectId,
    made.flatMap(({ ids }) => ids),
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return made.map((one, n) => {
    const redemptions = one.ids.flatMap((id) => rowOf.get(id) ?? []);
    const now = redemptions.find(({ order_now }) => order_now !== null)?.order_now ?? null;
    const { project } = some[n]!.command;
    return answerFrom(one, {
      redemptions,
      order: now && orderFromJson(now),
      assetsOf: (id) => picturesOf(project, id),
    });
  });
}
