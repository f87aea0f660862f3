import type { ReachedLimit, RefusalKind, RefusedRedeemable } from "../refusals/refusal.ts";
import type { RequestRow } from "./request.ts";

/** A refused redeemable, and what decided: a check such as `active`, or a rule; and the limit that was reached. */
export type RefusedShown = RefusedRedeemable & {
  check: string | null;
  rule_id: string | null;
  limit?: ReachedLimit;
};

/** A refusal as it is stored. */
export type RefusalRow = Pick<RequestRow, "operation" | "status" | "key_kind" | "key_id" | "channel"> & {
  id: string;
  created_at: string;
  request_id: string;
  kind: RefusalKind;
  reason: string;
  message: string;
  redemption_id: string | null;
  codes: string[];
  customers: string[];
  redeemables: readonly RefusedShown[];
  bytes: number;
  /** JSON of `RefusalDetails`, deflated, as the database reads bytes. */
  details: string;
};

/** What is compressed of a refusal: JSON texts, as they were masked. */
export type RefusalDetails = { url: string; request: string | null; answer: string | null; trace: string | null };

/** What a refusal is found by. Codes as the project compares them. They are stored as hashes. */
export type RefusalNames = Readonly<Record<"code" | "customer" | "campaign" | "reason", readonly string[]>>;

/** Redeemables that were refused in an hour, for one reason and in one campaign; the empty id stands for none. */
export type RefusalCount = { hour: string; campaign_id: string; reason: string; count: number };

/** What was refused in a moment, in one project. */
export type RefusalBatch = {
  id: string;
  /** By the server's clock. */
  at: string;
  counts: readonly RefusalCount[];
  /** Those of which more than the count may be kept. */
  refusals: readonly { row: RefusalRow; names: RefusalNames; counted: readonly RefusalCount[] }[];
};
