import type { CustomerValues } from "../customers/customer.ts";

export type CustomerRow = CustomerValues & {
  project_id: string;
  id: string;
  source_id: string | null;
  tracking_id: string | null;
  created_at: string;
  updated_at: string | null;
};

/** A customer who was made or changed, and which fields of them. */
export type SavedCustomer = {
  row: CustomerRow;
  created: boolean;
  changed: readonly string[];
  /** The id of the unconfirmed customer who this one was until now. Known when it is written. */
  confirmed?: string;
};
