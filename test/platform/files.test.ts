import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { transaction } from "../../src/db/batches/commit.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import {
  appendBytes,
  CHUNK_BYTES,
  CHUNKS_AT_ONCE,
  chunksOf,
  completeFile,
  createFile,
  type FileKind,
  fileUrl,
  findFile,
  getFile,
  releaseFile,
  removeExpiredFile,
  requireFileStorage,
  storedBytes,
} from "../../src/resources/platform/files/store.ts";
import { NOW, newId, type TestProject, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const NO_KEYS = { "x-app-id": "", "x-app-token": "" };
const write = <T>(run: Parameters<typeof transaction<T>>[1]) => transaction(db, run);

type FileShape = {
  kind?: FileKind;
  pieces?: readonly Uint8Array[];
  isComplete?: boolean;
  isPersonal?: boolean;
};

/** A file of these pieces, each added in a transaction of its own. */
async function makeFile(project: TestProject, given: FileShape = {}) {
  const { kind = "report", pieces = [Buffer.from("id\n1\n")], isComplete = true, isPersonal = true } = given;
  const row = { project_id: project.id, id: newId("file"), kind, name: "bulk é.csv", content_type: "text/csv" };
  const file = await createFile(db, { ...row, is_personal: isPersonal, now: NOW });
  for (const piece of pieces) await write((tx) => appendBytes(tx, file, piece));
  if (isComplete) await write((tx) => completeFile(tx, file));
  const [{ secret }] = await db<[{ secret: string }]>`select secret from projects where id = ${project.id}`;
  return { file, url: fileUrl({ id: project.id, secret }, file) };
}

test("a file is told about with keys, and sent without any to whoever has its token", async () => {
  const { call, project } = await testShop(db);
  const { file, url } = await makeFile(project);
  const told = await call(`GET /v1/task-results/${file.id}`);
  assert.deepEqual(told.body, {
    id: file.id,
    kind: "report",
    name: "bulk é.csv",
    content_type: "text/csv",
    bytes: 5,
    is_complete: true,
    created_at: NOW,
    expires_at: "2026-01-31T12:00:00.000Z",
    object: "file",
  });
  for (const headers of [NO_KEYS, {}, { ...NO_KEYS, accept: "text/csv" }]) {
    const sent = await call(`GET ${url}`, undefined, headers);
    assert.deepEqual([sent.status, sent.text], [200, "id\n1\n"]);
    assert.equal(sent.headers["content-type"], "text/csv");
    assert.equal(sent.headers["content-length"], "5");
    assert.equal(
      sent.headers["content-disposition"],
      `attachment; filename="bulk _.csv"; filename*=UTF-8''bulk%20%C3%A9.csv`,
    );
    assert.equal(sent.headers["cache-control"], "no-store");
  }
});

test("a token opens one file of one project, once it is complete and until it expires", async () => {
  const [mine, other] = [await testShop(db), await testShop(db)];
  const { file, url } = await makeFile(mine.project);
  const second = await makeFile(mine.project);
  const theirs = await makeFile(other.project);
  const open = await makeFile(mine.project, { isComplete: false });
  const token = (from: string) => from.split("=")[1]!;
  const path = `GET /v1/task-results/${file.id}?token=`;
  const wrong = [
    `${path}${token(url).slice(0, -1)}`,
    `${path}x`,
    path,
    `${path}.`,
    `${path}${"%2e".repeat(3)}`,
    `${path}${Buffer.from("a\0b").toString("base64url")}.x`,
    `${path}${token(second.url)}`,
    `${path}${token(theirs.url)}`,
    `${path}${Buffer.from(other.project.id).toString("base64url")}.${token(url).split(".")[1]}`,
    `GET /v1/task-results/file_none?token=${token(url)}`,
    `GET ${open.url}`,
  ];
  // The keys of the project change nothing: a token that is sent decides.
  for (const headers of [{}, NO_KEYS])
    for (const line of wrong) assertRefused(await mine.call(line, undefined, headers), "unauthorized");
  assertRefused(await mine.call(`${path}${"x".repeat(501)}`), "invalid_query_params");
  assertRefused(await mine.call(`GET /v1/task-results/${file.id}?token[a]=b`), "invalid_query_params");
  assertRefused(await mine.call(`GET /v1/task-results/a%00b?token=x`), "invalid_payload");
  assertRefused(await mine.call(`GET /v1/task-results/${file.id}`, undefined, NO_KEYS), "unauthorized");
  assertRefused(await other.call(`GET /v1/task-results/${file.id}`), "not_found");
  assert.equal((await mine.call(`GET ${url}`)).status, 200);
  await db`update projects set clock_offset_ms = ${30 * 86_400_000} where id = ${mine.project.id}`;
  assertRefused(await mine.call(`GET ${url}`), "unauthorized");
  await db`update projects set clock_offset_ms = 0, deleted_at = ${NOW} where id = ${other.project.id}`;
  assertRefused(await mine.call(`GET ${theirs.url}`), "unauthorized");
});

test("whatever pieces a file is made of, it is read as they were, in chunks of at most 256 kB", async () => {
  const { project, call } = await testShop(db);
  const sizes = fc.array(
    fc.oneof(fc.nat(50), fc.constantFrom(CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 700_000)),
    {
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const pieces = lengths.map((length, n) => Buffer.alloc(length, `${n}abc`));
      const { file, url } = await makeFile(project, { pieces });
      const whole = Buffer.concat(pieces);
      const row = await getFile(db, project.id, file.id);
      assert.equal(row.bytes, whole.length);
      const read: Uint8Array[] = [];
      for await (const chunk of chunksOf(db, row)) read.push(chunk);
      assert.ok(read.every(({ length }) => length > 0 && length <= CHUNK_BYTES));
      assert.deepEqual(Buffer.concat(read), whole);
      assert.equal((await call(`GET ${url}`)).text, whole.toString());
    }),
    { numRuns: 12 },
  );
});

test("a file is read as the client takes it: one that takes nothing is not read ahead for", async () => {
  let reads = 0;
  const onQuery = (text: string) => {
    if (text.includes("from file_chunks")) reads += 1;
  };
  const counting = open({ onQuery });
  const { project, app, call } = await testShop(counting, {}, { own: true });
  const piece = Buffer.alloc(16 * CHUNK_BYTES, "0123456789abcde\n");
  const { file, url } = await makeFile(project, { pieces: Array(16).fill(piece) });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const reply = await fetch(`${address}${url}`);
  // Enough turns of the server for reading all of it, if it did not wait. Sockets hold some megabytes.
  for (let n = 0; n < 300; n += 1) await call(`GET /v1/task-results/${file.id}`);
  assert.ok(reads > 0 && reads < 128, `${reads} of 256 chunks`);
  const [taken, sent] = [createHash("sha256"), createHash("sha256")];
  for await (const chunk of reply.body!) taken.update(chunk);
  for (let n = 0; n < 16; n += 1) sent.update(piece);
  assert.equal(taken.digest("hex"), sent.digest("hex"));
  assert.equal(reads, 256);
});

test("nothing is added to a file that is complete or gone, and a failed transaction adds nothing", async () => {
  const { project } = await testShop(db);
  const { file } = await makeFile(project, { isComplete: false });
  const failing = write(async (tx) => {
    await appendBytes(tx, file, Buffer.from("more"));
    throw new Error("after it");
  });
  await assert.rejects(failing, /after it/);
  assert.equal((await getFile(db, project.id, file.id)).bytes, 5);
  await write((tx) => completeFile(tx, file));
  await assert.rejects(
    write((tx) => appendBytes(tx, file, Buffer.from("more"))),
    /is not open/,
  );
  await write((tx) => releaseFile(tx, file));
  assert.equal(await findFile(db, project.id, file.id), undefined);
  await assert.rejects(
    write((tx) => appendBytes(tx, file, Buffer.from("more"))),
    /is not open/,
  );
});

test("two who add to a file at once both add all of their bytes", async () => {
  const { project } = await testShop(db);
  const { file } = await makeFile(project, { pieces: [] });
  await db`update files set is_complete = false where project_id = ${project.id} and id = ${file.id}`;
  const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(1000));
  await Promise.all(texts.map((text) => write((tx) => appendBytes(tx, file, Buffer.from(text)))));
  const read: Uint8Array[] = [];
  for await (const chunk of chunksOf(db, await getFile(db, project.id, file.id))) read.push(chunk);
  assert.deepEqual(read.map(String).sort(), texts);
});

test("the files of a project have a limit together, and other projects one of their own", async () => {
  const { project } = await testShop(db);
  const { file } = await makeFile(project, { pieces: [Buffer.alloc(600)], isComplete: false });
  const other = await testShop(db);
  const theirs = await makeFile(other.project, { pieces: [], isComplete: false });
  assert.equal(await storedBytes(db, project.id), 600);
  await requireFileStorage(db, project.id, 601);
  await assert.rejects(requireFileStorage(db, project.id, 600), /may have .* together/);
  const add = (to: typeof file, bytes: number) => write((tx) => appendBytes(tx, to, Buffer.alloc(bytes), 1000));
  await add(file, 400);
  await assert.rejects(add(file, 1), /may have .* together/);
  await add(theirs.file, 1000);
  await write((tx) => releaseFile(tx, file));
  assert.equal(await storedBytes(db, project.id), 0);
});

test("uploads go after 7 days, reports after 30 and exports after 90, and all of a deleted project", async () => {
  const { project } = await testShop(db);
  const kinds = ["upload", "report", "export"] as const;
  for (const kind of kinds) await makeFile(project, { kind });
  const left = async () => {
    const rows = await db<{ kind: string; chunks: number }[]>`
      select kind, (select count(*) from file_chunks c where c.project_id = f.project_id and c.file_id = f.id) as chunks
      from files f where project_id = ${project.id} order by expires_at`;
    return rows.map(({ kind, chunks }) => `${kind} ${chunks}`);
  };
  const at = (day: number) =>
    purgeExpired.run({
      db,
      now: () => new Date(Date.parse(NOW) + day * 86_400_000).toISOString(),
      newId,
      random: Buffer.alloc,
    });
  await at(6.9);
  assert.deepEqual(await left(), ["upload 1", "report 1", "export 1"]);
  await at(7);
  assert.deepEqual(await left(), ["report 1", "export 1"]);
  await at(30);
  await at(30);
  assert.deepEqual(await left(), ["export 1"]);
  await db`update projects set deleted_at = ${NOW} where id = ${project.id}`;
  await at(31);
  assert.deepEqual(await left(), []);
});

test("a large file goes in parts, none of which takes long, and nobody can download what is left of it", async () => {
  const { project, call } = await testShop(db);
  const { file, url } = await makeFile(project, { kind: "report", pieces: [Buffer.from("a")] });
  const count = 3 * CHUNKS_AT_ONCE;
  await db`
    insert into file_chunks (project_id, file_id, number, content)
    select ${project.id}, ${file.id}, n, 'bc'::bytea from generate_series(1, ${count}::int) as n`;
  await db`update files set bytes = ${1 + 2 * count}, chunks = ${1 + count} where id = ${file.id}`;
  await write((tx) => releaseFile(tx, file));
  assertRefused(await call(`GET ${url}`), "unauthorized");
  const find = INVARIANTS["a file is as long as its chunks, and has all of them"]!;
  const left: number[] = [];
  do {
    left.push((await findFile(db, project.id, file.id))?.chunks ?? 0);
    assert.equal((await find(db))[0]!.count, 0);
  } while (await write((tx) => removeExpiredFile(tx, project.id, NOW)));
  assert.deepEqual(left, [...[3, 2, 1, 0].map((n) => 1 + n * CHUNKS_AT_ONCE), 0]);
  assert.equal(await findFile(db, project.id, file.id), undefined);
  assert.equal(await storedBytes(db, project.id), 0);
});

test("erasing a customer ends the files that may tell of customers, and the others stay", async () => {
  const { project, call, ok } = await testShop(db);
  const [personal, plain] = [await makeFile(project), await makeFile(project, { isPersonal: false })];
  await ok("POST /v1/customers", { source_id: "ann" });
  await ok("POST /v1/customers/ann/permanent-deletion");
  assertRefused(await call(`GET ${personal.url}`), "unauthorized");
  assert.equal((await call(`GET ${plain.url}`)).status, 200);
  await purgeExpired.run({ db, now: () => NOW, newId, random: Buffer.alloc });
  assertRefused(await call(`GET /v1/task-results/${personal.file.id}`), "not_found");
  assert.equal((await call(`GET /v1/task-results/${plain.file.id}`)).body.bytes, 5);
});
