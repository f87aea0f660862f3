import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseEvents } from "./stream.ts";

const TEXT =
  'retry: 1000\nid: 0\n\nid: 1\nevent: customer.created\ndata: {"id":"evt_1"}\n\nid: 2\n: still here\n\nid: 3\nevent: a\ndata: x\n\n';

test("a stream that comes in any pieces gives the same events", () => {
  const whole = parseEvents(TEXT);
  assert.equal(whole.rest, "");
  assert.deepEqual(
    whole.events.map(({ id, type }) => [id, type]),
    [
      ["0", ""],
      ["1", "customer.created"],
      ["2", ""],
      ["3", "a"],
    ],
  );
  fc.assert(
    fc.property(fc.nat(TEXT.length), (cut) => {
      const first = parseEvents(TEXT.slice(0, cut));
      const second = parseEvents(first.rest + TEXT.slice(cut));
      assert.deepEqual([...first.events, ...second.events], whole.events);
    }),
  );
});
