import { type Static, Type } from "typebox";
import {
  Choice,
  DateTime,
  FilterConditions,
  Filters,
  Id,
  listOf,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

export const EXPORTED_OBJECTS = [
  "voucher",
  "redemption",
  "customer",
  "publication",
  "order",
  "points_expiration",
  "voucher_transactions",
  "product",
  "sku",
  "api_log",
] as const;
export type ExportedObject = (typeof EXPORTED_OBJECTS)[number];
const FIELDS_MAX = 200;

const parameters = {
  order: Type.String({ maxLength: 100, description: "What rows are ordered by; a leading dash means descending." }),
  fields: Type.Array(Type.String({ maxLength: 300 }), {
    maxItems: FIELDS_MAX,
    description: "The columns, in their order. `metadata` is one column for each property of the metadata schema.",
  }),
  filters: Filters,
  response_format: Choice(["CSV", "JSONL"], {
    description: "JSONL: a JSON object in each line, with amounts in minor units.",
  }),
};
const ExportParameters = open(optional(parameters), { title: "ExportParameters" });
export type ExportParameters = Static<typeof ExportParameters>;
const VoucherParameters = open(
  optional({ ...parameters, campaign_id: Type.String({ ...Id, description: "Only codes of this campaign." }) }),
);

export const ExportCreate = open({
  exported_object: Choice(EXPORTED_OBJECTS),
  parameters: Type.Optional(VoucherParameters),
});
export type ExportCreate = Static<typeof ExportCreate>;
export const ExportStart = open(optional({ parameters: ExportParameters }));

export const Export = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("export"),
    created_at: DateTime,
    status: Choice(["SCHEDULED", "IN_PROGRESS", "DONE", "ERROR"]),
    channel: Type.String(),
    exported_object: Choice(EXPORTED_OBJECTS),
    parameters: Type.Unsafe<Record<string, unknown>>(
      Type.Object(
        {
          order: Type.Optional(parameters.order),
          fields: Type.Optional(parameters.fields),
          filters: Type.Optional(FilterConditions),
          campaign_id: Type.Optional(Type.String()),
          response_format: parameters.response_format,
        },
        { description: "As they were sent, and what the path named as a filter." },
      ),
    ),
    result: Nullable(
      Type.Object({
        url: Type.String({ description: "Where the file is downloaded. Its token is valid for 90 days." }),
        rows: Type.Integer({ minimum: 0 }),
        is_snapshot: Type.Boolean({
          description:
            "Whether all rows are of one moment. False: it took long or was interrupted, and was read in parts; what changed meanwhile is as it was when its part was read. If the order is by something that changed (`updated_at`, `name`, `email`, `source_id`, `status`, `expires_at`), a row may be missing or there twice.",
        }),
      }),
    ),
    error: Type.Optional(Type.Object({ message: Type.String({ description: "Why it ended with `ERROR`." }) })),
    user_id: Type.Null({ description: "Keys start exports; there are no users." }),
  },
  { title: "Export" },
);
export type Export = Static<typeof Export>;

export const ExportList = listOf(Export, "exports");
export const ExportQuery = PageQuery(["created_at", "status"]);
export const ExportDownload = Type.Object({
  token: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "From `result.url`. With it the answer is the file, and no keys are needed.",
    }),
  ),
});
export const ByExport = Type.Object({ exportId: Type.String() });
export const OfVoucher = Type.Object({ code: Type.String() });
export const OfCampaign = Type.Object({ campaignId: Type.String() });
export const OfMember = Type.Object({ memberId: Type.String() });
export const OfMemberOfCampaign = Type.Object({ campaignId: Type.String(), memberId: Type.String() });
