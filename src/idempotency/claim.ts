import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import { type Answer, refusal } from "../core/answer.ts";
import { ClaimHeld } from "../db/batches/batch.ts";
import { isWaitOver, type Tx } from "../db/db.ts";
import { tenantOf, textsOf } from "../db/records.ts";

const KEPT_MS = 24 * 3_600_000;
const SECRET_KEPT_MS = 10 * 60_000;

/** `input_hash` covers method, path, query and raw body. */
export type Claim = {
  caller_id: string;
  key: string;
  input_hash: string;
  /** The caller's own secret, where the answer holds one: the stored answer can be read with it only. */
  sealed_with: string | null;
  received_at: string;
};
type Command = { claim: Claim | null; request_id: string };
type Row = Pick<Claim, "caller_id" | "key" | "input_hash"> & {
  status: number;
  /** Null: it is made again from `made_of`, and must have this length and this hash. */
  body: string | null;
  made_of: object | null;
  bytes: number | null;
  sha256: string | null;
  expires_at: string;
};

/** Makes bodies again from what was kept of them, in the order of what is given; null: one cannot be made. */
export type Rebuild<C> = (
  tx: Tx,
  projectId: string,
  some: readonly { command: C; madeOf: object }[],
) => Promise<readonly (string | null)[]>;

const claimName = ({ caller_id, key }: Pick<Claim, "caller_id" | "key">) => `${caller_id} ${key}`;
const expiryOf = ({ received_at, sealed_with }: Claim) =>
  new Date(Date.parse(received_at) + (sealed_with === null ? KEPT_MS : SECRET_KEPT_MS)).toISOString();

/**
 * Claims the keys of a batch: the first statement of its transaction. It waits for transactions that hold one of them.
 * Afterwards a key is either ours until the transaction ends, or its answer is stored and committed. A row that says so
 * would be written twice, without its answer and with it; a lock is not written at all. It is one of the machine that has the
 * rows of the project, wherever somebody connects to.
 */
export async function claimKeys<C extends Command>(tx: Tx, projectId: string, commands: readonly C[]) {
  const claims = commands.flatMap(({ claim }) => claim ?? []);
  if (claims.length === 0) return { fresh: commands, stored: new Map<string, Row>() as ReadonlyMap<string, Row> };
  const [callers, keys] = [claims.map((c) => c.caller_id), claims.map((c) => c.key)];
  const locked = tx`
    select pg_advisory_xact_lock(hash) from (
      select distinct hashtextextended(${projectId} || ' ' || caller_id || ' ' || key, 0) as hash
      from ${tenantOf(tx, projectId)} cross join unnest(${callers}::text[], ${keys}::text[]) as x (caller_id, key)
      order by hash) as sorted`.execute();
  // A statement of its own, so that it sees what those have committed who held the keys. Looked up one by one: joined,
  // they would be compared with every key of the project as long as the database has no statistics.
  const read = tx<Row[]>`
    select i.caller_id, i.key, i.input_hash, i.status, i.body, i.made_of, i.bytes, encode(i.sha256, 'hex') as sha256,
      i.expires_at
    from unnest((select ${callers}::text[]), ${keys}::text[]) as x (caller_id, key)
      cross join lateral (
        select * from idempotency_keys k
        where k.project_id = ${projectId} and k.caller_id = x.caller_id and k.key = x.key limit 1) i`.execute();
  const [, rows] = await Promise.all([locked, read]).catch((error) => {
    throw isWaitOver(error) ? new ClaimHeld("another transaction holds the idempotency key") : error;
  });
  const found = new Map(rows.map((row) => [claimName(row), row]));
  const isOver = (claim: Claim) =>
    Date.parse(found.get(claimName(claim))?.expires_at ?? "") <= Date.parse(claim.received_at);
  // A key whose time is over is claimed anew.
  const over = claims.filter(isOver);
  for (const claim of over) found.delete(claimName(claim));
  if (over.length > 0)
    await tx`
      delete from idempotency_keys k using unnest(${over.map((c) => c.caller_id)}::text[], ${over.map((c) => c.key)}::text[])
        as x (caller_id, key)
      where k.project_id = ${projectId} and k.caller_id = x.caller_id and k.key = x.key`;
  const stored: ReadonlyMap<string, Row> = found;

  // The same key twice in one batch: the first runs, the second is answered from it.
  const taken = new Set<string>();
  const fresh = commands.filter(({ claim }) => {
    if (!claim) return true;
    const name = claimName(claim);
    if (stored.has(name) || taken.has(name)) return false;
    taken.add(name);
    return true;
  });
  return { fresh, stored };
}

/** The commands whose key another transaction holds. It waits for nobody; the other keys are ours until the end. */
export async function heldKeys<C extends Command>(tx: Tx, projectId: string, commands: readonly C[]) {
  const claims = commands.flatMap(({ claim }) => claim ?? []);
  const rows = await tx<Pick<Claim, "caller_id" | "key">[]>`
    select caller_id, key from ${tenantOf(tx, projectId)}
      cross join unnest(${claims.map((c) => c.caller_id)}::text[], ${claims.map((c) => c.key)}::text[]) as x (caller_id, key)
    where not pg_try_advisory_xact_lock(hashtextextended(${projectId} || ' ' || caller_id || ' ' || key, 0))`;
  const held = new Set(rows.map(claimName));
  const waiting = commands.filter(({ claim }) => claim && held.has(claimName(claim)));
  return new Map(waiting.map((command) => [command, "idempotency_in_progress" as const]));
}

/** The answers that are stored under their keys, and those of all commands: repeated ones have what is stored. */
export async function answersOf<C extends Command>(
  tx: Tx,
  projectId: string,
  { commands, answers, stored, rebuild }: Answering<C>,
) {
  const kept = [...answers].flatMap(([{ claim }, { status, body, madeOf = null }]) =>
    claim
      ? [
          {
            caller_id: claim.caller_id,
            key: claim.key,
            input_hash: claim.input_hash,
            status,
            body: claim.sealed_with === null ? body : seal(body, claim.sealed_with),
            made_of: madeOf,
            bytes: madeOf && Buffer.byteLength(body),
            sha256: madeOf && hash("sha256", body),
            created_at: claim.received_at,
            expires_at: expiryOf(claim),
          },
        ]
      : [],
  );
  const answerOf = new Map<string, Row>(stored);
  for (const answer of kept) answerOf.set(claimName(answer), answer);

  const firstOf = ({ claim }: C): Row => answerOf.get(claimName(claim!))!;
  const repeated = commands.filter((command) => !answers.has(command));
  // What an older version stored has more digits.
  const isSame = (command: C) => firstOf(command).input_hash.startsWith(command.claim!.input_hash);
  const bodies = await bodiesOf(
    repeated.filter((command) => isSame(command) && firstOf(command).body === null),
    firstOf,
    (some) => rebuild!(tx, projectId, some),
  );
  const all = commands.map((command): Answer => {
    const own = answers.get(command);
    if (own) return own;
    const { claim, request_id } = command;
    const first = firstOf(command);
    if (!isSame(command)) return refusal("idempotency_key_reused", { request_id });
    if (first.body === null) {
      const body = bodies.get(command) ?? null;
      return body === null
        ? { ...refusal("internal_server_error", { request_id }), isMismatch: true }
        : { status: first.status, body, replayed: true };
    }
    const body = claim!.sealed_with === null ? first.body : unseal(first.body, claim!.sealed_with);
    // A sealed answer that cannot be opened was made for another secret of this key.
    if (body === null) return refusal("idempotency_key_reused", { request_id });
    return { status: first.status, body, replayed: true };
  });
  return { kept, all };
}

/** Stores answers under their keys. The keys are ours, so none of them is there, and all are stored or none is. */
export async function storeAnswers(
  tx: Tx,
  projectId: string,
  kept: Awaited<ReturnType<typeof answersOf>>["kept"],
): Promise<void> {
  if (kept.length === 0) return;
  await tx`
    insert into idempotency_keys (project_id, caller_id, key, input_hash, status, created_at, expires_at, made_of, bytes,
      sha256, body)
    select p.project_id, x.caller_id, x.key, x.input_hash, x.status, x.created_at, x.expires_at, x.made_of, x.bytes,
      decode(x.sha256, 'hex'), case when x.made_of is null then x.body end
    from ${tenantOf(tx, projectId)} cross join rows from (
      json_to_recordset(${JSON.stringify(kept.map(({ body, ...row }) => row))}::text::json) as (caller_id text, key text,
        input_hash text, status int, created_at timestamptz, expires_at timestamptz, made_of json, bytes int, sha256 text),
      ${textsOf(
        tx,
        kept.map(({ body, made_of }) => (made_of ? "" : body)),
      )}) as x (caller_id, key, input_hash, status, created_at, expires_at, made_of, bytes, sha256, body)`;
}

/** Stores the answers of the commands that ran, and answers the repeated ones from what is stored. */
export async function answerAll<C extends Command>(
  tx: Tx,
  projectId: string,
  answering: Answering<C>,
): Promise<Answer[]> {
  const { kept, all } = await answersOf(tx, projectId, answering);
  await storeAnswers(tx, projectId, kept);
  return all;
}

type Answering<C> = {
  commands: readonly C[];
  answers: Map<C, Answer>;
  stored: ReadonlyMap<string, Row>;
  /** Needed where answers say what they are made of. */
  rebuild?: Rebuild<C> | undefined;
};

/** Answers that are made again. One that is not what was sent, to the byte, is none. */
async function bodiesOf<C>(
  commands: readonly C[],
  firstOf: (command: C) => Row,
  rebuild: (some: readonly { command: C; madeOf: object }[]) => ReturnType<Rebuild<C>>,
): Promise<Map<C, string>> {
  if (commands.length === 0) return new Map();
  const made = await rebuild(commands.map((command) => ({ command, madeOf: firstOf(command).made_of! })));
  return new Map(
    commands.flatMap((command, n) => {
      const { bytes, sha256 } = firstOf(command);
      const body = made[n]!;
      return body !== null && Buffer.byteLength(body) === bytes && hash("sha256", body) === sha256
        ? [[command, body]]
        : [];
    }),
  );
}

const cipherKey = (secret: string) => Buffer.from(hkdfSync("sha256", secret, "", "laurel idempotent answer", 32));

function seal(text: string, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", cipherKey(secret), iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

function unseal(text: string, secret: string): string | null {
  const bytes = Buffer.from(text, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", cipherKey(secret), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
