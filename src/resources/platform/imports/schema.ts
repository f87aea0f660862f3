import { Type } from "typebox";
import type { Upload } from "../../../core/bulk/upload.ts";
import { CheckedLater, open, optional } from "../../../http/schemas.ts";
import { OrderCreate } from "../../orders/orders/schema.ts";

const dry_run = Type.Boolean({ description: "Says what would happen, and changes nothing." });
export const ImportQuery = Type.Object(optional({ dry_run }));

const file = Type.Unsafe<string>({
  type: "string",
  format: "binary",
  description:
    "CSV with a header, in UTF-8 or Windows-1252, with commas, semicolons or tabs; at most `LAUREL_IMPORT_LIMIT_BYTES`.",
});
/** A form with a file. The operation gets where the file is stored. */
const upload = <P extends Parameters<typeof open>[0]>(fields: P) =>
  Type.Unsafe<Upload>(open({ file, ...optional({ dry_run, ...fields }) }));
export const CsvUpload = upload({});
export const VoucherCsvUpload = upload({
  webhooks_enable: Type.Boolean({
    description: "Tells of each code that was created or updated, also of one that nothing changed of.",
  }),
});

const ORDERS_MAX = 2_000;
/** Each entry is checked for itself: what is wrong with it stands in the result of the async action. */
export const OrderImports = CheckedLater<unknown[]>(
  { type: "array", minItems: 1, maxItems: ORDERS_MAX },
  Type.Array(OrderCreate, { minItems: 1, maxItems: ORDERS_MAX }),
);
