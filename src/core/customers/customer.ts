/** What a caller may say of a customer, beside who it is. */
export const CUSTOMER_TEXTS = ["name", "description", "email", "phone", "birthdate", "birthday"] as const;
export const ADDRESS_FIELDS = ["city", "state", "line_1", "line_2", "country", "postal_code"] as const;

type Values = Readonly<Record<string, unknown>>;
export type Address = { [K in (typeof ADDRESS_FIELDS)[number]]?: string };
export type CustomerValues = { [K in (typeof CUSTOMER_TEXTS)[number]]: string | null } & {
  address: Address | null;
  metadata: Values;
};
/** What is left out stays as it is, null takes a value away. */
export type CustomerPatch = { [K in (typeof CUSTOMER_TEXTS)[number]]?: string | null | undefined } & {
  address?: { [K in keyof Address]?: string | null | undefined } | null | undefined;
  /** The country of the address, which may stand beside it. */
  country?: string | null | undefined;
  metadata?: Values | undefined;
};

export const NO_CUSTOMER_VALUES: CustomerValues = {
  name: null,
  description: null,
  email: null,
  phone: null,
  birthdate: null,
  birthday: null,
  address: null,
  metadata: {},
};

/** The customer after what was sent, and the names of the fields that are not as they were. */
export function mergeCustomer(
  before: CustomerValues,
  given: CustomerPatch,
): { values: CustomerValues; changed: string[] } {
  const values: CustomerValues = { ...before };
  for (const field of CUSTOMER_TEXTS) if (given[field] !== undefined) values[field] = given[field];
  const address = given.country === undefined ? given.address : { country: given.country, ...given.address };
  if (address !== undefined) values.address = address && mergeAddress(before.address ?? {}, address);
  // A key that is set to null is kept as null: that it was emptied is a value too.
  if (given.metadata !== undefined) values.metadata = { ...before.metadata, ...given.metadata };
  const fields = Object.keys(NO_CUSTOMER_VALUES) as (keyof CustomerValues)[];
  return { values, changed: fields.filter((field) => !isSame(before[field], values[field])) };
}

/** The fields that a file of customers has. What a row leaves out of them is taken away. */
const OF_A_FILE = ["name", "description", "email", "phone", "birthdate", "address", "metadata"] as const;

/** The customer after a row of a file: whatever stood in the fields of a file before is gone. */
export function replaceCustomer(
  before: CustomerValues,
  given: CustomerPatch,
): { values: CustomerValues; changed: string[] } {
  const { values: after } = mergeCustomer(NO_CUSTOMER_VALUES, given);
  const values: CustomerValues = { ...before, ...Object.fromEntries(OF_A_FILE.map((field) => [field, after[field]])) };
  return { values, changed: OF_A_FILE.filter((field) => !isSame(before[field], values[field])) };
}

/** Field by field. An address without any field left is no address. */
function mergeAddress(before: Address, given: NonNullable<CustomerPatch["address"]>): Address | null {
  const merged: Address = {};
  for (const field of ADDRESS_FIELDS) {
    const value = given[field] === undefined ? before[field] : given[field];
    if (typeof value === "string") merged[field] = value;
  }
  return Object.keys(merged).length === 0 ? null : merged;
}

/** Two values of JSON; the order of keys does not count, for the database keeps its own. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Values, b as Values];
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]));
}
