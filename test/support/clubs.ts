import type { Pool } from "../../src/db/db.ts";
import { NOW, type testEngine, type testProject } from "./engine.ts";
import { loyaltyProject } from "./loyalty-rules.ts";
import { okOf } from "./shop.ts";

const V2 = "/v2/loyalties";
type ClubOptions = { wallet?: object; second?: object; project?: Parameters<typeof testProject>[1] } & {
  options?: Parameters<typeof testEngine>[2];
};

/** A project with a wallet and what a program is made of; the program itself is opened with its rules. */
export async function clubOf(db: Pool, { wallet: settings, project, options }: ClubOptions = {}) {
  let now = NOW;
  const it = await loyaltyProject(db, project, { now: () => now, ...options });
  const wallet = await it.wallet(settings);
  const ok = okOf(it.call);
  let programs = 0;
  /** Opens a program with these rules, each active unless it says otherwise. */
  const open = async (rules: readonly object[], more: object = {}) => {
    const made = [];
    for (const [n, rule] of rules.entries())
      made.push(await it.rule({ name: `Rule ${n + 1}`, status: "ACTIVE", ...rule }));
    const program = await it.program(
      wallet.id,
      made.map(({ id }) => id),
      { name: `Club ${++programs}`, ...more },
    );
    const path = `${V2}/programs/${program.id}/members`;
    return {
      program,
      rules: made,
      enrol: async (source_id: string, sent: object = {}) => {
        const customer = await ok("POST /v1/customers", { source_id });
        const member = await ok(`POST ${path}`, { customer_id: customer.id, ...sent });
        const own = `${path}/${member.id}`;
        const cardOf = async (definitionId: string = wallet.id) => {
          const { cards } = await ok(`GET ${own}`);
          return cards.find(({ card }: any) => card.card_definition_id === definitionId)?.card;
        };
        const list = async (what: string) => (await ok(`GET ${own}/${what}?order=created_at&limit=100`)).data;
        return {
          customer,
          member,
          path: own,
          cardOf,
          balance: async (definitionId?: string) => (await cardOf(definitionId))?.balance,
          /** The transactions of the card, oldest first. */
          moves: async (definitionId?: string) => list(`cards/${(await cardOf(definitionId)).id}/transactions`),
          benefits: () => list("benefits/transactions"),
          tiers: () => list("tiers/transactions"),
        };
      },
    };
  };
  const points = (value: number, more: object = {}) => ({ points: { value, card_definition_id: wallet.id, ...more } });
  return {
    ...it,
    db,
    ok,
    wallet,
    addWallet: it.wallet,
    open,
    points,
    /** An event of the project, and how a customer does it. */
    define: async (name: string, properties: object = {}) => {
      const line = `POST /management/v1/projects/${it.project.id}/custom-event-schemas`;
      return ok(line, { name, schema: { properties } });
    },
    track: (event: string, source_id: string, more: object = {}, headers?: Record<string, string>) =>
      ok("POST /v1/events", { event, customer: { source_id }, ...more }, headers),
    pay: (source_id: string, order: object) =>
      ok("POST /v1/orders", { status: "PAID", customer: { source_id }, ...order }),
    setNow: (moment: string) => {
      now = moment;
    },
  };
}
