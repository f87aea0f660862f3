import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import {
  ACTOR_TYPES,
  type Actor,
  type ConfigChange,
  INSTALLATION,
  type RecordedVersion,
  recordVersions,
} from "../catalog/audit.ts";
import { bringsLimit, raiseRevision } from "../catalog/changes.ts";
import { loadVersion, type Versioned } from "../catalog/versions.ts";
import { type Answer, listed, PAGE_BYTES_MAX, refusal, success } from "../core/answer.ts";
import { ApiError, invalid, notFound } from "../core/errors.ts";
import { restarted, type Steps } from "../core/steps.ts";
import { projectTime } from "../core/time/project-time.ts";
import type { Ctx, WriteCtx } from "../ctx.ts";
import type { Submit } from "../db/batches/batch.ts";
import { transaction, withinTime } from "../db/batches/commit.ts";
import { boundedDb } from "../db/bounded.ts";
import { apiErrorOf, type Pool, type Tx } from "../db/db.ts";
import { together } from "../db/together.ts";
import { answerAll, type Claim, claimKeys } from "../idempotency/claim.ts";
import type { CatalogKind, ConfigKind, ForCaller, Invitation, KindBesideCatalog } from "../request.ts";
import type { Authenticated } from "./callers/auth.ts";
import { answerForClient, forClient } from "./client-side.ts";
import { decideAgain } from "./decide-again.ts";
import type { Engine } from "./engine.ts";
import type { Route } from "./route.ts";
import { signOnTokenOf } from "./users/session.ts";
import {
  etagOf,
  readWithVersion,
  requireMatchBefore,
  requireMatchBehindLocks,
  requireTags,
  type Tags,
} from "./versions/preconditions.ts";
import { versionedOf } from "./versions/targets.ts";

type Input = Omit<Ctx, "db"> & {
  params: unknown;
  query: unknown;
  body: unknown;
  vouchersCountMax: number;
  filesBytesMax: number | undefined;
  /** By the server's clock, whatever the time of the project is. */
  received_at: string;
  forCaller: ForCaller;
  /** The configured object that the request is about, and the versions that its headers name. */
  versioned: Versioned | null;
  ifMatch: Tags | null;
  ifNoneMatch: string | undefined;
};

/** Runs an operation and gives its answer, in the time that a request may take. It counts its steps in `steps`. */
export async function runRoute(engine: Engine, route: Route, request: FastifyRequest, steps: Steps): Promise<Answer> {
  const { early } = request;
  if (!early) return runAs(engine, route, request, { steps, authenticated: request.authenticated });
  // Whoever is not let in learns nothing of how it ended.
  const begun = runAs(engine, route, request, { steps, authenticated: early.guess, isSure: early.isSure }).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  const authenticated = await early.admitted;
  // What was begun has ended before its steps are counted anew: they are the same counter.
  const ended = await begun;
  if (!(await early.isSure)) return runAs(engine, route, request, { steps: restarted(steps), authenticated });
  if ("error" in ended) throw ended.error;
  return ended.answer;
}

/** `isSure`: whether somebody proves to be who they are taken for. Until then nothing is written. */
type As = { steps: Steps; authenticated: Authenticated; isSure?: Promise<boolean> };

async function runAs(engine: Engine, route: Route, request: FastifyRequest, as: As): Promise<Answer> {
  const { steps, isSure } = as;
  const { caller, project, secret } = as.authenticated;
  const { params, query, body, id: request_id } = request;
  const { catalogs, newId, newSecret, secretBox, vouchersCountMax, filesBytesMax, publicUrl } = engine;
  const received_at = engine.now();
  // Derived from the path, so that no operation can forget it.
  const seesLess = route.access === "client" && caller.kind === "client";
  const versioned = versionedOf(route, { params, project });
  const input: Input = {
    params,
    query,
    body,
    project,
    caller,
    request_id,
    now: route.access === "management" || !project ? received_at : projectTime(received_at, project),
    newId,
    newSecret,
    secretBox,
    steps,
    catalog: (revision = project.catalog_revision) =>
      catalogs.catalogOf({ id: project.id, catalog_revision: revision }),
    vouchersCountMax,
    filesBytesMax,
    publicUrl,
    received_at,
    forCaller: seesLess ? forClient(route.ok) : (shown) => shown,
    versioned,
    ifMatch: versioned && requireTags(request.headers["if-match"]),
    ifNoneMatch: request.headers["if-none-match"],
    ...channelOf(request),
    ...(route.access === "none" && {
      singleSignOn: engine.singleSignOn,
      sendsMail: engine.sendsMail === true,
      signOnToken: signOnTokenOf(request.headers),
    }),
  };
  // Strangers have no keys of their own: one of them would be answered what another one was.
  const claim =
    route.runs === "read" || route.access === "none"
      ? null
      : claimOf(request, { caller, project, secret }, route, received_at);
  const progress: Progress = { mayWrite: false, isOver: false };
  const ended = await withinTime(
    engine.requestTimeoutMs,
    start(engine, route, input, { claim, progress, isSure }).then((answer) => ({ answer })),
  );
  if (ended) return seesLess ? answerForClient(input.forCaller, ended.answer) : ended.answer;
  progress.isOver = true;
  throw tooLong(progress);
}

/** How far a request has come: whether it may have written something, and whether its time is over. */
type Progress = { mayWrite: boolean; isOver: boolean };

const tooLong = ({ mayWrite }: Progress) =>
  new ApiError(mayWrite ? "outcome_unknown" : "overloaded", { details: "The request took too long" });

/** The operation itself. Only a management operation can name a project that is not there. */
async function operate(route: Route, input: Input & { db: unknown }): Promise<Answer> {
  const body = await bodyOf(route, input);
  return success(body && input.forCaller(body), route.accepted && body && isAccepted(body) ? 202 : route.status);
}

function requireNamedProject(route: Route, { params, project }: Pick<Input, "params" | "project">): void {
  const { projectId } = (params ?? {}) as { projectId?: string };
  if (route.access === "management" && projectId !== undefined && !project) throw notFound("project", projectId);
}

async function bodyOf(route: Route, input: Input & { db: unknown }): Promise<object | null> {
  requireNamedProject(route, input);
  return (route.run as (input: object) => Promise<object | null>)(input);
}

/** One object. Of a configured one its version is told, and nothing is shown that is older. */
async function operateRead(route: Route, input: Input & { db: Pool }): Promise<Answer> {
  const { versioned, ifNoneMatch, project, catalog } = input;
  requireNamedProject(route, input);
  if (!versioned) return operate(route, input);
  return readWithVersion(input.db, {
    versioned,
    projectId: project?.id ?? null,
    ifNoneMatch,
    operate: (revision) =>
      operate(route, {
        ...input,
        catalog: async (known = project.catalog_revision) => catalog(Math.max(known, await revision())),
      }),
  });
}

/** A page of a list: what a statement of it reads and what is written of it are bounded, so that it fits in memory. */
async function operateList(route: Route, input: Input & { db: Pool }, bytesMax: number): Promise<Answer> {
  const { limit } = (input.query ?? {}) as { limit?: number };
  const hasLimit = "limit" in ((route.query as { properties?: object } | undefined)?.properties ?? {});
  const tooLarge = () => {
    const size = `${Math.floor(bytesMax / 1_048_576)} MB`;
    const details =
      limit === 1 || !hasLimit
        ? `The list is larger than ${size}, which is as much as one answer may have; read its objects one by one`
        : `The page is larger than ${size}${limit === undefined ? "" : ` with the limit ${limit}`}; use a smaller limit`;
    return new ApiError("invalid_query_params", { details });
  };
  const body = await bodyOf(route, { ...input, db: boundedDb(input.db, { bytesMax, error: tooLarge }) });
  return listed(input.forCaller(body!), bytesMax, tooLarge);
}

/** An answer that stands for something that goes on, or that was noted to be settled. */
const isAccepted = (body: object): boolean =>
  "async_action_id" in body || ("status" in body && body.status === "TRANSACTION_CREATED");

/** A connection for one operation. It is told how long that held it. */
const shareFor =
  ({ share, metrics }: Engine, runs: "read" | "list" | "write"): Engine["share"] =>
  (projectId, use) =>
    share(projectId, async (db) => {
      const end = metrics.observeHolding(runs);
      return use(db).finally(end);
    });

async function start(
  engine: Engine,
  route: Route,
  input: Input,
  { claim, progress, isSure }: { claim: Claim | null; progress: Progress; isSure?: Promise<boolean> | undefined },
): Promise<Answer> {
  // What waited until its time was over has been answered: it does not run any more.
  const begin = (mayWrite: boolean) => {
    if (progress.isOver) throw tooLong(progress);
    progress.mayWrite ||= mayWrite;
  };
  // Operations that belong to no project share what one project may have.
  const shareOf = input.project?.id ?? "";
  switch (route.runs) {
    case "read":
      return shareFor(engine, route.isList ? "list" : "read")(shareOf, async (db) => {
        begin(false);
        return route.isList
          ? operateList(route, { ...input, db }, engine.pageBytesMax ?? PAGE_BYTES_MAX)
          : operateRead(route, { ...input, db });
      });
    case "write": {
      const checked = await route.before?.({ ...input, db: engine.directory } as never);
      const { answer, invitations, cookies } = await shareFor(engine, "write")(shareOf, async (db) => {
        begin(true);
        // What is run again is counted again.
        const again = { ...input, checked, steps: restarted(input.steps) };
        return transaction(db, (tx) => runWrite(tx, route, again, claim), { projectId: shareOf });
      });
      await sendInvitations(engine, invitations);
      return { ...answer, ...cookies };
    }
    case "hot": {
      const submit: Submit = async (flow, projectId, command) => {
        begin("run" in flow);
        return engine.submit(flow, projectId, command, isSure);
      };
      return decideAgain(engine, input, (catalog) =>
        (route.run as (input: object) => Promise<Answer>)({ ...input, catalog, submit, claim }),
      );
    }
  }
}

/** So long an answer waits for a mail server; the mail goes out all the same. */
const MAIL_MS = 3_000;

/** After the commit: that one cannot be sent is a matter for the log, since the user is there. */
async function sendInvitations({ sendInvitation, log }: Engine, invitations: readonly Invitation[]): Promise<void> {
  for (const invitation of invitations) {
    const sent = sendInvitation(invitation).catch((error: unknown) =>
      log.error({ err: error }, "an invitation was not sent"),
    );
    // Whoever asks for a mail to an address is not told by the time of the answer whether somebody has it.
    if (!invitation.isReset) await withinTime(MAIL_MS, sent);
  }
}

type Cookies = Pick<Answer, "session" | "signOn">;
type Written = { answer: Answer; invitations: readonly Invitation[]; cookies: Cookies };

/** Everything of a write in one transaction: the claim of its key, its effects, its answer and the revision. */
async function runWrite(tx: Tx, route: Route, input: Input, claim: Claim | null): Promise<Written> {
  // Keys of management callers belong to no project: a key must be found again when its project is gone.
  const keysOf = route.access === "management" || !input.project ? "" : input.project.id;
  const changes: ConfigChange[] = [];
  const invitations: Invitation[] = [];
  const changed: WriteCtx["changed"] = (kind, id, projectId) =>
    void changes.push({ kind, id, project_id: BESIDE_CATALOG[kind] ?? projectId ?? input.project.id });
  const sendInvitation: WriteCtx["sendInvitation"] = (invitation) => void invitations.push(invitation);
  let cookies: Cookies = {};
  const set = {
    setSession: (session) => void Object.assign(cookies, { session }),
    setSignOn: (signOn) => void Object.assign(cookies, { signOn }),
  } satisfies Pick<WriteCtx, "setSession" | "setSignOn">;
  const { versioned, ifMatch } = input;
  const effects = async (db: Tx): Promise<Answer> => {
    // Whoever is not in the project learns nothing of what is there, not even a version.
    requireNamedProject(route, input);
    const seen = versioned && ifMatch && (await requireMatchBefore(db, versioned, ifMatch));
    const own = { ...input, db, changed, sendInvitation, ...set } as Input & { db: Tx };
    const operated = await operate(route, own);
    if (seen && ifMatch) await requireMatchBehindLocks(db, seen, ifMatch);
    return operated;
  };
  let answer: Answer;
  if (claim === null) {
    answer = await effects(tx);
  } else {
    const command = { claim, request_id: input.request_id };
    const { fresh, stored } = await claimKeys(tx, keysOf, [command]);
    const answers = new Map<typeof command, Answer>();
    // A refusal is an answer too: its effects are undone, and it is stored.
    if (fresh.length > 0) {
      const own = (await tx.savepoint(effects).catch((error) => {
        changes.length = 0;
        invitations.length = 0;
        cookies = {};
        return errorAnswer(error, input.request_id);
      })) as Answer;
      answers.set(command, own);
    }
    answer = (await answerAll(tx, keysOf, { commands: [command], answers, stored }))[0]!;
  }
  const recorded = changes.length > 0 ? await logChanges(tx, route, input, changes) : [];
  return { answer: await withVersion(tx, route, { answer, versioned, recorded }), invitations, cookies };
}

type Saved = { answer: Answer; versioned: Versioned | null; recorded: readonly RecordedVersion[] };
/** A change tells the version that it made. A repeated answer does not: the object may have another one by now. */
async function withVersion(tx: Tx, { method }: Route, { answer, versioned, recorded }: Saved): Promise<Answer> {
  if (method !== "PUT" || !versioned || answer.replayed || answer.status >= 300) return answer;
  const { kind, reference } = versioned;
  const own = recorded.find((one) => one.kind === kind && one.id === reference);
  const version = own ? `${own.number}` : await loadVersion(tx, versioned);
  return version === null ? answer : { ...answer, etag: etagOf(version) };
}

/** What is not in the catalog, and where it is logged: under the project that it is of, or under none. */
const BESIDE_CATALOG: Readonly<Partial<Record<ConfigKind, string | undefined>>> = {
  branding: undefined,
  campaign_template: undefined,
  webhook_secret: undefined,
  key: INSTALLATION,
  project: INSTALLATION,
  role: INSTALLATION,
  user: INSTALLATION,
} satisfies Record<KindBesideCatalog, string | undefined>;

/** Sent together: raising the revision locks the project's row, and what is logged is read behind that lock. */
async function logChanges(tx: Tx, route: Route, input: Input, changes: readonly ConfigChange[]) {
  const { caller, request_id, received_at: created_at, newId } = input;
  // Without credentials only an invitation is accepted, by the user whom it changes.
  const id = caller.kind === "none" ? changes[0]!.id : caller.key_id;
  const actor: Actor = { type: ACTOR_TYPES[caller.kind], id };
  const inCatalog = changes.flatMap(({ kind, id }) =>
    kind in BESIDE_CATALOG ? [] : [{ kind: kind as CatalogKind, id }],
  );
  const isLimit = inCatalog.length > 0 && (await bringsLimit(tx, input.project.id, inCatalog));
  const [, recorded] = await together([
    inCatalog.length > 0 ? raiseRevision(tx, input.project.id, inCatalog, { isLimit }) : null,
    recordVersions(tx, { actor, operation: route.id, request_id, created_at, newId }, changes),
  ]);
  return recorded;
}

/** Only what the same request would meet again is stored: not a missing permission, not a passing failure. */
function errorAnswer(error: unknown, request_id: string): Answer {
  const known = apiErrorOf(error);
  if (!known || [401, 403, 412, 413, 429].includes(known.body.code) || known.body.code >= 500) throw error;
  const { code: _, key, message: __, ...extra } = known.body;
  return refusal(key, { ...extra, request_id });
}

const CHANNEL_MAX = 200;

/** Nothing depends on the channel: one that cannot be stored is left out. */
function channelOf({ headers }: FastifyRequest): { channel?: string } {
  const channel = headers["x-voucherify-channel"];
  return typeof channel === "string" && channel.length > 0 && channel.length <= CHANNEL_MAX ? { channel } : {};
}

const KEY_MAX = 255;

/** Two requests under one key that are not the same have another hash, also with half of its digits. */
const HASH_DIGITS = 32;

function claimOf(
  request: FastifyRequest,
  { caller, secret }: Authenticated,
  route: Route,
  received_at: string,
): Claim | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || key.length < 1 || key.length > KEY_MAX || key.includes("\0"))
    throw invalid(`Idempotency-Key must have 1 to ${KEY_MAX} characters`);
  const input_hash = hash("sha256", `${request.method} ${request.url}\n${request.rawBody}`).slice(0, HASH_DIGITS);
  return {
    caller_id: `${caller.kind} ${caller.key_id}`,
    key,
    input_hash,
    sealed_with: route.secret ? secret : null,
    received_at,
  };
}
