import { account } from "./de/account.ts";
import { campaigns } from "./de/campaigns.ts";
import { codes } from "./de/codes.ts";
import { collections } from "./de/collections.ts";
import { customers } from "./de/customers.ts";
import { designer } from "./de/designer.ts";
import { developers } from "./de/developers.ts";
import { discounts } from "./de/discounts.ts";
import { figures } from "./de/figures.ts";
import { filter } from "./de/filter.ts";
import { gifts } from "./de/gifts.ts";
import { home } from "./de/home.ts";
import { kit } from "./de/kit.ts";
import { layout } from "./de/layout.ts";
import { locations } from "./de/locations.ts";
import { loyalty } from "./de/loyalty.ts";
import { points } from "./de/points.ts";
import { products } from "./de/products.ts";
import { redemptions } from "./de/redemptions.ts";
import { referrals } from "./de/referrals.ts";
import { registry } from "./de/registry.ts";
import { rules } from "./de/rules.ts";
import { segments } from "./de/segments.ts";
import { sentence } from "./de/sentence.ts";
import { settings } from "./de/settings.ts";
import { signIn } from "./de/sign-in.ts";
import { simulator } from "./de/simulator.ts";
import { stacking } from "./de/stacking.ts";
import { templates } from "./de/templates.ts";
import { timeline } from "./de/timeline.ts";
import { why } from "./de/why.ts";
import { worth } from "./de/worth.ts";
import type { en } from "./en.ts";

// A text that is missing here does not compile.
export const de = {
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
} satisfies typeof en;
