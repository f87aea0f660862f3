import assert from "node:assert/strict";
import { test } from "node:test";
import { transaction } from "../../src/db/batches/commit.ts";
import { upsertCustomers } from "../../src/steps/customers/customers.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { errorsOf, inParallel, sender, twoServers, voucher, worldOf } from "../support/two-servers.ts";

// What one process knows, the other one learns from the database only. Two servers in one process share what their modules keep.
const database = await testDatabase();
const { db } = database;
const servers = await twoServers(database);
const world = () => worldOf(db, (project) => sender(servers, project));

const PAIRS = process.env.GATE === "1" ? 1_000 : 50;

test(`${PAIRS} times validated on one process and redeemed at once on another: none is refused`, async () => {
  const { send, code } = await world();
  await code("TEN");
  const redeemables = [voucher("TEN")];
  const order = { amount: 1000 };
  const pair = async () => {
    const { body, status, text } = await send({ line: "POST /v1/validations", body: { redeemables, order } }, 0);
    assert.equal(status, 200, text);
    const options = { validation_id: body.id };
    return send({ line: "POST /v1/redemptions", body: { redeemables, order, options } }, 1);
  };
  for (const reply of await inParallel(PAIRS, pair, { clients: 8 })) assert.equal(reply.status, 200, reply.text);
});

test("1,000 customers whom two processes make in one millisecond have a created_at each", async () => {
  const { send, ok, project } = await world();
  await ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, {
    name: "visit",
    schema: { properties: {} },
  });
  // No moment is free until this one: whenever they come, they come in its millisecond.
  const moment = "2100-01-01T00:00:00.000000Z";
  await db`insert into customer_stamps (project_id, last_at) values (${project.id}, ${moment})`;
  // Alone, by events that lanes gather, without any name; and many at once by a third process, which is this one.
  const makers = [
    (n: number) => ({ line: "POST /v1/customers", body: { source_id: `s${n}` } }),
    (n: number) => ({ line: "POST /v1/events", body: { event: "visit", customer: { source_id: `s${n}` } } }),
    () => ({ line: "POST /v1/customers", body: { name: "Nobody" } }),
  ];
  const single = inParallel(100, (n) => send(makers[n % 3]!(n)));
  const many = Array.from({ length: 20 }, (_, n) => {
    const named = Array.from({ length: 45 }, (_, k) => ({ source_id: `m${n}-${k}` }));
    return transaction(db, (tx) => upsertCustomers(tx, project.id, named, { secret: "s", now: NOW, newId }));
  });
  const [replies] = await Promise.all([single, ...many]);
  for (const { status, text } of replies) assert.ok(status < 300, text);
  for (const order of ["created_at", "-created_at"]) {
    const read: string[] = [];
    for (let [query, isMore] = ["", true]; isMore; ) {
      const { customers, has_more } = await ok(`GET /v1/customers?order=${order}&limit=100${query}`);
      read.push(...customers.map(({ id }: { id: string }) => id));
      [query, isMore] = [`&starting_after=${customers.at(-1).created_at}`, has_more];
    }
    assert.deepEqual([read.length, new Set(read).size], [1000, 1000], order);
  }
  const [row] = await db<{ moments: number; last: string }[]>`
    select count(distinct created_at)::int as moments, max(created_at) as last from customers
    where project_id = ${project.id}`;
  assert.deepEqual(
    { ...row },
    { moments: 1000, last: "2100-01-01T00:00:00.001Z" },
    "a microsecond apart, none left out",
  );
});

test("no server logs an error", () => {
  for (const server of servers) assert.deepEqual(errorsOf(server), []);
});
