import { campaignAmountDiscounted, campaignOrdersAmount, redemptionGiftAmount } from "./campaign-amounts.ts";
import { customerLoyaltyTier } from "./customer-loyalty-tier.ts";
import { customerSegment } from "./customer-segment.ts";
import { legacyIds, legacyMetadata } from "./legacy-products.ts";
import { linesBelow } from "./lines-below.ts";
import { metadataRules } from "./metadata-rules.ts";
import { orderAmount, orderInitialAmount, orderTotalAmount } from "./order-amounts.ts";
import { orderItemsCount } from "./order-items-count.ts";
import { orderItemsEach } from "./order-items-each.ts";
import { orderItemsAny, orderItemsEvery, orderItemsExtremes, orderItemsNone } from "./order-items-quantifiers.ts";
import { publicationHolder } from "./publication-holder.ts";
import { redemptionApiKey, redemptionUserLogin } from "./redemption-caller.ts";
import { redemptionCounts } from "./redemption-counts.ts";
import { redemptionPointsUsed } from "./redemption-points-used.ts";
import type { Rule } from "./rule.ts";

/** Every rule there is. A new one is a file of its own and a line here; documents, checks and tests follow from it. */
export const RULES: readonly Rule[] = [
  customerSegment,
  customerLoyaltyTier,
  ...metadataRules,
  orderAmount,
  orderInitialAmount,
  orderTotalAmount,
  orderItemsCount,
  ...orderItemsEach,
  orderItemsAny,
  orderItemsEvery,
  orderItemsNone,
  ...orderItemsExtremes,
  ...linesBelow,
  ...legacyIds,
  legacyMetadata,
  campaignOrdersAmount,
  campaignAmountDiscounted,
  ...redemptionCounts,
  redemptionGiftAmount,
  redemptionPointsUsed,
  redemptionApiKey,
  redemptionUserLogin,
  publicationHolder,
];

/** Older clients write `customer_segment` for `customer.segment`. */
const withUnderscores = (name: string): string => name.replaceAll(".", "_");
const byName = new Map(
  RULES.flatMap((rule) => [
    [rule.name, rule],
    [withUnderscores(rule.name), rule],
  ]),
);

/** Every name that a rule is sent by. */
export const RULE_NAMES: readonly string[] = [...byName.keys()];
/** The rule of that name, with dots or with underscores. */
export const findRule = (name: string): Rule | undefined => byName.get(name);
