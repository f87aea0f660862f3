import assert from "node:assert/strict";
import { test } from "node:test";
import { isWebAddress, webhookHeaderFault } from "./headers.ts";

test("an address is an http or https one without a password", () => {
  for (const text of ["https://shop.example/hooks?a=1", "http://localhost:8080", "https://[::1]/", "http://a"])
    assert.ok(isWebAddress(text), text);
  const others = ["", "shop.example", "/hooks", "ftp://shop.example", "javascript:alert(1)", "https://", "http:///"];
  for (const text of [...others, "https://ann@shop.example", "https://ann:secret@shop.example"])
    assert.ok(!isWebAddress(text), text);
});

test("what Laurel says itself cannot be set", () => {
  for (const name of ["authorization", "x-shop", "traceparent"]) assert.equal(webhookHeaderFault(name), null);
  for (const name of ["host", "content-length", "webhook-signature", "x-voucherify-signature"])
    assert.match(webhookHeaderFault(name)!, new RegExp(`'${name}'`));
});
