import { randomBytes } from "node:crypto";
import { WEBHOOK_TYPES } from "../../src/core/webhooks/event-names.ts";
import type { Pool } from "../../src/db/db.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { NOW, newId } from "./engine.ts";
import { testShop } from "./shop.ts";

// A story in which everything happens that a webhook can be told of.

const PERCENT = { type: "PERCENT", percent_off: 10 };
const V2 = "/v2/loyalties";

/** A project in which a webhook listens to everything, and what it was told so far. */
export async function listeningShop(db: Pool, events: readonly string[] = WEBHOOK_TYPES) {
  const clock = { now: NOW };
  const shop = await testShop(db, {}, { now: () => clock.now });
  const { ok, project } = shop;
  const path = `/management/v1/projects/${project.id}/webhooks`;
  const webhook = await ok(`POST ${path}`, { target_url: "https://shop.example/webhooks", events });
  /** The bodies that were written, the oldest first. */
  const told = async (type?: string): Promise<any[]> => {
    const rows = await db<{ type: string; body: string }[]>`
      select type, body from webhook_deliveries where project_id = ${project.id} order by event_id, type, id`;
    return rows.filter((row) => type === undefined || row.type === type).map(({ body }) => JSON.parse(body));
  };
  const job = { db, now: () => clock.now, newId, random: randomBytes };
  return { ...shop, clock, path, webhook, told, job };
}
export type ListeningShop = Awaited<ReturnType<typeof listeningShop>>;

/** Lets everything happen once at least. */
export async function tellTheStory(shop: ListeningShop): Promise<void> {
  await customersAndCodes(shop);
  await campaignsAndRules(shop);
  await loyaltyCards(shop);
  await programs(shop);
}

async function customersAndCodes({ ok, call }: ListeningShop) {
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann", email: "ann@example.com" });
  await ok("PUT /v1/customers/ann", { name: "Anna", metadata: {} });
  await ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: PERCENT });
  await ok("PUT /v1/vouchers/TEN", { additional_info: "ten percent" });
  await ok("POST /v1/vouchers/TEN/disable");
  await ok("POST /v1/vouchers/TEN/enable");
  await ok("POST /v1/publications", { voucher: "TEN", customer: { source_id: "ann" } });
  const redeem = (id: string, more: object = {}) =>
    call("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id, ...more }],
      customer: { source_id: "ann" },
      order: {
        source_id: `order of ${id}`,
        amount: 10_000,
        items: [{ product_id: "tee", quantity: 1, price: 10_000 }],
      },
    });
  const { redemptions } = (await redeem("TEN")).body;
  await ok(`POST /v1/redemptions/${redemptions[0].id}/rollback`);
  await call(`POST /v1/redemptions/${redemptions[0].id}/rollback`);
  await ok("POST /v1/vouchers/NEVER", {
    type: "DISCOUNT_VOUCHER",
    discount: PERCENT,
    expiration_date: "2020-01-01T00:00:00Z",
  });
  await redeem("NEVER");
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 5000 } });
  await ok("POST /v1/vouchers/GIFT/balance", { amount: 1000, reason: "birthday" });
  const paid = (await redeem("GIFT", { gift: { credits: 700 } })).body.redemptions[0];
  await ok(`POST /v1/redemptions/${paid.id}/rollback`);
  await ok("DELETE /v1/vouchers/NEVER?force=true");
  // Somebody who looked around before becoming a customer.
  const looking = { redeemables: [{ object: "voucher", id: "TEN" }], order: { amount: 100 } };
  await ok("POST /v1/validations", { ...looking, tracking_id: "visitor" });
  await ok("POST /v1/customers", { source_id: "visitor", name: "Vera" });
  await ok("DELETE /v1/customers/visitor");
}

async function campaignsAndRules({ ok, job }: ListeningShop) {
  const voucher = { type: "DISCOUNT_VOUCHER", discount: PERCENT };
  const campaign = await ok("POST /v1/campaigns", { name: "Codes", vouchers_count: 3, voucher });
  await runAsyncActions.run(job);
  await ok(`PUT /v1/campaigns/${campaign.id}`, { description: "all of them" });
  await ok(`POST /v1/campaigns/${campaign.id}/disable`);
  await ok(`POST /v1/campaigns/${campaign.id}/enable`);
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/EXTRA`, {});
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers?vouchers_count=2`, {});
  await runAsyncActions.run(job);
  // There are two codes of that pattern, and both are taken.
  const few = { code_config: { pattern: "FEW#", charset: "AB" } };
  const full = await ok("POST /v1/campaigns", { name: "Full", voucher: { ...voucher, ...few }, vouchers_count: 2 });
  await runAsyncActions.run(job);
  await ok(`POST /v1/campaigns/${full.id}/vouchers?vouchers_count=2`, few);
  await runAsyncActions.run(job);
  await ok(`DELETE /v1/campaigns/${full.id}`);

  const rule = await ok("POST /v1/validation-rules", { name: "Rule" });
  await ok(`PUT /v1/validation-rules/${rule.id}`, { name: "Renamed" });
  const assigned = await ok(`POST /v1/validation-rules/${rule.id}/assignments`, {
    related_object_type: "campaign",
    related_object_id: campaign.id,
  });
  await ok(`DELETE /v1/validation-rules/${rule.id}/assignments/${assigned.id}`);
  await ok(`DELETE /v1/validation-rules/${rule.id}`);

  const promotion = await ok("POST /v1/campaigns", { name: "Sale", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${promotion.id}/tiers`, { name: "Tier", action: { discount: PERCENT } });
  await ok(`PUT /v1/promotions/tiers/${tier.id}`, { name: "First tier" });
  await ok(`POST /v1/promotions/tiers/${tier.id}/disable`);
  await ok(`POST /v1/promotions/tiers/${tier.id}/enable`);
  const stack = await ok(`POST /v1/promotions/${promotion.id}/stacks`, { name: "Stack", tiers: { ids: [tier.id] } });
  await ok(`PUT /v1/promotions/${promotion.id}/stacks/${stack.id}`, { name: "Renamed" });
  await ok(`DELETE /v1/promotions/${promotion.id}/stacks/${stack.id}`);
  await ok(`DELETE /v1/promotions/tiers/${tier.id}`);
}

async function loyaltyCards({ ok, clock, job }: ListeningShop) {
  const card = { points: 100, expiration_rules: { period_type: "MONTH", period_value: 1 } };
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: card },
  });
  const path = `/v1/loyalties/${club.id}`;
  const [tier] = await ok(`POST ${path}/tiers`, [{ name: "Silver", points: { from: 0 } }]);
  await ok(`PUT ${path}/tiers/${tier.id}`, { name: "Gold" });
  const pending_points = { period_type: "DAY", period_value: 3 };
  const [at, waits] = await ok(`POST ${path}/earning-rules`, [
    { event: "order.paid", loyalty: { type: "FIXED", points: 10 } },
    { event: "order.paid", loyalty: { type: "FIXED", points: 5 }, pending_points },
  ]);
  await ok(`PUT ${path}/earning-rules/${at.id}`, { metadata: { note: "at once" } });
  await ok(`POST ${path}/earning-rules/${at.id}/disable`);
  await ok(`POST ${path}/earning-rules/${at.id}/enable`);
  const mug = await ok("POST /v1/products", { name: "Mug" });
  const reward = await ok("POST /v1/rewards", { name: "A mug", parameters: { product: { id: mug.id } } });
  const parameters = { loyalty: { points: 20 } };
  const assigned = await ok(`POST /v1/rewards/${reward.id}/assignments`, { campaign: club.id, parameters });
  await ok(`PUT /v1/rewards/${reward.id}/assignments/${assigned.id}`, { parameters: { loyalty: { points: 30 } } });
  const { voucher } = await ok("POST /v1/publications", { campaign: { name: "Club" }, customer: { source_id: "ann" } });
  const pay = () => ok("POST /v1/orders", { status: "PAID", customer: { source_id: "ann" }, amount: 100 });
  const pendingOf = async () => (await ok(`GET /v1/loyalties/members/${voucher.code}/pending-points`)).data[0].id;
  const settle = async (what: string, body?: object) =>
    ok(`POST /v1/loyalties/members/${voucher.code}/pending-points/${await pendingOf()}/${what}`, body);
  await pay();
  await settle("balance", { points: 2 });
  await settle("activate");
  await pay();
  await settle("cancel");
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: voucher.code, reward: { id: reward.id } }],
  });
  clock.now = "2026-04-01T12:00:00.000Z";
  await advanceCards.run(job);
  await ok(`DELETE ${path}/earning-rules/${waits.id}`);
  await ok(`DELETE /v1/rewards/${reward.id}/assignments/${assigned.id}`);
  await ok(`DELETE ${path}/tiers/${tier.id}`);

  const { id: codes } = await ok("GET /v1/campaigns/Codes");
  const gift = await ok("POST /v1/rewards", { name: "A code", parameters: { campaign: { id: codes } } });
  const shared = { type: "DISCOUNT_VOUCHER", discount: PERCENT, is_referral_code: true };
  const friends = await ok("POST /v1/campaigns", {
    name: "Friends",
    campaign_type: "REFERRAL_PROGRAM",
    voucher: shared,
  });
  const cost = { campaign: club.id, parameters: { loyalty: { points: 1 } } };
  const { id: assignment_id } = await ok(`POST /v1/rewards/${gift.id}/assignments`, cost);
  const tiers = (banner: string) => [{ banner, parameters: { type: "EACH" }, reward: { assignment_id } }];
  const { referral_program } = await ok(`PUT /v1/campaigns/${friends.id}`, {
    referral_program: { tiers: tiers("each") },
  });
  const [own] = referral_program.tiers;
  await ok(`PUT /v1/campaigns/${friends.id}`, { referral_program: { tiers: [{ ...own, banner: "each friend" }] } });
  await ok(`PUT /v1/campaigns/${friends.id}`, { referral_program: { tiers: [] } });
}

async function programs({ ok, job }: ListeningShop) {
  const status = "ACTIVE";
  const switched = async (path: string, ...verbs: string[]) => {
    for (const verb of verbs) await ok(`POST ${path}/${verb}`);
  };
  const wallet = await ok(`POST ${V2}/card-definitions`, { name: "Points", type: "INDIVIDUAL", status });
  const points = { value: 1, card_definition_id: wallet.id };
  const spare = await ok(`POST ${V2}/card-definitions`, { name: "Spare", type: "INDIVIDUAL" });
  await ok(`PUT ${V2}/card-definitions/${spare.id}`, { name: "Other" });
  await switched(`${V2}/card-definitions/${spare.id}`, "activate", "draft");
  await ok(`DELETE ${V2}/card-definitions/${spare.id}`);

  const earns = (name: string) => ({
    name,
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ points }] }],
  });
  const rule = await ok(`POST ${V2}/earning-rules`, { ...earns("Order"), status });
  const other = await ok(`POST ${V2}/earning-rules`, earns("Other"));
  await ok(`PUT ${V2}/earning-rules/${other.id}`, { name: "Another" });
  await switched(`${V2}/earning-rules/${other.id}`, "activate", "draft", "activate", "deactivate");
  await ok(`DELETE ${V2}/earning-rules/${other.id}`);

  const benefit = await ok(`POST ${V2}/benefits`, { name: "Welcome", type: "POINTS", points });
  await ok(`PUT ${V2}/benefits/${benefit.id}`, { name: "Hello" });
  await switched(`${V2}/benefits/${benefit.id}`, "activate", "draft");
  await ok(`DELETE ${V2}/benefits/${benefit.id}`);

  const made = { name: "Levels", type: "POINT_BALANCE", card_definition_id: wallet.id };
  const structure = await ok(`POST ${V2}/tier-structures`, made);
  const inStructure = `${V2}/tier-structures/${structure.id}`;
  await ok(`PUT ${inStructure}`, { name: "Steps" });
  const qualification_rules = { type: "POINTS", points: { min_value: 0, max_value: 99 } };
  const tier = await ok(`POST ${inStructure}/tiers`, { name: "First", qualification_rules });
  await ok(`PUT ${inStructure}/tiers/${tier.id}`, { name: "Beginner" });
  const more = { type: "POINTS", points: { min_value: 100 } };
  const second = await ok(`POST ${inStructure}/tiers`, { name: "Second", qualification_rules: more });
  await switched(inStructure, "activate", "draft");
  await ok(`DELETE ${inStructure}/tiers/${second.id}`);
  await switched(inStructure, "activate", "deactivate");
  await ok(`DELETE ${inStructure}`);

  const { id: product } = await ok("POST /v1/products", { name: "Cap" });
  const costs = [{ spending: [{ points: 1, card_definition_id: wallet.id }] }];
  const cap = { name: "Cap", type: "MATERIAL", material: { product: { id: product } }, costs };
  const reward = await ok(`POST ${V2}/rewards`, cap);
  await ok(`PUT ${V2}/rewards/${reward.id}`, { name: "A cap" });
  await switched(`${V2}/rewards/${reward.id}`, "activate", "draft", "activate", "deactivate", "activate");

  const levels = await ok(`POST ${V2}/tier-structures`, made);
  await ok(`POST ${V2}/tier-structures/${levels.id}/tiers`, { name: "First", qualification_rules });
  await switched(`${V2}/tier-structures/${levels.id}`, "activate");
  const assigned = { card_definitions: [{ id: wallet.id }], earning_rules: [{ id: rule.id }] };
  const program = await ok(`POST ${V2}/programs`, { name: "Club", ...assigned });
  const inProgram = `${V2}/programs/${program.id}`;
  await ok(`PUT ${inProgram}`, { name: "The club" });
  await ok(`POST ${inProgram}/tier-structures/batch`, { assign: [{ id: levels.id }] });
  await ok(`POST ${inProgram}/tier-structures/batch`, { unassign: [{ id: levels.id }] });
  await ok(`POST ${inProgram}/rewards/batch`, { assign: [{ id: reward.id, stock: { type: "UNLIMITED" } }] });
  await ok(`PUT ${inProgram}/rewards/${reward.id}`, { stock: { type: "LIMITED", limited: { quantity: 5 } } });
  await ok(`POST ${inProgram}/rewards/batch`, { unassign: [{ id: reward.id }] });
  await switched(inProgram, "activate");
  const { id: customer_id } = await ok("GET /v1/customers/ann");
  const member = await ok(`POST ${inProgram}/members`, { customer_id });
  await ok(`PUT ${inProgram}/members/${member.id}`, { metadata: { note: "first" } });
  await switched(`${inProgram}/members/${member.id}`, "deactivate", "activate");
  await ok(`DELETE ${inProgram}/members/${member.id}`);
  await switched(inProgram, "deactivate");
  await ok(`DELETE ${inProgram}`);
  await runAsyncActions.run(job);
  await ok(`DELETE ${V2}/rewards/${reward.id}`);
}
