import type { ValidationRule } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import type { Cart, CartDraft } from "../../registry/cart/cart.ts";
import { useAnswer } from "../../registry/cart/use-cart.ts";
import { useText } from "../../text/text.ts";

/** What a rule that nobody saved is called in a draft. */
export const NEW_RULE = "val_draft";
/** An offer that takes nothing off and has this rule alone. The simulator tells tiers by how their ids begin. */
export const ALONE = "promo_draft";

type RuleDraft = NonNullable<CartDraft["validation_rules"]>[number];
type Trial = { rule: ValidationRule | null; cart: Cart; definition: RuleDraft; isEdited: boolean };

/** All that the rule has beside what the form shows: a draft that leaves it out would be without it. */
function draftOf(rule: ValidationRule | null, definition: RuleDraft): RuleDraft {
  if (rule === null) return { ...definition, id: NEW_RULE };
  const { id, type, context_type, applicable_to, bundle_rules } = rule;
  return { id, type, context_type, applicable_to, bundle_rules, ...definition } as RuleDraft;
}

/**
 * Asks about the cart with the rule as it stands there, saved or not. Without a code the rule is asked alone. What is not saved
 * is asked by whoever may save it.
 */
export function useTrial({ rule, cart, definition, isEdited }: Trial) {
  const t = useText();
  const can = useCan();
  const mayDraft = can(rule === null ? "createValidationRule" : "updateValidationRule");
  const mayAlone = mayDraft && can("createCampaign") && can("createPromotionTier") && can("createValidationRule");
  const isAlone = mayAlone && (rule === null || cart.codes.length === 0);
  const drafted = draftOf(rule, definition);
  const tier = {
    ...{ id: ALONE, name: t("rules.alone"), validation_rules: [drafted.id!] },
    action: { discount: { type: "PERCENT", percent_off: 0, effect: "APPLY_TO_ORDER" } },
  };
  const campaign = { name: t("rules.alone"), campaign_type: "PROMOTION", promotion: { tiers: [tier] } };
  const draft = {
    ...(mayDraft && (isEdited || isAlone) && { validation_rules: [drafted] }),
    ...(isAlone && { campaigns: [campaign] }),
  } as CartDraft;
  const asked = useAnswer(isAlone ? { ...cart, codes: [ALONE] } : cart, {
    version: rule?.updated_at ?? "",
    draft: Object.keys(draft).length > 0 ? draft : null,
  });
  return { asked, isAlone };
}
