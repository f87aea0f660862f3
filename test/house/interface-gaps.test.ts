import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { ERROR_TABLE } from "../../src/core/errors.ts";
import { openApi } from "../../src/http/documents/openapi.ts";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

test("every operation has one of the four version prefixes", () => {
  // But those that somebody without credentials reads and accepts an invitation with.
  for (const { id, path } of ALL_ROUTES.filter(({ access }) => access !== "none"))
    assert.match(path, /^\/(?:v1|v2|client\/v1|management\/v1)\/\w/, id);
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

test("no header selects a version: only the path does", async () => {
  const { ok } = await testShop((await testDatabase()).db);
  for (const line of ["GET /v1/categories", "GET /v2/loyalties/tier-structures"]) {
    const plain = await ok(line);
    for (const name of ["accept-version", "api-version", "x-api-version", "version"])
      for (const version of ["v1", "v2018-08-01", "2.0.0", "none"])
        assert.deepEqual(await ok(line, undefined, { [name]: version }), plain, `${line} ${name}: ${version}`);
  }
});

test("a failure code is a key of the table of errors", async () => {
  const { ok, call } = await testShop((await testDatabase()).db);
  const discount = { type: "AMOUNT", amount_off: 1 };
  await ok("POST /v1/vouchers/OFF", { discount, active: false });
  await ok("POST /v1/vouchers/LATER", { discount, start_date: "2027-01-01T00:00:00Z" });
  await ok("POST /v1/vouchers/PAST", { discount, expiration_date: "2025-01-01T00:00:00Z" });
  await ok("POST /v1/vouchers/ONCE", { discount, redemption: { quantity: 1 } });
  const redeem = (id: string) =>
    call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id }], order: { amount: 100 } });
  for (const id of ["ONCE", "ONCE", "OFF", "LATER", "PAST"]) await redeem(id);
  await call("POST /v1/publications", { voucher: "OFF", customer: { source_id: "ann" } });
  const { redemptions } = await ok("GET /v1/redemptions?limit=100");
  const { publications } = await ok("GET /v1/publications?limit=100");
  const failed = [...redemptions, ...publications].filter(({ result }) => result === "FAILURE");
  assert.equal(failed.length, 5);
  for (const { failure_code } of failed) assert.ok(failure_code in ERROR_TABLE, failure_code);
});
