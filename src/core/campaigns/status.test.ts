import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { refuseAnyway } from "../validate/checks.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import type { Situation } from "../validate/situation.ts";
import { NO_TOTALS } from "./limits.ts";
import { type LiveStatus, liveStatus } from "./status.ts";

const NO_WINDOW = { validity_timeframe: null, validity_day_of_week: null, validity_hours: null };
const ZONE = "Europe/Warsaw";
const hour = (n: number) => new Date(Date.UTC(2026, 2, 28, n)).toISOString();
const date = fc.option(fc.integer({ min: 0, max: 72 }).map(hour), { nil: null });

/** What a validation of a code says first, for each status. */
const REFUSED: Readonly<Partial<Record<LiveStatus, string>>> = {
  DISABLED: "voucher_disabled",
  SCHEDULED: "voucher_not_active",
  EXPIRED: "voucher_expired",
};

test("the status says why a validation at that moment refuses, and ACTIVE that it does not", () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      date,
      date,
      fc.integer({ min: 0, max: 72 }).map(hour),
      (is_active, start_date, expiration_date, now) => {
        const validity = { ...NO_WINDOW, start_date, expiration_date };
        const redeemable = { object: "voucher", id: "A", is_active, validity, quantity: null, referrer_id: null };
        const refused = refuseAnyway(redeemable as Redeemable, { now, zone: ZONE } as Situation);
        const standing = {
          isArchived: false,
          isDraft: false,
          isActive: is_active,
          validity,
          rules: [],
          totals: NO_TOTALS,
        };
        const status = liveStatus({ ...standing, areCodesUsed: false }, { now, zone: ZONE });
        assert.equal(refused?.key, REFUSED[status]);
        assert.equal(liveStatus({ ...standing, areCodesUsed: false, isDraft: true }, { now, zone: ZONE }), "DRAFT");
        assert.equal(
          liveStatus({ ...standing, areCodesUsed: false, isArchived: true }, { now, zone: ZONE }),
          "ARCHIVED",
        );
        const used = liveStatus({ ...standing, areCodesUsed: true }, { now, zone: ZONE });
        assert.equal(used, status === "ACTIVE" ? "USED_UP" : status);
      },
    ),
  );
});
