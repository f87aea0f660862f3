import type { CustomerValues } from "../customers/customer.ts";

export type CustomerRow = CustomerValues & {
  project_id: string;
  id: string;
  source_id: string | null;
  tracking_id: string | null;
  created_at: string;
  updated_at: string | null;
};
