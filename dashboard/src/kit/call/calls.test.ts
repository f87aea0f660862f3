import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyOp } from "../../api/op.ts";
import { curlOf } from "./curl.ts";
import { programOf } from "./program.ts";
import { withoutSecrets } from "./secrets.ts";

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

test("a session is no key, and a file is uploaded", () => {
  const session: AnyOp = { id: "getSession", method: "GET", path: "/management/v1/session" };
  assert.equal(curlOf(session, {}, { origin }), `curl -b session.cookies ${origin}/management/v1/session`);
  assert.match(programOf(session, {}, { origin }), /"Cookie": process\.env\.LAUREL_SESSION_COOKIE/);
  const upload: AnyOp = { id: "importVouchersCsv", method: "POST", path: "/v1/vouchers/importCSV" };
  assert.match(curlOf(upload, {}, { origin, file: "my codes.csv" }), /-X POST .* -F 'file=@my codes\.csv' /);
  assert.match(programOf(upload, {}, { origin, file: "codes.csv" }), /openAsBlob\("codes\.csv"\)/);
});

test("no secret is in what is shown, however deep it is and whatever it is called", () => {
  const body = {
    password: "p1",
    current: "p2",
    name: "shown",
    headers: { Authorization: "p3", "X-Shop": "p4" },
    parts: [{ client_secret: "p5", amount: 5 }, { access_token: ["p6"] }],
  };
  const shown = JSON.stringify(withoutSecrets(body));
  assert.doesNotMatch(shown, /p[1-6]/);
  assert.match(shown, /"name":"shown"/);
  assert.match(shown, /"X-Shop":"\*\*\*"/);
  assert.match(shown, /"amount":5/);
  assert.equal(withoutSecrets(undefined), undefined);
});
