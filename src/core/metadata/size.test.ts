import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "../errors.ts";
import { isMetadataTooLarge, METADATA_BYTES_MAX, mergeMetadata } from "./size.ts";

/** Metadata of exactly so many bytes of JSON. */
const ofBytes = (bytes: number) => ({ k: "x".repeat(bytes - '{"k":""}'.length) });

test("metadata may have 32,768 bytes of JSON and not one more", () => {
  assert.equal(isMetadataTooLarge(ofBytes(METADATA_BYTES_MAX)), false);
  assert.equal(isMetadataTooLarge(ofBytes(METADATA_BYTES_MAX + 1)), true);
});

test("bytes are counted and not characters", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary", maxLength: 30 }), { maxKeys: 4 }),
      fc.nat(200),
      (metadata, max) => {
        assert.equal(isMetadataTooLarge(metadata, max), Buffer.byteLength(JSON.stringify(metadata)) > max);
      },
    ),
  );
});

test("a merge that grows too large is refused; one that sends nothing never is", () => {
  const half = ofBytes(METADATA_BYTES_MAX / 2 + 100);
  assert.throws(
    () => mergeMetadata(half, { other: half.k }),
    (error) => error instanceof ApiError && /more than 32768 bytes/.test(error.body.details ?? ""),
  );
  assert.deepEqual(mergeMetadata({ a: 1, b: 2 } as Record<string, unknown>, { b: null }), { a: 1, b: null });
  assert.equal(mergeMetadata(ofBytes(METADATA_BYTES_MAX + 1), undefined).k.length > 0, true);
});
