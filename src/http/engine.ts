import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { Catalogs } from "../catalog/catalog.ts";
import type { Steps } from "../core/steps.ts";
import type { SingleSignOn } from "../ctx.ts";
import type { Submit } from "../db/batches/batch.ts";
import type { Behind } from "../db/batches/behind.ts";
import type { Pool } from "../db/db.ts";
import type { SecretBox } from "../db/secrets/secret-box.ts";
import type { Share } from "../db/shares.ts";
import type { Invitation, NewId, NewSecret } from "../request.ts";
import type { V2Auth } from "./callers/auth.ts";
import type { Dashboard } from "./dashboard/dashboard.ts";
import type { SharedCounts } from "./limits/limit-counts.ts";
import type { RateLimits } from "./limits/rate-limit.ts";
import type { Metrics } from "./metrics.ts";
import type { RefusalQueue } from "./refusals/queue.ts";
import type { RequestQueue } from "./request-log/queue.ts";
import type { Route } from "./route.ts";
/** What a process has: its database, its lanes, and the only sources of time and identity. */
export type Engine = {
  /** The connections of plain operations. */
  share: Share;
  /** For credentials only: nothing that is slow uses it. */
  directory: Pool;
  submit: Submit;
  /** What is written after its answer was sent. */
  behind: Behind;
  catalogs: Catalogs;
  metrics: Metrics;
  newId: NewId;
  newSecret: NewSecret;
  /** Encrypts what is stored and has to be read again. */
  secretBox: SecretBox;
  newRequestId(): string;
  now(): string;
  /** Takes an invitation to its user. It is called when the user is stored for good. */
  sendInvitation(invitation: Invitation): Promise<void>;
  /** Whether there is a mail server, which takes links to people; without one they are handed over. */
  sendsMail?: boolean;
  /** How people sign in with another provider; without it they have passwords only. */
  singleSignOn?: SingleSignOn;
  /** The pages for what no operation takes; without them that is a 404. */
  dashboard?: Dashboard;
  /** What was asked and answered, stored for a few days; without it nothing is. */
  requests?: RequestQueue;
  /** Why validations and redemptions were refused, stored for 30 days; without it nothing is. */
  refusals?: RefusalQueue;
  /** The one line of each request; without it the log takes it. */
  requestLog?: Pick<FastifyBaseLogger, "info">;
  log: FastifyBaseLogger;
  /** Puts requests into traces, where somebody collects them. */
  traceRequests?(app: FastifyInstance): void;
  v2Auth: V2Auth;
  bodyLimitBytes: number;
  /** The largest file that is imported. */
  importLimitBytes: number;
  requestTimeoutMs: number;
  rateLimits: RateLimits;
  /** Where machines count limits together; without it each process has its share of them. */
  sharedCounts?: SharedCounts;
  /** Requests without credentials that an address may send in a minute; 0: as many as it likes. */
  strangersMax: number;
  /** Wrong codes that an address may send in five seconds; 0: as many as it likes. */
  wrongCodesMax: number;
  /** Wrong passwords that an address may try for a login in a quarter of an hour; without it as many as it likes. */
  wrongPasswordsMax?: number;
  /** Codes that one request may have made. */
  vouchersCountMax: number;
  /** What the addresses of files begin with. */
  publicUrl: string;
  /** What the uploads, reports and exports of a project may have together. */
  filesBytesMax?: number;
  processes: number;
  trustProxy: boolean | string;
  /** Calls with a JSON body that this process works on at once; without it, or with 0, as many as come. */
  requestsMax?: number;
  /** Milliseconds of delay of the event loop above which requests are refused; 0: never. */
  eventLoopDelayMaxMs: number;
  /** In tests: how long a stream of events lasts. */
  streamMs?: number;
  /** In tests: what a page of a list may have. */
  pageBytesMax?: number;
  /** In tests: the counter of each request. */
  newSteps?(): Steps;
  /** In tests: sees every answer of an operation. */
  onAnswer?(route: Route, status: number, body: string): void;
};
