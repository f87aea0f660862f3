import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import { openApiJson } from "../../src/cli/openapi.ts";
import { demoPage } from "../../src/demo/page.ts";
import { createReference } from "../../src/http/documents/reference.ts";
import { staticFile } from "../../src/http/documents/static-files.ts";
import { mountOpenRoutes } from "../../src/http/open-routes.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function server() {
  const { app } = await testShop(db, {}, { own: true });
  let made = 0;
  const openApi = staticFile("application/json", () => {
    made += 1;
    return openApiJson(NOW);
  });
  const open = { db, now: () => NOW, metricsText: async () => "", metricsFor: "off" as const };
  mountOpenRoutes(app, { ...open, openApi, reference: createReference(null), demo: demoPage(null) });
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ method: "GET", url, headers: { host: "localhost:3000", ...headers } });
  return { get, made: () => made };
}

const UNPACK: Record<string, (bytes: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  identity: (bytes) => bytes,
};

/** A browser with a cache: it keeps what it may keep, and asks again with the tag that it was given. */
function browser(get: Awaited<ReturnType<typeof server>>["get"]) {
  const kept = new Map<string, { tag: string; isFresh: boolean; text: string }>();
  return async (paths: (text: string) => string[], start: string) => {
    let bytes = 0;
    const asked: string[] = [];
    const load = async (url: string): Promise<string> => {
      const known = kept.get(url);
      if (known?.isFresh) return known.text;
      const reply = await get(url, {
        "accept-encoding": "gzip, deflate, br",
        ...(known && { "if-none-match": known.tag }),
      });
      asked.push(`${reply.statusCode} ${url.replace(/\.[0-9a-f]{16}\./, ".HASH.")}`);
      bytes += reply.rawPayload.length;
      if (reply.statusCode === 304) return known!.text;
      assert.equal(reply.statusCode, 200, url);
      const text = UNPACK[String(reply.headers["content-encoding"] ?? "identity")]!(reply.rawPayload).toString();
      const control = String(reply.headers["cache-control"]);
      if (!control.includes("no-store"))
        kept.set(url, { tag: String(reply.headers.etag), isFresh: control.includes("immutable"), text });
      return text;
    };
    for (const url of paths(await load(start))) await load(url);
    return { bytes, asked };
  };
}

const scriptsAndDocument = (page: string) => [
  ...[...page.matchAll(/src="([^"]+)"/g)].map(([, source]) => source!),
  "/openapi.json",
];

test("a first visit of /docs takes 1.3 MB at most, a second one only the start script", async () => {
  const { get, made } = await server();
  assert.equal(made(), 0, "nothing is built before somebody asks");
  const visit = browser(get);
  const first = await visit(scriptsAndDocument, "/docs");
  assert.deepEqual(first.asked, [
    "200 /docs",
    "200 /docs/assets/scalar.HASH.js",
    "200 /docs/start.js",
    "200 /openapi.json",
  ]);
  assert.ok(first.bytes < 1_300_000, `${first.bytes} bytes`);
  const second = await visit(scriptsAndDocument, "/docs");
  assert.deepEqual(second.asked, ["304 /docs", "200 /docs/start.js", "304 /openapi.json"]);
  assert.ok(second.bytes < 1_000, `${second.bytes} bytes`);
  assert.equal(made(), 1, "the document is built once");
});

test("a second visit of /demo takes nothing but the keys", async () => {
  const { get } = await server();
  const visit = browser(get);
  const files = () => ["/demo/page.js"];
  const first = await visit(files, "/demo");
  assert.ok(first.bytes > 0);
  assert.deepEqual(await visit(files, "/demo"), { bytes: 0, asked: ["304 /demo", "304 /demo/page.js"] });
});

test("a document is sent as the caller takes it: brotli, gzip or plain, and the text is the same", async () => {
  const { get } = await server();
  const plain = await get("/openapi.json");
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(plain.body, openApiJson(NOW));
  for (const [accepted, encoding] of [
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip;q=0.5, br;q=0.1", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0.0, gzip;q=0", "identity"],
    ["identity", "identity"],
    ["zstd", "identity"],
  ] as const) {
    const reply = await get("/openapi.json", { "accept-encoding": accepted });
    assert.equal(reply.headers["content-encoding"] ?? "identity", encoding, accepted);
    assert.equal(reply.headers.vary, "Accept-Encoding");
    assert.equal(UNPACK[encoding]!(reply.rawPayload).toString(), plain.body, accepted);
  }
});

test("/docs/ is /docs and /demo/ is /demo, and a script with another hash is not there", async () => {
  const { get } = await server();
  for (const path of ["/docs", "/demo"]) {
    const [page, slashed] = [await get(path), await get(`${path}/`)];
    assert.deepEqual([slashed.statusCode, slashed.body], [200, page.body]);
    assert.equal(slashed.headers["content-security-policy"], page.headers["content-security-policy"]);
  }
  assert.equal((await get("/docs/assets/scalar.0000000000000000.js")).statusCode, 404);
});
