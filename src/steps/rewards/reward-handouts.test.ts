import assert from "node:assert/strict";
import { test } from "node:test";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { RedeemRequest } from "../checkout/requests.ts";
import { codesFrom } from "../publishing/publishing.ts";
import type { Wish } from "../publishing/wishes.ts";
import { rewardHandoutsFrom } from "./reward-handouts.ts";

const PROJECT = { id: "proj", timezone: "UTC", case_sensitive_codes: true };
const NOW = "2026-03-04T12:00:00.000Z";
const CAMPAIGN = {
  ...{ project_id: "proj", id: "camp", name: "camp", campaign_type: "DISCOUNT_COUPONS", type: "AUTO_UPDATE" },
  ...{ voucher_type: "DISCOUNT_VOUCHER", active: true, activity_duration_after_publishing: null },
  ...{ voucher_version: 1, templates: new Map() },
} as unknown as Campaign;
const code = (id: string): VoucherRow =>
  ({
    ...{ project_id: "proj", id, code: id, code_folded: id, campaign_id: "camp", template_version: null },
    ...{ settings: null, type: "DISCOUNT_VOUCHER", active: true, redeemed_quantity: 0, account: null },
    ...{ published_count: 0, holder_id: null, referrer_id: null },
  }) as VoucherRow;

test("law: drafting the rewards of a command takes no code; accepting what was drafted takes each once", () => {
  let count = 0;
  const newId = (prefix: string) => `${prefix}_${++count}`;
  const command = { request_id: "req", now: NOW, newId, newSecret: () => "" } as unknown as RedeemRequest;
  const wish: Wish = { voucher: null, campaign: CAMPAIGN, count: 2, now: NOW, newId, newSecret: () => "" };
  const entry = { command, customerId: "cust", campaign: CAMPAIGN, balance: 0, held: null, wish };
  const pools = { of: new Map([["camp", ["A", "B"]]]), ids: [], hasMore: new Set<string>(), making: new Set<string>() };
  const codes = codesFrom(undefined as never, PROJECT, { locked: [code("A"), code("B")], pools, drafts: new Map() });
  const entries = ["card_1", "card_2"].map((cardId) => ({ ...entry, cardId }));
  const handouts = rewardHandoutsFrom(undefined as never, PROJECT, { entries, codes, joined: new Set() });
  const give = () => {
    const draft = handouts.draft(command);
    assert.equal(draft.reserve(["card_1", "card_2"]), null);
    const customer = { id: "cust", tracking_id: null };
    const given = ["card_1", "card_2"].map((cardId) => draft.give(cardId, customer).voucher);
    return { gifts: draft.gifts(), shown: given.map(({ id, holder_id }) => [id, holder_id]) };
  };
  const first = give();
  assert.deepEqual(first.shown, [
    ["A", "cust"],
    ["B", "cust"],
  ]);
  assert.deepEqual(give().shown, first.shown, "what was drafted and not accepted is still there");
  assert.equal(codes.byId("A")?.published_count, 0);
  handouts.accept(first.gifts);
  assert.deepEqual(
    ["A", "B"].map((id) => codes.byId(id)?.published_count),
    [1, 1],
  );
  const refused = handouts.draft(command).reserve(["card_1"]);
  assert.deepEqual([refused?.cardId, refused?.error.key], ["card_1", "no_voucher_suitable_for_publication"]);
});
