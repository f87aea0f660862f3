import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalog } from "../../catalog/catalog.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { openCustomers } from "../../steps/customers/customers.ts";
import { codesFrom } from "../../steps/publishing/publishing.ts";
import { wishOf } from "../../steps/publishing/wishes.ts";
import { planPublication, planRound } from "./plan.ts";
import type { PublishCommand, PublishPlan, PublishState } from "./state.ts";

const NOW = "2026-03-04T12:00:00.000Z";
const PROJECT = { id: "proj", timezone: "UTC", secret: "s", case_sensitive_codes: true } as unknown as Project;
const campaign = (id: string, more: Partial<Campaign> = {}): Campaign =>
  ({
    project_id: "proj",
    id,
    name: id,
    campaign_type: "DISCOUNT_COUPONS",
    type: "AUTO_UPDATE",
    voucher_type: "DISCOUNT_VOUCHER",
    active: true,
    join_once: false,
    activity_duration_after_publishing: null,
    voucher_version: 1,
    templates: new Map(),
    ...more,
  }) as unknown as Campaign;
/** One code there and one that can be made; a code for everybody who asks once; none. */
const CAMPAIGNS = [campaign("some"), campaign("once", { join_once: true }), campaign("empty")];
const CATALOG = {
  campaigns: new Map(CAMPAIGNS.map((one) => [one.id, one])),
  metadata_schemas: new Map(),
  segments: new Map(),
} as unknown as Catalog;
const code = (id: string, campaign_id: string, more: Partial<VoucherRow> = {}): VoucherRow =>
  ({
    ...{ project_id: "proj", id, code: id, code_folded: id, campaign_id, template_version: null, settings: null },
    ...{ type: "DISCOUNT_VOUCHER", active: true, redeemed_quantity: 0, account: null, published_count: 0 },
    ...{ holder_id: null, referrer_id: null, created_at: NOW, updated_at: null },
    ...more,
  }) as VoucherRow;
const CODES = [code("A", "some"), code("OFF", "some", { active: false }), code("B", "once"), code("C", "once")];

function command(sent: object, request_id = "req"): PublishCommand {
  let count = 0;
  const newId = (prefix: string) => `${prefix}_${request_id}${++count}`;
  const body = { customer: { source_id: "anna" }, ...sent };
  const made = { project: PROJECT, catalog: CATALOG, now: NOW, newId, newSecret: () => "", request_id };
  return { ...made, sent: body, join_once: null } as unknown as PublishCommand;
}

/** The state of a batch. No statement is sent for any of it. */
async function stateOf(commands: readonly PublishCommand[]): Promise<PublishState> {
  const wishes = new Map(commands.map((one) => [one, wishOf(one.sent, CATALOG, one)]));
  const pools = {
    of: new Map([
      ["some", ["OFF", "A"]],
      ["once", ["B", "C"]],
    ]),
    ...{ ids: [], hasMore: new Set<string>(), making: new Set(["some"]) },
  };
  const drafts = new Map(
    [...wishes.values()].map((wish) => [wish, wish.campaign?.id === "some" ? ([["new", "new"]] as const) : []]),
  );
  return {
    catalog: CATALOG,
    campaigns: CATALOG.campaigns,
    wishes,
    customers: await openCustomers(undefined as never, "proj", []),
    codes: codesFrom(undefined as never, PROJECT, { locked: CODES, pools, drafts }),
    shown: new Map(),
    sourceIds: new Set(["taken"]),
    joined: new Map(),
  };
}
const SENT = [
  ...[{ campaign: "some" }, { campaign: { id: "some", count: 2 } }, { campaign: { id: "some", count: 3 } }],
  ...[{ campaign: "once" }, { campaign: "empty" }, { campaign: "nobody" }, { voucher: "OFF" }, { voucher: "A" }, {}],
  ...[{ voucher: "A", source_id: "taken" }, { campaign: "some", source_id: "free" }, { voucher: "nobody" }],
];
const outcomeOf = ({ outcome }: PublishPlan) =>
  "refused" in outcome ? outcome.refused.key : outcome.vouchers.map((voucher) => voucher.code).join(" ");
/** What a command after these finds. */
const seen = ({ codes, customers, sourceIds, joined, wishes }: PublishState) =>
  structuredClone({
    codes: CODES.map(({ id }) => codes.byId(id)),
    free: [...wishes.values()].map((wish) => [1, 2, 3].map((n) => wish.campaign && codes.has(wish, wish.campaign, n))),
    anna: customers.bySource("anna"),
    ...{ sourceIds, joined },
  });

test("law: planning a publication changes nothing, and what is planned again is the same", async () => {
  for (const sent of SENT) {
    const own = command(sent);
    const state = await stateOf([own]);
    const before = seen(state);
    const plan = planPublication(state, own);
    assert.deepEqual(seen(state), before);
    assert.equal(outcomeOf(planPublication(state, own)), outcomeOf(plan));
  }
});

test("law: a refused publication gives nothing, makes nobody and holds nothing", async () => {
  const refusals = new Set<string>();
  for (const sent of SENT) {
    const own = command(sent);
    const plan = planPublication(await stateOf([own]), own);
    if (!("refused" in plan.outcome)) continue;
    refusals.add(plan.outcome.refused.key);
    assert.deepEqual([plan.customer, plan.drawn, plan.published, plan.holders], [null, null, [], []]);
    assert.ok(plan.row === null || (plan.row.result === "FAILURE" && plan.row.customer_id === null));
    assert.equal(plan.happened.length, plan.row === null ? 0 : 1);
  }
  assert.deepEqual(refusals, new Set(REFUSALS));
});
const REFUSALS = [
  ...["no_voucher_suitable_for_publication", "not_found", "voucher_disabled", "missing_vouchers"],
  "duplicate_source_id",
];

test("each publication is planned on what those before it left", async () => {
  const sent = [{ campaign: "some" }, { campaign: "once" }, { campaign: "once" }, { campaign: "some" }];
  const more = [{ voucher: "A" }, { campaign: "some", source_id: "taken" }, { campaign: "some" }];
  const round = [...sent, ...more].map((one, n) => command(one, `${n}`));
  const state = await stateOf(round);
  const plans = [...planRound(state, round)];
  assert.deepEqual(plans.map(outcomeOf), [
    ...["A", "B", "B", "new"],
    ...["voucher_already_published", "duplicate_source_id", "no_voucher_suitable_for_publication"],
  ]);
  assert.deepEqual(
    plans.map(({ customer }) => customer?.created ?? null),
    [true, false, false, false, null, null, null],
  );
  assert.deepEqual(
    plans.map(({ row }) => row?.result ?? null),
    ["SUCCESS", "SUCCESS", null, "SUCCESS", "FAILURE", null, "FAILURE"],
  );
});

test("law: whatever was published before, no code goes to two publications, and each that is given has a holder", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...SENT), { maxLength: 8 }), async (some) => {
      const round = some.map((sent, n) => command(sent, `${n}`));
      const plans = [...planRound(await stateOf(round), round)];
      const given = plans.flatMap(({ published }) => published.map(({ row }) => row.id));
      assert.equal(new Set(given).size, given.length);
      const held = plans.flatMap(({ holders }) => holders.map(({ voucher_id }) => voucher_id));
      assert.deepEqual(held, given);
    }),
  );
});
