import { isFreeMap, isPlain, isRecord, type Shape } from "./fields.ts";

/** Gives what a schema names of a value, in the order in which the value has it. */
export type Projection = (value: unknown) => unknown;
/** Texts that are changed on the way, by the names of their fields. */
export type Texts = Readonly<Record<string, (text: string) => string>>;

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** What is not of the kind that a schema says is left out; null tells nothing. */
const other = (value: unknown): null | undefined => (value === null ? null : undefined);
const plain: Projection = (value) => (typeof value === "object" ? other(value) : value);

/**
 * Compiles a schema to a function. What the schema does not name is left out, and so is a value of another kind than it
 * says. A schema that does not say which fields there are is refused here, and not when somebody asks.
 */
export function projection(schema: object, texts: Texts = {}): Projection {
  const shape = schema as Shape;
  if (isPlain(shape)) return plain;
  if (isFreeMap(shape)) return (value) => (isFields(value) ? value : other(value));
  if (shape.items) {
    const each = projection(shape.items, texts);
    return (value) => (Array.isArray(value) ? value.map(each) : other(value));
  }
  if (isRecord(shape)) {
    const each = projection(shape.additionalProperties, texts);
    return (value) =>
      isFields(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, each(one)]))
        : other(value);
  }
  if (!shape.properties)
    throw new Error(`a client's answer does not say which fields it has: ${JSON.stringify(schema)}`);
  const fields = new Map(
    Object.entries(shape.properties).map(([name, one]) => [name, fieldOf(projection(one, texts), texts[name])]),
  );
  return (value) => {
    if (!isFields(value)) return other(value);
    const shown: Fields = {};
    for (const name of Object.keys(value)) {
      const one = fields.get(name)?.(value[name]);
      if (one !== undefined) shown[name] = one;
    }
    return shown;
  };
}

function fieldOf(show: Projection, change: Texts[string] | undefined): Projection {
  if (!change || show !== plain) return show;
  return (value) => (typeof value === "string" ? change(value) : show(value));
}
