import type { AnswerOf, ParamsOf } from "./op.ts";
import {
  listCampaigns,
  listCategories,
  listCustomers,
  listProducts,
  listSegments,
  listValidationRules,
  searchProject,
} from "./operations.gen.ts";

// Records that pickers choose from: how they are found by a text, and what they are called.

type Row = { id: string; name?: string | null; source_id?: string | null; email?: string | null };
const FEW = 20;
export const named = ({ id, name, source_id }: Row) => ({ value: id, label: name ?? source_id ?? id });
const contains = (field: string, text: string) =>
  text === "" ? {} : { filters: { [field]: { conditions: { $contains: [text] } } } };

export const CAMPAIGNS = {
  operation: listCampaigns,
  paramsOf: (text: string) => ({ limit: FEW, ...contains("campaigns", text) }),
  optionOf: named,
};
/** Campaigns that get further codes: not promotions, which have none, nor those with one code for all. */
export const CAMPAIGNS_TAKING_CODES = {
  ...CAMPAIGNS,
  paramsOf: (text: string) => ({
    limit: FEW,
    filters: {
      ...contains("campaigns", text).filters,
      voucher_type: { conditions: { $has_value: true } },
      type: { conditions: { $is: ["BULK"] } },
    } as ParamsOf<typeof listCampaigns>["filters"] & object,
  }),
};
/** Campaigns whose codes or cards can be given to people or printed. */
export const campaignsOf = (
  campaign_type: "DISCOUNT_COUPONS" | "GIFT_VOUCHERS" | "LOYALTY_PROGRAM" | "REFERRAL_PROGRAM",
) => ({
  ...CAMPAIGNS,
  paramsOf: (text: string) => ({ campaign_type, ...CAMPAIGNS.paramsOf(text) }),
});
export const SEGMENTS = {
  operation: listSegments,
  paramsOf: (text: string) => ({ limit: FEW, ...contains("name", text) }),
  optionOf: named,
};
export const CATEGORIES = {
  operation: listCategories,
  paramsOf: (text: string) => ({ limit: FEW, order: "hierarchy" as const, ...contains("name", text) }),
  optionOf: named,
};
export const PRODUCTS = {
  operation: listProducts,
  paramsOf: (text: string) => ({ limit: FEW, ...contains("name", text) }),
  optionOf: named,
};
export const VALIDATION_RULES = {
  operation: listValidationRules,
  paramsOf: (text: string) => ({ limit: FEW, order: "name" as const, ...contains("name", text) }),
  optionOf: named,
};
/** The list of customers finds whole names and e-mail addresses only; the search finds how they begin. */
export const CUSTOMERS = {
  operation: listCustomers,
  search: {
    operation: searchProject,
    shortest: 2,
    paramsOf: (q: string) => ({ q, types: "customer" }),
    optionsOf: ({ results }: AnswerOf<typeof searchProject>) =>
      results.map(({ id, title, detail }) => ({
        value: id,
        label: [title, ...(detail === title ? [] : [detail])].filter(Boolean).join(" · "),
      })),
  },
  paramsOf: (text: string) => ({
    limit: FEW,
    ...(text.includes("@") ? { email: text } : text === "" ? {} : { name: text }),
  }),
  optionOf: (row: Row) => ({
    value: row.id,
    label: [row.name, row.email ?? row.source_id].filter(Boolean).join(" · ") || row.id,
  }),
};
