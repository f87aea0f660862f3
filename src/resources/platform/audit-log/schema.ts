import { type Static, Type } from "typebox";
import { Choice, DateRange, DateTime, FreeMap, Nullable } from "../../../http/schemas.ts";

const ACTORS = ["server_key", "client_key", "management_key", "user", "cli", "engine"] as const;

const Version = Nullable(Type.Integer({ minimum: 1 }));
const entry = {
  id: Type.String(),
  kind: Type.String({ description: "The kind of the object: `campaign`, `promotion_tier`, `validation_rule` …" }),
  object_id: Type.String(),
  action: Choice(["CREATED", "UPDATED", "DELETED"]),
  version_before: Version,
  version_after: Version,
  actor: Type.Object({
    type: Choice(ACTORS),
    id: Type.String({
      description: "The id of the key or of the user; of the command line its own name; of the engine that of the job.",
    }),
    name: Nullable(
      Type.String({
        description:
          "What the key or the user is called today: a user without a name by e-mail. Null: there is none any more.",
      }),
    ),
  }),
  operation: Type.String({ description: "The id of the operation, or the command." }),
  request_id: Nullable(Type.String()),
  created_at: DateTime,
  object: Type.Literal("audit_entry"),
};
const Content = Nullable(
  FreeMap("AuditedObject", "The object as it was stored, without what use changes: counters, stock and balances."),
);

export const AuditEntry = Type.Object(entry, { title: "AuditEntry" });
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditEntryRead = Type.Object({ ...entry, before: Content, after: Content }, { title: "AuditEntryRead" });
export type AuditEntryRead = Static<typeof AuditEntryRead>;

export const AuditList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(AuditEntry),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next page." })),
});
export type AuditList = Static<typeof AuditList>;

const Text = Type.Optional(Type.String({ minLength: 1, maxLength: 500 }));
export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page; 10 unless told." })),
  starting_after_id: Type.Optional(Type.String({ description: "The id of the last entry of the page before." })),
  kind: Text,
  object_id: Text,
  actor_type: Type.Optional(Choice(ACTORS)),
  actor_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "Only what this user or key changed." }),
  ),
  operation: Text,
  created_at: Type.Optional(DateRange),
});
export type AuditQuery = Static<typeof AuditQuery>;
export const ByAuditEntry = Type.Object({ auditEntryId: Type.String() });
export const InProject = Type.Object({ projectId: Type.String() });
export const ByAuditEntryInProject = Type.Object({ projectId: Type.String(), auditEntryId: Type.String() });
