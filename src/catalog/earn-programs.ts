import type { ProgramWindow } from "../core/loyalty/campaign/earning.ts";
import { ratioGoods, ratioOf } from "../core/loyalty/campaign/shapes.ts";
import {
  type Occurrence,
  startsCampaignRule,
  triggerOf,
  triggerOfCampaignRule,
} from "../core/loyalty/earning/triggers.ts";
import { oncePer } from "../core/once-per.ts";
import type { CampaignEarningRuleRow } from "../core/rows/campaign.ts";
import { settingsOf } from "../core/vouchers/settings.ts";
import type { Campaign } from "../resources/promotions/campaigns/store.ts";
import type { ValidationRuleRow } from "../resources/promotions/validation-rules/store.ts";
import type { Catalog } from "./catalog.ts";
import { loadsIn, type NamedInRules } from "./named-in-rules.ts";

/** A loyalty program of loyalty cards: a campaign, when it is open, and its rules that are active. */
export type CardProgram = { campaign: Campaign; window: ProgramWindow; rules: readonly CampaignEarningRuleRow[] };

/** The programs of loyalty cards that are active and have rules, in the order of their ids. */
export const cardPrograms = oncePer((catalog: Catalog): readonly CardProgram[] =>
  [...catalog.earning_rules_of_campaign]
    .flatMap(([id, rows]): CardProgram[] => {
      const campaign = catalog.campaigns.get(id);
      const rules = rows.filter(({ active }) => active);
      if (!campaign?.active || campaign.campaign_type !== "LOYALTY_PROGRAM" || rules.length === 0) return [];
      return [{ campaign, window: programWindow(campaign), rules }];
    })
    .sort((a, b) => (a.campaign.id < b.campaign.id ? -1 : 1)),
);

/** When a program is open: its dates are those of its newest template. */
export function programWindow(campaign: Campaign): ProgramWindow {
  const { start_date, expiration_date } = settingsOf({ settings: null, template_version: null }, campaign);
  return { active: campaign.active, start_date, expiration_date };
}

/** Whether something starts a rule of any program. */
export const startsAny = (catalog: Catalog, occurrence: Occurrence): boolean =>
  cardPrograms(catalog).some(({ rules }) => rules.some((rule) => startsCampaignRule(rule, occurrence)));

/** Whether a redemption may bring points on loyalty cards: by its order, or by what else may follow from it. */
export const earnsOnCards = (catalog: Catalog, { hasOrder }: { hasOrder: boolean }): boolean =>
  cardPrograms(catalog).some(({ rules }) =>
    rules.some((rule) => {
      const { about } = triggerOf(triggerOfCampaignRule(rule));
      return about !== "custom_event" && (hasOrder || about !== "order");
    }),
  );

const hasLoyalty = oncePer((campaigns: Catalog["campaigns"]) =>
  campaigns.values().some(({ campaign_type }) => campaign_type === "LOYALTY_PROGRAM"),
);
/** Whether a project has loyalty cards at all: what they earned may have to be taken back, also when no rule is left. */
export const hasCards = ({ campaigns }: Pick<Catalog, "campaigns">): boolean => hasLoyalty(campaigns);

/** The segments and collections that the rules of loyalty cards ask for. */
export const namedInPrograms = oncePer((catalog: Catalog): NamedInRules => {
  const rules = cardPrograms(catalog).flatMap((one) => one.rules);
  const asked = rules.flatMap((one): [string, ValidationRuleRow][] => {
    const row = catalog.validation_rules.get(one.validation_rule_id ?? "");
    return row ? [[row.id, row]] : [];
  });
  const { collections, ...others } = loadsIn({ validation_rules: new Map(asked) });
  const counted = rules
    .flatMap(({ loyalty }) => ratioGoods(ratioOf(loyalty) ?? {}))
    .flatMap(({ object, id }) => (object === "products_collection" ? id : []));
  return { ...others, collections: new Set([...collections, ...counted]) };
});
