import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiJson } from "../../src/cli/openapi.ts";
import { DEMO_SETTINGS } from "../../src/demo/demo-data.ts";
import { loadDemo } from "../../src/demo/load.ts";
import { DEMO_PROJECT_ID, demoClock, demoIds } from "../../src/demo/requests.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, FORM, form, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { UPLOAD, uploadText } from "../support/uploads.ts";

const { db } = await testDatabase();
const AT = "2026-04-15T16:30:00.000Z";

type Parameter = { in: string; name: string; required?: boolean; example?: unknown };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: any }> };
};
const { paths } = JSON.parse(openApiJson(AT)) as { paths: Record<string, Record<string, Operation>> };
const OPERATIONS = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      { method: method.toUpperCase(), path, operation },
    ]),
  ),
);

/** The request that the page at /docs sends for an operation as it stands there. */
function requestOf(id: string) {
  const { method, path, operation } = OPERATIONS.get(id)!;
  const { parameters = [], requestBody } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(parameters.find((one) => one.in === "path" && one.name === name)?.example)),
  );
  const query = parameters.filter((one) => one.in === "query" && one.example !== undefined);
  const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)])).toString();
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const isForm = type === FORM["content-type"];
  const isUpload = type === "multipart/form-data";
  return {
    line: `${method} ${filled}${search && `?${search}`}`,
    body: isForm ? form(content!.example) : isUpload ? uploadText(content!.example) : content?.example,
    headers: isForm ? FORM : isUpload ? UPLOAD : {},
  };
}

test("every body and every parameter of a path has an example", () => {
  const missing = [...OPERATIONS].flatMap(
    ([
      id,
      {
        operation: { parameters = [], requestBody },
      },
    ]) => [
      ...parameters
        .filter((one) => one.in === "path" && one.example === undefined)
        .map(({ name }) => `${id} {${name}}`),
      ...(requestBody && Object.values(requestBody.content)[0]!.example === undefined ? [`${id} body`] : []),
    ],
  );
  assert.deepEqual(missing, []);
});

/** What an example needs first, because a project has only one of it or because a token is a secret. */
const BEFORE: Record<string, (call: Call, request: ReturnType<typeof requestOf>) => Promise<unknown>> = {
  createStackingRules: (call) => call(requestOf("deleteStackingRules").line),
  revokeOauthToken: async (call, request) => {
    const { line, body, headers } = requestOf("createOauthToken");
    const { access_token } = (await call(line, body, headers)).body;
    request.body = form({ access_token });
  },
};
/** The demo has none of these, or the operation is there only to refuse. */
const NOT_THERE = ["getLocation", "getTaskResult", "getExport", "createPublicationByGet"];
/** These change what other examples need. */
const LAST = ["createStackingRules", "moveTestClock"];

/** A server with the demo data as a first start loads it, and calls that mean its project. */
async function demoServer() {
  const project = await testProject(db, DEMO_SETTINGS);
  const clock = demoClock(() => AT);
  const ids = demoIds(newId);
  const { app, call } = await testEngine(db, project, { now: clock.now, newId: ids.newId, v2Auth: "either" });
  await loadDemo(app, { projectId: project.id, keys: project, clock, ids });
  const here = (text: string) => text.replaceAll(DEMO_PROJECT_ID, project.id);
  const send: Call = (line, body, headers) =>
    call(here(line), typeof body === "object" ? here(JSON.stringify(body)) : body, {
      origin: "http://localhost",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    });
  return send;
}

/** The operations whose examples were refused, with the answers. */
async function refusedOf(call: Call, operations: readonly string[]): Promise<string> {
  const refused: string[] = [];
  for (const id of operations) {
    const request = requestOf(id);
    await BEFORE[id]?.(call, request);
    const reply = await call(request.line, request.body, request.headers);
    if (reply.status >= 300) refused.push(`${id}: ${request.line}\n  ${JSON.stringify(request.body)}\n  ${reply.text}`);
  }
  return refused.join("\n");
}

// Both ways round: an example that needs another one to be sent before it fails in one of them.
for (const order of ["forwards", "backwards"] as const)
  test(`every example of a body works on the demo data as it stands, sent ${order}`, async () => {
    const call = await demoServer();
    const bodies = ALL_ROUTES.flatMap(({ id, body }) => (body && !LAST.includes(id) ? [id] : []));
    const reads = ALL_ROUTES.flatMap(({ id, method }) => (method === "GET" && !NOT_THERE.includes(id) ? [id] : []));
    if (order === "forwards") assert.equal(await refusedOf(call, reads), "");
    assert.equal(await refusedOf(call, order === "forwards" ? bodies : bodies.toReversed()), "");
    assert.equal(await refusedOf(call, LAST), "");
  });
