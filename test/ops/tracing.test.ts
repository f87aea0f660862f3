import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createLanes } from "../../src/db/batches/batch.ts";
import { eventually, headersIn, laurel, serve, tempDir } from "../support/child.ts";
import { LAUREL_SECRET_KEY, testDatabase } from "../support/engine.ts";
import { NODES } from "../support/nodes.ts";
import { startReceiver } from "../support/receiver.ts";

type Value = { stringValue?: string; intValue?: number };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Value }[];
  status: { code?: number };
};
type Export = { resourceSpans: { resource: { attributes: Span["attributes"] }; scopeSpans: { spans: Span[] }[] }[] };

const CANARY = "kanarie9c2e";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test("a redemption is one trace: request, batch, statements; a webhook goes on; nothing personal is told", async () => {
  const collector = await startReceiver();
  const shop = await startReceiver();
  const { url: DATABASE_URL, db } = await testDatabase();
  const { password } = new URL(DATABASE_URL);
  const LAUREL_DATA_DIR = tempDir();
  const server = await serve({
    ...{ DATABASE_URL, LAUREL_DATA_DIR, LAUREL_LOG_LEVEL: "trace", LAUREL_WEBHOOK_ALLOW: "loopback" },
    LAUREL_SECRET_KEY,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  const keys = (kind: string) => ({
    ...headersIn(join(LAUREL_DATA_DIR, "credentials", `${kind}.headers`)),
    "content-type": "application/json",
  });
  const send = (kind: string, path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: "POST",
      headers: { ...keys(kind), ...headers },
      body: JSON.stringify(body),
    });
  const [project] = await db<{ id: string }[]>`select id from projects`;
  const hook = await send("management", `/management/v1/projects/${project!.id}/webhooks`, {
    target_url: `${shop.url}/hooks`,
    events: ["redemption.succeeded"],
  });
  assert.equal(hook.status, 200, await hook.clone().text());
  const rotated = await send("management", `/management/v1/projects/${project!.id}/webhook-secret/rotate`, {});
  const { webhook_token: signed } = (await rotated.json()) as { webhook_token: string };
  // Nobody sends mail here, so it is the log that tells what to do.
  const person = { email: `${CANARY}@invited.example`, first_name: CANARY, last_name: CANARY };
  const invitation = { ...person, projects: { [project!.id]: "VIEWER" } };
  assert.equal((await send("management", "/management/v1/projects/users/invite", invitation)).status, 204);
  const invited = `/management/v1/projects/${project!.id}/users/${person.email}/invitation`;
  assert.equal((await send("management", invited, {})).status, 204);
  const handed = (await (await send("management", `${invited}/link`, {})).json()) as { url: string };
  const code = `${CANARY}-CODE`;
  const discount = { type: "AMOUNT", amount_off: 100 };
  assert.equal((await send("app", `/v1/vouchers/${code}`, { type: "DISCOUNT_VOUCHER", discount })).status, 200);
  const customer = { source_id: `${CANARY}-id`, name: `${CANARY} name`, email: `${CANARY}@shop.example` };
  const redeemables = [{ object: "voucher", id: code }];
  const redeem = { redeemables, customer, order: { amount: 1000 } };
  const answer = await send("app", "/v1/redemptions", redeem, { traceparent: `00-${TRACE}-${PARENT}-01` });
  assert.equal(answer.status, 200);
  // Refused, and wrong in every way that somebody may be.
  const wrong = [
    await send("app", "/v1/redemptions", { redeemables: [{ object: "voucher", id: `${CANARY}-none` }] }),
    await send("app", "/v1/customers", { name: CANARY, email: 5 }),
    await send("app", "/v1/categories", {}, { "x-app-token": CANARY }),
    await send("management", "/management/v1/session", { login: `${CANARY}@x.example`, password: CANARY }),
    await fetch(`${server.url}/v1/customers/${CANARY}?email=${CANARY}`, { headers: keys("app") }),
  ];
  for (const { status } of wrong) assert.ok(status >= 400 && status < 500, `${status}`);

  const exports = () => collector.received.map(({ body }) => JSON.parse(body) as Export);
  const spans = () =>
    exports().flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
    );
  const named = (name: string) => spans().filter((one) => one.traceId === TRACE && one.name === name);
  await eventually(() => named("POST /v1/redemptions").length === 1 && named("COMMIT").length > 0, "the trace arrives");
  const [request] = named("POST /v1/redemptions");
  assert.equal(request!.parentSpanId, PARENT, "it goes on with the trace of the shop");
  const attribute = ({ attributes }: { attributes: Span["attributes"] }, key: string) =>
    attributes.find((one) => one.key === key)?.value;
  assert.equal(attribute(request!, "http.route")?.stringValue, "/v1/redemptions");
  assert.equal(attribute(request!, "http.response.status_code")?.intValue, 200);
  assert.equal(attribute(request!, "laurel.request_id")?.stringValue, answer.headers.get("x-request-id"));
  const [batch] = named("batch redeem");
  assert.equal(batch!.parentSpanId, request!.spanId);
  assert.equal(attribute(batch!, "laurel.batch.size")?.intValue, 1);
  const statements = spans().filter((one) => one.parentSpanId === batch!.spanId);
  assert.ok(statements.length >= 3, statements.map(({ name }) => name).join());
  assert.ok(statements.some((one) => /\$1/.test(attribute(one, "db.query.text")?.stringValue ?? "")));
  const [{ resource }] = exports()[0]!.resourceSpans as [Export["resourceSpans"][0]];
  assert.equal(attribute(resource, "service.name")?.stringValue, "laurel");
  assert.equal(attribute(resource, "deployment.environment.name")?.stringValue, "test");

  await eventually(() => shop.received.length > 0, "the webhook is delivered");
  const told = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(shop.received[0]!.headers.traceparent ?? "");
  await eventually(() => spans().some(({ spanId }) => spanId === told?.[2]), "its span arrives");

  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const commands = { DATABASE_URL, LAUREL_DATA_DIR, LAUREL_SECRET_KEY };
  const printed = async (...args: string[]) => {
    const ended = await laurel(args, commands);
    assert.equal(ended.code, 0, `laurel ${args.join(" ")}: ${ended.stderr}`);
    return ended.stdout + ended.stderr;
  };
  const top = await printed("top", "--once", "--interval", "1", "--url", server.url);
  const doctor = await printed("doctor");
  // The request log is there to find a request by its code and its customer's id, and to show what was sent until the customer is
  // erased. Secrets and ways to reach somebody are masked in it, and the list shows no bodies.
  const id = answer.headers.get("x-request-id")!;
  const ids = [id, wrong.at(-1)!.headers.get("x-request-id")!];
  const logged = async () => (await db`select from request_log where id = any(${ids})`).length === ids.length;
  await eventually(logged, "the requests are logged");
  const requests = { list: await printed("requests", "list"), show: await printed("requests", "show", id) };
  for (const text of Object.values(requests)) assert.match(text, /redemptions/);
  const secrets = [
    CANARY,
    LAUREL_SECRET_KEY,
    // The machines of a cluster of tests trust one another.
    ...(NODES.length > 0 ? [] : [password]),
    signed,
    handed.url.split("#")[1]!,
    "#token=",
    ...["app", "client", "management"].flatMap((kind) =>
      Object.values(keys(kind)).filter((value) => /^[0-9a-f]{40,}$/.test(value)),
    ),
  ];
  assert.ok(secrets.length >= 8 && secrets.every((one) => one.length > 6));
  const { stdout, stderr } = await server.stop();
  assert.ok(stderr.includes("POST /v1/redemptions"), "requests are logged");
  assert.ok(stderr.includes("laurel user invite"), "and that nobody sends an invitation");
  const places = { stdout, stderr, metrics, top, doctor, traces: JSON.stringify(exports()) };
  for (const [place, text] of Object.entries(places))
    for (const one of secrets)
      assert.ok(!text.toLowerCase().includes(one.toLowerCase()), `${place} holds ${one.slice(0, 12)}`);
  for (const [place, text] of Object.entries(requests))
    for (const one of [...secrets.slice(1), customer.email, ...(place === "list" ? [customer.name] : [])])
      assert.ok(!text.toLowerCase().includes(one.toLowerCase()), `laurel requests ${place} prints ${one.slice(0, 12)}`);
  for (const [place, text] of Object.entries({ stdout, stderr, traces: places.traces }))
    assert.ok(!text.replaceAll(server.url, "").includes("127.0.0.1"), `${place} has the address of a caller`);
});

test("a batch of several requests knows all of them", async () => {
  const { db } = await testDatabase();
  const seen: unknown[] = [];
  let from = 0;
  const submit = createLanes(db, {
    lanes: 1,
    report: assert.fail,
    trace: {
      from: () => (from += 1),
      run: (flow, froms, run) => {
        seen.push([flow, ...froms]);
        return run();
      },
    },
  });
  const flow = {
    name: "echo",
    read: async (_: unknown, __: string, commands: readonly number[]) => [...commands],
    failed: () => assert.fail("a command failed"),
  };
  const answers = await Promise.all([5, 6, 7].map((command) => submit(flow, "proj_1", command)));
  assert.deepEqual(answers, [5, 6, 7]);
  assert.deepEqual(
    seen.flat().filter((one) => typeof one === "number"),
    [1, 2, 3],
  );
});
