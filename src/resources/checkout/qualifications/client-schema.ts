import { only, type Seen, see } from "../../../core/client/fields.ts";
import { ABOUT, ORDER, STACKING } from "../../../core/client/parts.ts";
import { Qualification } from "./schema.ts";

const ENTRY: Seen = { ...ABOUT, ...see("created_at banner") };

export const ClientQualification = only(
  Qualification,
  see("tracking_id", {
    redeemables: see("object data_ref total has_more more_starting_after", { data: { ...ENTRY, redeemables: ENTRY } }),
    order: ORDER,
    stacking_rules: STACKING,
  }),
);
