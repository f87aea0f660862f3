import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIds, eventIdAt, eventRowOf } from "../core/ids.ts";
import type { NewId } from "../request.ts";
import type { EventKind, NewEvent } from "./events.ts";
import { type FoldedEvent, foldEvents, nameEvents } from "./fold.ts";

const KINDS: EventKind[] = [
  "customer.created",
  "customer.custom_event",
  "customer.redemption.succeeded",
  "customer.rewarded",
  "customer.order.created",
  "customer.order.paid",
];
const oneOf = (...ids: string[]) => fc.constantFrom(undefined, null, ...ids);
const events: fc.Arbitrary<NewEvent[]> = fc.array(
  fc.record(
    {
      kind: fc.constantFrom(...KINDS),
      customer_id: oneOf("cust_1", "cust_2"),
      voucher_id: oneOf("v_1", "v_2"),
      campaign_id: oneOf("camp_1"),
      subject_id: fc.option(fc.constant("lmbr_1"), { freq: 9 }),
      payload: fc.constantFrom({}, { order_id: "ord_1" }, { redemption_id: "r_1" }),
      at: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"),
    },
    { requiredKeys: ["kind"], noNullPrototype: true },
  ),
  { maxLength: 12 },
) as fc.Arbitrary<NewEvent[]>;

const idsOf = (): NewId => {
  let count = 0;
  return createIds(
    () => 1_767_268_800_000 + Math.floor(count++ / 3),
    () => (count % 251) * 0x010101,
  ) as NewId;
};
type Event = Pick<FoldedEvent, "kind"> & Partial<FoldedEvent>;
/** The columns of an event, with what was left out. */
const whole = ({ id, kind, customer_id, voucher_id, campaign_id, subject_id, payload, at }: Event) => ({
  ...{ id, kind, payload: payload ?? {}, at: at ?? null },
  ...{ customer_id: customer_id ?? null, subject_id: subject_id ?? null },
  ...{ voucher_id: voucher_id ?? null, campaign_id: campaign_id ?? null },
});
/** What `unfolded` does in SQL. */
const unfold = ({ also, also_payloads, ...first }: FoldedEvent) => [
  first,
  ...(also ?? []).map((kind, n) => ({
    ...first,
    ...(kind.startsWith("customer.order.") && { voucher_id: null, campaign_id: null }),
    id: eventIdAt(first.id, n + 1),
    kind,
    payload: also_payloads![n] ?? also_payloads!.at(-1)!,
  })),
];

test("what was folded is unfolded into the same events, in the same order", () => {
  fc.assert(
    fc.property(events, (happened) => {
      const named = nameEvents(idsOf(), happened);
      const ids = named.map(({ id }) => id);
      assert.deepEqual(ids, [...new Set(ids)].sort(), "ids are unique and grow");
      assert.deepEqual(
        named.map(({ id: _, ...event }) => event),
        happened,
      );
      assert.deepEqual(foldEvents(named).flatMap(unfold).map(whole), named.map(whole));
      assert.deepEqual(nameEvents(idsOf(), named), named, "a name that is given stays");
    }),
  );
});

test("events of another customer, subject or moment have a row of their own, and so have other kinds", () => {
  fc.assert(
    fc.property(events, (happened) => {
      const named = nameEvents(idsOf(), happened).map((event) => ({ ...whole(event), id: event.id }));
      for (const row of Map.groupBy(named, ({ id }) => eventRowOf(id)).values()) {
        for (const field of ["customer_id", "subject_id", "at"] as const)
          assert.equal(new Set(row.map((event) => event[field])).size, 1, field);
        assert.ok(row.length === 1 || row[0]!.subject_id === null);
        for (const { kind } of row.slice(1))
          assert.ok(!["customer.created", "customer.custom_event"].includes(kind), kind);
        const codes = row.filter(({ kind }, n) => n === 0 || !kind.startsWith("customer.order."));
        assert.equal(new Set(codes.map(({ voucher_id, campaign_id }) => `${voucher_id} ${campaign_id}`)).size, 1);
      }
    }),
  );
});

const about = { customer_id: "cust_1", voucher_id: "v_1", campaign_id: "camp_1" };
const redeemed: NewEvent = { kind: "customer.redemption.succeeded", ...about, payload: { redemption_id: "r_1" } };
const order = (kind: EventKind): NewEvent => ({ kind, customer_id: "cust_1", payload: { order_id: "ord_1" } });

test("a redemption that pays an order is one row, and tells what is the same of the order once", () => {
  const newId = () => `ev_${"0".repeat(23)}1`;
  const named = nameEvents(newId, [redeemed, order("customer.order.created"), order("customer.order.paid")]);
  assert.deepEqual(
    named.map(({ id }) => id.slice(-4)),
    ["0001", "0101", "0102"],
  );
  assert.deepEqual(foldEvents(named), [
    {
      ...named[0],
      also: ["customer.order.created", "customer.order.paid"],
      also_payloads: [{ order_id: "ord_1" }],
    },
  ]);
});

test("an event goes on in the next row when its place would take three digits", () => {
  const rows = foldEvents(
    nameEvents(
      idsOf(),
      Array.from({ length: 300 }, () => redeemed),
    ),
  );
  assert.deepEqual(
    rows.map(({ also }) => also!.length),
    [255, 43],
  );
});

test("an event that was parted from its row is not recorded as another one", () => {
  const named = nameEvents(idsOf(), [
    redeemed,
    order("customer.order.created"),
    order("customer.order.paid"),
    redeemed,
  ]);
  assert.throws(() => foldEvents(named.slice(1)), /right behind those of its row/);
  assert.throws(() => foldEvents([named[0]!, named[2]!]), /right behind those of its row/);
  assert.equal(foldEvents(named).length, 1, "all of them are of one code");
});
