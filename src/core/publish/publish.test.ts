import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_SETTINGS } from "../vouchers/settings.ts";
import { countMax, isShared, joinsOnce, type PublishingCampaign, publishFault, settingsPublished } from "./publish.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const campaign = (given: Partial<PublishingCampaign> = {}): PublishingCampaign => ({
  campaign_type: "DISCOUNT_COUPONS",
  type: "AUTO_UPDATE",
  active: true,
  join_once: false,
  activity_duration_after_publishing: null,
  ...given,
});

test("joining once is a setting of the campaign, which a call may change, but not for a loyalty program", () => {
  assert.equal(joinsOnce(null, true), false);
  assert.equal(joinsOnce(campaign(), null), false);
  assert.equal(joinsOnce(campaign({ join_once: true }), null), true);
  assert.equal(joinsOnce(campaign({ join_once: true }), false), false);
  assert.equal(joinsOnce(campaign(), true), true);
  assert.equal(joinsOnce(campaign({ campaign_type: "LOYALTY_PROGRAM" }), false), true);
});

test("fifty codes at most, and one for a publication with a name or for who joins once", () => {
  assert.deepEqual(
    [
      countMax({ isNamed: false, isOnce: false }),
      countMax({ isNamed: true, isOnce: false }),
      countMax({ isNamed: false, isOnce: true }),
    ],
    [50, 1, 1],
  );
});

test("a code of a campaign is published once; one without, and the one code for all, as often as wanted", () => {
  const published = { id: "v_1", code: "A", active: true, published_count: 1 };
  const key = (given: PublishingCampaign | null, code = published, expiration_date: string | null = null) =>
    publishFault(code, given, { settings: { expiration_date }, now: NOW })?.key ?? null;
  assert.equal(key(campaign()), "voucher_already_published");
  assert.equal(key(null), null);
  assert.equal(key(campaign({ type: "STANDALONE" })), null);
  assert.deepEqual([isShared(null), isShared(campaign({ type: "STATIC" }))], [true, false]);
  const fresh = { ...published, published_count: 0 };
  assert.equal(key(campaign(), fresh), null);
  assert.equal(key(campaign(), { ...fresh, active: false }), "voucher_disabled");
  assert.equal(key(campaign({ active: false }), fresh), "voucher_disabled");
  assert.equal(key(campaign(), fresh, NOW), "voucher_expired");
  assert.equal(key(campaign(), fresh, "2026-01-01T12:00:00.001Z"), null);
});

test("a published code is active for its time, from now or from a start that is ahead", () => {
  const after = (given: Partial<PublishingCampaign>, settings = {}) => {
    const changed = settingsPublished({ ...NO_SETTINGS, ...settings }, campaign(given), { now: NOW, zone: "UTC" });
    return changed && [changed.start_date, changed.expiration_date];
  };
  const tenDays = { activity_duration_after_publishing: "P10D" };
  assert.equal(after({}), null);
  assert.equal(after({ ...tenDays, type: "STANDALONE" }), null);
  assert.deepEqual(after(tenDays), [NOW, "2026-01-11T12:00:00.000Z"]);
  assert.deepEqual(after(tenDays, { start_date: "2025-06-01T00:00:00.000Z", expiration_date: NOW }), [
    NOW,
    "2026-01-11T12:00:00.000Z",
  ]);
  assert.deepEqual(after(tenDays, { start_date: "2026-02-01T00:00:00.000Z" }), [
    "2026-02-01T00:00:00.000Z",
    "2026-02-11T00:00:00.000Z",
  ]);
});
