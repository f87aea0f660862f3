import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CUSTOMER_FIELDS, type CustomerSubject } from "../filters/fields.ts";
import { compileFilter } from "../filters/predicate.ts";
import { membershipChanges, type Segment, segmentsOf } from "./membership.ts";

const AUGUST = { now: "2026-08-10T12:00:00Z", zone: "Europe/Warsaw" };
const byFilter = (id: string, filter: object, type: "passive" | "auto-update" = "auto-update"): Segment => ({
  id,
  type,
  filter: compileFilter({ junction: "and", ...filter }, CUSTOMER_FIELDS),
});
const isIn = (filter: object, customer: CustomerSubject, context = AUGUST) =>
  segmentsOf(customer, [byFilter("seg", filter)], context).length === 1;

test("a static segment holds the customers it was given, whatever is known of them", () => {
  const segment: Segment = { id: "seg_1", type: "static", members: new Set(["cust_1", "cust_2"]) };
  assert.deepEqual(segmentsOf({ id: "cust_2" }, [segment], AUGUST), ["seg_1"]);
  assert.deepEqual(segmentsOf({ id: "cust_3" }, [segment], AUGUST), []);
  assert.deepEqual(segmentsOf({}, [segment], AUGUST), []);
});

test("a birthday next month, a country and a list, each in its own form", () => {
  const filter = {
    birthdate: { conditions: { $next_month: [true] } },
    "address.country": { conditions: { $is: "Poland" } },
    "metadata.club_level": { conditions: { $in: ["Gold", "Silver"] } },
  };
  const customer = { birthdate: "1990-09-20", address: { country: "Poland" }, metadata: { club_level: "Gold" } };
  assert.equal(isIn(filter, customer), true);
  assert.equal(isIn(filter, { ...customer, birthdate: "1990-10-01" }), false);
  assert.equal(isIn(filter, { ...customer, address: null }), false);
  assert.equal(isIn(filter, { ...customer, metadata: { club_level: "Bronze" } }), false);
});

test("points of a campaign whose name has a space", () => {
  const filter = { "loyalty_points.campaigns.Tiers 2.points": { conditions: { $more_than_equal: [41] } } };
  const inTiers = (points: number) => isIn(filter, { loyalty: { campaigns: { "Tiers 2": { points } } } });
  assert.deepEqual([40, 41].map(inTiers), [false, true]);
  assert.equal(isIn(filter, { loyalty: { campaigns: {} } }), false);
});

test("the last order within 30 days", () => {
  const filter = { "summary.orders.last_order_date": { conditions: { $less_than: [30] } } };
  const ordered = (days: number) => {
    const last_order_date = Temporal.Instant.from(AUGUST.now)
      .subtract({ hours: 24 * days })
      .toString();
    return isIn(filter, { summary: { orders: { last_order_date } } });
  };
  assert.deepEqual([10, 45].map(ordered), [true, false]);
  assert.equal(isIn(filter, { summary: { orders: {} } }), false);
});

test("an event counts by its name, and never is 0 times", () => {
  const done = (given: object) => ({ "events.review_left.count": { conditions: given } });
  const events = { review_left: { count: 1, last_date: "2026-08-01T00:00:00Z" } };
  assert.equal(isIn(done({ $more_than: ["0"] }), { events }), true);
  assert.equal(isIn(done({ $more_than: ["0"] }), { events: {} }), false);
  assert.equal(isIn(done({ $less_than: 1 }), { events: {} }), true);
  assert.equal(isIn(done({ $count: 1 }), { events }), true);
});

test("segments come in the order given, of every type, and nobody is in those that ask for nothing", () => {
  const segments: Segment[] = [
    byFilter("seg_c", { email: { conditions: { $is_unknown: true } } }, "passive"),
    { id: "seg_a", type: "static", members: new Set(["cust_1"]) },
    byFilter("seg_b", { name: { conditions: { $is: "Ann" } } }),
  ];
  assert.deepEqual(segmentsOf({ id: "cust_1", name: "Ann" }, segments, AUGUST), ["seg_c", "seg_a", "seg_b"]);
  assert.deepEqual(segmentsOf({}, segments, AUGUST), ["seg_c"]);
});

test("what was entered and left", () => {
  assert.deepEqual(membershipChanges(["a", "b"], new Set(["b", "c"])), { entered: ["c"], left: ["a"] });
  const ids = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const { entered, left } = membershipChanges(before, after);
      const applied = [...before.filter((id) => !left.includes(id)), ...entered];
      assert.deepEqual(applied.toSorted(), after.toSorted());
      assert.deepEqual(membershipChanges(after, before), {
        entered: before.filter((id) => left.includes(id)),
        left: after.filter((id) => entered.includes(id)),
      });
    }),
  );
});
