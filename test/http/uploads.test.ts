import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import { ALL_ROUTES } from "../../src/routes.ts";
import { FORM, form, testDatabase } from "../support/engine.ts";
import { assertRefused, exchange, http, portOf, until } from "../support/http.ts";
import { lockWaits } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { formWithFile, UPLOAD, uploadTo } from "../support/uploads.ts";

const { db } = await testDatabase();
const LINE = "POST /v1/products/importCSV";
const FILE = "name,source_id\nMug,mug\n";
const filesOf = (projectId: string) => db`select id, is_complete, bytes from files where project_id = ${projectId}`;

test("an upload is stored before the answer is sent, in chunks, as it was sent", async () => {
  const it = await testShop(db);
  const large = `name,source_id\n${Array.from({ length: 40_000 }, (_, n) => `Product ${n},p${n}`).join("\n")}`;
  const reply = await uploadTo(it, LINE, large);
  assert.equal(reply.status, 200, reply.text);
  const [file] = await filesOf(it.project.id);
  assert.deepEqual([file!.is_complete, file!.bytes], [true, Buffer.byteLength(large)]);
  const chunks = await db`select content from file_chunks where file_id = ${file!.id} order by number`;
  assert.ok(chunks.length > 3);
  assert.equal(Buffer.concat(chunks.map(({ content }) => content)).toString(), large);
});

test("what is no form with a file is refused, and nothing of it stays", async () => {
  const it = await testShop(db);
  const missing = "Payload should have required property 'file'";
  assertRefused(await it.call(LINE), "invalid_payload", missing);
  assertRefused(await uploadTo(it, LINE, FILE, { name: "other" }), "invalid_payload", missing);
  assertRefused(await it.call(LINE, { file: FILE }), "unsupported_media_type", /multipart\/form-data/);
  assertRefused(await it.call(LINE, FILE, { "content-type": "text/csv" }), "unsupported_media_type");
  const broken = [
    ["name,source_id", { "content-type": "multipart/form-data" }],
    ["no boundary in here", UPLOAD],
    [formWithFile(FILE).payload.subarray(0, 130).toString(), UPLOAD],
  ] as const;
  for (const [body, headers] of broken) assertRefused(await it.call(LINE, body, headers), "invalid_payload");
  assert.equal((await filesOf(it.project.id)).length, 0);
});

test("only operations that ask for a file take a form", async () => {
  const { call } = await testShop(db);
  assertRefused(
    await call("POST /v1/products", formWithFile(FILE).payload.toString(), UPLOAD),
    "unsupported_media_type",
  );
});

test("a file that is larger than it may be is a 413, said before it is read where its length is known", async () => {
  const it = await testShop(db, {}, { importLimitBytes: 100_000 });
  const large = `name\n${"x".repeat(100_000)}`;
  assertRefused(await uploadTo(it, LINE, large), "payload_too_large", /100000 bytes/);
  const headers = { ...UPLOAD, "content-length": "300000" };
  const port = await portOf(it.app);
  const reply = await exchange(port, http(LINE, { ...it.project.headers, ...headers }, "x"));
  assertRefused(reply, "payload_too_large");
  assert.equal((await filesOf(it.project.id)).length, 0);
});

test("who has no keys, or a token for something else, uploads nothing", async () => {
  const it = await testShop(db);
  const none = { "x-app-id": "", "x-app-token": "" };
  const token = await it.call(
    "POST /v1/oauth/token",
    form({ grant_type: "client_credentials", scope: "orders" }),
    FORM,
  );
  const authorization = `Bearer ${token.body.access_token}`;
  for (const route of ALL_ROUTES.filter(({ upload }) => upload)) {
    const line = `POST ${route.path.replace("{campaignId}", "camp_none")}`;
    assertRefused(await uploadTo(it, line, FILE, { headers: none }), "unauthorized");
    assertRefused(
      await uploadTo(it, line, FILE, { headers: { ...none, authorization } }),
      "missing_required_permission",
    );
  }
  assert.equal((await filesOf(it.project.id)).length, 0);
});

test("the same upload with the same key is one import, another file with it is refused", async () => {
  const it = await testShop(db);
  const headers = { "idempotency-key": "k1" };
  const first = await uploadTo(it, LINE, FILE, { headers });
  const again = await uploadTo(it, LINE, FILE, { headers });
  assert.deepEqual([again.body, again.headers["idempotent-replayed"]], [first.body, "true"]);
  assertRefused(await uploadTo(it, LINE, `${FILE}Cup,cup\n`, { headers }), "idempotency_key_reused");
  assert.equal((await filesOf(it.project.id)).length, 1);
  assert.equal((await it.ok("GET /v1/async-actions")).async_actions.length, 1);
});

test("a client that disconnects in the middle leaves nothing behind, and imports nothing", async () => {
  const it = await testShop(db, {}, { own: true });
  const port = await portOf(it.app);
  const { payload, type } = formWithFile(`name\n${"Mug\n".repeat(1_000_000)}`);
  const head = http(LINE, { ...it.project.headers, "content-type": type, "content-length": `${payload.length}` });
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(head);
  socket.write(payload.subarray(0, 2_500_000));
  await until(async () => (await filesOf(it.project.id)).some(({ bytes }) => bytes > 0), "some of it is stored");
  socket.destroy();
  await until(async () => (await filesOf(it.project.id)).length === 0, "it is gone again");
  assert.equal((await it.ok("GET /v1/async-actions")).async_actions.length, 0);
});

test("an upload may take longer than a request, as long as something comes; one that falls silent is ended", async () => {
  const it = await testShop(db, {}, { own: true, requestTimeoutMs: 400 });
  const port = await portOf(it.app);
  const { payload, type } = formWithFile(FILE);
  const headers = { ...it.project.headers, "content-type": type, "content-length": `${payload.length}` };
  const send = async (pieces: readonly Buffer[]) => {
    const socket = net.connect(port, "127.0.0.1");
    const ended = Promise.withResolvers<string>();
    let text = "";
    socket.on("data", (piece) => {
      text += piece;
      if (text.includes("\r\n\r\n")) ended.resolve(text);
    });
    socket.on("error", () => {});
    socket.on("close", () => ended.resolve(text));
    socket.write(http(LINE, headers));
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    const answer = await ended.promise;
    socket.destroy();
    return answer;
  };
  const at = [0, 60, 100, 140, 160, 165, 170, payload.length];
  const slow = await send(at.slice(1).map((to, n) => payload.subarray(at[n], to)));
  assert.match(slow, /^HTTP\/1\.1 200 /, "it came in more than twice the time of a request");
  const silent = await send([payload.subarray(0, 160)]);
  assert.doesNotMatch(silent, /^HTTP\/1\.1 2/);
  await until(
    async () => (await filesOf(it.project.id)).every(({ is_complete }) => is_complete),
    "nothing of it stays",
  );
});

test("an upload that waits for the database and not for the client is not ended", async () => {
  const idleMs = 800;
  const it = await testShop(db, {}, { own: true, requestTimeoutMs: idleMs });
  const port = await portOf(it.app);
  const { payload, type } = formWithFile(FILE);
  const headers = { ...it.project.headers, "content-type": type, "content-length": `${payload.length}` };
  const [locked, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The file is begun, and waits for its first and last piece.
  const holding = db.begin(async (tx) => {
    await tx`lock table file_chunks in exclusive mode`;
    locked.resolve();
    await end.promise;
  });
  await locked.promise;
  const answer = exchange(port, `${http(LINE, { ...headers, connection: "close" })}${payload}`);
  await until(async () => (await lockWaits(db)) > 0, "the upload waits");
  // There is nothing to ask for: nothing may happen in this time.
  await new Promise((resolve) => setTimeout(resolve, 3 * idleMs));
  end.resolve();
  await holding;
  assert.equal((await answer).status, 200);
});
