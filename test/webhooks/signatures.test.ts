import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { signatureHeaders, signBody } from "../../src/webhooks/signatures.ts";

test("the body is signed as the interface says", () => {
  assert.equal(signBody("secretKey", '{"a":1}'), "a17d2ac229d1ebbb5f10e839c7985c4818e5986eab297f7e5979196d4d7d3ed2");
  assert.equal(
    signBody("secretKey", "  message  "),
    "53ff92957e1427ce23ad5bda9d0c5f2f4ff384d0806b83eeacb510c842d3a358",
  );
});

const sent = { id: "whs_1", at: new Date(), body: '{"a":1}' };
const isGood = (secret: string, headers: Record<string, string>) => {
  try {
    new Webhook(secret, { format: "raw" }).verify(sent.body, headers);
    return true;
  } catch {
    return false;
  }
};

test("a receiver verifies with the library of Standard Webhooks", () => {
  const headers = signatureHeaders({ current: "one", previous: null }, sent);
  assert.equal(headers["webhook-id"], "whs_1");
  assert.ok(isGood("one", headers));
  assert.ok(!isGood("two", headers));
  assert.match(headers["webhook-signature"]!, /^v1,[A-Za-z0-9+/]+=*$/);
});

test("after a change of the secret both are good, and the older header is that of the one before", () => {
  const headers = signatureHeaders({ current: "new", previous: "old" }, sent);
  assert.ok(isGood("new", headers) && isGood("old", headers));
  const hmac = createHmac("sha256", "old").update(sent.body).digest("hex");
  assert.equal(headers["x-voucherify-signature"], hmac);
});
