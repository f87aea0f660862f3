import { account } from "./de/account.ts";
import { collections } from "./de/customers/collections.ts";
import { customers } from "./de/customers/customers.ts";
import { filter } from "./de/customers/filter.ts";
import { locations } from "./de/customers/locations.ts";
import { products } from "./de/customers/products.ts";
import { segments } from "./de/customers/segments.ts";
import { developers } from "./de/developers.ts";
import { figures } from "./de/figures.ts";
import { home } from "./de/home.ts";
import { kit } from "./de/kit.ts";
import { layout } from "./de/layout.ts";
import { cards } from "./de/loyalty/cards.ts";
import { designer } from "./de/loyalty/designer.ts";
import { loyalty } from "./de/loyalty/loyalty.ts";
import { points } from "./de/loyalty/points.ts";
import { terms } from "./de/loyalty/terms.ts";
import { names } from "./de/names.ts";
import { campaigns } from "./de/promotions/campaigns.ts";
import { codes } from "./de/promotions/codes.ts";
import { conditions } from "./de/promotions/conditions.ts";
import { discounts } from "./de/promotions/discounts.ts";
import { gifts } from "./de/promotions/gifts.ts";
import { goods } from "./de/promotions/goods.ts";
import { offers } from "./de/promotions/offers.ts";
import { redemptions } from "./de/promotions/redemptions.ts";
import { referrals } from "./de/promotions/referrals.ts";
import { rules } from "./de/promotions/rules.ts";
import { sentence } from "./de/promotions/sentence.ts";
import { simulator } from "./de/promotions/simulator.ts";
import { stacking } from "./de/promotions/stacking.ts";
import { templates } from "./de/promotions/templates.ts";
import { timeline } from "./de/promotions/timeline.ts";
import { why } from "./de/promotions/why.ts";
import { worth } from "./de/promotions/worth.ts";
import { registry } from "./de/registry.ts";
import { settings } from "./de/settings.ts";
import { signIn } from "./de/sign-in.ts";
import type { en } from "./en.ts";

// A text that is missing here does not compile.
export const de = {
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
} satisfies typeof en;
