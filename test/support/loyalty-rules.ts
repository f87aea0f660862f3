import type { Pool } from "../../src/db/db.ts";
import { type Call, testEngine, testProject } from "./engine.ts";
import { ok } from "./shop.ts";

const make = (call: Call, request: string, body: object) => ok(call, request, body);

/** A project with everything that earning rules, benefits and rewards can name. */
export async function loyaltyProject(
  db: Pool,
  given: Parameters<typeof testProject>[1] = {},
  options: Parameters<typeof testEngine>[2] = {},
) {
  const project = await testProject(db, given);
  const { call } = await testEngine(db, project, options);
  const V2 = "/v2/loyalties";
  const wallet = (given: object = {}) =>
    make(call, `POST ${V2}/card-definitions`, { name: "Points", type: "INDIVIDUAL", status: "ACTIVE", ...given });
  const event = (name: string) =>
    make(call, `POST /management/v1/projects/${project.id}/custom-event-schemas`, { name, schema: { properties: {} } });
  return {
    project,
    call,
    wallet,
    event,
    benefit: (given: object) => make(call, `POST ${V2}/benefits`, given),
    rule: (given: object) => make(call, `POST ${V2}/earning-rules`, given),
    reward: (given: object) => make(call, `POST ${V2}/rewards`, given),
    campaign: (type: "GIFT_VOUCHERS" | "DISCOUNT_COUPONS") => {
      const voucher =
        type === "GIFT_VOUCHERS"
          ? { type: "GIFT_VOUCHER", gift: { amount: 100 } }
          : { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 100 } };
      return make(call, "POST /v1/campaigns", { name: type, campaign_type: type, voucher });
    },
    product: (name: string) => make(call, "POST /v1/products", { name }),
    sku: (productId: string, sku: string) => make(call, `POST /v1/products/${productId}/skus`, { sku }),
    collection: (name: string) => make(call, "POST /v1/product-collections", { type: "STATIC", name, products: [] }),
    segment: () => make(call, "POST /v1/segments", { name: "VIP", customers: [] }),
    /** A structure with a tier of each of these names. */
    tiers: async (walletId: string, ...names: string[]) => {
      const structure = await make(call, `POST ${V2}/tier-structures`, {
        name: "Levels",
        type: "POINT_BALANCE",
        card_definition_id: walletId,
      });
      const tiers = [];
      for (const [n, name] of names.entries())
        tiers.push(
          await make(call, `POST ${V2}/tier-structures/${structure.id}/tiers`, {
            name,
            qualification_rules: { type: "POINTS", points: { min_value: n * 100, max_value: n * 100 + 99 } },
          }),
        );
      return { structure, tiers };
    },
    /** A program that is active, with these wallets and rules. */
    program: async (walletId: string, ruleIds: readonly string[], more: object = {}) =>
      make(call, `POST ${V2}/programs`, {
        name: "Club",
        status: "ACTIVE",
        card_definitions: [{ id: walletId }],
        earning_rules: ruleIds.map((id) => ({ id })),
        ...more,
      }),
  };
}
