import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { allShown } from "../support/events.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

/** A server on a port, whose streams last until the test ends them. */
async function start() {
  const shop = await testShop(db, {}, { streamMs: 120_000, own: true });
  const url = await shop.app.listen({ port: 0, host: "127.0.0.1" });
  const { "x-app-id": id, "x-app-token": token } = shop.project.headers as Record<string, string>;
  const headers = { "x-app-id": id!, "x-app-token": token! };
  /** Connects, and reads events until so many have come. */
  const connect = async (query = "", more: Record<string, string> = {}) => {
    const abort = new AbortController();
    const reply = await fetch(`${url}/v1/events/stream${query}`, {
      headers: { ...headers, ...more },
      signal: abort.signal,
    });
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const events = async (count: number) => {
      const found: { id: string; event: string; data: any }[] = [];
      while (found.length < count) {
        const end = text.indexOf("\n\n");
        if (end < 0) {
          const { value, done } = await reader.read();
          assert.ok(!done, "the stream ended");
          text += value;
          continue;
        }
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split("\n")
            .map((line) => line.split(/: (.*)/s)),
        );
        text = text.slice(end + 2);
        if (fields.data) found.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
      }
      return found;
    };
    /** All that comes until the end. */
    const rest = async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return text;
        text += value;
      }
    };
    return { status: reply.status, type: reply.headers.get("content-type"), events, rest, end: () => abort.abort() };
  };
  return { ...shop, url, headers, connect };
}

test("a stream tells what happens from now on, and goes on behind the last event when it is cut off", async () => {
  const { ok, connect, project } = await start();
  await ok("POST /v1/customers", { source_id: "before" });
  await allShown(db, project.id);
  const first = await connect();
  assert.deepEqual([first.status, first.type], [200, "text/event-stream"]);
  const ada = await ok("POST /v1/customers", { source_id: "ada" });
  const [created] = await first.events(1);
  assert.equal(created!.event, "customer.created");
  assert.equal(created!.data.customer_id, ada.id);
  first.end();
  const missed = [];
  for (const source_id of ["bob", "eve"]) missed.push(await ok("POST /v1/customers", { source_id }));
  const second = await connect("", { "last-event-id": created!.id });
  const told = await second.events(2);
  assert.deepEqual(
    told.map(({ data }) => data.customer_id),
    missed.map(({ id }) => id),
  );
  second.end();
  // The id of an event is its cursor, also for the list.
  const { events } = await ok(`GET /v1/events?cursor=${told[0]!.id}`);
  assert.deepEqual(
    events.map(({ customer_id }: any) => customer_id),
    [missed[1].id],
  );
});

test("a stream from a cursor, of one type", async () => {
  const { ok, connect } = await start();
  const { cursor } = await ok("GET /v1/events");
  const ada = await ok("POST /v1/customers", { source_id: "ada" });
  await ok(`PUT /v1/customers/${ada.id}`, { name: "Ada" });
  const { events, end } = await connect(`?cursor=${cursor}&type=customer.updated`);
  assert.deepEqual(
    (await events(1)).map(({ event }) => event),
    ["customer.updated"],
  );
  end();
});

test("a stream says where it is before anything happens: who was cut off by then misses nothing", async () => {
  const { ok, url, headers } = await start();
  const abort = new AbortController();
  // As browsers ask.
  const accept = { accept: "text/event-stream" };
  const first = await fetch(`${url}/v1/events/stream`, { headers: { ...headers, ...accept }, signal: abort.signal });
  assert.equal(first.status, 200);
  const { value } = await first.body!.pipeThrough(new TextDecoderStream()).getReader().read();
  const [, id] = /^id: (.+)$/m.exec(value!) ?? [];
  abort.abort();
  const missed = await ok("POST /v1/customers", { source_id: "missed" });
  const again = await fetch(`${url}/v1/events/stream?type=customer.created`, {
    headers: { ...headers, ...accept, "last-event-id": id! },
  });
  const reader = again.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(missed.id)) text += (await reader.read()).value;
  await reader.cancel();
  const json = await fetch(`${url}/v1/events/stream`, { headers: { ...headers, accept: "application/json" } });
  assert.equal(json.status, 406);
});

test("what is wrong with the request is refused before a stream begins", async () => {
  const { url, headers } = await start();
  const get = async (query: string, more: Record<string, string>) => {
    const reply = await fetch(`${url}/v1/events/stream${query}`, { headers: more });
    return [reply.status, ((await reply.json()) as { key: string }).key];
  };
  assert.deepEqual(await get("", {}), [401, "unauthorized"]);
  assert.deepEqual(await get("", { ...headers, "last-event-id": "nonsense" }), [400, "invalid_query_params"]);
  assert.deepEqual(await get("?type=customer.flew", headers), [400, "invalid_query_params"]);
});

test("a project has 20 streams of a process; one that ends makes room", async () => {
  const { connect } = await start();
  const open = await Promise.all(Array.from({ length: 20 }, () => connect()));
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]));
  const refused = await connect();
  assert.equal(refused.status, 429);
  open[0]!.end();
  let status = 429;
  while (status === 429) {
    const again = await connect();
    status = again.status;
    again.end();
  }
  assert.equal(status, 200);
  for (const { end } of open) end();
});

test("a server that closes ends its streams", async () => {
  const { app, connect } = await start();
  const { rest } = await connect();
  await Promise.all([app.close(), rest()]);
});

test("who may not come in any more is told nothing, and the stream ends", async () => {
  const { ok, connect, project } = await start();
  const made = await ok(`POST /management/v1/projects/${project.id}/keys`, { kind: "app", name: "till" });
  const own = { "x-app-id": made.id, "x-app-token": made.secret };
  const { status, events, rest } = await connect("", own);
  assert.equal(status, 200);
  await ok("POST /v1/customers", { source_id: "ada" });
  await events(1);
  await ok(`POST /management/v1/projects/${project.id}/keys/${made.id}/disable`);
  await ok("POST /v1/customers", { source_id: "bob" });
  assert.ok(!(await rest()).includes("customer.created"));
});
