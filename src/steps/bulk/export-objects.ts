import type { ExportObject } from "../../db/exported-rows.ts";
import { exportedRedemptions } from "../../resources/checkout/redemptions/export-store.ts";
import { OTHER_OBJECTS } from "../../resources/platform/exports/object-store.ts";
import type { ExportedObject } from "../../resources/platform/exports/schema.ts";
import { exportedVouchers } from "../../resources/promotions/vouchers/export-store.ts";

/**
 * Everything that can be exported. Another object is a row here, and its name in the schema. What an export shares with a list,
 * its rows and its filters, is a file beside the list.
 */
export const EXPORT_OBJECTS: Readonly<Record<ExportedObject, ExportObject>> = {
  voucher: exportedVouchers,
  redemption: exportedRedemptions,
  ...OTHER_OBJECTS,
};
