import type { TSchema } from "typebox";
import { ERROR_TABLE, type ErrorKey } from "../../core/errors.ts";
import { type Access, answerSchema, type Route } from "../route.ts";
import { SCOPES } from "../scopes.ts";
import { placeOf } from "../users/permissions.ts";
import { CSRF_HEADER, PROJECT_HEADER } from "../users/session.ts";
import { targetOf } from "../versions/targets.ts";
import { errorsOf } from "./error-answers.ts";
import { namedSchemas } from "./named-schemas.ts";
import { tagGroups, tagOf, tagsShown } from "./tags.ts";

type Json = Record<string, unknown>;
type Show = (schema: object) => Json;

/** A request that works: values for the parameters of the path and the query, and a body. */
export type RequestExample = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
export type Examples = Readonly<Record<string, RequestExample>>;

const SECURITY: Record<Access, readonly Record<string, string[]>[]> = {
  app: [{ "X-App-Id": [], "X-App-Token": [] }],
  v2: [{ "X-App-Id": [], "X-App-Token": [], Bearer: [] }],
  client: [{ "X-Client-Application-Id": [], "X-Client-Token": [] }],
  management: [{ "X-Management-Id": [], "X-Management-Token": [] }],
  session: [],
  none: [],
};
/** A user who is signed in, by what an operation asks of them beside the cookie. */
function securityOfUsers(route: Route): Record<string, string[]>[] {
  const place = placeOf(route);
  if (place === null) return [];
  return [
    {
      Session: [],
      ...(route.method !== "GET" && { [CSRF_HEADER]: [] }),
      ...(place === "header" && { [PROJECT_HEADER]: [] }),
    },
  ];
}
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
      CSRF_HEADER,
      PROJECT_HEADER,
    ].map(header),
  ),
  Session: {
    type: "apiKey",
    in: "cookie",
    name: "laurel_session",
    description: "What `POST /management/v1/session` sets.",
  },
  Bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "A token of `POST /v1/oauth/token`." },
  OAuth: {
    type: "oauth2",
    flows: {
      clientCredentials: { tokenUrl: "/v1/oauth/token", scopes: Object.fromEntries(SCOPES.map((s) => [s, s])) },
    },
  },
};

const inAlphabet = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The route table as an OpenAPI document. The same table gives the same bytes. */
export function openApi(routes: readonly Route[], version: string, examples: Examples = {}): Json {
  const { components, shown } = namedSchemas();
  components.Error = ErrorSchema;
  const refusals = sharedRefusals(routes);
  const paths: Record<string, Json> = {};
  for (const route of routes.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    paths[route.path] ??= {};
    const written = operation(route, shown, examples[route.id] ?? {});
    const responses = { ...written.responses, ...refusals.of(route), ...refusals.ofTheServer };
    paths[route.path]![route.method.toLowerCase()] = { ...written, responses };
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
    tags: tagsShown,
    "x-tagGroups": tagGroups,
    paths,
    components: { securitySchemes: SCHEMES, responses: refusals.components, schemas: inAlphabet(components) },
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

const refTo = (kind: "schemas" | "responses", name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const json = (schema: Json): Json => ({ "application/json": { schema } });

/** A stream has one event behind the other, each with its data as JSON. */
const contentOf = ({ follow }: Route, schema: Json): Json =>
  follow ? { "text/event-stream": { schema } } : json(schema);

/** One refused status: what each key means, and what to do. */
const problem = (keys: readonly ErrorKey[]): Json => ({
  description: keys
    .map((key) => `- \`${key}\`: ${ERROR_TABLE[key].help.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")}`)
    .join("\n"),
  content: json({
    allOf: [refTo("schemas", "Error"), { type: "object", properties: { key: { type: "string", enum: keys } } }],
  }),
});

// By their statuses and not as `default`: a client that asks for the status then knows what it got.
const SERVER_ERRORS: readonly { status: number; name: string; keys: ErrorKey[] }[] = [
  { status: 500, name: "InternalError", keys: ["internal_server_error"] },
  {
    status: 503,
    name: "Unavailable",
    keys: ["outcome_unknown", "overloaded", "secret_key_wrong", "single_sign_on_unavailable"],
  },
];

/** The 4xx answers of operations. What several operations answer alike is a component. */
function sharedRefusals(routes: readonly Route[]) {
  const responseName = (status: number, keys: readonly ErrorKey[]) => `${status}.${keys.join(".")}`;
  const all = routes.flatMap((route) => [...errorsOf(route)].map(([status, keys]) => ({ status, keys })));
  const groups = Map.groupBy(all, ({ status, keys }) => responseName(status, keys));
  const shared = [...groups].filter(([, uses]) => uses.length > 1);
  const components: Json = inAlphabet(
    Object.fromEntries(shared.map(([name, [first]]) => [name, problem(first!.keys)])),
  );
  const ofTheServer = Object.fromEntries(
    SERVER_ERRORS.map(({ status, name, keys }) => {
      components[name] = problem(keys);
      return [`${status}`, refTo("responses", name)];
    }),
  );
  const of = (route: Route): Json =>
    Object.fromEntries(
      [...errorsOf(route)].map(([status, keys]) => {
        const name = responseName(status, keys);
        return [`${status}`, name in components ? refTo("responses", name) : problem(keys)];
      }),
    );
  return { components, of, ofTheServer };
}

const IF_MATCH = {
  in: "header",
  name: "If-Match",
  description: "The `ETag` that was read: when the object has another version by now, nothing is changed.",
  schema: { type: "string", maxLength: 4000 },
};
const IF_NONE_MATCH = {
  in: "header",
  name: "If-None-Match",
  description: "The `ETag` that was read: when the object still has this version, the answer is 304.",
  schema: { type: "string", maxLength: 4000 },
};
/** Counters and figures of use are in no version. */
const ETAG = { ETag: { description: "The version of the configuration.", schema: { type: "string" } } };

function operation(route: Route, shown: Show, example: RequestExample): Json & { responses: Json } {
  const { id, summary, description, path, access, scope, body, form, method } = route;
  const isBeta = access === "v2";
  const parameters = [
    ...operationParameters("path", route.params, { shown, values: example.path ?? {} }),
    ...operationParameters("query", route.query, { shown, values: example.query ?? {} }),
  ];
  if (access === "client")
    parameters.push({ in: "header", name: "origin", required: true, schema: { type: "string" } });
  if (method !== "GET" && route.runs !== "read" && access !== "none")
    parameters.push({ in: "header", name: "Idempotency-Key", schema: { type: "string", maxLength: 255 } });
  if (targetOf(route)) parameters.push(method === "GET" ? IF_NONE_MATCH : IF_MATCH);
  const umbrella = access === "client" ? "client_api" : "api";
  const oauth = scope === null || isBeta ? [] : [{ OAuth: [umbrella] }, { OAuth: [scope] }];
  const type = form ? "application/x-www-form-urlencoded" : route.upload ? "multipart/form-data" : "application/json";
  return {
    operationId: id,
    summary: isBeta ? `${summary} (BETA, 2.0.0)` : summary,
    ...(description && { description }),
    tags: [tagOf(path)],
    ...(isBeta && { "x-stability": "beta", "x-version": "2.0.0" }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !route.bodyOptional,
        content: {
          [type]: { schema: shown(body), ...(example.body !== undefined && { example: example.body }) },
        },
      },
    }),
    // Whoever has the token of a file needs nothing else.
    security: [
      ...SECURITY[access],
      ...(route.orServerKey ? SECURITY.app : []),
      ...oauth,
      ...securityOfUsers(route),
      ...(route.fileOf ? [{}] : []),
    ],
    responses: successOf(route, shown),
  };
}

function successOf(route: Route, shown: Show): Json {
  const { ok, status, accepted, method } = route;
  if ((ok as { type?: string }).type === "null") return { "204": { description: "Done." } };
  // An operation that is there only to refuse has no other answer.
  if ("not" in ok) return {};
  const hasVersion = targetOf(route) !== null && method !== "DELETE";
  return {
    [`${status ?? 200}`]: {
      description: "Success.",
      ...(hasVersion && { headers: ETAG }),
      content: contentOf(route, shown(answerSchema(route))),
    },
    ...(hasVersion && method === "GET" && { "304": { description: "It has the version that `If-None-Match` names." } }),
    ...(accepted && { "202": { description: "The work goes on.", content: json(shown(accepted)) } }),
  };
}

function operationParameters(
  place: "path" | "query",
  schema: TSchema | undefined,
  { shown, values }: { shown: Show; values: Readonly<Record<string, unknown>> },
): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = shown(property);
    const deep = place === "query" && (property as { type?: string }).type === "object";
    return {
      in: place,
      name,
      ...(required.includes(name) && { required: true }),
      ...(description ? { description } : {}),
      ...(deep && { style: "deepObject", explode: true }),
      schema: rest,
      ...(name in values && { example: values[name] }),
    };
  });
}
