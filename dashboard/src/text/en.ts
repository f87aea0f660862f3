import { account } from "./en/account.ts";
import { campaigns } from "./en/campaigns.ts";
import { codes } from "./en/codes.ts";
import { collections } from "./en/collections.ts";
import { customers } from "./en/customers.ts";
import { designer } from "./en/designer.ts";
import { developers } from "./en/developers.ts";
import { discounts } from "./en/discounts.ts";
import { figures } from "./en/figures.ts";
import { filter } from "./en/filter.ts";
import { gifts } from "./en/gifts.ts";
import { home } from "./en/home.ts";
import { kit } from "./en/kit.ts";
import { layout } from "./en/layout.ts";
import { locations } from "./en/locations.ts";
import { loyalty } from "./en/loyalty.ts";
import { points } from "./en/points.ts";
import { products } from "./en/products.ts";
import { redemptions } from "./en/redemptions.ts";
import { referrals } from "./en/referrals.ts";
import { registry } from "./en/registry.ts";
import { rules } from "./en/rules.ts";
import { segments } from "./en/segments.ts";
import { sentence } from "./en/sentence.ts";
import { settings } from "./en/settings.ts";
import { signIn } from "./en/sign-in.ts";
import { simulator } from "./en/simulator.ts";
import { stacking } from "./en/stacking.ts";
import { templates } from "./en/templates.ts";
import { timeline } from "./en/timeline.ts";
import { why } from "./en/why.ts";
import { worth } from "./en/worth.ts";

/** Every text of the dashboard. A file for each area, so that two people rarely change the same one. */
export const en = {
  layout,
  kit,
  signIn,
  account,
  home,
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
  designer,
  figures,
  discounts,
  sentence,
  registry,
  why,
  simulator,
  rules,
};
