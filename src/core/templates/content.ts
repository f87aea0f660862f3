import type { CodesType } from "../campaigns/kind.ts";
import type { CodeConfig } from "../codes/generate.ts";
import type { Definition } from "../metadata/definition.ts";
import type { RuleDefinition } from "../rules/definition.ts";
import type { VoucherSettings } from "../vouchers/settings.ts";

export const TEMPLATE_TYPES = ["DISCOUNT_COUPONS", "GIFT_VOUCHERS"] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

type Metadata = Record<string, unknown>;
/** The id that an object had in its project: other parts of the template name the object by it. */
type Kept = { id: string };
export type KeptProduct = Kept & {
  source_id: string | null;
  name: string | null;
  price: number | null;
  attributes: string[];
  metadata: Metadata;
  image_url: string | null;
};
export type KeptSku = Kept & {
  source_id: string | null;
  product_id: string;
  sku: string | null;
  price: number | null;
  currency: string | null;
  attributes: Metadata;
  metadata: Metadata;
  image_url: string | null;
};
export type KeptCollection = Kept & {
  name: string;
  type: "STATIC" | "AUTO_UPDATE";
  products: { id: string; object: "product" | "sku"; product_id?: string }[];
  filter: Record<string, unknown> | null;
};
export type KeptSegment = Kept & {
  name: string;
  type: "passive" | "auto-update";
  filter: Record<string, unknown>;
};
export type KeptLocation = Kept & { name: string; shape: unknown };
export type KeptRule = RuleDefinition & { name: string; type: string; context_type: string };
/** How a key of metadata is defined that a rule or a filter looks at. */
export type KeptMetadata = { related_object: string; property: string } & Pick<Definition, "type" | "array">;

/** Everything that a campaign is made of again, in this project or another. */
export type TemplateContent = {
  campaign: {
    type: CodesType;
    description: string | null;
    auto_join: boolean;
    join_once: boolean;
    use_voucher_metadata_schema: boolean;
    activity_duration_after_publishing: string | null;
    code_config: CodeConfig;
  };
  /** Of a promotion tier. */
  banner: string | null;
  settings: VoucherSettings;
  validation_rules: KeptRule[];
  products: KeptProduct[];
  skus: KeptSku[];
  product_collections: KeptCollection[];
  segments: KeptSegment[];
  locations: KeptLocation[];
  metadata: KeptMetadata[];
  custom_events: string[];
};
