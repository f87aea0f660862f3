export const METADATA_TYPES = [
  "string",
  "number",
  "object",
  "date",
  "datetime",
  "geopoint",
  "boolean",
  "image_url",
] as const;

/** What a schema says about one key of metadata. */
export type Definition = {
  type: (typeof METADATA_TYPES)[number];
  optional: boolean;
  array: boolean;
  deleted?: boolean;
  object_type: string | null;
  min_length?: number;
  max_length?: number;
  exact_length?: number;
  eq?: (string | number)[];
  ne?: number[];
  lt?: number;
  lte?: number;
  gt?: number;
  gte?: number;
};
export type Definitions = Record<string, Definition>;
export type MetadataSchema = { properties: Definitions; allow_defined_only: boolean };

// Objects of the interface that carry metadata. Any other name is a schema for nested objects.
export const STANDARD_OBJECTS = [
  "campaign",
  "customer",
  "earning_rule",
  "loyalty_tier",
  "order",
  "order_item",
  "product",
  "promotion_tier",
  "publication",
  "redemption",
  "reward",
  "voucher",
  "vl_card_definition",
  "vl_earning_rule",
  "vl_member",
  "vl_program",
  "vl_reward",
  "vl_tier",
  "vl_tier_structure",
] as const;
export const DEFINITIONS_MAX = 100;

const GEOPOINT_OBJECTS = ["customer", "product"];
const FREE_OBJECT = "unknown";
const DECIMALS_MAX = 2;
const STRING_ONLY = ["min_length", "max_length", "exact_length"] as const;
const NUMBER_ONLY = ["ne", "lt", "lte", "gt", "gte"] as const;

/** What is wrong with the definitions of a schema, or null. Removed definitions still count towards the maximum. */
export function definitionsFault(relatedObject: string, properties: Definitions): string | null {
  if (Object.keys(properties).length > DEFINITIONS_MAX)
    return `Property .properties must NOT have more than ${DEFINITIONS_MAX} properties`;
  for (const [name, definition] of Object.entries(properties)) {
    const fault = definitionFault(relatedObject, definition);
    if (fault) return `Property .properties.${name}${fault}`;
  }
  return null;
}

function definitionFault(relatedObject: string, definition: Definition): string | null {
  const { type, object_type, eq = [] } = definition;
  const isStandard = (STANDARD_OBJECTS as readonly string[]).includes(relatedObject);
  if (type === "object" && !isStandard) return ".type must not be object: a nested object has no nested objects";
  if (type !== "object" && object_type !== null) return ".object_type must be null unless the type is object";
  if (type === "geopoint" && !GEOPOINT_OBJECTS.includes(relatedObject))
    return ".type must not be geopoint: only customers and products have one";
  for (const field of STRING_ONLY)
    if (definition[field] !== undefined && type !== "string") return `.${field} is for the type string only`;
  for (const field of NUMBER_ONLY)
    if (definition[field] !== undefined && type !== "number") return `.${field} is for the type number only`;
  if (definition.eq && type !== "string" && type !== "number") return ".eq is for the types string and number only";
  const wrong = eq.findIndex((value) => typeof value !== type);
  return wrong < 0 ? decimalsFault(definition) : `.eq.${wrong} must be ${type}`;
}

function decimalsFault(definition: Definition): string | null {
  for (const field of ["eq", ...NUMBER_ONLY] as const) {
    const limits = [definition[field] ?? []].flat();
    const long = limits.findIndex(
      (value) => typeof value === "number" && Number(value.toFixed(DECIMALS_MAX)) !== value,
    );
    if (long < 0) continue;
    const path = Array.isArray(definition[field]) ? `${field}.${long}` : field;
    return `.${path} must have at most ${DECIMALS_MAX} decimals`;
  }
  return null;
}

/** The name of the schema that the values of a definition follow, where there is one. */
export const nestedSchemaOf = ({ type, object_type }: Definition): string | null =>
  type === "object" && object_type !== FREE_OBJECT ? object_type : null;
