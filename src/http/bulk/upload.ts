import type { FastifyRequest } from "fastify";
import type { Answer } from "../../core/answer.ts";
import type { Upload } from "../../core/bulk/upload.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { projectTime } from "../../core/time/project-time.ts";
import { apiErrorOf } from "../../db/db.ts";
import { dropUpload, storeUpload } from "../../steps/bulk/upload.ts";
import { isEmptyBody } from "../body.ts";
import type { Engine } from "../engine.ts";
import type { Route } from "../route.ts";

const FIELDS_MAX = 10;
const FIELD_BYTES_MAX = 1_000;
/** What the parser of forms says of one that is broken. It has no code for that. */
const BROKEN_FORM = /multipart|boundary|terminated early|malformed|header/i;
/** What the form itself has around its file. */
const FORM_BYTES_MAX = 65_536;

/** 400 or 415 when there is no form, 413 when its file must be too large: said before anything is read. */
export function requireForm({ headers }: FastifyRequest, bytesMax: number): void {
  const { "content-type": type = "", "content-length": length = "0" } = headers;
  if (isEmptyBody(headers)) throw noFile();
  if (!type.toLowerCase().startsWith("multipart/form-data"))
    throw new ApiError("unsupported_media_type", {
      details: "Send the file as multipart/form-data, in the part 'file'",
    });
  if (Number(length) > bytesMax + FORM_BYTES_MAX) throw tooLarge(bytesMax);
}

const noFile = () => invalid("Payload should have required property 'file'");
const tooLarge = (bytesMax: number) =>
  new ApiError("payload_too_large", { details: `The file must not have more than ${bytesMax} bytes` });

/** Stores the file of a form. The operation gets where it is, and what else stood in the form. */
async function takeUpload(engine: Engine, route: Route, request: FastifyRequest): Promise<Upload> {
  const { project } = request.authenticated;
  const bytesMax = engine.importLimitBytes;
  const fields: Record<string, string> = {};
  let stored: Omit<Upload, "fields"> | undefined;
  const alive = watchIdle(request, engine.requestTimeoutMs);
  const target = {
    share: <T>(run: Parameters<typeof engine.share<T>>[1]) => engine.share(project.id, run),
    projectId: project.id,
    newId: engine.newId,
    now: () => projectTime(engine.now(), project),
    isPersonal: route.upload!.isPersonal,
    filesBytesMax: engine.filesBytesMax,
  };
  try {
    const limits = { fileSize: bytesMax, fields: FIELDS_MAX, fieldSize: FIELD_BYTES_MAX, files: 1 };
    for await (const part of request.parts({ limits })) {
      if (part.type === "field") fields[part.fieldname] = String(part.value);
      else if (part.fieldname === "file") {
        stored = await storeUpload(target, alive(part.file));
        alive.goOn();
      } else part.file.resume();
      if (part.type === "file" && part.file.truncated) throw tooLarge(bytesMax);
    }
    if (!stored) throw noFile();
  } catch (error) {
    if (stored) await leaveUpload(engine, project.id, stored);
    throw uploadError(error, bytesMax);
  } finally {
    alive.end();
  }
  // The same file is the same body, however its form was written.
  request.rawBody = JSON.stringify([stored.sha256, fields]);
  return { ...stored, fields };
}

/** Stores the file of a form, and runs the operation with it. A file that it does not take is removed. */
export async function withUpload(
  engine: Engine,
  route: Route,
  request: FastifyRequest,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const upload = await takeUpload(engine, route, request);
  request.body = upload;
  const { id } = request.authenticated.project;
  try {
    const answer = await run();
    // Answered from the first request with the same key, which has a file of its own.
    if (answer.replayed || (answer.status >= 400 && answer.status < 500)) await leaveUpload(engine, id, upload);
    return answer;
  } catch (error) {
    // What became of the others is not known, and one may be at work with the file.
    if ((apiErrorOf(error)?.body.code ?? 500) < 500) await leaveUpload(engine, id, upload);
    throw error;
  }
}

/** Removes what was stored of an upload that nobody takes. If that fails it goes when it expires. */
const leaveUpload = (engine: Engine, projectId: string, { file_id }: Pick<Upload, "file_id">): Promise<void> =>
  engine.share(projectId, (db) => dropUpload(db, projectId, file_id)).catch(() => {});

function uploadError(error: unknown, bytesMax: number): unknown {
  const { code = "", statusCode } = error as { code?: string; statusCode?: number };
  if (error instanceof ApiError) return error;
  if (statusCode === 413 && code === "FST_REQ_FILE_TOO_LARGE") return tooLarge(bytesMax);
  const { message = "" } = error as Error;
  const isForm = code.startsWith("FST_") || (code === "" && BROKEN_FORM.test(message));
  return isForm ? invalid("The form is not valid multipart/form-data, or broke off") : error;
}

/**
 * Ends a connection on which nothing comes any more while we wait for it. Whoever sends on may take as long as the upload
 * takes.
 */
function watchIdle({ raw }: FastifyRequest, idleMs: number) {
  let [isWaiting, before] = [true, raw.socket.bytesRead];
  const look = () => {
    const { bytesRead } = raw.socket;
    if (isWaiting && bytesRead === before) raw.destroy(new Error("nothing was sent for too long"));
    before = bytesRead;
  };
  const timer = setInterval(look, idleMs).unref();
  const pieces = async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    isWaiting = true;
    for await (const piece of content) {
      isWaiting = false;
      yield piece;
      isWaiting = true;
    }
    isWaiting = false;
  };
  // While the file is begun, and while its last piece is written, the client waits for us.
  const watch = (content: AsyncIterable<Uint8Array>) => {
    isWaiting = false;
    return pieces(content);
  };
  const goOn = () => {
    [isWaiting, before] = [true, -1];
  };
  return Object.assign(watch, { goOn, end: () => clearInterval(timer) });
}
