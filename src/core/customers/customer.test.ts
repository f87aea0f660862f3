import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CustomerPatch, mergeCustomer, NO_CUSTOMER_VALUES } from "./customer.ts";

const ann = {
  ...NO_CUSTOMER_VALUES,
  name: "Ann",
  address: { city: "Berlin", country: "DE" },
  metadata: { a: 1, b: { c: [1] } },
};

test("what is left out stays, null takes away, and only what differs is named", () => {
  const cases: [CustomerPatch, Partial<typeof ann>, string[]][] = [
    [{}, {}, []],
    [{ name: "Ann" }, {}, []],
    [{ name: "Anna", email: null }, { name: "Anna" }, ["name"]],
    [{ name: null, phone: "1" }, { name: null as never, phone: "1" as never }, ["name", "phone"]],
    [{ address: {} }, {}, []],
    [{ address: { city: "Bonn" } }, { address: { city: "Bonn", country: "DE" } }, ["address"]],
    [{ country: "PL" }, { address: { city: "Berlin", country: "PL" } }, ["address"]],
    [{ country: "PL", address: { country: "FR" } }, { address: { city: "Berlin", country: "FR" } }, ["address"]],
    [{ country: null }, { address: { city: "Berlin" } as never }, ["address"]],
    [{ address: { city: null } }, { address: { country: "DE" } as never }, ["address"]],
    [{ address: { city: null, country: null } }, { address: null as never }, ["address"]],
    [{ address: null }, { address: null as never }, ["address"]],
    [{ metadata: { a: 1, b: { c: [1] } } }, {}, []],
    [{ metadata: { a: null } }, { metadata: { ...ann.metadata, a: null as never } }, ["metadata"]],
    [{ metadata: { b: {} } }, { metadata: { a: 1, b: {} as never } }, ["metadata"]],
  ];
  for (const [given, after, changed] of cases)
    assert.deepEqual(mergeCustomer(ann, given), { values: { ...ann, ...after }, changed }, JSON.stringify(given));
});

test("the same said twice changes nothing the second time, whatever the order of keys", () => {
  const given = fc.record({
    name: fc.option(fc.string()),
    address: fc.option(fc.record({ city: fc.option(fc.string()) })),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Record<string, unknown>>,
  });
  const turned = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(turned)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, one]) => [key, turned(one)]),
          )
        : value;
  fc.assert(
    fc.property(given, (one) => {
      const { values } = mergeCustomer(ann, one);
      assert.deepEqual(mergeCustomer(values, turned(one) as CustomerPatch).changed, []);
    }),
  );
});
