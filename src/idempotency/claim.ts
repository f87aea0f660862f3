import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { type Answer, refusal } from "../core/answer.ts";
import { ClaimHeld } from "../db/batch.ts";
import { isWaitOver, type Tx } from "../db/db.ts";

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
type Row = Pick<Claim, "caller_id" | "key" | "input_hash"> & { status: number | null; body: string | null };

const nameOf = ({ caller_id, key }: Pick<Claim, "caller_id" | "key">) => `${caller_id} ${key}`;
const expiryOf = ({ received_at, sealed_with }: Claim) =>
  new Date(Date.parse(received_at) + (sealed_with === null ? KEPT_MS : SECRET_KEPT_MS)).toISOString();

/**
 * Claims the keys of a batch: the first statement of its transaction. The sorted insert waits for a transaction that
 * holds one of them. Afterwards a key is either ours and has no answer yet, or its answer is stored and committed.
 */
export async function claimKeys<C extends Command>(tx: Tx, projectId: string, commands: readonly C[]) {
  const claims = commands.flatMap(({ claim }) => claim ?? []);
  if (claims.length === 0) return { fresh: commands, stored: new Map<string, Row>() };
  const [callers, keys] = [claims.map((c) => c.caller_id), claims.map((c) => c.key)];
  // A key whose time is over is claimed anew. The conflict clause also locks the rows it leaves as they are.
  const claimed = tx`
      insert into idempotency_keys (project_id, caller_id, key, input_hash, created_at, expires_at)
      select distinct on (caller_id, key) ${projectId}, caller_id, key, input_hash, created_at, expires_at
      from unnest(${callers}::text[], ${keys}::text[], ${claims.map((c) => c.input_hash)}::text[],
        ${claims.map((c) => c.received_at)}::timestamptz[], ${claims.map(expiryOf)}::timestamptz[])
        with ordinality as x (caller_id, key, input_hash, created_at, expires_at, position)
      order by caller_id, key, position
      on conflict (project_id, caller_id, key) do update
        set input_hash = excluded.input_hash, status = null, body = null,
          created_at = excluded.created_at, expires_at = excluded.expires_at
        where idempotency_keys.expires_at <= excluded.created_at`.execute();
  // Joined, so that each key is looked up: two lists would be compared with every key that the caller has.
  const read = tx<Row[]>`
    select i.caller_id, i.key, i.input_hash, i.status, i.body
    from unnest(${callers}::text[], ${keys}::text[]) as x (caller_id, key)
      join idempotency_keys i on i.project_id = ${projectId} and i.caller_id = x.caller_id and i.key = x.key`.execute();
  const [, rows] = await Promise.all([claimed, read]).catch((error) => {
    throw isWaitOver(error) ? new ClaimHeld("another transaction holds the idempotency key") : error;
  });
  const stored = new Map(rows.map((row) => [nameOf(row), row]));

  // The same key twice in one batch: the first runs, the second is answered from it.
  const taken = new Set<string>();
  const fresh = commands.filter(({ claim }) => {
    if (!claim) return true;
    const name = nameOf(claim);
    if (stored.get(name)?.status !== null || taken.has(name)) return false;
    taken.add(name);
    return true;
  });
  return { fresh, stored };
}

/** Stores the answers of the commands that ran, and answers the repeated ones from what is stored. */
export async function answerAll<C extends Command>(
  tx: Tx,
  projectId: string,
  { commands, answers, stored }: { commands: readonly C[]; answers: Map<C, Answer>; stored: Map<string, Row> },
): Promise<Answer[]> {
  const kept = [...answers].flatMap(([{ claim }, { status, body }]) =>
    claim ? [{ ...claim, status, body: claim.sealed_with === null ? body : seal(body, claim.sealed_with) }] : [],
  );
  if (kept.length > 0)
    await tx`
      update idempotency_keys i set status = x.status, body = x.body
      from unnest(${kept.map((a) => a.caller_id)}::text[], ${kept.map((a) => a.key)}::text[],
        ${kept.map((a) => a.status)}::int[], ${kept.map((a) => a.body)}::text[]) as x (caller_id, key, status, body)
      where i.project_id = ${projectId} and i.caller_id = x.caller_id and i.key = x.key`;
  const answerOf = new Map<string, Row>(stored);
  for (const answer of kept) answerOf.set(nameOf(answer), answer);

  return commands.map((command) => {
    const own = answers.get(command);
    if (own) return own;
    const { claim, request_id } = command;
    const first = answerOf.get(nameOf(claim!))!;
    const body = claim!.sealed_with === null ? first.body : unseal(first.body!, claim!.sealed_with);
    // A sealed answer that cannot be opened was made for another secret of this key.
    if (first.input_hash !== claim!.input_hash || body === null)
      return refusal("idempotency_key_reused", { request_id });
    return { status: first.status!, body, replayed: true };
  });
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
