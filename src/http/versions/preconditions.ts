import { isGoods, loadVersion, sendForVersion, type Versioned, versionBefore, withId } from "../../catalog/versions.ts";
import type { Answer } from "../../core/answer.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import type { Pool, Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";

/** What `If-Match` and `If-None-Match` name: versions, or any. */
export type Tags = "*" | readonly { version: string; isWeak: boolean }[];

const TAG = /(W\/)?"([\x21\x23-\x7e]*)"/;
const TAGS = new RegExp(`^\\s*(?:${TAG.source})(?:\\s*,\\s*(?:${TAG.source}))*\\s*$`);

/** Null: it is no list of tags. */
export function parseTags(header: string): Tags | null {
  if (header.trim() === "*") return "*";
  if (header.length > TAGS_MAX || !TAGS.test(header)) return null;
  return [...header.matchAll(new RegExp(TAG, "g"))].map(([, weak, version]) => ({
    version: version!,
    isWeak: weak !== undefined,
  }));
}
const TAGS_MAX = 4_000;

export const etagOf = (version: string): string => `"${version}"`;

/** A header that nobody understands must not let a change through. */
export function requireTags(header: string | undefined): Tags | null {
  if (header === undefined) return null;
  const tags = parseTags(header);
  if (!tags) throw invalid('If-Match must be * or a list of versions in quotation marks, as "3"');
  return tags;
}

/** `If-Match`: a weak tag says only that something is alike, so it never matches. */
const isMatch = (tags: Tags, version: string | null): boolean =>
  tags === "*" || (version !== null && tags.some((tag) => !tag.isWeak && tag.version === version));

/** `If-None-Match`: what is alike has been seen. */
const isSeen = (tags: Tags, version: string): boolean => tags === "*" || tags.some((tag) => tag.version === version);

const changedMeanwhile = ({ kind, reference }: Versioned, version: string | null): ApiError =>
  new ApiError("precondition_failed", {
    details: version === null ? "The object has no version" : `The current version is ${etagOf(version)}`,
    resource_type: kind,
    resource_id: reference,
  });

/**
 * Before a write has changed anything. Whether the object is there at all is for the operation to say. Gives the object with its id:
 * a deletion takes away the names that it could be found by.
 */
export async function requireMatchBefore(tx: Tx, versioned: Versioned, tags: Tags): Promise<Versioned> {
  const version = await versionBefore(tx, versioned);
  if (version !== null && !isMatch(tags, version)) throw changedMeanwhile(versioned, version);
  return withId(tx, versioned);
}

/** When the write holds the row: somebody may have changed the object since. */
export async function requireMatchBehindLocks(tx: Tx, versioned: Versioned, tags: Tags): Promise<void> {
  if (isGoods(versioned.kind)) return;
  const version = await loadVersion(tx, versioned);
  if (!isMatch(tags, version)) throw changedMeanwhile(versioned, version);
}

type Reading = {
  versioned: Versioned;
  projectId: string | null;
  ifNoneMatch: string | undefined;
  /** The revision is the least that the catalog must have, so that nothing older than the version is shown. */
  operate(revision: () => Promise<number>): Promise<Answer>;
};

/**
 * Runs an operation that reads a configured object, and says its version. That is asked first, on the one connection that the
 * operation has: it takes no time of its own, and is never newer than what is shown.
 */
export async function readWithVersion(db: Pool, { versioned, projectId, ifNoneMatch, operate }: Reading) {
  const sent = sendForVersion(db, versioned, projectId);
  const revision = async () => (await sent)[0]?.revision ?? 0;
  const [[row], answer] = await together([sent, operate(revision)]);
  if (!row || row.version === null) return answer;
  const etag = etagOf(row.version);
  const tags = ifNoneMatch === undefined ? null : parseTags(ifNoneMatch);
  return tags && isSeen(tags, row.version) ? { status: 304, body: "", etag } : { ...answer, etag };
}
