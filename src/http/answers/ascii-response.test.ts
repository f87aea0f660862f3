import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, ServerResponse } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { AsciiResponse } from "./ascii-response.ts";

test("an answer has the bytes that it has in UTF-8, and an ASCII one is written as Latin-1", async (t) => {
  const end = t.mock.method(ServerResponse.prototype, "end");
  const texts = ["", "{}", "a".repeat(100_000), "Grüße", "€", "😀", "\u0000\u007f", "ÿ"];
  const server = createServer({ ServerResponse: AsciiResponse }, (request, response) => {
    const text = texts[Number(request.url!.slice(1))]!;
    response.writeHead(200, { "content-length": Buffer.byteLength(text) });
    response.end(text, () => {});
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (const [n, text] of texts.entries()) {
    const reply = await fetch(`http://127.0.0.1:${port}/${n}`);
    assert.deepEqual(Buffer.from(await reply.arrayBuffer()), Buffer.from(text), JSON.stringify(text.slice(0, 10)));
  }
  const isAscii = texts.map((text) => Buffer.byteLength(text) === text.length);
  assert.deepEqual(
    end.mock.calls.map((call) => (call.arguments as unknown[])[1] === "latin1"),
    isAscii,
  );
});

test("a long answer leaves with its head in one write, each in a piece of its own", async (t) => {
  type Piece = { chunk: string };
  const writev = t.mock.method(Socket.prototype as unknown as { _writev(pieces: Piece[]): void }, "_writev");
  const write = t.mock.method(Socket.prototype as unknown as { _write(chunk: string): void }, "_write");
  const text = "a".repeat(30_000);
  const server = createServer({ ServerResponse: AsciiResponse }, (_, response) => {
    response.writeHead(200, { "content-length": text.length });
    response.end(text);
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
  assert.equal(await reply.text(), text);
  const pieces = writev.mock.calls.map(({ arguments: [given] }) => given.map(({ chunk }) => chunk));
  assert.deepEqual(
    pieces.map((all) => [all[0]!.startsWith("HTTP/1.1 200 OK"), all[1]]),
    [[true, text]],
  );
  assert.ok(!write.mock.calls.some(({ arguments: [chunk] }) => `${chunk}`.startsWith("HTTP/1.1 200")));
});
