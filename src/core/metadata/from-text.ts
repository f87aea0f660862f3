import type { MetadataSchema } from "./definition.ts";

type Values = Readonly<Record<string, unknown>>;

/** Metadata of a query string, where everything is text: numbers and truth are what the schema says they are. */
export function metadataFromText(schema: MetadataSchema | undefined, metadata: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => {
      const type = schema && Object.hasOwn(schema.properties, key) ? schema.properties[key]!.type : "string";
      return [key, Array.isArray(value) ? value.map((one) => typed(type, one)) : typed(type, value)];
    }),
  );
}

function typed(type: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (type === "boolean" && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true";
  return type === "number" && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}
