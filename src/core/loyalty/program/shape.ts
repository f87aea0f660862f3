import { type TOptional, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Nullable, type Props } from "../../shapes.ts";

/** Fields that may be left out, or be null: both mean that there is none. */
export const maybe = <P extends Props>(props: P) =>
  Object.fromEntries(Object.entries(props).map(([key, schema]) => [key, Type.Optional(Nullable(schema))])) as {
    [K in keyof P]: TOptional<ReturnType<typeof Nullable<P[K]>>>;
  };

/** The id of one of our objects, as a body names it. */
export const idOf = (prefix: string) => Type.String({ pattern: `^${prefix}_[a-zA-Z0-9]+$`, maxLength: 200 });
export const Name = Type.String({ minLength: 1, maxLength: 200 });

/**
 * Which variant an object is: `variants` maps the value of its discriminator to the field that this variant has, or to
 * null when it has none. Exactly that field may be there. Without a discriminator the one field decides.
 */
export function variantOf<T extends string>(
  object: Readonly<Record<string, unknown>>,
  variants: Readonly<Record<T, string | null>>,
  { path, by = "type" }: { path: string; by?: string },
): T {
  const subject = path === "" ? "Payload" : `Property ${path}`;
  const all = Object.entries(variants) as [T, string | null][];
  const there = all.filter(([, field]) => field !== null && object[field] != null);
  const named = (object[by] ?? (there.length === 1 ? there[0]![0] : null)) as T | null;
  if (named === null) throw invalid(`${subject} must have required property '${by}'`);
  const field = variants[named];
  const other = there.find(([one]) => one !== named);
  if (other) throw invalid(`${subject} must NOT have additional property '${other[1]}' when ${by} is ${named}`);
  if (field !== null && there.length === 0) throw invalid(`${subject} must have required property '${field}'`);
  return named;
}
