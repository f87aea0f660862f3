import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createSecretBox, isSealed, type SecretPlace } from "../../src/db/secrets/secret-box.ts";

const [KEY, OTHER] = ["0f".repeat(32), "f0".repeat(32)];
const box = createSecretBox(KEY, randomBytes);
const PLACE: SecretPlace = ["projects", "proj_1"];

test("secrets: what is sealed can be opened, with this key and in this row only", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (secret, id) => {
      const place: SecretPlace = ["user_totp", id];
      const stored = box.seal(place, secret);
      assert.ok(isSealed(stored) && (secret.length < 4 || !stored.includes(secret)));
      assert.equal(box.open(place, stored), secret);
      assert.notEqual(box.seal(place, secret), stored, "equal secrets cannot be told by what is stored");
      for (const elsewhere of [["user_totp", `${id}.`] as const, ["projects", id] as const])
        assert.ok(!box.canOpen(elsewhere, stored));
      for (const key of [OTHER, null]) assert.ok(!createSecretBox(key, randomBytes).canOpen(place, stored));
    }),
  );
});

const bytesOf = (stored: string) => Buffer.from(stored.slice("v1:".length), "base64");

test("secrets: a stored text that was changed or cut is refused", () => {
  const stored = box.seal(PLACE, "ab".repeat(32));
  for (let at = 3; at < stored.length; at += 1) {
    const changed = stored[at] === "A" ? "B" : "A";
    for (const other of [stored.slice(0, at), stored.slice(0, at) + changed + stored.slice(at + 1)]) {
      // The padding, and some bits before it, stand for nothing.
      if (bytesOf(other).equals(bytesOf(stored))) continue;
      assert.ok(!box.canOpen(PLACE, other), `at ${at}`);
    }
  }
  assert.throws(() => box.open(PLACE, stored.slice(0, -8)), /another LAUREL_SECRET_KEY/);
});

test("secrets: without a key they are stored as they are, and a key reads what was stored before", () => {
  const none = createSecretBox(null, randomBytes);
  assert.deepEqual([none.hasKey, box.hasKey], [false, true]);
  assert.equal(none.seal(PLACE, "plain"), "plain");
  assert.equal(box.open(PLACE, "plain"), "plain");
});
