import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { base32, counterOf, digitsOf, openSteps, parseBase32, recoveryCodeOf, stepAt, totpUri } from "./totp.ts";

const KEY = Buffer.from("12345678901234567890");

test("codes are those of RFC 6238, appendix B, for SHA-1", () => {
  // The last six of the eight digits there.
  const vectors: Record<number, string> = {
    59: "287082",
    1111111109: "081804",
    1111111111: "050471",
    1234567890: "005924",
    2000000000: "279037",
    20000000000: "353130",
  };
  for (const [seconds, code] of Object.entries(vectors)) {
    const step = stepAt(new Date(Number(seconds) * 1000).toISOString());
    assert.equal(digitsOf(createHmac("sha1", KEY).update(counterOf(step)).digest()), code);
  }
});

test("Base32 is that of RFC 4648, and is read back as it was", () => {
  const vectors = {
    "": "",
    f: "MY",
    fo: "MZXQ",
    foo: "MZXW6",
    foob: "MZXW6YQ",
    fooba: "MZXW6YTB",
    foobar: "MZXW6YTBOI",
  };
  for (const [text, written] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), written);
  fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.deepEqual(parseBase32(base32(bytes)), bytes)));
});

test("a code is good for its step, the one before and the one after, and for none up to the last one used", () => {
  const now = "2026-01-01T12:00:29.999Z";
  const step = stepAt("2026-01-01T12:00:00.000Z");
  assert.deepEqual(openSteps(now, 0), [step - 1, step, step + 1]);
  assert.deepEqual(openSteps(now, step), [step + 1]);
  assert.deepEqual(openSteps(now, step + 1), []);
  assert.equal(stepAt("2026-01-01T12:00:30.000Z"), step + 1);
});

test("what an app reads names the login; a recovery code is easy to type", () => {
  assert.equal(
    totpUri({ login: "a+b@shop.example", secret: "MZXW6" }),
    "otpauth://totp/Laurel:a%2Bb%40shop.example?secret=MZXW6&issuer=Laurel&algorithm=SHA1&digits=6&period=30",
  );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 10 }), (bytes) =>
      assert.match(recoveryCodeOf(bytes), /^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/),
    ),
  );
});
