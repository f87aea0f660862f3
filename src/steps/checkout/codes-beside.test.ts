import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog } from "../../catalog/catalog.ts";
import { heldOfCode, NOTHING_HELD } from "../../core/validate/session-locks.ts";
import type { FoundVoucher } from "../../resources/promotions/vouchers/beside-store.ts";
import { besideAsked, heldIn, knownFrom, lotsIn } from "./codes-beside.ts";

const campaign = (id: string, quantity: number | null, campaign_type = "DISCOUNT_COUPONS") =>
  [
    id,
    {
      id,
      campaign_type,
      templates: new Map([
        [1, { quantity: null }],
        [2, { quantity }],
      ]),
    },
  ] as const;
const requestOf = (campaigns: ReturnType<typeof campaign>[], more: object = {}) => ({
  ...{ catalog: { campaigns: new Map(campaigns) } as unknown as Catalog, now: "2026-01-01T00:00:00.000Z" },
  ...{ session: null, ...more },
});

test("what is asked follows from the campaigns of the project", () => {
  const few = [campaign("a", null), campaign("b", 3), campaign("c", null, "LOYALTY_PROGRAM")];
  assert.deepEqual(besideAsked([requestOf(few), requestOf(few, { now: "2026-01-02T00:00:00.000Z" })]), {
    ...{ limited: ["b"], lots: true, referrers: false, overBy: "2026-01-02T00:00:00.000Z", days: [] },
  });
  const many = Array.from({ length: 201 }, (_, n) => campaign(`${n}`, 1, "REFERRAL_PROGRAM"));
  const { limited, lots, referrers } = besideAsked([requestOf(many)]);
  assert.deepEqual([limited, lots, referrers], [null, false, true]);
  const older = requestOf([campaign("d", null, "REFERRAL_PROGRAM")]);
  assert.equal(
    besideAsked([older, requestOf([])]).referrers,
    true,
    "one request knows a program, the last one does not",
  );
  assert.equal(
    besideAsked([requestOf([], { session: { key: "s" } })]).overBy,
    null,
    "a session asks for its own locks",
  );
});

const row = { id: "v_1", published_count: 0, holder_id: null };
const found = (more: object = {}) =>
  ({
    ...{ row, beside: { assigned: [], holders: [], referrer: null, lots: null, counted: [], held: null, ...more } },
  }) as unknown as FoundVoucher;
const HELD = heldOfCode(NOTHING_HELD, []);
const NOBODY = { codesOf: new Map(), own: [] };
const asking = (codes: string[], sessions: string[] = []) => ({ codes, sessions, now: "" });

test("what sessions hold is read later where it was not read of a code, or a session asks", () => {
  assert.deepEqual(heldIn([found({ held: HELD })], asking(["v_1"])), { held: new Map([["v_1", HELD]]), ...NOBODY });
  assert.deepEqual(heldIn([found({ held: HELD })], asking([])), { held: new Map(), ...NOBODY }, "nothing limits it");
  assert.equal(heldIn([found()], asking(["v_1"])), null);
  assert.equal(heldIn([found({ held: HELD })], asking(["v_1"], ["s"])), null);
});

test("lots are read later where they were not asked for", () => {
  assert.deepEqual([lotsIn([found({ lots: [] })]), lotsIn([found()])], [[], null]);
});

test("a code that nobody was given has no holders, and one that was has none left", () => {
  const [never] = knownFrom("proj", [found()]);
  const [gone] = knownFrom("proj", [{ ...found(), row: { ...row, published_count: 1 } as never }]);
  assert.deepEqual([never!.holder_ids, gone!.holder_ids], [null, []]);
});
