import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { envelopeText, toldEventId } from "./envelope.ts";
import { WEBHOOK_TYPES } from "./event-names.ts";

const event = {
  id: "evred_1",
  type: "redemption.succeeded",
  created_at: "2026-01-01T12:00:00.000Z",
  entity_id: "r_1",
  group_id: "v-1",
  event_source: { channel: "API" as const, api_key: { name: "till", app_id: "app" } },
};

test("the body has the fields of the envelope, the number of the event among them, and no space", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      fc.string(),
      (data, number, url) => {
        const source = { id: "wh_1", object: "webhook" as const, target_url: url };
        const named = { id: "whs_1", project_id: "proj_1", created_at: event.created_at, type: event.type };
        const { head, tail } = envelopeText({ ...named, data: JSON.stringify(data), source, event });
        const text = `${head}${number}${tail}`;
        const parsed = JSON.parse(text);
        assert.deepEqual(parsed, JSON.parse(JSON.stringify({ ...named, data, source, event: { ...event, number } })));
        assert.equal(JSON.stringify(parsed), text);
      },
    ),
  );
});

test("every type belongs to a family of event ids", () => {
  for (const type of WEBHOOK_TYPES)
    assert.match(toldEventId("ev_0123", type), /^ev(?:red|cus|vou|pub|cam|bvr|loy)_0123$/);
  assert.equal(toldEventId("ev_1", "redemption.failed"), "evred_1");
});
