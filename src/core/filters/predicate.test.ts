import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CUSTOMER_FIELDS, PRODUCT_FIELDS } from "./fields.ts";
import { FilterFault } from "./filter.ts";
import { type ContentKind, EXAMPLE_CONTEXT } from "./operator.ts";
import { type CompiledFilter, compileFilter, matchesFilter, neededFacts } from "./predicate.ts";
import { FILTER_OPERATORS, filterOperatorsFor } from "./registry.ts";

const compile = (given: unknown): CompiledFilter => compileFilter(given, CUSTOMER_FIELDS);
const matches = (given: unknown, subject: unknown) => matchesFilter(compile(given), subject, EXAMPLE_CONTEXT);
const is = (value: unknown) => ({ conditions: { $is: value } });

const FAULTS: [given: unknown, message: string | RegExp][] = [
  [undefined, "Property .filter has wrong `junction` property. It must be one of: and, or"],
  [[], /wrong `junction`/],
  [{}, /wrong `junction`/],
  [{ name: is("a") }, /wrong `junction`/],
  [{ junction: "xor" }, /wrong `junction`/],
  [{ junction: ["and"] }, /wrong `junction`/],
  [Object.create({ junction: "and" }), /wrong `junction`/],
  [{ junction: "and", secret: is("x") }, /unknown field secret. It must be one of: id, source_id, .*events\.\*\.count/],
  [{ junction: "and", toString: is("x") }, /unknown field toString/],
  [{ junction: "and", "events.x": is(1) }, /unknown field events\.x\./],
  [{ junction: "and", price: is(1) }, /unknown field price/],
  [{ junction: "and", ["x".repeat(5000)]: is(1) }, /unknown field x{100}…/],
  [{ junction: "and", name: "Ann" }, /^Property \.filter\.name must have the form/],
  [{ junction: "and", name: { conditions: {} } }, /must have the form/],
  [{ junction: "and", name: { conditions: ["a"] } }, /must have the form/],
  [{ junction: "and", name: { conditions: { $regex: "x" } } }, /unknown operator \$regex\. .*: \$is, \$is_not/],
  [{ junction: "and", name: { conditions: { toString: "x" } } }, /unknown operator toString/],
  [{ junction: "and", name: { conditions: { $active: true } } }, /unknown operator \$active/],
  [{ junction: "and", name: { conditions: { $more_than: 1 } } }, /name does not take \$more_than\. .*: \$is, /],
  [{ junction: "and", created_at: { conditions: { $contains: "2026" } } }, /does not take \$contains/],
  [{ junction: "and", name: is([]) }, /takes 1 to 1000 values/],
  [{ junction: "and", name: is({}) }, /takes 1 to 1000 values/],
  [{ junction: "and", name: is(Array(1001).fill("a")) }, /takes 1 to 1000 values/],
  [{ junction: "and", name: is(null) }, /takes text, a number, true or false/],
  [{ junction: "and", name: is([["a"]]) }, /takes text, a number, true or false/],
  [{ junction: "and", name: is({ key: "a" }) }, /takes text, a number, true or false/],
  [{ junction: "and", name: is("x".repeat(2001)) }, /takes text, a number, true or false/],
  [{ junction: "and", name: { conditions: { $contains: "" } } }, /takes text of 1 to 2000 characters/],
  [{ junction: "and", "loyalty.points": is("many") }, /takes a number/],
  [{ junction: "and", "loyalty.points": { conditions: { $count: 1.5 } } }, /takes a whole number/],
  [{ junction: "and", created_at: { conditions: { $after: "yesterday" } } }, /takes an ISO 8601 date/],
  [{ junction: "and", created_at: { conditions: { $is_day: "2026-02-30" } } }, /takes a date as YYYY-MM-DD/],
  [{ junction: "and", created_at: { conditions: { $less_than: -1 } } }, /takes a number of days from 0 to 100000/],
  [{ junction: "and", birthdate: { conditions: { $is_month: 13 } } }, /takes a month from 1 to 12/],
  [{ junction: "and", birthdate: { conditions: { $today: false } } }, /takes true/],
  [{ junction: "and", name: { conditions: { $has_value: "no" } } }, /takes true/],
  [{ junction: "and", "metadata.place": { conditions: { $in_location: "" } } }, /takes an id/],
  [
    { junction: "and", ...Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`metadata.k${i}`, is(1)])) },
    "Property .filter has more than 100 conditions",
  ],
];
for (const [given, message] of FAULTS)
  test(`${JSON.stringify(given)?.slice(0, 100)} is refused: ${message}`, () => {
    assert.throws(
      () => compile(given),
      (error) =>
        error instanceof FilterFault &&
        (typeof message === "string" ? error.message === message : message.test(error.message)),
    );
  });

test("values come as one, as a list, or as an object with numbers for keys", () => {
  for (const value of ["Ann", ["Ann"], ["Bob", "Ann"], { 0: "Ann" }, { 0: "Bob", 1: "Ann" }])
    assert.equal(matches({ junction: "AND", name: is(value) }, { name: "Ann" }), true);
  for (const value of [41, "41", ["41"], "41.00"])
    assert.equal(matches({ junction: "And", "loyalty.points": is(value) }, { loyalty: { points: 41 } }), true);
  for (const value of [true, "true", "TRUE", "", "1", 1, [true], [""], [], {}, { 0: "true" }])
    assert.equal(matches({ junction: "or", name: { conditions: { $has_value: value } } }, { name: "Ann" }), true);
  for (const value of [true, "true", ["TRUE"]])
    assert.equal(matches({ junction: "or", "metadata.vip": is(value) }, { metadata: { vip: true } }), true);
});

test("operators of a field are all asked for, fields by the junction", () => {
  const both = { conditions: { $starts_with: "A", $ends_with: "n" } };
  const ann = { name: "Ann", email: "ann@example.com" };
  assert.equal(matches({ junction: "and", name: both, email: is("other") }, ann), false);
  assert.equal(matches({ junction: "or", name: both, email: is("other") }, ann), true);
  assert.equal(matches({ junction: "or", name: both, email: is("other") }, { name: "Amy" }), false);
});

test("a filter without conditions fits everything", () => {
  for (const junction of ["and", "or"]) assert.equal(matches({ junction }, {}), true);
});

test("neededFacts names what is expensive to know, and isTimed whether time changes the answer", () => {
  const look = (given: object, fields = CUSTOMER_FIELDS) => {
    const filter = compileFilter({ junction: "or", ...given }, fields);
    return [[...neededFacts(filter)].toSorted(), filter.isTimed];
  };
  assert.deepEqual(look({ name: is("a"), "metadata.x": is(1) }), [[], false]);
  assert.deepEqual(look({ "summary.orders.total_count": is(1), "events.x.count": is(1) }), [
    ["events", "summary"],
    false,
  ]);
  assert.deepEqual(look({ "loyalty_points.campaigns.a.points": is(1), "loyalty.points": is(1) }), [["loyalty"], false]);
  assert.deepEqual(look({ "metadata.x": { conditions: { $in_location: "loc_1" } } }), [["locations"], false]);
  assert.deepEqual(look({ skus: { conditions: { $count: 1 } } }, PRODUCT_FIELDS), [["skus"], false]);
  assert.deepEqual(look({ birthdate: { conditions: { $today: true } } }), [[], true]);
  assert.deepEqual(look({ created_at: { conditions: { $after: "2026-01-01" } } }), [[], false]);
  assert.deepEqual(look({ created_at: { conditions: { $less_than: 30 } } }), [[], true]);
  assert.deepEqual(look({ "metadata.x": { conditions: { $less_than: 30 } } }), [[], true]);
});

test("without locations nothing lies anywhere", () => {
  const subject = { metadata: { place: "1, 1" } };
  for (const [operator, holds] of [
    ["$in_location", false],
    ["$not_in_location", true],
  ] as const) {
    const filter = compile({ junction: "and", "metadata.place": { conditions: { [operator]: "loc_1" } } });
    assert.equal(matchesFilter(filter, subject, { now: EXAMPLE_CONTEXT.now, zone: "UTC" }), holds);
  }
});

const PATHS: Record<ContentKind, string> = {
  text: "address.city",
  number: "summary.orders.total_amount",
  date: "events.a. b.last_date",
  birthdate: "birthdate",
  list: "loyalty.tiers",
  metadata: "metadata.x.y",
};
const dateText = fc.oneof(
  fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((d) => d.toISOString()),
  fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((d) => d.toISOString().slice(0, 10)),
);
const leaf = fc.oneof(fc.anything(), dateText, fc.string(), fc.double(), fc.integer().map(String), fc.boolean());
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 4 }));
const wrap = (one: unknown) => ({
  address: { city: one },
  summary: { orders: { total_amount: one } },
  events: { "a. b": { count: 1, last_date: one } },
  birthdate: one,
  loyalty: { campaigns: { a: { loyalty_tier: one } } },
  metadata: { x: { y: one } },
});
const subject = fc.oneof(value.map(wrap), fc.anything());
const zone = fc.constantFrom("UTC", "Europe/Warsaw", "America/New_York", "+05:30", "Pacific/Apia");
const context = fc.record({
  now: fc
    .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((d) => d.toISOString()),
  zone,
});
/** An operator on one of its fields, with values that one of its own examples has. */
const condition = fc
  .constantFrom(...FILTER_OPERATORS)
  .chain((operator) =>
    fc.record({
      operator: fc.constant(operator.name as string),
      example: fc.constantFrom(...operator.examples),
    }),
  )
  .map(({ operator, example: [kind, , given] }) => ({ operator, kind, given }));
const filter = fc
  .record({ junction: fc.constantFrom("and", "or"), conditions: fc.array(condition, { minLength: 1, maxLength: 5 }) })
  .map(({ junction, conditions }) => ({
    junction,
    ...Object.fromEntries(
      conditions.map(({ kind, operator, given }) => [PATHS[kind], { conditions: { [operator]: given } }]),
    ),
  }));

test("whatever the filter and the subject are, asking does not fail, and asking again gives the same", () => {
  fc.assert(
    fc.property(filter, subject, context, (given, one, at) => {
      const compiled = compile(given);
      assert.equal(matchesFilter(compiled, one, at), matchesFilter(compiled, one, at));
    }),
    { numRuns: 1000 },
  );
});

test("what cannot be compiled is refused by a FilterFault, whatever it is", () => {
  const known = fc.constantFrom(...Object.values(PATHS), "junction", "nothing", "metadata.__proto__");
  const operators = fc.constantFrom(...FILTER_OPERATORS.map(({ name }) => name as string), "$nothing", "__proto__");
  const conditions = fc.dictionary(operators, fc.anything(), { maxKeys: 3 });
  const body = fc.dictionary(known, fc.oneof(fc.record({ conditions }), fc.anything()), { maxKeys: 4 });
  const given = fc.oneof(
    fc.anything(),
    body.map((one) => ({ ...one, junction: "and" })),
  );
  fc.assert(
    fc.property(given, subject, (one, seen) => {
      try {
        matchesFilter(compile(one), seen, EXAMPLE_CONTEXT);
      } catch (error) {
        assert(error instanceof FilterFault, String(error));
      }
    }),
    { numRuns: 1000 },
  );
});

test("the negative operators are the complements of the positive ones", () => {
  const pairs = [
    ["$is", "$is_not"],
    ["$in", "$not_in"],
    ["$contains", "$not_contain"],
    ["$in_location", "$not_in_location"],
    ["$has_value", "$is_unknown"],
  ] as const;
  const kinds = fc.constantFrom(...(Object.keys(PATHS) as ContentKind[]));
  const asked = fc.array(fc.oneof(dateText, fc.string({ minLength: 1 }), fc.integer(), fc.boolean()), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(fc.constantFrom(...pairs), kinds, asked, subject, context, ([one, other], kind, values, seen, at) => {
      fc.pre(filterOperatorsFor(kind).some(({ name }) => name === one));
      const ask = (operator: string) => {
        const given = operator === "$has_value" || operator === "$is_unknown" ? true : values;
        return matchesFilter(
          compile({ junction: "and", [PATHS[kind]]: { conditions: { [operator]: given } } }),
          seen,
          at,
        );
      };
      try {
        assert.equal(ask(one), !ask(other));
      } catch (error) {
        // Numbers and dates refuse what is neither; then both do.
        if (!(error instanceof FilterFault)) throw error;
        assert.throws(() => ask(other), FilterFault);
      }
    }),
    { numRuns: 1000 },
  );
});

test("and is every field, or is some, and fields are asked on their own", () => {
  fc.assert(
    fc.property(filter, subject, context, ({ junction: _, ...fields }, one, at) => {
      const alone = Object.entries(fields).map(([path, asked]) =>
        matchesFilter(compile({ junction: "and", [path]: asked }), one, at),
      );
      assert.equal(matchesFilter(compile({ junction: "and", ...fields }), one, at), alone.every(Boolean));
      assert.equal(matchesFilter(compile({ junction: "or", ...fields }), one, at), alone.some(Boolean));
    }),
    { numRuns: 500 },
  );
});

test("the month and day of a date is in exactly one of the days until and since it", () => {
  fc.assert(
    fc.property(dateText, context, fc.integer({ min: 0, max: 366 }), (seen, at, days) => {
      const ask = (operator: string) =>
        matchesFilter(
          compile({ junction: "and", birthdate: { conditions: { [operator]: days } } }),
          { birthdate: seen },
          at,
        );
      assert.equal(ask("$is_less_days_ago_md"), !ask("$is_more_days_ago_md"));
      assert.equal(ask("$is_less_days_in_future_md"), !ask("$is_more_days_in_future_md"));
    }),
  );
});
