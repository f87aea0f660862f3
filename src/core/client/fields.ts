import { type Static, type TSchema, Type } from "typebox";

/** A map whose fields are not Laurel's, such as metadata: all of it is seen. */
export const OPEN = Symbol("an open map");
/** What a client application sees of an object, field by field. Of what has fields itself they are named, too. */
export type Seen = { readonly [field: string]: true | typeof OPEN | Seen };

/** Fields without fields of their own, in one text; then those that have some. */
export const see = (plain: string, deep: Seen = {}): Seen => ({
  ...Object.fromEntries(plain.split(" ").map((name) => [name, true as const])),
  ...deep,
});

/** The parts of a JSON schema that say which fields a value has. */
export type Shape = {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  additionalProperties?: boolean | Shape;
  title?: string;
};

const PLAIN: readonly unknown[] = ["string", "number", "integer", "boolean", "null"];
/** Text, a number, true or false: nothing that could hold a field. */
export const isPlain = ({ type }: Shape): boolean =>
  type !== undefined && [type].flat().every((one) => PLAIN.includes(one));
/** A map that has a name, so that nobody takes it for a schema that is not finished. */
export const isFreeMap = ({ properties, additionalProperties, title }: Shape): boolean =>
  properties === undefined && additionalProperties === true && title !== undefined;
/** A map from names that are data, such as ids, to things of one shape. */
export const isRecord = (shape: Shape): shape is Shape & { additionalProperties: Shape } =>
  shape.properties === undefined && typeof shape.additionalProperties === "object";

/**
 * The schema of what a client application sees of a server's answer: the fields that are named, and no others. A field that
 * the server gets later is not in it. Handlers give the server's value, and the projection of the schema cuts it.
 */
export const only = <S extends TSchema>(schema: S, seen: Seen) =>
  Type.Unsafe<Partial<Static<S>>>(cut(schema as Shape, seen, (schema as Shape).title ?? "the answer") as TSchema);

function cut(shape: Shape, seen: Seen[string], path: string): Shape {
  const { items, title, properties, required = [], additionalProperties: others, ...rest } = shape;
  if (items) return { ...shape, items: cut(items, seen, `${path}[]`) };
  if (isRecord(shape)) return { ...shape, additionalProperties: cut(shape.additionalProperties, seen, `${path}.*`) };
  if (seen === OPEN || seen === true) {
    const isFit = seen === OPEN ? isFreeMap(shape) : isPlain(shape);
    if (!isFit) throw new Error(`${path} is no ${seen === OPEN ? "open map" : "plain field: name its fields"}`);
    return shape;
  }
  const unknown = Object.keys(seen).find((name) => !properties?.[name]);
  if (unknown !== undefined) throw new Error(`${path}.${unknown} is no field of the server's answer`);
  const fields = Object.entries(properties!).filter(([name]) => name in seen);
  const needed = required.filter((name) => name in seen);
  return {
    ...rest,
    ...(title !== undefined && { title: `Client${title}` }),
    ...(needed.length > 0 && { required: needed }),
    properties: Object.fromEntries(fields.map(([name, one]) => [name, cut(one, seen[name]!, `${path}.${name}`)])),
  };
}
