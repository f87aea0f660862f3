import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const { call } = await testShop(db);

test("query parameters that a list does not name are ignored, whatever they hold", async () => {
  const lists = ["segments", "categories", "redemptions", "vouchers", "campaigns", "products", "customers", "orders"];
  for (const list of lists)
    for (const field of ["created_at", "updated_at", "starting_after", "anything"])
      for (const query of [
        `${field}=foo`,
        `${field}[before]=foo`,
        `${field}[after][x]=1`,
        `${field}[before]=0000-01-01`,
      ]) {
        const { status, text } = await call(`GET /v1/${list}?${query}`);
        assert.ok(status === 200 || status === 400, `${list}?${query}: ${text}`);
      }
  assert.equal((await call("GET /v1/redemptions?updated_at[before]=2026-01-01")).status, 200);
  assert.equal((await call("GET /v1/segments?created_at[before]=foo")).status, 200);
  const { id } = (await call("POST /v1/customers", { source_id: "anna" })).body;
  assert.equal((await call(`GET /v1/customers/${id}/activity?starting_after=foo`)).status, 200);
});

test("moments that a database cannot keep are refused: years beyond four digits, offsets beyond those of the world", async () => {
  for (const starting_after of ["0000-01-01T00:00:00Z", "+275760-09-13T00:00:00Z", "soon"])
    assertRefused(await call("POST /v1/qualifications", { options: { starting_after } }), "invalid_payload");
  const wallet = await call("POST /v2/loyalties/card-definitions", { name: "W", type: "INDIVIDUAL" });
  const rule = await call("POST /v2/loyalties/earning-rules", {
    name: "R",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ points: { value: 1, card_definition_id: wallet.body.id } }] }],
  });
  assert.equal(rule.status, 200, rule.text);
  const put = (start_date: string) => call(`PUT /v2/loyalties/earning-rules/${rule.body.id}`, { start_date });
  for (const offset of ["+16:00", "-16:00", "+23:59", "+99:00"])
    assertRefused(await put(`2026-01-01T00:00:00${offset}`), "invalid_payload");
  for (const offset of ["+14:00", "-12:00", "+15:59", "Z"]) {
    const { status, text } = await put(`2026-01-01T00:00:00${offset}`);
    assert.equal(status, 200, text);
  }
});
