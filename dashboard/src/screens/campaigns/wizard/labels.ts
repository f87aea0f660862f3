import type { UseFormReturnType } from "@mantine/form";
import type { TextKey } from "../../../text/text.ts";
import type { Field, Values } from "./values.ts";

/** The labels of fields, for what is missing and for what somebody else changed. */
export const LABELS: Record<Field, TextKey> = {
  campaign_type: "campaigns.kind",
  name: "campaigns.name",
  description: "campaigns.description",
  type: "campaigns.codeKind",
  discount: "campaigns.steps.offer",
  goods: "goods.title",
  gift: "campaigns.giftAmount",
  points: "campaigns.startPoints",
  expires: "points.expiry",
  earn_points: "campaigns.earnPoints",
  earn_every: "campaigns.earnEvery",
  tiers: "campaigns.tiers",
  referral: "referrals.program",
  start_date: "campaigns.starts",
  expiration_date: "campaigns.ends",
  times: "kit.times.title",
  segment: "campaigns.who",
  spends: "campaigns.spends",
  code: "campaigns.code",
  vouchers_count: "campaigns.count",
  pattern: "campaigns.pattern",
  uses: "campaigns.usesEach",
  per_customer: "campaigns.perCustomer",
  budget: "campaigns.budget",
  category: "conditions.category",
};

export const bind = (form: UseFormReturnType<Values>, field: Field) => form.getInputProps(field);
