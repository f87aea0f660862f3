import { createHash } from "node:crypto";
import type { Upload } from "../../core/bulk/upload.ts";
import { transaction } from "../../db/batches/commit.ts";
import type { Pool } from "../../db/db.ts";
import type { NewId } from "../../request.ts";
import {
  appendBytes,
  CHUNK_BYTES,
  createFile,
  releaseFile,
  requireUpload,
} from "../../resources/platform/files/store.ts";

/** What is kept in memory of an upload: so much is written at once. */
const PIECE_BYTES = 4 * CHUNK_BYTES;

export type UploadTarget = {
  /** A connection for as long as a piece is written: who uploads slowly keeps none. */
  share<T>(run: (db: Pool) => Promise<T>): Promise<T>;
  projectId: string;
  newId: NewId;
  /** The time of the project. */
  now(): string;
  isPersonal: boolean;
  /** What the files of the project may have together. */
  filesBytesMax: number | undefined;
};

/** Stores a file as it comes in. What was stored of one that breaks off goes at once, or when it expires. */
export async function storeUpload(
  { share, projectId: project_id, newId, now, isPersonal, filesBytesMax }: UploadTarget,
  content: AsyncIterable<Uint8Array>,
): Promise<Omit<Upload, "fields">> {
  const [id, hash] = [newId("file"), createHash("sha256")];
  const kinds = { kind: "upload", name: "upload.csv", content_type: "text/csv" } as const;
  await share((db) => createFile(db, { project_id, id, ...kinds, is_personal: isPersonal, now: now() }));
  const append = (piece: Uint8Array) =>
    share((db) =>
      transaction(db, async (tx) =>
        appendBytes(tx, await requireUpload(tx, { project_id, id }, now()), piece, filesBytesMax),
      ),
    );
  let [held, size, bytes]: [Uint8Array[], number, number] = [[], 0, 0];
  try {
    for await (const part of content) {
      hash.update(part);
      held.push(part);
      size += part.length;
      if (size < PIECE_BYTES) continue;
      const all = Buffer.concat(held);
      // Whole chunks: then the place of a byte tells which chunk it is in.
      const whole = all.length - (all.length % CHUNK_BYTES);
      await append(all.subarray(0, whole));
      bytes += whole;
      [held, size] = [[all.subarray(whole)], all.length - whole];
    }
    await append(Buffer.concat(held));
    return { file_id: id, bytes: bytes + size, sha256: hash.digest("hex") };
  } catch (error) {
    await share((db) => dropUpload(db, project_id, id)).catch(() => {});
    throw error;
  }
}

/** Removes an upload that nobody took. */
export const dropUpload = (db: Pool, project_id: string, id: string): Promise<void> =>
  transaction(db, (tx) => releaseFile(tx, { project_id, id }));
