import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyOp } from "../../api/op.ts";
import { curlOf } from "./curl.ts";
import { programOf } from "./program.ts";

const origin = "http://127.0.0.1:3000";
const LIST: AnyOp = { id: "listCampaigns", method: "GET", path: "/v1/campaigns" };
const CHECK: AnyOp = { id: "validate", method: "POST", path: "/v1/vouchers/{code}/validate" };

test("a page is shown as a line for a terminal, which takes its keys from a file", () => {
  assert.equal(
    curlOf(LIST, { limit: 5, filters: { name: "ab" } }, { origin }),
    "curl -H @data/credentials/app.headers 'http://127.0.0.1:3000/v1/campaigns?limit=5&filters%5Bname%5D=ab'",
  );
  assert.match(curlOf(CHECK, { code: "it's" }, { origin, body: { a: "it's" } }), /-d '\{"a":"it'\\''s"\}'/);
});

test("and as a program that runs: the same address and body, and keys from its surroundings", async () => {
  const body = { redeemables: [{ id: 'it\'s "quoted"' }] };
  const text = programOf(CHECK, { code: "A/B" }, { origin, body });
  const sent: { url: string; init: RequestInit }[] = [];
  const fetched = async (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return { json: async () => ({ valid: true }) };
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const run = new AsyncFunction("fetch", "process", `${text.replaceAll("!,", ",")}\nreturn answer;`);
  const env = { LAUREL_APP_ID: "id", LAUREL_APP_TOKEN: "token" };
  assert.deepEqual(await run(fetched, { env }), { valid: true });
  assert.equal(sent[0]!.url, `${origin}/v1/vouchers/A%2FB/validate`);
  assert.deepEqual(JSON.parse(String(sent[0]!.init.body)), body);
  assert.deepEqual(sent[0]!.init.headers, {
    ...{ "X-App-Id": "id", "X-App-Token": "token", "Content-Type": "application/json" },
  });
  assert.match(programOf({ ...LIST, path: "/management/v1/projects" }, {}, { origin }), /X-Management-Id/);
});
