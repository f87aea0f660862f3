// The operations of openapi.json as typed constants, for the dashboard. Nobody writes a type of the interface by hand there.

type Schema = Record<string, unknown>;
type Parameter = { in: string; name: string; required?: boolean; schema: Schema };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

const HEAD = `// Made by "npm run gen" from openapi.json. Change the schema in the code, not this file.
import { op } from "./op.ts";
`;

const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text);
const keyOf = (name: string) => (isName(name) ? name : JSON.stringify(name));
const inBrackets = (type: string) => (/[|&]/.test(type) ? `(${type})` : type);
const unionOf = (types: readonly string[]) => [...new Set(types)].join(" | ") || "never";

const PLAIN: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** A schema as a type of TypeScript. What a type cannot say, as a length or a pattern, is left out. */
function typeOf(schema: Schema | undefined): string {
  if (!schema) return "unknown";
  if (typeof schema.$ref === "string") return schema.$ref.split("/").at(-1)!;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map((one) => JSON.stringify(one)));
  if (Array.isArray(schema.anyOf)) return unionOf(schema.anyOf.map(typeOf));
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type })));
  if (schema.type === "array") return `${inBrackets(typeOf(schema.items as Schema | undefined))}[]`;
  if (schema.type === "object") return objectOf(schema);
  return PLAIN[schema.type as string] ?? "unknown";
}

function objectOf(schema: Schema): string {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const fields = Object.entries((schema.properties as Record<string, Schema> | undefined) ?? {}).map(
    ([name, one]) => `${keyOf(name)}${required.has(name) ? "" : "?"}: ${typeOf(one)}`,
  );
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const rest = schema.additionalProperties;
  const values = typeof rest === "object" ? typeOf(rest as Schema) : "unknown";
  return `Record<string, ${values}>`;
}

/** Path and query in one object: no operation has a name in both. */
function paramsOf({ parameters = [] }: Operation): string {
  const fields = parameters
    .filter((one) => one.in === "path" || one.in === "query")
    .map(({ name, required, schema }) => `${keyOf(name)}${required ? "" : "?"}: ${typeOf(schema)}`);
  return fields.length === 0 ? "Record<never, never>" : `{ ${fields.join("; ")} }`;
}

const jsonOf = (content: Content | undefined) => content?.["application/json"]?.schema;

function answerOf({ responses }: Operation): string {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return unionOf(answers.map(([, { content }]) => (content ? typeOf(jsonOf(content)) : "null")));
}

function constantOf(method: string, path: string, operation: Operation): string {
  const { operationId: id, requestBody, summary } = operation;
  const body = requestBody ? typeOf(jsonOf(requestBody.content)) : "undefined";
  const type = `{ params: ${paramsOf(operation)}; body: ${body}; answer: ${answerOf(operation)} }`;
  return [
    `/** ${summary}. */`,
    `export const ${id} = /* @__PURE__ */ op<${type}>("${id}", "${method.toUpperCase()}", "${path}");`,
  ].join("\n");
}

/** The text of dashboard/src/api/operations.gen.ts. A constant for each operation: unused ones are shaken out. */
export function dashboardOperations(document: Document): string {
  const types = Object.entries(document.components.schemas)
    .filter(([name]) => isName(name))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`);
  const constants = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => constantOf(method, path, operation)),
  );
  return `${[HEAD, ...types, "", ...constants].join("\n")}\n`;
}
