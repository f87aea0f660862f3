import { crudStore } from "../../db/crud-store.ts";

export type SegmentRow = {
  project_id: string;
  id: string;
  name: string;
  type: "static" | "passive" | "auto-update";
  filter: Record<string, unknown> | null;
  initial_sync_status: "IN_PROGRESS" | "DONE";
  created_at: string;
  updated_at: string | null;
};

export const segments = crudStore<SegmentRow>({
  table: "segments",
  object: "segment",
  columns: ["project_id", "id", "name", "type", "filter", "initial_sync_status", "created_at", "updated_at"],
  sortable: ["created_at"],
});
