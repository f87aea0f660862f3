import { type Static, Type } from "typebox";
import { Choice, DateRange, DateTime, Nullable } from "../../../http/schemas.ts";

const KEY_KINDS = ["server_key", "client_key", "management_key", "user"] as const;

const Names = (description: string) => Type.Array(Type.String(), { description });
const entry = {
  id: Type.String({ description: "The request id: the answer had it in `X-Request-Id`, and an error in its body." }),
  created_at: DateTime,
  method: Type.String(),
  route: Type.String({ description: "The path of the operation, such as `/v1/vouchers/{code}`." }),
  url: Type.String({
    description: "The path and the query as they were called. E-mail addresses and the like are masked.",
  }),
  operation: Type.String({ description: "The id of the operation." }),
  status: Type.Integer(),
  error_key: Nullable(Type.String({ description: "Why it was refused." })),
  duration_ms: Type.Number({ minimum: 0 }),
  key: Type.Object({
    type: Choice(KEY_KINDS),
    id: Type.String({ description: "The id of the key, or of the user who was signed in." }),
  }),
  channel: Nullable(Type.String()),
  codes: Names("Codes, promotion tiers and stacks that the request or its answer names."),
  customers: Names("Ids and source ids of customers that it names."),
  object: Type.Literal("logged_request"),
};
const Body = (of: string) =>
  Type.Unknown({
    description: `The body of the ${of}, masked and shortened; null: it had none, or one that is not kept.`,
  });

export const LoggedRequest = Type.Object(entry, { title: "LoggedRequest" });
export type LoggedRequest = Static<typeof LoggedRequest>;
export const LoggedRequestRead = Type.Object(
  { ...entry, request_body: Body("request"), response_body: Body("answer") },
  { title: "LoggedRequestRead" },
);
export type LoggedRequestRead = Static<typeof LoggedRequestRead>;

export const RequestList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(LoggedRequest),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next page." })),
});
export type RequestList = Static<typeof RequestList>;

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }));
export const RequestQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page; 10 unless told." })),
  starting_after_id: Type.Optional(Type.String({ description: "The id of the last request of the page before." })),
  request_id: Text("The request with this id."),
  method: Text("`GET`, `POST`, `PUT` or `DELETE`."),
  route: Text("The path of an operation, such as `/v1/vouchers/{code}`."),
  status: Type.Optional(
    Type.String({ pattern: "^[1-5]([0-9]{2}|xx)$", description: "A status such as `404`, or a class such as `4xx`." }),
  ),
  error_key: Text("Only requests that were refused with this key."),
  key_id: Text("Only requests with this key."),
  code: Text("Only requests that name this code."),
  customer: Text("Only requests that name this customer, by the id or the source id."),
  created_at: Type.Optional(DateRange),
});
export type RequestQuery = Static<typeof RequestQuery>;
export const ByRequest = Type.Object({ requestId: Type.String() });
export const InProject = Type.Object({ projectId: Type.String() });
export const ByRequestInProject = Type.Object({ projectId: Type.String(), requestId: Type.String() });
