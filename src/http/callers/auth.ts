import { hash, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../core/errors.ts";
import type { Caller } from "../../ctx.ts";
import { withinTime } from "../../db/batches/commit.ts";
import type { Fragment, Pool } from "../../db/db.ts";
import { createGather } from "../../db/gather.ts";
import { isSpread } from "../../db/spread/nodes.ts";
import type { Project } from "../../request.ts";
import type { Route } from "../route.ts";
import { noteLastUsed } from "../users/last-used.ts";
import { placeOf } from "../users/permissions.ts";
import {
  admitSession,
  hashToken,
  missingSession,
  projectNamedIn,
  requireLiveSession,
  type SessionRow,
  sessionTokenOf,
} from "../users/session.ts";
import { isSigned, rowNamedBy } from "./token.ts";
import {
  KEY_KINDS,
  type KeyKind,
  missingPair,
  missingToken,
  PAIR_HEADERS,
  type SentPair,
  twoProjects,
  wrongPair,
  wrongToken,
} from "./unauthorized.ts";

export type V2Auth = "all" | "either";
export type Headers = Record<string, string | string[] | undefined>;
/**
 * Who calls, for which project, and with which secret of their own. A management operation may name a project that is
 * not there: that is a 404 when it runs, and not here, because a repeated deletion is answered as the first one was.
 */
export type Authenticated = { caller: Caller; project: Project; secret: string };

type Pair = { kind: KeyKind; id: string; secret: string };
type Token = { text: string; project_id: string; id: string };
type Question = {
  pair: Pair | null;
  token: Token | null;
  project_id: string | null;
  /** By the hash of its token, with the project that the request names; null: it names none. */
  session?: { hash: string; project_id: string | null };
};
type Row = Project & {
  asked: string;
  session?: SessionRow;
  key_id: string | null;
  key_name: string | null;
  secret_hash: string | null;
  previous_secret_hash: string | null;
  previous_until: string | null;
  disabled_at: string | null;
  scope: string | null;
  expires_at: string | null;
  signing_secret: string | null;
};
type CredentialRows = Record<"key" | "token" | "project" | "session", Row | undefined>;
const NOTHING: CredentialRows = { key: undefined, token: undefined, project: undefined, session: undefined };

// A scheme of its own in `Authorization` may belong to a proxy, so the other header counts as well.
const BEARER = /^Bearer +(\S+)$/i;
const LOOK_UP_MS = 5_000;

const hashSecret = (text: string): string => hash("sha256", text);
const same = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Checks the credentials of every request against the database. Nothing is cached: a disabled key stops at once. */
export function createAuthenticator(pool: Pool, settings: { v2Auth: V2Auth; now(): string }) {
  const ask = createGather((questions: readonly Question[]) => lookUp(pool, questions));
  const revisionOf = createRevisions(pool);
  const find = async (question: Question): Promise<CredentialRows> => {
    const found = await ask(question);
    return isSpread(pool) ? withRevisions(found, revisionOf) : found;
  };
  const lastUsed = noteLastUsed(pool, settings.now);

  /** The kind of a pair that was sent as one of another kind. Asked for every wrong pair, whether its id exists or not. */
  const kindOf = async (pair: Pair, now: string): Promise<KeyKind | undefined> => {
    const others = KEY_KINDS.filter((kind) => kind !== pair.kind).map((kind) => ({ ...pair, kind }));
    const found = await withinTime(
      LOOK_UP_MS,
      Promise.all(others.map((other) => ask({ pair: other, token: null, project_id: null }))),
    );
    // All are compared, also after one that opens: the time of the answer says nothing.
    return others.filter((other, n) => opens(other, found?.[n]?.key, now))[0]?.kind;
  };

  const askInTime = async (question: Question): Promise<CredentialRows> => {
    const found = await withinTime(LOOK_UP_MS, find(question));
    if (!found) throw new ApiError("overloaded", { details: "The database did not answer in time" });
    return found;
  };

  const authenticateUser = async (route: Route, headers: Headers, params: unknown): Promise<Authenticated> => {
    const token = sessionTokenOf(headers);
    if (token === null) throw missingSession();
    const session = { hash: hashToken(token), project_id: projectNamedIn(route, headers, params) };
    const { session: found } = await askInTime({ pair: null, token: null, project_id: null, session });
    const now = settings.now();
    const row = requireLiveSession(found?.session, now);
    // Also of a request that is refused: somebody sits there.
    lastUsed.note("session", session.hash);
    // Without a project the fields of one are all null.
    const project = found?.id ? found : undefined;
    return admitSession(route, { token, row, project, headers, now });
  };

  const authenticate = (route: Route, headers: Headers, params: unknown): Promise<Authenticated> =>
    isOfUser(route, headers) ? authenticateUser(route, headers, params) : authenticateKey(route, headers, params);

  const authenticateKey = async (route: Route, headers: Headers, params: unknown): Promise<Authenticated> => {
    const own = route.access === "v2" ? "app" : (route.access as KeyKind);
    const kind = route.orServerKey && !pairOf(own, headers) && pairOf("app", headers) ? "app" : own;
    const pair = pairOf(kind, headers);
    const token = kind === "management" || route.scope === null ? null : tokenOf(headers, route.access);
    const bothNeeded = route.access === "v2" && settings.v2Auth === "all";
    // A pair that was sent decides. A token beside it counts only where both are asked for.
    const place = bothNeeded ? "beside" : route.scope === null || kind === "management" ? "none" : "instead";
    if (pair ? pair.id === "" || pair.secret === "" : bothNeeded || !token)
      throw missingPair(kind, sentPairs(headers), place);
    if (bothNeeded && !token) throw missingToken();
    const project_id = kind === "management" ? projectNamedBy(params) : null;
    const question = { pair, token: pair && !bothNeeded ? null : token, project_id };
    const found = await askInTime(question);
    const now = settings.now();
    const key = pair ? found.key : undefined;
    if (pair && !opens(pair, key, now)) throw wrongPair(kind, await kindOf(pair, now));
    const tokenRow = question.token ? await requireLiveToken(question.token, found.token, now) : undefined;
    if (key && tokenRow && key.id !== tokenRow.id) throw twoProjects();
    const row = key ?? tokenRow!;
    lastUsed.note(kind === "client" && !key ? "app" : kind, row.key_id!);
    if (tokenRow) requireScope(route, tokenRow.scope!);

    const project = kind === "management" ? found.project : row;
    const scopes = tokenRow && { scopes: tokenRow.scope!.split(" ") };
    const caller = { kind, key_id: row.key_id!, key_name: row.key_name!, ...scopes };
    return { caller, project: project as Project, secret: pair?.secret ?? "" };
  };
  return { authenticate, close: lastUsed.close };
}

const singleHeader = (value: string | string[] | undefined): string => (typeof value === "string" ? value : "");

/** One statement asks for many requests, so none may name what PostgreSQL cannot read: it would fail for all. */
const projectNamedBy = (params: unknown): string | null =>
  (params as { projectId?: string }).projectId?.replaceAll("\0", "\ufffd") ?? null;

function pairOf(kind: KeyKind, headers: Headers): Pair | null {
  const [id, secret] = PAIR_HEADERS[kind].map((name) => singleHeader(headers[name.toLowerCase()])) as [string, string];
  return id === "" && secret === "" ? null : { kind, id, secret };
}

/** Whether a session decides: it is all that an operation takes, or all that was sent. */
function isOfUser(route: Route, headers: Headers): boolean {
  if (route.access === "session") return true;
  if (headers.cookie === undefined || placeOf(route) === null || sessionTokenOf(headers) === null) return false;
  const token = route.access === "management" ? null : tokenOf(headers, route.access);
  return token === null && KEY_KINDS.every((kind) => pairOf(kind, headers) === null);
}

const sentPairs = (headers: Headers) =>
  Object.fromEntries(
    KEY_KINDS.map((kind) => {
      const pair = pairOf(kind, headers);
      return [kind, { id: !!pair?.id, secret: !!pair?.secret }];
    }),
  ) as Record<KeyKind, SentPair>;

/** The payload only says which row to read; the row and the signature decide afterwards. */
function tokenOf(headers: Headers, access: Route["access"]): Token | null {
  // The other header is one of v1 and of client applications.
  const places = [headers.authorization, ...(access === "v2" ? [] : [headers["x-voucherify-oauth"]])];
  const sent = places.map((value) => BEARER.exec(singleHeader(value))?.[1]);
  const text = sent.find((one) => one !== undefined);
  return text === undefined ? null : { text, ...rowNamedBy(text) };
}

/** The comparison also runs for an unknown key, so that the time of the answer does not tell which keys exist. */
function opens({ secret }: Pair, row: Row | undefined, now: string): boolean {
  const sent = hashSecret(secret);
  const current = same(sent, row?.secret_hash ?? hashSecret(""));
  const overlap = row?.previous_secret_hash && row.previous_until! > now && same(sent, row.previous_secret_hash);
  return row !== undefined && secret !== "" && !row.disabled_at && !!(current || overlap);
}

async function requireLiveToken({ text }: Token, row: Row | undefined, now: string): Promise<Row> {
  if (!row || row.disabled_at || row.expires_at! <= now) throw wrongToken();
  if (!(await isSigned(text, { secret: row.signing_secret!, expires_at: row.expires_at! }))) throw wrongToken();
  return row;
}

function requireScope({ access, scope }: Route, granted: string): void {
  const umbrella = access === "client" ? "client_api" : "api";
  if (granted.split(" ").some((one) => one === umbrella || one === scope)) return;
  throw new ApiError("missing_required_permission", { details: `The token needs the scope ${umbrella} or ${scope}` });
}

type SessionQuestion = NonNullable<Question["session"]>;
const sessionName = ({ hash, project_id }: SessionQuestion): string => `session ${hash} ${project_id ?? ""}`;

/** Sessions with their users, and with the projects that were named and the roles there. */
const sessionRows = (
  pool: Pool,
  sessions: readonly SessionQuestion[],
  { fields, revision }: { fields: Fragment; revision: RevisionPart },
): Fragment => pool`
    select 'session ' || x.hash || ' ' || x.project_id as asked, ${noKey(pool)},
      jsonb_build_object('user_id', u.id, 'login', u.login, 'is_owner', u.is_owner, 'created_at', s.created_at,
        'last_used_at', s.last_used_at, 'ends_at', s.ends_at, 'role', m.role, 'permissions', r.permissions) as session, ${fields}
    from unnest((select ${sessions.map(({ hash }) => hash)}::text[]), ${sessions.map(({ project_id }) => project_id ?? "")}::text[])
      as x (hash, project_id)
    join user_sessions s on s.token_hash = x.hash
    join users u on u.id = s.user_id
    left join projects p on p.id = x.project_id and p.deleted_at is null
    ${revision.leftJoin}
    left join user_projects m on m.user_id = u.id and m.project_id = p.id
    left join roles r on r.id = m.role`;
const noKey = (pool: Pool): Fragment => pool`
  null as key_id, null as key_name, null as secret_hash, null as previous_secret_hash, null as previous_until,
  null as disabled_at, null as scope, null as expires_at, null as signing_secret`;

/** The revision of a catalog is beside the rows of its project. Where those are on another machine, it is asked for there. */
type RevisionPart = { join: Fragment; leftJoin: Fragment; column: Fragment };
const revisionPart = (pool: Pool): RevisionPart =>
  isSpread(pool)
    ? { join: pool``, leftJoin: pool``, column: pool`0::bigint as catalog_revision` }
    : {
        join: pool`join tenants t on t.project_id = p.id`,
        leftJoin: pool`left join tenants t on t.project_id = p.id`,
        column: pool`t.catalog_revision`,
      };

/**
 * The revision of one project, with a statement of its own: a machine that is lost, or slow, holds up nobody whose rows are on
 * another one. What is asked at the same time of one project goes together.
 */
function createRevisions(pool: Pool) {
  const gathers = new Map<string, { ask(question: null): Promise<number>; waiting: number }>();
  const load = async (projectId: string, asked: number): Promise<number[]> => {
    const [row] = await pool<{ catalog_revision: number }[]>`
      select catalog_revision from tenants where project_id = ${projectId}`;
    return Array<number>(asked).fill(row!.catalog_revision);
  };
  return async (projectId: string): Promise<number> => {
    const own = gathers.getOrInsertComputed(projectId, () => ({
      ask: createGather((questions: readonly null[]) => load(projectId, questions.length), 1),
      waiting: 0,
    }));
    own.waiting += 1;
    try {
      return await own.ask(null);
    } finally {
      own.waiting -= 1;
      if (own.waiting === 0) gathers.delete(projectId);
    }
  };
}

/** The same rows, with the revisions of their projects. */
async function withRevisions(
  found: CredentialRows,
  revisionOf: (projectId: string) => Promise<number>,
): Promise<CredentialRows> {
  const rows = await Promise.all(
    Object.entries(found).map(async ([kind, row]) => [
      kind,
      row?.id ? { ...row, catalog_revision: await revisionOf(row.id) } : row,
    ]),
  );
  return Object.fromEntries(rows) as CredentialRows;
}

async function lookUp(pool: Pool, questions: readonly Question[]): Promise<CredentialRows[]> {
  const pairs = questions.flatMap(({ pair }) => pair ?? []);
  const tokens = questions.flatMap(({ token }) => token ?? []);
  const projects = questions.flatMap(({ project_id }) => project_id ?? []);
  const sessions = questions.flatMap(({ session }) => session ?? []);
  const revision = revisionPart(pool);
  const fields = pool`p.id, p.timezone, p.currency, p.is_sandbox, p.case_sensitive_codes, p.client_trusted_domains,
    p.client_redeem_enabled, p.client_publish_enabled, p.client_list_vouchers_enabled,
    p.client_create_customer_enabled, p.client_loyalty_events_enabled, p.client_set_voucher_expiration_date_enabled,
    p.features, p.secret, ${revision.column}, p.clock_offset_ms`;
  const key = pool`k.id as key_id, k.name as key_name, k.secret_hash, k.previous_secret_hash, k.previous_until, k.disabled_at`;
  const none = pool`null::jsonb as session`;
  // Most statements ask for keys alone. Each part that is not asked for would have to be planned and started all the same.
  const parts = [
    pairs.length > 0 &&
      pool`
    select k.kind || ' ' || k.id as asked, ${key}, null as scope, null::timestamptz as expires_at,
      null as signing_secret, ${none}, ${fields}
    from unnest((select ${pairs.map((p) => p.kind as string)}::text[]), (select ${pairs.map((p) => p.id)}::text[])) as x (kind, id)
    join keys k on k.kind = x.kind and k.id = x.id
    left join projects p on p.id = k.project_id
    ${revision.leftJoin}
    where k.project_id is null or p.deleted_at is null`,
    tokens.length > 0 &&
      pool`
    select 'token ' || o.project_id || ' ' || o.id as asked, ${key}, o.scope, o.expires_at, s.secret as signing_secret, ${none},
      ${fields}
    from unnest((select ${tokens.map((t) => t.project_id)}::text[]), (select ${tokens.map((t) => t.id)}::text[])) as x (project_id, id)
    join oauth_tokens o on o.project_id = x.project_id and o.id = x.id
    join keys k on k.kind = 'app' and k.id = o.key_id and k.project_id = o.project_id
    join signing_keys s on s.id = o.signing_key_id
    join projects p on p.id = o.project_id and p.deleted_at is null
    ${revision.join}`,
    projects.length > 0 &&
      pool`
    select 'project ' || p.id as asked, ${noKey(pool)}, ${none}, ${fields}
    from projects p ${revision.join} where p.id = any((select ${projects}::text[])::text[]) and p.deleted_at is null`,
    sessions.length > 0 && sessionRows(pool, sessions, { fields, revision }),
  ].filter((part) => part !== false);
  if (parts.length === 0) return questions.map(() => NOTHING);
  const union = parts.reduce((all, part) => pool`${all} union all ${part}`);
  const rows = await pool<Row[]>`select * from (${union}) as found`;
  const byAsked = new Map(rows.map((row) => [row.asked, row]));
  return questions.map(({ pair, token, project_id, session }) => ({
    key: pair ? byAsked.get(`${pair.kind} ${pair.id}`) : undefined,
    token: token ? byAsked.get(`token ${token.project_id} ${token.id}`) : undefined,
    project: project_id === null ? undefined : byAsked.get(`project ${project_id}`),
    session: session && byAsked.get(sessionName(session)),
  }));
}
