import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { allShown } from "../support/events.ts";
import { idsOn, makeOneOfEverything } from "../support/one-of-everything.ts";
import { testShop } from "../support/shop.ts";
import { COPIES, fillLists } from "./list-rows.ts";

// Every list shows every row once, in its order, whether its pages are whole, end early or are refused for their size.
const { db } = await testDatabase();
const project = await testProject(db, { client_list_vouchers_enabled: true, client_trusted_domains: ["*"] });
for (let n = 1; n <= COPIES; n += 1) await testProject(db);
const { call } = await testEngine(db, project);
const made = await makeOneOfEverything(call, project);
await fillLists(db, project.id, made);
await allShown(db, project.id);
// These read the catalog anew. Their answers hold copies that no operation would have made: the shape is not looked at.
const { call: whole } = await testEngine(db, project, { onAnswer: () => {} });
const PAGE_BYTES_MAX = 150_000;
const { call: bounded } = await testEngine(db, project, { onAnswer: () => {}, pageBytesMax: PAGE_BYTES_MAX });

/**
 * Every list, with how large its rows are: of a `fat` one the copies of a row pass the bound together, each of `thin` ones
 * fits. A number is how many rows there are, where there cannot be more.
 */
const LISTS: Record<string, "fat" | "thin" | number> = {
  "/v1/async-actions": "thin",
  "/v1/audit-log": "thin",
  "/management/v1/projects/{projectId}/audit-log": "thin",
  "/management/v1/audit-log": "thin",
  "/v1/loyalties/{campaignId}/earning-rules": "fat",
  "/v1/campaigns": "fat",
  "/v1/templates/campaigns": "thin",
  "/management/v1/projects/{projectId}/templates/campaigns": "thin",
  "/v1/loyalties/{campaignId}/tiers": "fat",
  "/v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/earning-rules": "fat",
  "/v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/rewards": "fat",
  "/v1/categories": "thin",
  "/v1/conflicts": "thin",
  "/v1/exports": "thin",
  "/management/v1/projects/{projectId}/custom-event-schemas": "thin",
  "/client/v1/vouchers": "fat",
  "/v1/customers": "fat",
  "/v1/customers/{customerId}/segments": "thin",
  "/v1/customers/{customerId}/redeemables": "fat",
  "/v1/customers/{customerId}/activity": "fat",
  "/v1/customers/{customerId}/activities": "fat",
  "/v1/vouchers/{code}/transactions": "thin",
  "/v1/campaigns/{campaignId}/transactions": "thin",
  "/v1/locations": "thin",
  "/v1/loyalties": "fat",
  "/v1/loyalties/{campaignId}/members": "fat",
  "/v1/loyalties/{campaignId}/members/{memberId}/points-expiration": "thin",
  "/v1/loyalties/{campaignId}/pending-points": "thin",
  "/v1/loyalties/{campaignId}/members/{memberId}/pending-points": "thin",
  "/v1/loyalties/members/{memberId}/pending-points": "thin",
  "/v1/loyalties/{campaignId}/transactions": "thin",
  "/v1/loyalties/{campaignId}/members/{memberId}/transactions": "thin",
  "/v1/loyalties/members/{memberId}/transactions": "thin",
  "/v1/loyalties/{campaignId}/members/{memberId}/activity": "fat",
  "/v1/loyalties/members/{memberId}/activity": "fat",
  "/v1/loyalties/members/{memberId}/tiers": 1,
  "/v2/loyalties/card-definitions": "fat",
  "/v2/loyalties/card-definitions/{cardDefinitionId}/activities": "fat",
  "/v2/loyalties/tier-structures/{tierStructureId}/tiers": "fat",
  "/v2/loyalties/tier-structures": "fat",
  "/v2/loyalties/tier-structures/{tierStructureId}/activities": "fat",
  "/v2/loyalties/benefits": "thin",
  "/v2/loyalties/benefits/{benefitId}/activities": "fat",
  "/v2/loyalties/earning-rules": "fat",
  "/v2/loyalties/earning-rules/{earningRuleId}/activities": "fat",
  "/v2/loyalties/rewards": "fat",
  "/v2/loyalties/rewards/{rewardId}/activities": "fat",
  "/v2/loyalties/programs/{programId}/members/{memberId}/cards/{cardId}/activities": "fat",
  "/v2/loyalties/programs/{programId}/members/{memberId}/cards/{cardId}/transactions": "fat",
  "/v2/loyalties/programs/{programId}/members/{memberId}/cards/{cardId}/pending-points": "thin",
  "/v2/loyalties/programs/{programId}/members/{memberId}/cards/{cardId}/expiring-points": "thin",
  "/v2/loyalties/programs/{programId}/members": "fat",
  "/v2/loyalties/programs/{programId}/members/{memberId}/activities": "fat",
  "/v2/loyalties/programs": "fat",
  "/v2/loyalties/programs/{programId}/activities": "fat",
  "/v2/loyalties/programs/{programId}/card-definitions": "thin",
  "/v2/loyalties/programs/{programId}/earning-rules": "thin",
  "/v2/loyalties/programs/{programId}/tier-structures": "thin",
  "/v2/loyalties/programs/{programId}/rewards": "thin",
  "/v2/loyalties/programs/{programId}/members/{memberId}/rewards/purchases": "fat",
  "/v2/loyalties/programs/{programId}/members/{memberId}/orders/payments": "fat",
  "/v2/loyalties/programs/{programId}/members/{memberId}/benefits/transactions": "fat",
  "/v2/loyalties/programs/{programId}/members/{memberId}/tiers/transactions": "fat",
  "/v1/events": "fat",
  "/v1/metadata-schemas": "thin",
  "/management/v1/projects/{projectId}/branding": 1,
  "/management/v1/projects/{projectId}/metadata-schemas": "thin",
  // One for the server, one for the client side, and what one of everything adds.
  "/management/v1/projects/{projectId}/keys": 3,
  "/management/v1/projects/{projectId}/users": "thin",
  "/management/v1/roles": "thin",
  "/v1/orders": "fat",
  "/v1/product-collections": "thin",
  "/v1/product-collections/{productCollectionId}/products": "fat",
  "/v1/products": "fat",
  "/management/v1/projects": "thin",
  "/v1/promotions/stacks": "thin",
  "/v1/promotions/{campaignId}/stacks": "thin",
  "/v1/promotions/tiers": "thin",
  "/client/v1/promotions/tiers": "thin",
  "/v1/promotions/{campaignId}/tiers": "thin",
  "/v1/publications": "fat",
  "/v1/referrals/members/{memberId}/holders": "fat",
  "/v1/referrals/{campaignId}/members/{memberId}/holders": "fat",
  // No friend came yet.
  "/v1/referrals/{campaignId}/top-referrers": 0,
  "/v1/loyalties/members/{memberId}/rewards": "fat",
  "/v1/redemptions": "fat",
  "/v1/refusals": "thin",
  "/v1/request-log": "thin",
  "/management/v1/projects/{projectId}/request-log": "thin",
  "/management/v1/request-log": "thin",
  "/v1/vouchers/{code}/redemption": "fat",
  "/v1/rewards/{campaignRewardId}/assignments": "thin",
  "/v1/loyalties/{campaignId}/reward-assignments": "thin",
  "/v1/loyalties/{campaignId}/rewards": "thin",
  "/v1/rewards": "fat",
  "/v1/segments": "thin",
  "/v1/products/{productId}/skus": "thin",
  "/management/v1/projects/{projectId}/stacking-rules": 1,
  "/v1/trash-bin": "thin",
  "/v1/validation-rules-assignments": "thin",
  "/v1/validation-rules/{validationRuleId}/assignments": "thin",
  "/v1/validation-rules": "thin",
  "/management/v1/projects/{projectId}/webhooks": "thin",
  "/management/v1/projects/{projectId}/webhooks/failing": 0,
  "/management/v1/projects/{projectId}/webhooks/{webhookId}/deliveries": "thin",
  "/management/v1/projects/{projectId}/webhooks/{webhookId}/deliveries/{deliveryId}/attempts": "thin",
  "/v1/vouchers": "fat",
};

type Page = { status: number; body: any; rows: any[] };
// Nobody but who is signed in has sessions: platform/own-sessions lists them.
const lists = ALL_ROUTES.filter(({ isList, access }) => isList && access !== "session");
const propertiesOf = (schema: unknown) => (schema as { properties?: object } | undefined)?.properties ?? {};

const urlOf = ({ path }: Route): string => {
  const ids = { ...idsOn(path, made) };
  // A promotion is what these lists are of, and a code that is shared.
  if (path.startsWith("/v1/promotions/")) ids.campaignId = promotionId;
  if (path.startsWith("/v1/referrals/")) Object.assign(ids, referral);
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name]!));
};
const promotionId = (await call(`GET /v1/promotions/tiers/${made.promotionTierId}`)).body.campaign_id;
const [shared] = await db`select voucher_id, campaign_id from redeemable_holders where id = ${made.holderId!}`;
const referral = { memberId: shared!.voucher_id, campaignId: shared!.campaign_id };

async function get(by: Call, route: Route, query: Record<string, string | number>): Promise<Page> {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  const { status, body } = await by(`GET ${urlOf(route)}?${text}`, undefined, { origin: "https://shop.example" });
  return { status, body, rows: body?.[body.data_ref ?? "data"] ?? [] };
}

/** How the page behind this one is asked for; null: it is the last. */
type Next = (page: Page, query: Record<string, any>) => Record<string, any> | null;
const NEXT: Record<string, Next> = {
  cursor: ({ body: { cursor, has_more } }, { limit }) => {
    // The feed of events has a cursor behind its end too.
    if (typeof cursor === "string") return has_more ? { limit, cursor } : null;
    return cursor === null ? null : { cursor: cursor.next };
  },
  more_starting_after: ({ body }, { limit }) =>
    body.has_more ? { limit, starting_after_id: body.more_starting_after } : null,
  page: ({ rows }, { limit, page }) => (rows.length < limit ? null : { limit, page: page + 1 }),
  starting_after_id: ({ rows }, { limit }) =>
    rows.length < limit ? null : { limit, starting_after_id: rows.at(-1).id },
  end_date: ({ body, rows }, { limit }) => (body.has_more ? { limit, end_date: rows.at(-1).created_at } : null),
};
const ENDS_EARLY = ["cursor", "more_starting_after"];
const kindOf = ({ ok, query }: Route): string | null =>
  Object.keys(NEXT).find((name) => name in { ...propertiesOf(ok), ...propertiesOf(query) }) ?? null;

/** What tells a row from others: not all of them have an id. */
const keyOf = (row: any): string => {
  const { id = "", reward, assignment, ...rest } = row;
  return reward ? `${reward.id} ${assignment?.id}` : id || JSON.stringify(rest).slice(0, 200);
};

type Read = { keys: string[]; sizes: number[]; refusal?: string };

/** Reads all pages, unless the first is refused for its size. */
async function readAll(by: Call, route: Route, limit: number): Promise<Read> {
  const kind = kindOf(route);
  const [keys, sizes]: [string[], number[]] = [[], []];
  for (
    let query: Record<string, any> | null = kind === null ? {} : { limit, ...(kind === "page" && { page: 1 }) };
    query !== null;
  ) {
    const page = await get(by, route, query);
    if (page.status === 400 && keys.length === 0 && page.body.key === "invalid_query_params")
      return { keys, sizes, refusal: page.body.details };
    assert.equal(page.status, 200, JSON.stringify(page.body).slice(0, 500));
    assert.ok(page.rows.length <= limit);
    sizes.push(page.rows.length);
    keys.push(...page.rows.map(keyOf));
    query = kind === null ? null : NEXT[kind]!(page, query);
  }
  return { keys, sizes };
}

test("every list has a line in the table", () => {
  assert.deepEqual(lists.map(({ path }) => path).sort(), Object.keys(LISTS).sort());
});

for (const route of lists) {
  const [kind, expected] = [kindOf(route), LISTS[route.path]!];
  test(`GET ${route.path} shows every row once, by ${kind ?? "one page"}`, async () => {
    const all = await readAll(whole, route, 100);
    assert.equal(all.sizes.length, Math.ceil(all.keys.length / 100) || 1);
    if (typeof expected === "number") assert.equal(all.keys.length, expected);
    else assert.ok(all.keys.length >= COPIES, `${all.keys.length} rows`);
    assert.equal(new Set(all.keys).size, all.keys.length, "none of them twice");

    const large = await readAll(bounded, route, 100);
    if (expected !== "fat") assert.deepEqual(large, all);
    else if (kind === null) assert.match(large.refusal ?? "", /^The list is larger than 0 MB, which is as much as one/);
    else if (ENDS_EARLY.includes(kind)) {
      assert.ok(large.sizes.length > 1, "it ends early");
      assert.deepEqual(large.keys, all.keys);
    } else assert.equal(large.refusal, "The page is larger than 0 MB with the limit 100; use a smaller limit");

    if (kind === null) return;
    let small = await readAll(bounded, route, 2);
    if (small.refusal) small = await readAll(bounded, route, 1);
    assert.deepEqual(small.keys, all.keys);
  });
}

test("customers and products that are asked one by one are read in pieces that fit", async () => {
  const filter = { junction: "and", "metadata.note": { conditions: { $has_value: "" } } };
  const segment = await call("POST /v1/segments", { name: "Passive", type: "passive", filter });
  const collection = await call("POST /v1/product-collections", { name: "Noted", type: "AUTO_UPDATE", filter });
  const inSegment = `GET /v1/customers?limit=2&segment_id=${segment.body.id}`;
  const inCollection = `GET /v1/product-collections/${collection.body.id}/products?limit=2`;
  const read = async (by: Call, request: string) => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => by(`${request}&page=${page}`)));
    for (const { status, text } of pages) assert.equal(status, 200, text);
    const ids = pages.flatMap(({ body }) => body[body.data_ref].map(({ id }: { id: string }) => id));
    return { ids, totals: [...new Set(pages.map(({ body }) => body.total))] };
  };
  for (const request of [inSegment, inCollection]) {
    const all = await read(whole, request);
    assert.ok(all.ids.length >= COPIES);
    assert.deepEqual(await read(bounded, request), all);
  }
});

test("a page of more than 32 MB is refused, and its rows are read with a smaller limit", async () => {
  const { call: send, project: own } = await testShop(db, {}, { onAnswer: () => {} });
  const note = "y".repeat(1_000_000);
  await db`
    insert into orders (project_id, id, status, metadata, created_at)
    select ${own.id}, 'ord_' || 100 + n, 'CREATED', jsonb_build_object('note', ${note}::text), now()
    from generate_series(1, 35) n`;
  const refused = await send("GET /v1/orders?limit=100");
  assert.deepEqual([refused.status, refused.body.key], [400, "invalid_query_params"]);
  assert.equal(refused.body.details, "The page is larger than 32 MB with the limit 100; use a smaller limit");
  const pages = await Promise.all([1, 2, 3, 4].map((page) => send(`GET /v1/orders?limit=10&page=${page}`)));
  assert.deepEqual(
    pages.map(({ body }) => body.orders.length),
    [10, 10, 10, 5],
  );
});
