import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { openApi } from "../../src/http/documents/openapi.ts";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";

test("every operation has one of the four version prefixes", () => {
  for (const { id, path } of ALL_ROUTES) assert.match(path, /^\/(?:v1|v2|client\/v1|management\/v1)\/\w/, id);
});

test("operations of v2 are marked BETA and 2.0.0 in the OpenAPI document, and no others are", () => {
  const ok = Type.Object({});
  const probe = read(
    "GET /v2/loyalties/card-definitions/probes",
    { id: "probeV2", summary: "Probe", ok },
    async () => ({}),
  );
  const { paths } = openApi([...ALL_ROUTES, probe], "1") as { paths: Record<string, Record<string, object>> };
  for (const [path, operations] of Object.entries(paths)) {
    for (const operation of Object.values(operations) as Record<string, unknown>[]) {
      const marks = [
        operation["x-stability"],
        operation["x-version"],
        /\(BETA, 2\.0\.0\)$/.test(`${operation.summary}`),
      ];
      assert.deepEqual(marks, path.startsWith("/v2/") ? ["beta", "2.0.0", true] : [undefined, undefined, false], path);
    }
  }
});
