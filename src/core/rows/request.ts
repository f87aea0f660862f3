/** A request as it is logged. */
export type RequestRow = {
  /** The request id. */
  id: string;
  created_at: string;
  method: string;
  /** The path as the interface has it. */
  route: string;
  /** The path and the query as they were called, masked. */
  url: string;
  operation: string;
  status: number;
  error_key: string | null;
  duration_ms: number;
  /** A session is one of a user, whose id is `key_id`. */
  key_kind: "app" | "client" | "management" | "session";
  key_id: string;
  channel: string | null;
  codes: string[];
  customers: string[];
  /** JSON. */
  request_body: string | null;
  response_body: string | null;
  /** What it is found by: codes as the project compares them, and ids of customers. They are stored as hashes. */
  names: { code: readonly string[]; customer: readonly string[] };
};
