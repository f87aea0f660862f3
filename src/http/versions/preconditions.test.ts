import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { etagOf, parseTags } from "./preconditions.ts";

test("If-Match names any version, one, or several", () => {
  assert.equal(parseTags(" * "), "*");
  assert.deepEqual(parseTags('"3"'), [{ version: "3", isWeak: false }]);
  assert.deepEqual(parseTags('W/"3" ,"a,b"'), [
    { version: "3", isWeak: true },
    { version: "a,b", isWeak: false },
  ]);
});

test("what is no list of tags is not taken for one", () => {
  for (const header of ["", "3", '"3', '"3" "4"', '"3",', ',"3"', '*, "3"', 'w/"3"', '"a b"']) {
    assert.equal(parseTags(header), null, header);
  }
});

test("tags that were written are read again", () => {
  const tag = fc.record({ version: fc.stringMatching(/^[!#-~]*$/), isWeak: fc.boolean() }, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1, maxLength: 20 }), (tags) => {
      const header = tags.map(({ version, isWeak }) => `${isWeak ? "W/" : ""}${etagOf(version)}`).join(", ");
      assert.deepEqual(parseTags(header), header.length > 4_000 ? null : tags);
    }),
  );
});
