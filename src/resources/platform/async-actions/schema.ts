import { type Static, Type } from "typebox";
import { Choice, DateOrDateTime, DateTime, Nullable, optional } from "../../../http/schemas.ts";

/** An action as lists show it: only reading one shows how it ended. */
const listed = {
  id: Type.String(),
  type: Choice([
    "CAMPAIGN.VOUCHERS_GENERATE",
    "CAMPAIGN.VOUCHERS_DELETE",
    "CAMPAIGN.VOUCHERS_IMPORT",
    "CAMPAIGN.VOUCHERS_IMPORT_CSV",
    "CUSTOMERS.BULK_UPDATE",
    "CUSTOMERS.METADATA_UPDATE",
    "CUSTOMERS.IMPORT_CSV",
    "ORDERS.IMPORT",
    "PRODUCTS.BULK_UPDATE",
    "PRODUCTS.METADATA_UPDATE",
    "PRODUCTS.IMPORT_CSV",
    "SKUS.IMPORT_CSV",
    "VOUCHERS.BULK_UPDATE",
    "VOUCHERS.METADATA_UPDATE",
    "VOUCHERS.IMPORT",
    "VOUCHERS.IMPORT_CSV",
    "PROGRAM.MEMBERS_CREATE",
    "PROGRAM.MEMBERS_DELETE",
    "PROJECT.CLOCK_ADVANCE",
  ]),
  status: Choice(["ENQUEUED", "IN_PROGRESS", "DONE", "FAILED"]),
  operation_status: Choice(["SUCCESS", "FAILED", "UNKNOWN"], { description: "Unknown until it has ended." }),
  request_id: Type.String({ description: "The request that started it." }),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: "In percent." }),
  created_at: DateTime,
  updated_at: Nullable(DateTime),
  object: Type.Literal("async_action"),
};
const ListedAsyncAction = Type.Object(listed, { title: "ListedAsyncAction" });
export type ListedAsyncAction = Static<typeof ListedAsyncAction>;

const text = Type.String();
export const AsyncAction = Type.Object(
  {
    ...listed,
    processing_time: Type.Integer({ minimum: 0, description: "In milliseconds." }),
    result: Nullable(
      Type.Unsafe<Record<string, unknown>>(
        Type.Object(
          optional({
            message: Type.String(),
            done_count: Type.Integer(),
            failed_count: Type.Integer(),
            failed: Type.Array(
              Type.Object(
                optional({
                  index: Type.Integer(),
                  row: Type.Integer({ description: "The number of the row or of the object, from 1." }),
                  line: Type.Integer({ description: "The line of the file, from 1." }),
                  column: text,
                  id: text,
                  code: text,
                  source_id: text,
                  reason: text,
                }),
              ),
              { description: "The first of them." },
            ),
            reports: Type.Array(Type.String({ description: "Where a CSV with a line for each object is downloaded." })),
            reports_available_till: DateTime,
            errors: Type.Array(
              Type.Object(optional({ source_id: text, code: text, key: text, message: text, details: text })),
              { description: "Why objects were not updated: the first of them." },
            ),
          }),
          { description: "What was done, and what was not; null until it has ended." },
        ),
      ),
    ),
  },
  { title: "AsyncAction" },
);
export type AsyncAction = Static<typeof AsyncAction>;

export const AsyncActionList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("async_actions"),
  async_actions: Type.Array(ListedAsyncAction),
  has_more: Type.Boolean(),
});
export const AsyncActionQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  end_date: Type.Optional(
    Type.Unsafe<string>({
      ...DateOrDateTime,
      description: "Those that were started before. With the `created_at` of the last one, the next page.",
    }),
  ),
});
export type AsyncActionQuery = Static<typeof AsyncActionQuery>;
export const ByAsyncAction = Type.Object({ asyncActionId: Type.String() });

/** The answer of an operation whose work is done by an async action. */
export const Enqueued = Type.Object({ async_action_id: Type.String() }, { title: "Enqueued" });
export type Enqueued = Static<typeof Enqueued>;
/** The largest body of an operation on many objects. */
export const BULK_BYTES_MAX = 20_971_520;
