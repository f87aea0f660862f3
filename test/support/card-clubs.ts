import assert from "node:assert/strict";
import type { Pool } from "../../src/db/db.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { vouchersOf } from "../../src/resources/promotions/vouchers/state-store.ts";
import { NOW, type testEngine, type testProject } from "./engine.ts";
import { eventsOf } from "./events.ts";
import { testShop } from "./shop.ts";

type ClubOptions = { project?: Parameters<typeof testProject>[1]; options?: Parameters<typeof testEngine>[2] };

/** A project with a clock that can be moved, in which programs of loyalty cards are opened. */
export async function cardClub(db: Pool, { project: settings, options }: ClubOptions = {}) {
  let now = NOW;
  const { project, call, ok } = await testShop(db, settings, { now: () => now, ...options });
  let programs = 0;
  /** Opens a program with these rules. */
  const open = async (rules: readonly object[], { points = 0, ...more }: Record<string, any> = {}) => {
    const campaign = await ok("POST /v1/loyalties", {
      name: `Club ${++programs}`,
      type: "AUTO_UPDATE",
      voucher: { type: "LOYALTY_CARD", loyalty_card: { points, expiration_rules: more.expiration_rules } },
      ...more,
    });
    const path = `/v1/loyalties/${campaign.id}`;
    const addRules = (all: readonly object[]) => ok(`POST ${path}/earning-rules`, all);
    const made = rules.length > 0 ? await addRules(rules) : [];
    const addTiers = (...tiers: object[]) => ok(`POST ${path}/tiers`, tiers);
    const join = async (source_id: string) => {
      const { id } = await ok("POST /v1/customers", { source_id });
      const sent = { campaign: { name: campaign.name }, customer: { source_id } };
      const { voucher } = await ok("POST /v1/publications", sent);
      return cardOf(voucher.code, id);
    };
    return { campaign, path, rules: made, addRules, addTiers, join };
  };
  const cardOf = (code: string, customer: string) => {
    const card = async () => ok(`GET /v1/vouchers/${code}`);
    return {
      code,
      customer,
      card,
      balance: async (): Promise<number> => (await card()).loyalty_card.balance,
      /** The transactions of the card, oldest first. */
      moves: async (): Promise<any[]> => (await ok(`GET /v1/vouchers/${code}/transactions?order=id&limit=100`)).data,
      pending: async (): Promise<number> => {
        const [row] = await db<[{ pending: number }]>`
          select (account->>'pending')::bigint as pending from ${vouchersOf(db, project.id)} as v
          where code = ${code}`;
        return row.pending;
      },
      tier: async (): Promise<string | null> => {
        const [row] = await db<[{ tier: { tier_id: string | null } | null }]>`
          select tier from ${vouchersOf(db, project.id)} as v where code = ${code}`;
        return row.tier?.tier_id ?? null;
      },
    };
  };
  return {
    ...{ db, project, call, ok, open, cardOf },
    define: async (name: string, properties: object = {}) =>
      ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, { name, schema: { properties } }),
    track: (event: string, source_id: string, more: object = {}, headers?: Record<string, string>) =>
      ok("POST /v1/events", { event, customer: { source_id }, ...more }, headers),
    pay: (source_id: string, order: object) =>
      ok("POST /v1/orders", { status: "PAID", customer: { source_id }, ...order }),
    rule: async (rules: object): Promise<string> =>
      (await ok("POST /v1/validation-rules", { name: "Rule", rules: { logic: "1", 1: rules } })).id,
    setNow: (moment: string) => {
      now = moment;
    },
    /** The events of a kind, oldest first. */
    events: async (kind: string): Promise<any[]> =>
      (await eventsOf(db, project.id)).filter((event) => event.kind === kind),
  };
}
export type CardClub = Awaited<ReturnType<typeof cardClub>>;

export const FIXED = (points: number) => ({ type: "FIXED", points });
export const PAID = (points: number, more: object = {}) => ({ event: "order.paid", loyalty: FIXED(points), ...more });
export const on = ({ id, name }: { id: string; name: string }, points: number, more: object = {}) => ({
  event: name,
  custom_event: { schema_id: id },
  loyalty: FIXED(points),
  ...more,
});
export const tierRule = (kind: string, id: string, points: number) => ({
  event: `customer.loyalty.tier.${kind}`,
  loyalty_tier: { id },
  loyalty: FIXED(points),
});

/** Nothing of the project breaks what must always hold. */
export async function assertHolds(db: Pool): Promise<void> {
  for (const [name, find] of Object.entries(INVARIANTS)) {
    const [{ count, example }] = (await find(db as never)) as any;
    assert.equal(Number(count), 0, `${name}: ${example}`);
  }
}
