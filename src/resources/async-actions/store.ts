import type { Db } from "../../db/db.ts";

export type AsyncActionType = "CAMPAIGN.VOUCHERS_GENERATE" | "CAMPAIGN.VOUCHERS_DELETE";

export type AsyncActionRow = {
  project_id: string;
  id: string;
  type: AsyncActionType;
  status: "ENQUEUED" | "IN_PROGRESS" | "DONE" | "FAILED";
  operation_status: "SUCCESS" | "FAILED" | "UNKNOWN";
  request_id: string;
  progress: number;
  processing_time: number;
  /** What is to be done, and where it stands: a worker goes on from here after a crash. */
  work: Record<string, unknown>;
  result: Record<string, unknown> | null;
  created_at: string;
  updated_at: string | null;
};

type Enqueued = Pick<AsyncActionRow, "project_id" | "id" | "type" | "request_id" | "work" | "created_at">;

/** In the transaction that causes it; `jobs/run-async-actions.ts` finds it there. */
export async function enqueueAsyncAction(db: Db, action: Enqueued): Promise<void> {
  const row = { ...action, status: "ENQUEUED", operation_status: "UNKNOWN" };
  await db`insert into async_actions ${db(row as never)}`;
}
