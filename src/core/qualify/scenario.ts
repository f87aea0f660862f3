import { RULES } from "../rules/registry.ts";
import type { Rule } from "../rules/rule.ts";
import type { RulesAsked } from "../validate/situation.ts";

/** Where candidates come from. A wallet holds the codes that were given to the customer. */
export type Source = "standalone" | "generic" | "wallet" | "tiers" | "campaigns" | "stacks";

/** What one way of asking looks at. */
export type Scenario = {
  readonly sources: ReadonlySet<Source>;
  /** Which rules are asked, and whether a bundle has to be there. */
  readonly asked: RulesAsked;
  /** `touched`: the discount is for a product of the order, or a rule asks for one; `discounted`: only the former. */
  readonly items: "touched" | "discounted" | null;
};

/** Whether an offer has to be one that a validation of the same cart confirms. */
export const asksEverything = ({ asked }: Scenario): boolean => asked === all;

const rulesWhere = (wanted: (rule: Rule) => boolean): ReadonlySet<string> =>
  new Set(RULES.filter(wanted).map(({ name }) => name));

const isAboutProducts = ({ name }: Rule): boolean => /^(?:order\.items|product|sku)\./.test(name);
// Contract is silent on codes for their holder only: whether the customer holds one is a question about the customer.
const isAboutCustomer = ({ name, family }: Rule): boolean =>
  family === "customer" || name === "publication.redeemable_by_linked_customer";

const EVERYTHING: readonly Source[] = ["standalone", "generic", "wallet", "tiers", "campaigns"];
/** Every rule, as a validation asks it: what is offered here can be redeemed. */
const all: RulesAsked = {};
const audience: RulesAsked = { only: "customer", bundles: "optional" };
const products: RulesAsked = { ignore: rulesWhere((rule) => !isAboutProducts(rule)), bundles: "optional" };
const productsAndCustomer: RulesAsked = {
  ignore: rulesWhere((rule) => !isAboutProducts(rule) && !isAboutCustomer(rule)),
  bundles: "optional",
};

const scenario = (sources: readonly Source[], asked: RulesAsked, items: Scenario["items"] = null): Scenario =>
  Object.freeze({ sources: new Set(sources), asked, items });

export const SCENARIOS = Object.freeze({
  ALL: scenario(EVERYTHING, all),
  CUSTOMER_WALLET: scenario(["wallet"], all),
  AUDIENCE_ONLY: scenario(EVERYTHING, audience),
  PRODUCTS: scenario(EVERYTHING, products, "touched"),
  PRODUCTS_DISCOUNT: scenario(EVERYTHING, products, "discounted"),
  PROMOTION_STACKS: scenario(["stacks"], all),
  PRODUCTS_BY_CUSTOMER: scenario(EVERYTHING, productsAndCustomer, "touched"),
  PRODUCTS_DISCOUNT_BY_CUSTOMER: scenario(EVERYTHING, productsAndCustomer, "discounted"),
});
export type ScenarioName = keyof typeof SCENARIOS;
