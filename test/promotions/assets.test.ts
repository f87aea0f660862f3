import assert from "node:assert/strict";
import { test } from "node:test";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { staticFile } from "../../src/http/documents/static-files.ts";
import { mountOpenRoutes } from "../../src/http/open-routes.ts";
import { createPictureSender } from "../../src/http/pictures/assets.ts";
import { drawPicture } from "../../src/http/pictures/pictures.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const discount = { type: "PERCENT", percent_off: 10 };

async function start() {
  const { app, call } = await testShop(db, {}, { own: true });
  const metrics = { metricsText: async () => "", metricsFor: "off" as const };
  mountOpenRoutes(app, {
    db,
    now: () => NOW,
    openApi: staticFile("application/json", () => "{}"),
    reference: null,
    ...metrics,
  });
  /** As a browser does: without credentials, and asking for a picture. */
  const get = async (url: string) => {
    const reply = await app.inject({ method: "GET", url, headers: { accept: "image/*" } });
    const { statusCode: status, headers, rawPayload: bytes } = reply;
    const isJson = String(headers["content-type"]).startsWith("application/json");
    return { status, headers, bytes, text: reply.body, body: isJson ? reply.json() : null };
  };
  const make = async (code: string) => (await call("POST /v1/vouchers", { code, discount })).body;
  return { app, call, get, make };
}
/** jsQR is a CommonJS module that says it is none. */
const decode = jsQR as unknown as { default: typeof jsQR.default };

test("assets: whoever has the address of a QR code gets a picture that reads as the code", async () => {
  const { get, make } = await start();
  for (const code of ["SUMMER-25", "lato ☀️ 100%"]) {
    const { assets } = await make(code);
    assert.equal(assets.qr.url, `/v1/assets/qr/${assets.qr.id}`);
    for (const url of [assets.qr.url, `/api${assets.qr.url}`]) {
      const reply = await get(url);
      assert.deepEqual([reply.status, reply.headers["content-type"]], [200, "image/png"], reply.text);
      const { data, width, height } = PNG.sync.read(reply.bytes);
      const found = decode.default(new Uint8ClampedArray(data), width, height);
      assert.equal(Buffer.from(found!.binaryData).toString(), code);
    }
  }
});

test("assets: a bar code, as PNG or SVG, larger with a larger size; any page may show it, and caches may keep it", async () => {
  const { get, make } = await start();
  const { url } = (await make("SUMMER-25")).assets.barcode;
  const [small, large] = [await get(url), await get(`${url}?size=9&format=png`)];
  const [one, other] = [PNG.sync.read(small.bytes), PNG.sync.read(large.bytes)];
  assert.deepEqual([other.width * 5, other.height * 5], [one.width * 9, one.height * 9]);
  assert.equal(small.headers["cache-control"], "public, max-age=3600");
  assert.equal(small.headers["cross-origin-resource-policy"], "cross-origin");
  assert.equal(small.headers["x-content-type-options"], "nosniff");
  const svg = await get(`${url}?format=svg&size=100`);
  assert.equal(svg.headers["content-type"], "image/svg+xml");
  assert.match(svg.text, /^<svg .*<\/svg>\n$/s);
});

test("assets: a size or a format that there is not is refused", async () => {
  const { get, make } = await start();
  const { url } = (await make("SUMMER")).assets.qr;
  for (const query of [
    "size=0",
    "size=101",
    "size=1.5",
    "size=",
    "size=x",
    "size[a]=1",
    "size=1&size=2",
    "format=jpg",
    "format=",
    "format[]=png",
  ]) {
    const reply = await get(`${url}?${query}`);
    assert.deepEqual([reply.status, reply.body?.key], [400, "invalid_query_params"], query);
    assertErrorBody({ ...reply, headers: reply.headers as Record<string, unknown> });
  }
  for (const query of ["size=1", "size=100", "format=svg", "other=1"])
    assert.equal((await get(`${url}?${query}`)).status, 200, query);
});

test("assets: a bar code cannot show every character; the QR code of such a code can", async () => {
  const { get, make } = await start();
  const { assets } = await make("zażółć");
  const reply = await get(assets.barcode.url);
  assert.deepEqual([reply.status, reply.body.key], [404, "not_found"]);
  assert.equal(reply.body.details, "A bar code cannot show the characters of this code; its QR code can");
  assert.equal((await get(assets.qr.url)).status, 200);
});

test("assets: an address that was not made here, of another kind, or of a code that is gone leads nowhere", async () => {
  const { call, get, make } = await start();
  const other = await start();
  const [a, b] = [await make("A"), await make("B")];
  const foreign = await other.make("A");
  const [name, seal] = a.assets.qr.id.split(".");
  const [otherName] = b.assets.qr.id.split(".");
  const swapped = seal!.startsWith("A") ? `B${seal!.slice(1)}` : `A${seal!.slice(1)}`;
  const forged = [
    name,
    `${name}.`,
    `${name}.${swapped}`,
    `${otherName}.${seal}`,
    `${name}.${foreign.assets.qr.id.split(".")[1]}`,
    `${foreign.assets.qr.id.split(".")[0]}.${seal}`,
    `${name}.${seal}x`,
    a.id,
    "A",
    "x".repeat(900),
    "%00",
    "bnVsbA.x",
    `${Buffer.from('["\\u0000","v"]').toString("base64url")}.x`,
    `${Buffer.from('{"a":1}').toString("base64url")}.x`,
  ];
  for (const id of forged) {
    const reply = await get(`/v1/assets/qr/${id}`);
    assert.deepEqual([reply.status, reply.body.details], [404, "There is no such picture"], id);
  }
  assert.equal((await get(`/v1/assets/barcode/${a.assets.qr.id}`)).status, 404);
  assert.equal((await get(foreign.assets.qr.url)).status, 200, "one server answers for all projects");
  assert.equal((await get(a.assets.qr.url)).status, 200);
  await call("DELETE /v1/vouchers/A");
  await call("DELETE /v1/vouchers/B?force=true");
  for (const { assets } of [a, b]) assert.equal((await get(assets.qr.url)).status, 404);
  const campaign = (await call("POST /v1/campaigns", { name: "Summer", voucher: { discount } })).body;
  const { assets } = (await call(`POST /v1/campaigns/${campaign.id}/vouchers`, {})).body;
  assert.equal((await get(assets.barcode.url)).status, 200);
  await call(`DELETE /v1/campaigns/${campaign.id}`);
  assert.equal((await get(assets.barcode.url)).status, 404);
});

test("assets: another method is refused, and said which one is not", async () => {
  const { app, make } = await start();
  const { url } = (await make("A")).assets.qr;
  const reply = await app.inject({ method: "POST", url });
  assert.deepEqual([reply.statusCode, reply.headers.allow], [405, "GET"]);
});

test("assets: a picture is drawn once and kept; an address may have so many drawn in a minute", async () => {
  const { app, make } = await start();
  let clock = Date.parse(NOW);
  const send = createPictureSender({ db, processes: 1, nowMs: () => clock, drawnMax: 2 });
  app.get("/pictures/:token", (request, reply) => send("qr", request, reply));
  const get = async (token: string, remoteAddress = "192.0.2.1", query = "") =>
    app.inject({ method: "GET", url: `/pictures/${token}${query}`, remoteAddress, headers: { accept: "image/*" } });
  const [one, two, three] = await Promise.all(
    ["ONE", "TWO", "THREE"].map(async (code) => (await make(code)).assets.qr.id),
  );
  const first = await get(one);
  assert.equal(first.statusCode, 200);
  for (let n = 0; n < 5; n += 1) assert.deepEqual((await get(one)).rawPayload, first.rawPayload, "kept, not counted");
  assert.equal((await get(two)).statusCode, 200);
  const refused = await get(three);
  assert.deepEqual([refused.statusCode, refused.json().key], [429, "too_many_requests"]);
  assert.equal(refused.headers["retry-after"], "60");
  assert.equal((await get(one)).statusCode, 200, "a picture that is kept costs nothing");
  assert.equal((await get(three, "192.0.2.2")).statusCode, 200, "another address");
  clock += 120_000;
  assert.equal((await get(two, "192.0.2.1", "?size=6")).statusCode, 200, "a minute later");
});

test("assets: a large picture counts as many small ones", async () => {
  const { app, make } = await start();
  const send = createPictureSender({ db, processes: 1, nowMs: () => 0, drawnMax: 10, keptBytesMax: 1 });
  app.get("/large/:token", (request, reply) => send("qr", request, reply));
  const { id } = (await make("LARGE")).assets.qr;
  const get = async (remoteAddress: string, size: number) =>
    (await app.inject({ method: "GET", url: `/large/${id}?size=${size}`, remoteAddress })).statusCode;
  for (let n = 0; n < 10; n += 1) assert.equal(await get("192.0.2.1", 5), 200);
  assert.equal(await get("192.0.2.1", 5), 429);
  // 29 modules of 100 pixels: eight million pixels.
  assert.deepEqual(
    [await get("192.0.2.2", 100), await get("192.0.2.2", 5), await get("192.0.2.2", 5)],
    [200, 200, 429],
  );
});

test("assets: pictures are kept up to a number of bytes, the latest ones", async () => {
  const { app, make } = await start();
  const { length } = (await drawPicture("qr", "CODE-0", { size: 5, format: "png" }))!;
  const send = createPictureSender({
    db,
    processes: 1,
    nowMs: () => 0,
    drawnMax: 4,
    keptBytesMax: Math.floor(2.5 * length),
  });
  app.get("/few/:token", (request, reply) => send("qr", request, reply));
  const tokens: string[] = [];
  for (let n = 0; n < 3; n += 1) tokens.push((await make(`CODE-${n}`)).assets.qr.id);
  const statuses = [];
  // Three are drawn, the first of them is dropped and drawn again, and then the address has had its four.
  for (const n of [0, 1, 2, 2, 1, 0, 2]) statuses.push((await app.inject(`/few/${tokens[n]}`)).statusCode);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429]);
});
