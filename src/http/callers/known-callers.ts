import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Route } from "../route.ts";
import type { Authenticated } from "./auth.ts";

const CALLERS_MAX = 10_000;
/** So long a key that was refused at an address is checked before anything is done for it there. */
const REFUSED_MS = 60_000;
/** A body that is read before its sender is known takes no more memory. */
const BODY_MAX = 65_536;

/** A request that begins as who probably sends it. It is answered when that is sure. */
export type Early = {
  guess: Authenticated;
  /** Who does send it, admitted; it throws as admission does. */
  admitted: Promise<Authenticated>;
  /** Whether the guess is right in every field, down to the revision of the catalog. */
  isSure: Promise<boolean>;
};

/**
 * Remembers who was let in with a server-side key, so that a request that only reads can begin while its credentials are
 * checked. Nothing is decided from memory: the guess says what to read, and the answer waits for the check (ADR 0005).
 */
export function createKnownCallers(nowMs: () => number) {
  const known = new LRUCache<string, Authenticated>({ max: CALLERS_MAX });
  const clock = { perf: { now: nowMs }, ttlResolution: 0 };
  const refused = new LRUCache<string, true>({ max: CALLERS_MAX, ttl: REFUSED_MS, ...clock });

  /** Who probably calls; null when that has to be found out first. */
  const guess = (route: Route, { headers, ip }: FastifyRequest): Authenticated | null => {
    if (!route.mayBeginEarly) return null;
    const [id, secret] = [headers["x-app-id"], headers["x-app-token"]];
    const bytes = Number(headers["content-length"] ?? Number.NaN);
    if (typeof id !== "string" || typeof secret !== "string" || secret === "" || !(bytes <= BODY_MAX)) return null;
    const found = known.get(id);
    return found === undefined || refused.has(`${id} ${ip}`) ? null : { ...found, secret };
  };

  /** The request begins: `admitted` is on its way. */
  const start = (guessed: Authenticated, admitted: Promise<Authenticated>, ip: string): Early => {
    const { key_id } = guessed.caller;
    const isSure = admitted.then(
      (authenticated) => isSame(guessed, authenticated),
      () => {
        refused.set(`${key_id} ${ip}`, true);
        return false;
      },
    );
    return { guess: guessed, admitted, isSure };
  };

  const remember = (route: Route, authenticated: Authenticated): void => {
    const { caller } = authenticated;
    if (route.mayBeginEarly && caller.kind === "app" && !caller.scopes) known.set(caller.key_id, authenticated);
  };
  return { guess, start, remember };
}

/** The project, its switches and its revision are one row; lists in it are compared by what they hold. */
function isSame(guess: Authenticated, { caller, project }: Authenticated): boolean {
  if (caller.kind !== "app" || caller.scopes || caller.key_id !== guess.caller.key_id) return false;
  const [before, now] = [guess.project, project] as unknown as Record<string, unknown>[];
  for (const field in now)
    if (now[field] !== before![field] && JSON.stringify(now[field]) !== JSON.stringify(before![field])) return false;
  return true;
}
