import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { refuseBeyond } from "./requests-in-flight.ts";

const JSON_BODY = { "Content-Type": "application/json" };

/** A server that answers when it is told to, with so many places, and whose loop is as busy as it is told. */
async function held(max: number) {
  const loop = { at: 0, part: 0 };
  const waiting: ServerResponse[] = [];
  let refused = 0;
  let ids = 0;
  const server = createServer((_, response) => waiting.push(response));
  refuseBeyond(server, {
    max,
    newRequestId: () => {
      ids += 1;
      return `r-${ids}`;
    },
    count: () => {
      refused += 1;
    },
    loop: { now: () => loop.at, worked: () => loop.part },
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/redemptions`;
  const send = (headers: Record<string, string>, method = "POST", signal: AbortSignal | null = null) =>
    fetch(url, { method, headers, signal, ...(method === "POST" && { body: "{}" }) });
  const ask = (caller: string, signal?: AbortSignal) => send({ ...JSON_BODY, "X-App-Id": caller }, "POST", signal);
  /** Holds when so many wait. */
  const until = async (count: number) => {
    while (waiting.length !== count) await new Promise((resolve) => setImmediate(resolve));
  };
  const answer = () => {
    for (const response of waiting.splice(0)) response.end("{}");
  };
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { send, ask, until, answer, close, loop, refusals: () => refused };
}

test("more than it can work on is refused before it is read, and whoever asks little is not", async () => {
  const { ask, until, answer, close, refusals } = await held(16);
  const first = Array.from({ length: 16 }, () => ask("busy"));
  await until(16);
  const reply = await ask("busy");
  assert.equal(reply.status, 503);
  assert.equal(reply.headers.get("retry-after"), "1");
  assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
  const { key, request_id, details } = (await reply.json()) as Record<string, string>;
  assert.deepEqual([key, request_id], ["overloaded", reply.headers.get("x-request-id")]);
  assert.match(details!, /more requests than it can work on/);
  const calm = [ask("calm"), ask("calm")];
  await until(18);
  assert.equal((await ask("calm")).status, 503, "an eighth of the places is what each has beyond the limit");
  assert.equal(refusals(), 2);
  answer();
  for (const one of await Promise.all([...first, ...calm])) assert.equal(one.status, 200);
  const again = ask("busy");
  await until(1);
  answer();
  assert.equal((await again).status, 200, "its places are free again");
  close();
});

test("beyond twice the limit nobody is let in, however many names they have", async () => {
  const { ask, until, answer, close } = await held(8);
  const all = Array.from({ length: 16 }, (_, n) => ask(`caller ${n}`));
  await until(16);
  assert.equal((await ask("one more")).status, 503);
  answer();
  await Promise.all(all);
  close();
});

test("a place is free when its client has gone, and what is read or uploaded takes none", async () => {
  const { ask, send, until, answer, close } = await held(1);
  const gone = new AbortController();
  const first = ask("a", gone.signal);
  await until(1);
  const others = [send({}, "GET"), send({ "Content-Type": "multipart/form-data; boundary=x" })];
  await until(3);
  gone.abort();
  await assert.rejects(first);
  // Refused until the server has seen that the client is gone: there is no other sign of it.
  let next = ask("a");
  const isRefused = () => Promise.race([next.then(({ status }) => status === 503), until(4).then(() => false)]);
  while (await isRefused()) next = ask("a");
  answer();
  for (const one of await Promise.all([...others, next])) assert.equal(one.status, 200);
  close();
});

test("a burst has all places; of a queue that stands while the loop is busy a quarter", async () => {
  const { ask, until, answer, close, loop } = await held(16);
  const statusOf = async (caller = "busy") => {
    const { status } = await ask(caller);
    return status;
  };
  const waiting = Array.from({ length: 8 }, () => ask("busy"));
  await until(8);
  const more = async () => {
    waiting.push(ask("busy"));
    await until(waiting.length);
  };
  loop.part = 1;
  loop.at = 900;
  await more();
  loop.at = 1_100;
  assert.equal(await statusOf(), 503, "more than four have waited for a second");
  waiting.push(ask("calm"));
  await until(10);
  loop.at = 1_150;
  loop.part = 0.5;
  assert.equal(await statusOf(), 503, "it is looked at ten times a second");
  loop.at = 1_250;
  await more();
  loop.at = 60_000;
  await more();
  // One heavy request while the others wait for the database.
  loop.part = 1;
  loop.at = 60_150;
  await more();
  answer();
  for (const { status } of await Promise.all(waiting.splice(0))) assert.equal(status, 200);
  // Fewer waited meanwhile: the second begins again.
  loop.at = 60_200;
  for (let n = 0; n < 6; n += 1) await more();
  loop.at = 61_150;
  await more();
  answer();
  await Promise.all(waiting);
  close();
});
