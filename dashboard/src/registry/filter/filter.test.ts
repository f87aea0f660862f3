import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CUSTOMER_FIELDS, filterOfRows, rowsOfFilter } from "./filter.ts";

const field = fc.constantFrom(
  "name",
  "summary.orders.total_amount",
  "metadata.vip",
  "events.Left. Twice.count",
  "phone",
);
const conditions = fc.dictionary(
  fc.constantFrom("$is", "$more_than", "$contains", "$later_than_this_page"),
  fc.array(fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom("a", "b")), { minLength: 1, maxLength: 3 }),
  { minKeys: 1 },
);

test("a filter that is shown as lines and written again is the same, also what this page does not know", () => {
  fc.assert(
    fc.property(fc.constantFrom("and", "or"), fc.dictionary(field, conditions), (junction, about) => {
      const filter = {
        junction,
        ...Object.fromEntries(Object.entries(about).map(([name, one]) => [name, { conditions: { ...one } }])),
      };
      const shown = rowsOfFilter(filter as never, CUSTOMER_FIELDS);
      assert.deepEqual(JSON.parse(JSON.stringify(filterOfRows(shown))), JSON.parse(JSON.stringify(filter)));
    }),
  );
});

test("a line that is not whole is left out", () => {
  const rows = [{ field: "metadata.*", name: "", operator: "$is", values: ["x"] }];
  assert.deepEqual(filterOfRows({ junction: "and", rows }), { junction: "and" });
});
