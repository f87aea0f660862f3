import {
  type Campaign,
  createPromotionTier,
  disablePromotionTier,
  enablePromotionTier,
  updatePromotionTier,
} from "../../../api/operations.gen.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import { makeRule, refuseClosed, saveGoods } from "../goods/save-goods.ts";
import { applicableOf, goodsFor, type Place } from "../goods/values.ts";
import { type OfferValues, offerChanges } from "./offer-values.ts";

/** `id`: null where the offer is new. `place`: where its products are said. */
export type SavedOffer = { id: string | null; campaign: Campaign; place: Place };
type Edit = { values: OfferValues; changes: Partial<OfferValues>; goodsWord: string };

async function makeOffer(send: SendStep, campaign: Campaign, values: OfferValues) {
  const { name: _, action: __, ...rest } = offerChanges(values);
  const { active, rule } = values;
  const name = values.name.trim();
  const action = { discount: offerChanges(values).action!.discount };
  const goods = goodsFor(values.goods, values.discount);
  const applicable_to = applicableOf(goods);
  const made =
    goods.which === "all" ? null : await makeRule(send, { name: `${campaign.name}: ${name}`, applicable_to });
  // The rule that was chosen is one that others have as well: the products are no part of it.
  const rules = [...(rule ? [rule] : []), ...(made ? [made.id] : [])];
  const body = { ...rest, name, action, active, ...(rules.length > 0 && { validation_rules: rules }) };
  return send(createPromotionTier, { params: { campaignId: campaign.id }, body });
}

/** Makes an offer, or sends what was changed of one. */
export async function saveOffer(send: SendStep, of: SavedOffer, edit: Edit, version: object) {
  const { values, changes, goodsWord } = edit;
  if (of.id === null) return makeOffer(send, of.campaign, values);
  if (changes.goods) refuseClosed(of.place);
  const params = { promotionTierId: of.id };
  const body = offerChanges(changes);
  if (Object.keys(body).length > 0)
    await send(updatePromotionTier, { params, body, ...version }, `update ${JSON.stringify(body)}`);
  if (changes.goods) {
    const ruled = { related_object_type: "promotion_tier" as const, related_object_id: of.id };
    const name = `${of.campaign.name}: ${values.name.trim()}: ${goodsWord}`;
    await saveGoods(send, goodsFor(changes.goods, values.discount), { place: of.place, of: ruled, name });
  }
  const toggle = changes.active ? enablePromotionTier : disablePromotionTier;
  return changes.active === undefined ? null : send(toggle, { params });
}
