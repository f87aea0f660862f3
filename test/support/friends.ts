import assert from "node:assert/strict";
import type { Pool } from "../../src/db/db.ts";
import type { Reply, testProject } from "./engine.ts";
import { assertErrorBody } from "./http.ts";
import { testShop } from "./shop.ts";

export const SHOP = "https://shop.example";
const discount = { type: "PERCENT", percent_off: 10 };

export const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};

/** A project whose referral campaign has the code ANN, which is Ann's. */
export async function friends(
  db: Pool,
  { program, ...given }: { program?: object | null } & Parameters<typeof testProject>[1] = {},
) {
  const { project, call, ok } = await testShop(db, { client_trusted_domains: [SHOP], ...given });
  const define = (name: string) =>
    ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, {
      name,
      schema: { properties: { stars: { type: "number", optional: true } } },
    });
  /** A referral campaign with one code. */
  const campaign = async (name: string, code: string, more: object = {}) => {
    const voucher = { type: "DISCOUNT_VOUCHER", discount, is_referral_code: true };
    const made = await ok("POST /v1/campaigns", { name, campaign_type: "REFERRAL_PROGRAM", voucher, ...more });
    await ok(`POST /v1/campaigns/${made.id}/vouchers/${code}`, {});
    return made;
  };
  const publish = (voucher: string, source_id: string, more: object = {}) =>
    ok("POST /v1/publications", { voucher, customer: { source_id, ...more } });
  const event = await define("joined");
  const referral = await campaign("Friends", "ANN", program ? { referral_program: program } : {});
  const ann = (await publish("ANN", "ann", { email: "ann@example.com" })).customer_id as string;
  const redeem = (code: string, source_id: string, more: object = {}) =>
    call("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id: code }],
      customer: { source_id },
      order: { amount: 1000 },
      ...more,
    });
  const track = (source_id: string, more: object = {}) =>
    call("POST /v1/events", { event: "joined", customer: { source_id }, referral: { code: "ANN" }, ...more });
  const customer = (source_id: string) => ok(`GET /v1/customers/${source_id}`);
  const holders = async (code = "ANN") => (await ok(`GET /v1/referrals/members/${code}/holders?limit=100`)).data;
  /** What happened to a customer, the first first. */
  const activities = async (source_id: string): Promise<string[]> =>
    (await ok(`GET /v1/customers/${source_id}/activity?limit=100&order=created_at`)).data.map((one: any) => one.type);
  return {
    project,
    call,
    ok,
    define,
    campaign,
    publish,
    event,
    referral,
    ann,
    redeem,
    track,
    customer,
    holders,
    activities,
  };
}
export type Friends = Awaited<ReturnType<typeof friends>>;
