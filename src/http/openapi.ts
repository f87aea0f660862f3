import type { TSchema } from "typebox";
import { ERROR_TABLE } from "../core/errors.ts";
import type { Access, Route } from "./route.ts";
import { SCOPES } from "./scopes.ts";

type Json = Record<string, unknown>;

const SECURITY: Record<Access, readonly Record<string, string[]>[]> = {
  app: [{ "X-App-Id": [], "X-App-Token": [] }],
  v2: [{ "X-App-Id": [], "X-App-Token": [], Bearer: [] }],
  client: [{ "X-Client-Application-Id": [], "X-Client-Token": [] }],
  management: [{ "X-Management-Id": [], "X-Management-Token": [] }],
  none: [],
};
const header = (name: string) => [name, { type: "apiKey", in: "header", name }] as const;
const SCHEMES = {
  ...Object.fromEntries(
    [
      "X-App-Id",
      "X-App-Token",
      "X-Client-Application-Id",
      "X-Client-Token",
      "X-Management-Id",
      "X-Management-Token",
    ].map(header),
  ),
  Bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "A token of `POST /v1/oauth/token`." },
  OAuth: {
    type: "oauth2",
    flows: {
      clientCredentials: { tokenUrl: "/v1/oauth/token", scopes: Object.fromEntries(SCOPES.map((s) => [s, s])) },
    },
  },
};

/** The route table as an OpenAPI document. The same table gives the same bytes. */
export function openApi(routes: readonly Route[], version: string): Json {
  const schemas: Json = { Error: ErrorSchema };
  const paths: Record<string, Json> = {};
  for (const route of routes.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Laurel",
      version,
      description: "Promotions, loyalty and referrals. Compatible with the public Voucherify API; not affiliated.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    paths,
    components: { securitySchemes: SCHEMES, schemas: Object.fromEntries(Object.entries(schemas).sort()) },
  };
}

const ErrorSchema = {
  type: "object",
  properties: {
    code: { type: "integer", description: "The HTTP status." },
    key: { type: "string", enum: Object.keys(ERROR_TABLE) },
    message: { type: "string" },
    details: { type: "string", description: "Which field, and what it takes." },
    request_id: { type: "string" },
    resource_id: { type: "string" },
    resource_type: { type: "string" },
    related_object_ids: { type: "array", items: { type: "string" } },
    related_object_type: { type: "string" },
    error: { type: "object", properties: { message: { type: "string" } } },
  },
  required: ["code", "key", "message", "request_id"],
};

function operation(route: Route, schemas: Json): Json {
  const { id, summary, description, path, access, scope, body, form, ok, method } = route;
  const isBeta = access === "v2";
  const parameters = [...parametersOf("path", route.params, schemas), ...parametersOf("query", route.query, schemas)];
  if (access === "client")
    parameters.push({ in: "header", name: "origin", required: true, schema: { type: "string" } });
  if (method !== "GET" && route.runs !== "read")
    parameters.push({ in: "header", name: "Idempotency-Key", schema: { type: "string", maxLength: 255 } });
  const umbrella = access === "client" ? "client_api" : "api";
  const oauth = scope === null || isBeta ? [] : [{ OAuth: [umbrella] }, { OAuth: [scope] }];
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  const empty = (ok as { type?: string }).type === "null";
  const success = empty
    ? { "204": { description: "Done." } }
    : {
        [`${route.status ?? 200}`]: {
          description: "Success.",
          content: { "application/json": { schema: hoist(ok, schemas) } },
        },
        ...(route.accepted && {
          "202": {
            description: "The work goes on.",
            content: { "application/json": { schema: hoist(route.accepted, schemas) } },
          },
        }),
      };
  return {
    operationId: id,
    summary: isBeta ? `${summary} (BETA, 2.0.0)` : summary,
    ...(description && { description }),
    tags: [tagOf(path)],
    ...(isBeta && { "x-stability": "beta", "x-version": "2.0.0" }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: !route.bodyOptional, content: { [type]: { schema: hoist(body, schemas) } } },
    }),
    security: [...SECURITY[access], ...(route.orServerKey ? SECURITY.app : []), ...oauth],
    responses: {
      ...success,
      default: {
        description: "The error body.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function tagOf(path: string): string {
  const [, first = "", second = "", third = "", , fifth] = path.split("/");
  const name = first === "management" ? (fifth ?? third) : first === "client" ? `client ${third}` : second;
  return name.replaceAll("-", " ");
}

function parametersOf(place: "path" | "query", schema: TSchema | undefined, schemas: Json): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = hoist(property as TSchema, schemas) as Json;
    const deep = place === "query" && (rest as { type?: string }).type === "object";
    return {
      in: place,
      name,
      ...(required.includes(name) && { required: true }),
      ...(description ? { description } : {}),
      ...(deep && { style: "deepObject", explode: true }),
      schema: rest,
    };
  });
}

/** Schemas with a title are named once and referred to. */
function hoist(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => hoist(one, schemas));
  if (typeof schema !== "object" || schema === null) return schema;
  const plain = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, schemas)]));
  const { title, type } = plain;
  if (typeof title !== "string" || type !== "object") return plain;
  schemas[title] = plain;
  return { $ref: `#/components/schemas/${title}` };
}
