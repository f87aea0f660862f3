import assert from "node:assert/strict";
import { test } from "node:test";
import { FilterFault, parseFilter } from "./filter.ts";

const FIELDS = {
  id: "id",
  name: "string",
  size: "number",
  active: "boolean",
  created_at: "date",
  "metadata.*": "metadata",
} as const;

test("operators of one field are kept together, and the junction is read in any case", () => {
  const filter = parseFilter(
    {
      junction: "OR",
      name: { conditions: { $starts_with: "A", $not_in: ["AB", "AC"] } },
      active: { conditions: { $is: "TRUE" } },
    },
    FIELDS,
  );
  assert.deepEqual(filter, {
    junction: "or",
    fields: [
      [
        { field: "name", kind: "string", operator: "$starts_with", values: ["A"] },
        { field: "name", kind: "string", operator: "$not_in", values: ["AB", "AC"] },
      ],
      [{ field: "active", kind: "boolean", operator: "$is", values: ["true"] }],
    ],
  });
});

test("values of a query string may come as an object with numbers for keys, and presence needs none", () => {
  const filter = parseFilter({ name: { conditions: { $in: { 0: "a", 1: "b" }, $has_value: "" } } }, FIELDS);
  assert.deepEqual(
    filter.fields[0]!.map(({ values }) => values),
    [["a", "b"], []],
  );
});

test("a range of dates may be given without the level of conditions and the dollar signs, in v1", () => {
  const short = { created_at: { before: "2026-01-02", after: "2026-01-01" } };
  const long = { created_at: { conditions: { $before: "2026-01-02", $after: "2026-01-01" } } };
  assert.deepEqual(parseFilter(short, FIELDS), parseFilter(long, FIELDS));
  assert.throws(() => parseFilter(short, FIELDS, "v2"), FilterFault);
  for (const given of [{ before: "x" }, { before: "2026-01-02", since: "2026-01-01" }, {}])
    assert.throws(() => parseFilter({ created_at: given }, FIELDS), FilterFault);
  assert.throws(() => parseFilter({ name: { before: "2026-01-02" } }, FIELDS), FilterFault);
});

test("a field beside the conditions is refused in v2, where the interface closes the object, and ignored in v1", () => {
  const beside = { name: { conditions: { $is: "A" }, condition: { $is: "B" } } };
  assert.throws(() => parseFilter(beside, FIELDS, "v2"), {
    message: "filters.name has unknown field condition; it takes conditions only",
  });
  assert.deepEqual(parseFilter(beside, FIELDS), parseFilter({ name: { conditions: { $is: "A" } } }, FIELDS));
});

test("a state is asked for by its name, with or without the level of conditions and the dollar sign", () => {
  const fields = { status: ["$active", "$before_start"], days: "list" } as const;
  const state = { field: "status", kind: "state", operator: "$before_start", values: [] };
  for (const given of [
    { conditions: { $before_start: "" } },
    { conditions: { before_start: {} } },
    { $before_start: "true" },
  ])
    assert.deepEqual(parseFilter({ status: given }, fields).fields, [[state]]);
  assert.deepEqual(parseFilter({ days: { conditions: { $is: ["1", 2] } } }, fields).fields, [
    [{ field: "days", kind: "list", operator: "$is", values: ["1", "2"] }],
  ]);
  for (const given of [{ $expired: "" }, { conditions: { $is: "DONE" } }, {}, "true"])
    assert.throws(() => parseFilter({ status: given }, fields), FilterFault);
});

const FAULTS = [
  [{ junction: "xor" }, /junction must be and, or or/],
  [{ secret: { conditions: { $is: "x" } } }, /filters.secret is unknown; there are id, name/],
  [{ toString: { conditions: { $is: "x" } } }, /filters.toString is unknown/],
  [{ name: "x" }, /must have the form/],
  [{ name: { conditions: {} } }, /must have the form/],
  [{ name: { conditions: { $regex: "x" } } }, /does not take \$regex; it takes \$is,/],
  [{ id: { conditions: { $contains: "x" } } }, /does not take \$contains/],
  [{ id: { conditions: { $is: ["a", "b"] } } }, /takes one value/],
  [{ name: { conditions: { $in: [] } } }, /takes 1 to 1000 values/],
  [{ name: { conditions: { $is: { deep: { er: 1 } } } } }, /takes plain values/],
  [{ size: { conditions: { $more_than: "big" } } }, /takes a number/],
  [{ active: { conditions: { $is: "yes" } } }, /takes true or false/],
  [{ created_at: { conditions: { $before: "yesterday" } } }, /takes an ISO 8601 date/],
  [{ created_at: { conditions: { $more_than: "-1" } } }, /takes a number of days/],
  [{ "metadata.n": { conditions: { $more_than: "x" } } }, /takes a number/],
] as const;
for (const [given, message] of FAULTS) {
  test(`${JSON.stringify(given)} is refused with what would fit`, () => {
    assert.throws(
      () => parseFilter(given, FIELDS),
      (error) => error instanceof FilterFault && message.test(error.message),
    );
  });
}
