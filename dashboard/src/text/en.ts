import { account } from "./en/account.ts";
import { collections } from "./en/customers/collections.ts";
import { customers } from "./en/customers/customers.ts";
import { filter } from "./en/customers/filter.ts";
import { locations } from "./en/customers/locations.ts";
import { products } from "./en/customers/products.ts";
import { segments } from "./en/customers/segments.ts";
import { developers } from "./en/developers.ts";
import { figures } from "./en/figures.ts";
import { home } from "./en/home.ts";
import { kit } from "./en/kit.ts";
import { layout } from "./en/layout.ts";
import { cards } from "./en/loyalty/cards.ts";
import { designer } from "./en/loyalty/designer.ts";
import { loyalty } from "./en/loyalty/loyalty.ts";
import { points } from "./en/loyalty/points.ts";
import { terms } from "./en/loyalty/terms.ts";
import { names } from "./en/names.ts";
import { campaigns } from "./en/promotions/campaigns.ts";
import { codes } from "./en/promotions/codes.ts";
import { conditions } from "./en/promotions/conditions.ts";
import { discounts } from "./en/promotions/discounts.ts";
import { gifts } from "./en/promotions/gifts.ts";
import { goods } from "./en/promotions/goods.ts";
import { offers } from "./en/promotions/offers.ts";
import { redemptions } from "./en/promotions/redemptions.ts";
import { referrals } from "./en/promotions/referrals.ts";
import { rules } from "./en/promotions/rules.ts";
import { sentence } from "./en/promotions/sentence.ts";
import { simulator } from "./en/promotions/simulator.ts";
import { stacking } from "./en/promotions/stacking.ts";
import { templates } from "./en/promotions/templates.ts";
import { timeline } from "./en/promotions/timeline.ts";
import { why } from "./en/promotions/why.ts";
import { worth } from "./en/promotions/worth.ts";
import { registry } from "./en/registry.ts";
import { settings } from "./en/settings.ts";
import { signIn } from "./en/sign-in.ts";

/** Every text of the dashboard but those of refusals. A file for each area, so that two people rarely change the same one. */
export const en = {
  layout,
  kit,
  signIn,
  account,
  home,
  names,
  campaigns,
  timeline,
  templates,
  redemptions,
  customers,
  worth,
  developers,
  codes,
  products,
  collections,
  segments,
  locations,
  filter,
  gifts,
  referrals,
  settings,
  stacking,
  loyalty,
  points,
  terms,
  designer,
  cards,
  figures,
  discounts,
  offers,
  goods,
  conditions,
  sentence,
  registry,
  why,
  simulator,
  rules,
};
