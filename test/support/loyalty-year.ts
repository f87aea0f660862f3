import { randomBytes } from "node:crypto";
import { loadSetup, loadSetups } from "../../src/catalog/program-setup.ts";
import { changeCard } from "../../src/core/loyalty/card/card-at-work.ts";
import { earn } from "../../src/core/loyalty/earning/earn.ts";
import type { Pool } from "../../src/db/db.ts";
import { lockCustomers } from "../../src/resources/customers/customers/store.ts";
import { loadMembersById } from "../../src/resources/loyalty-v2/members/store.ts";
import { getProject } from "../../src/resources/platform/projects/store.ts";
import { loadWorlds } from "../../src/steps/points/card-worlds.ts";
import { openProgramCards, saveProgramCards } from "../../src/steps/points/program-cards.ts";
import { enrol } from "../../src/steps/programs/enrolment.ts";
import { NOW, newId, testEngine, testProject } from "./engine.ts";
import { okOf } from "./shop.ts";

const V2 = "/v2/loyalties";
const months = (value: number) => ({ period: { value, unit: "MONTH" } });
const WALLET = {
  points_expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: months(3) },
  pending_points: { type: "PERIOD_BASED", period_based: { period: { value: 14, unit: "DAY" } } },
};
export const STRUCTURE = {
  expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: months(1) },
  downgrade: { type: "SINGLE_LEVEL", grace_period: { value: 10, unit: "DAY", round_up: false } },
};

/**
 * A program whose points wait for 14 days and expire after three months, with tiers for a month, a grace of ten days and
 * one step down at a time. Its clock is what the tests say.
 */
export async function yearlyClub(
  db: Pool,
  given: {
    timezone?: string;
    is_sandbox?: boolean;
    wallet?: object;
    structure?: object;
    /** A segment that the highest tier asks for. */
    segment?: object;
  } = {},
) {
  const { timezone = "UTC", is_sandbox = true } = given;
  const project = await testProject(db, { timezone, is_sandbox });
  const clock = { now: NOW };
  const { call, engine } = await testEngine(db, project, { now: () => clock.now });
  const ok = okOf(call);
  const active = { status: "ACTIVE", type: "INDIVIDUAL", name: "Points" };
  const wallet = await ok(`POST ${V2}/card-definitions`, { ...active, ...WALLET, ...given.wallet });
  const structure = await ok(`POST ${V2}/tier-structures`, {
    name: "Levels",
    type: "POINT_BALANCE",
    card_definition_id: wallet.id,
    ...STRUCTURE,
    ...given.structure,
  });
  const segment = given.segment && (await ok("POST /v1/segments", given.segment));
  const tiers = new Map<string, string>();
  const levels = [
    ["Bronze", { points: { min_value: 0, max_value: 99 } }],
    ["Silver", { points: { min_value: 100, max_value: 199 } }],
    [
      "Gold",
      { points: { min_value: 200 }, ...(segment && { type: "POINTS_AND_SEGMENT", segment: { id: segment.id } }) },
    ],
  ] as const;
  for (const [name, rules] of levels) {
    const qualification_rules = { type: "POINTS", ...rules };
    const tier = await ok(`POST ${V2}/tier-structures/${structure.id}/tiers`, { name, qualification_rules });
    tiers.set(tier.id, name);
  }
  await ok(`POST ${V2}/tier-structures/${structure.id}/activate`);
  const rule = await ok(`POST ${V2}/earning-rules`, {
    name: "Order",
    status: "ACTIVE",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ points: { value: 10, card_definition_id: wallet.id } }] }],
  });
  const program = await ok(`POST ${V2}/programs`, {
    name: "Club",
    status: "ACTIVE",
    card_definitions: [{ id: wallet.id }],
    earning_rules: [{ id: rule.id }],
    tier_structures: [{ id: structure.id }],
  });

  /** So many new members, each with a card; the ids of those cards in their order. */
  const members = async (count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => newId("cust")).sort();
    await db`
      insert into customers (project_id, id, name, created_at)
      select ${project.id}, id, 'Ann', ${clock.now} from unnest(${ids}::text[]) as x (id)`;
    return db.begin(async (tx) => {
      const setup = (await loadSetup(tx, project.id, program.id))!;
      const customers = await lockCustomers(tx, project.id, { ids });
      const joining = customers.map((customer) => ({ customer, status: "ACTIVE" as const, metadata: {} }));
      const c = { db: tx, project: await getProject(tx, project.id), now: clock.now, newId, random: randomBytes };
      const enrolled = await enrol(c, setup, joining);
      return enrolled.flatMap(({ cards }) => cards.map(({ id }) => id)).sort();
    }) as Promise<string[]>;
  };
  /** Points that cards earn at that moment of the project. */
  const earnPoints = async (ids: readonly string[], points: number, at: string = clock.now): Promise<void> => {
    await db.begin(async (tx) => {
      const work = await openProgramCards(tx, project.id, { ids });
      const rows = [...work.values()].map(({ row }) => row);
      const setups = await loadSetups(tx, project.id, [program.id]);
      const memberIds = rows.map(({ member_id }) => member_id);
      const c = { db: tx, project: { id: project.id, timezone }, now: at, newId };
      const worldOf = await loadWorlds(c, setups, { members: await loadMembersById(tx, project.id, memberIds) });
      for (const one of work.values())
        changeCard(one, worldOf(one.row)!, (card, world) =>
          earn(card, world, { points, orderTotal: null, reason: null }),
        );
      await saveProgramCards(tx, project.id, work);
    });
  };
  /** Everything that happened to cards: what it was, when, and the balance after it. */
  const story = async (ids: readonly string[]) => {
    const entries = await db`
      select account_id, kind, amount, balance, created_at from ledger_entries
      where project_id = ${project.id} and account_id = any(${ids}) and kind <> 'activation_out' order by id`;
    const moves = await db`
      select card_id, type, subject_id, status, details, created_at from loyalty_transactions
      where project_id = ${project.id} and card_id = any(${ids}) and kind = 'tier' order by id`;
    return ids.map((id) => ({
      points: entries
        .filter(({ account_id }) => account_id === id)
        .map((e) => `${e.created_at} ${e.kind} ${e.amount} ${e.balance}`),
      tiers: moves
        .filter(({ card_id }) => card_id === id)
        .map((m) => {
          const { expires_at, origin } = m.details;
          const name = tiers.get(m.subject_id) ?? "none";
          return `${m.created_at} ${m.type} ${name} ${m.status} until ${expires_at} by ${origin.type}`;
        }),
    }));
  };
  const dueAt = async (id: string): Promise<string | null> =>
    (await db`select due_at from loyalty_cards where project_id = ${project.id} and id = ${id}`)[0]!.due_at;
  return { project, call, engine, ok, clock, wallet, structure, tiers, program, members, earnPoints, story, dueAt };
}
