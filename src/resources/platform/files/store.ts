import { createHmac, timingSafeEqual } from "node:crypto";
import { ApiError, notFound } from "../../../core/errors.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { tenantOf } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";
import type { FILE_KINDS, TaskResult } from "./schema.ts";

// Uploads, reports and exports are rows: any machine goes on with one, a backup has them, and a deleted project leaves none.

export type FileKind = (typeof FILE_KINDS)[number];
export type FileRow = {
  project_id: string;
  id: string;
  kind: FileKind;
  name: string;
  content_type: string;
  is_personal: boolean;
  is_complete: boolean;
  bytes: number;
  chunks: number;
  created_at: string;
  expires_at: string;
};
type FileKey = Pick<FileRow, "project_id" | "id">;
/** The project that a file belongs to, with the secret that seals the addresses of its files. */
export type FileOwner = { id: string; secret: string };

/** The most that one row of `file_chunks` holds. */
export const CHUNK_BYTES = 262_144;
/** What the files of a project may have together, where no setting says otherwise. */
const FILES_BYTES_MAX = 10_240 * 1_048_576;
const DAY_MS = 86_400_000;
const KEPT_DAYS: Readonly<Record<FileKind, number>> = { upload: 7, report: 30, export: 90 };

const expiryOf = (kind: FileKind, now: string) => new Date(Date.parse(now) + KEPT_DAYS[kind] * DAY_MS).toISOString();

type NewFile = Pick<FileRow, "project_id" | "id" | "kind" | "name" | "content_type" | "is_personal"> & { now: string };

/** Begins a file, which is empty. It expires some days after `now`, the time of its project. */
export async function createFile(db: Db, { now, ...file }: NewFile): Promise<FileRow> {
  const expires_at = expiryOf(file.kind, now);
  const row = { ...file, is_complete: false, bytes: 0, chunks: 0, created_at: now, expires_at };
  await db`insert into files ${db(row as never)}`;
  return row;
}

/** Locks a file, so that nobody else adds to it or removes it meanwhile. */
export async function lockFile(tx: Tx, projectId: string, id: string): Promise<FileRow | undefined> {
  const [row] = await tx<FileRow[]>`
    select * from files where project_id = ${projectId} and id = ${id} order by id for no key update`;
  return row;
}

/**
 * Adds to a file that is not complete, in chunks. Who adds little at a time gathers it first: each call makes a chunk at
 * least. Refused when the files of the project have more than `bytesMax` together.
 */
export async function appendBytes(
  tx: Tx,
  { project_id, id }: FileKey,
  content: Uint8Array,
  bytesMax = FILES_BYTES_MAX,
): Promise<void> {
  if (content.length === 0) return;
  const file = await lockFile(tx, project_id, id);
  if (!file || file.is_complete) throw new Error(`the file ${id} is not open`);
  if ((await storedBytes(tx, project_id)) + content.length > bytesMax) throw storageFull(bytesMax);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += CHUNK_BYTES) pieces.push(content.subarray(at, at + CHUNK_BYTES));
  const inserts = pieces.map(
    (piece, n) => tx`
      insert into file_chunks (project_id, file_id, number, content)
      select p.project_id, ${id}, ${file.chunks + n}::int, ${piece as never}::bytea from ${tenantOf(tx, project_id)}`,
  );
  await together(inserts);
  await tx`
    update files set bytes = bytes + ${content.length}, chunks = chunks + ${pieces.length}
    where project_id = ${project_id} and id = ${id}`;
}

/** An upload that somebody still waits for. Locked, so that an erasure ends it before this or after it. */
export async function requireUpload(tx: Tx, { project_id, id }: FileKey, now: string): Promise<FileRow> {
  const file = await lockFile(tx, project_id, id);
  if (!file || Date.parse(file.expires_at) <= Date.parse(now))
    throw new ApiError("upload_ended", {
      details: "A customer was erased while the file was uploaded, or it took too long. Upload it again",
    });
  return file;
}

const storageFull = (bytesMax: number) =>
  new ApiError("file_storage_full", {
    details: `The files of the project may have ${Math.floor(bytesMax / 1_048_576)} MB together`,
  });

/** Refuses to begin a file where the files of the project have all that they may have. */
export async function requireFileStorage(db: Db, projectId: string, bytesMax = FILES_BYTES_MAX): Promise<void> {
  if ((await storedBytes(db, projectId)) >= bytesMax) throw storageFull(bytesMax);
}

/** How much the files of a project have together. */
export async function storedBytes(db: Db, projectId: string): Promise<number> {
  const [row] = await db<{ bytes: number }[]>`
    select coalesce(sum(bytes), 0)::bigint as bytes from files where project_id = ${projectId}`;
  return row!.bytes;
}

/** From now on the file can be downloaded, and nothing is added to it. */
export async function completeFile(db: Db, { project_id, id }: FileKey): Promise<void> {
  await db`update files set is_complete = true where project_id = ${project_id} and id = ${id}`;
}

export async function findFile(db: Db, projectId: string, id: string): Promise<FileRow | undefined> {
  const [row] = await db<FileRow[]>`select * from files where project_id = ${projectId} and id = ${id}`;
  return row;
}

export async function getFile(db: Db, projectId: string, id: string): Promise<FileRow> {
  const row = await findFile(db, projectId, id);
  if (!row) throw notFound("file", id);
  return row;
}

/** A chunk by its number, from 0; null after the last one. */
export async function readChunk(db: Db, { project_id, id }: FileKey, number: number): Promise<Uint8Array | null> {
  const [row] = await db<{ content: Uint8Array }[]>`
    select content from file_chunks where project_id = ${project_id} and file_id = ${id} and number = ${number}`;
  return row?.content ?? null;
}

/** The chunks of a file in their order, one in memory at a time. */
export async function* chunksOf(db: Db, file: FileKey & Pick<FileRow, "chunks">): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < file.chunks; number += 1) {
    const chunk = await readChunk(db, file, number);
    if (!chunk) throw new Error(`the file ${file.id} has lost its chunk ${number}`);
    yield chunk;
  }
}

/** So many chunks, 32 MB at most, are deleted in one statement: those of a large file would take longer than one may. */
export const CHUNKS_AT_ONCE = 128;

/** Takes chunks off the end of a file that somebody has locked, some of them at a time. True: none is left. */
async function cutFile(tx: Tx, { project_id, id, chunks }: FileRow): Promise<boolean> {
  const left = Math.max(0, chunks - CHUNKS_AT_ONCE);
  const gone = await tx<{ bytes: number }[]>`
    delete from file_chunks where project_id = ${project_id} and file_id = ${id} and number >= ${left}
    returning octet_length(content) as bytes`;
  const bytes = gone.reduce((sum, one) => sum + one.bytes, 0);
  await tx`
    update files set bytes = bytes - ${bytes}, chunks = ${left} where project_id = ${project_id} and id = ${id}`;
  return left === 0;
}

/**
 * Empties a file that ended before it was complete, so that it can be written anew. Its row stays: erasing somebody finds it. False:
 * some of it is left, and it has still ended.
 */
export async function renewFile(tx: Tx, file: FileKey, now: string): Promise<boolean> {
  const row = await lockFile(tx, file.project_id, file.id);
  if (!row) throw new Error(`the file ${file.id} is gone`);
  if (!(await cutFile(tx, row))) return false;
  await tx`
    update files set expires_at = ${expiryOf(row.kind, now)} where project_id = ${row.project_id} and id = ${row.id}`;
  return true;
}

/** Nobody needs the file any more, and nobody can download it. What is large is left to `jobs/purge-expired.ts`. */
export async function releaseFile(tx: Tx, file: FileKey): Promise<void> {
  const row = await lockFile(tx, file.project_id, file.id);
  if (!row) return;
  if (row.chunks <= CHUNKS_AT_ONCE) await deleteFile(tx, row);
  else await tx`update files set expires_at = created_at where project_id = ${row.project_id} and id = ${row.id}`;
}

/** Whether it is gone with all of its chunks. */
async function deleteFile(tx: Tx, row: FileRow): Promise<boolean> {
  if (!(await cutFile(tx, row))) return false;
  await tx`delete from files where project_id = ${row.project_id} and id = ${row.id}`;
  return true;
}

/**
 * Removes a part of a file that expired, the file itself with its last part: whether there was one. What an export is still
 * written to is begun anew by it.
 */
export async function removeExpiredFile(tx: Tx, projectId: string, now: string): Promise<boolean> {
  const [found] = await tx<{ id: string }[]>`
    select id from files f where project_id = ${projectId} and expires_at <= ${now} and (is_complete or not exists (
      select 1 from exports e
      where e.project_id = f.project_id and e.id = f.id and e.status in ('SCHEDULED', 'IN_PROGRESS')))
    order by id limit 1`;
  if (!found) return false;
  const row = await lockFile(tx, projectId, found.id);
  if (row && row.expires_at <= now) await deleteFile(tx, row);
  return true;
}

const sealOf = ({ secret }: FileOwner, fileId: string) =>
  createHmac("sha256", secret).update(`file ${fileId}`).digest("base64url");

/** What opens a file without keys, until it expires. It names the project, whose secret makes its seal. */
const tokenOf = (owner: FileOwner, fileId: string): string =>
  `${Buffer.from(owner.id).toString("base64url")}.${sealOf(owner, fileId)}`;

/** Where a file is downloaded. A stored address is relative: how the world calls the server may change. */
export const fileUrl = (owner: FileOwner, { id, kind }: Pick<FileRow, "id" | "kind">): string =>
  `/v1/${kind === "export" ? "exports" : "task-results"}/${id}?token=${tokenOf(owner, id)}`;

/** The complete file that a token opens. Nobody is told why it opens none. */
export async function requireFileOf(
  db: Db,
  { id, token, now, kind }: { id: string; token: string; now: string; kind?: FileKind },
) {
  const [name = "", seal = ""] = token.split(".");
  const projectId = Buffer.from(name, "base64url").toString().replaceAll("\0", "\ufffd");
  const [row] = await db<(FileRow & { secret: string })[]>`
    select f.*, p.secret from files f join projects p on p.id = f.project_id
    where f.project_id = ${projectId} and f.id = ${id} and f.is_complete and p.deleted_at is null
      and (f.kind = 'export') = ${kind === "export"}
      and f.expires_at > ${now}::timestamptz + p.clock_offset_ms * interval '1 millisecond'`;
  const [made, sent] = [Buffer.from(sealOf({ id: projectId, secret: row?.secret ?? "" }, id)), Buffer.from(seal)];
  if (!row || made.length !== sent.length || !timingSafeEqual(made, sent))
    throw new ApiError("unauthorized", { details: "The token does not open a file: it is wrong, or its time is over" });
  const { secret: _, ...file } = row;
  return file satisfies FileRow;
}

/** What the server sends of a file that a token opened. */
export const downloadOf = (file: FileRow) => ({
  name: file.name,
  contentType: file.content_type,
  bytes: file.bytes,
  chunks: file.chunks,
  readChunk: (db: Db, number: number) => readChunk(db, file, number),
});

export const view = ({ project_id: _, is_personal: __, chunks: ___, ...row }: FileRow): TaskResult => ({
  ...row,
  object: "file",
});
