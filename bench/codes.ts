import type { Pool } from "../src/db/db.ts";
import { newId } from "../src/sources.ts";
import type { BenchProject, Lab, Server } from "./lab.ts";
import { freshKeys } from "./load.ts";
import { numbers } from "./shop.ts";

const ROWS_A_STATEMENT = 5000;
const CUSTOMERS = 1000;

export const codeOf = (n: number): string => `R-${n}`;

/** Codes in two campaigns, discounts and gift cards by turns, each with a rule of its campaign. */
export async function makeRedeemableCodes(lab: Lab, server: Server, count: number): Promise<BenchProject> {
  const project = await lab.createProject("Redemptions");
  const call = <R>(request: string, body: object) => server.call<R>(project, request, body);
  const rule = await call<{ id: string }>("POST /v1/validation-rules", {
    name: "From 10.00",
    rules: { 1: { name: "order.amount", conditions: { $more_than_or_equal: [1000] } }, logic: "1" },
  });
  const kinds = [
    {
      campaign_type: "DISCOUNT_COUPONS",
      voucher: {
        type: "DISCOUNT_VOUCHER",
        discount: { type: "PERCENT", percent_off: 10 },
        redemption: { quantity: null },
      },
    },
    {
      campaign_type: "GIFT_VOUCHERS",
      voucher: { type: "GIFT_VOUCHER", gift: { amount: 1_000_000_000 }, redemption: { quantity: null } },
    },
  ];
  const campaigns: string[] = [];
  for (const { campaign_type, voucher } of kinds) {
    const body = { name: campaign_type, campaign_type, voucher, vouchers_count: 0, validation_rules: [rule.id] };
    campaigns.push((await call<{ id: string }>("POST /v1/campaigns", body)).id);
  }
  await insertCodes(lab.db, project.id, { campaigns, count });
  await lab.settle();
  return project;
}

async function insertCodes(db: Pool, project_id: string, { campaigns, count }: { campaigns: string[]; count: number }) {
  const types = ["DISCOUNT_VOUCHER", "GIFT_VOUCHER"];
  for (let at = 0; at < count; at += ROWS_A_STATEMENT) {
    const rows = numbers(Math.min(ROWS_A_STATEMENT, count - at)).map((k) => {
      const code = codeOf(at + k);
      const campaign_id = campaigns[(at + k) % 2]!;
      const type = types[(at + k) % 2]!;
      return { project_id, id: newId("v"), code, code_folded: code.toLowerCase(), campaign_id, type };
    });
    await db`
      insert into vouchers (project_id, id, code, code_folded, campaign_id, type, created_at)
      select project_id, id, code, code_folded, campaign_id, type, clock_timestamp()
      from jsonb_populate_recordset(null::vouchers, ${JSON.stringify(rows)}::text::jsonb)`;
  }
}

type RedemptionForm = { lines?: number; path?: string /** What else an order holds. */; more?(n: number): object };

/** Redemptions of codes by turns, of orders with so many lines. */
export const redemptionRequests = (
  server: Server,
  project: BenchProject,
  codes: readonly number[],
  { lines = 1, path = "/v1/redemptions", more = () => ({}) }: RedemptionForm = {},
): (() => Buffer) =>
  freshKeys((key) =>
    codes.map((n) => {
      const body = {
        redeemables: [{ object: "voucher", id: codeOf(n), ...(n % 2 === 1 && { gift: { credits: 100 } }) }],
        customer: { source_id: `customer-${n % CUSTOMERS}` },
        order: {
          ...more(n),
          items: numbers(lines).map((line) => ({ product: { name: `Tee ${line}`, price: 2500 }, quantity: 2 })),
        },
      };
      return server.request(project, path, body, key);
    }),
  );
