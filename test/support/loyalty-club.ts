import assert from "node:assert/strict";
import { loadSetup } from "../../src/catalog/program-setup.ts";
import { changeCard } from "../../src/core/loyalty/card/card-at-work.ts";
import { earn } from "../../src/core/loyalty/earning/earn.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import type { Pool } from "../../src/db/db.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { lockMembers } from "../../src/resources/loyalty-v2/members/store.ts";
import { loadWorlds } from "../../src/steps/points/card-worlds.ts";
import { openProgramCards, saveProgramCards } from "../../src/steps/points/program-cards.ts";
import { NOW, newId, type Reply, type TestProject, testEngine, testProject } from "./engine.ts";
import { assertErrorBody } from "./http.ts";

const V2 = "/v2/loyalties";
export type Call = (line: string, body?: unknown) => Promise<Pick<Reply, "status" | "body" | "text">>;

export const refused = (
  reply: Pick<Reply, "status" | "body" | "text">,
  code: number,
  key: string,
  details?: RegExp,
) => {
  assertErrorBody(reply as Reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};

/** What a card has counted, without what is zero. */
export const counted = (card: { lifetime_bucket: { points: object; pending_points: object } }) =>
  Object.fromEntries(
    [...Object.entries(card.lifetime_bucket.points), ...Object.entries(card.lifetime_bucket.pending_points)]
      .map(([name, points], n) => [n < 12 ? name : `pending_${name}`, points])
      .filter(([, points]) => points !== 0),
  );

export const ROLLING = { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "MONTH" } } };

/** A project with an active program of two wallets, and one member. */
export async function makeClub(
  call: Call,
  given: { wallet?: object; second?: object; program?: object; customer?: string } = {},
) {
  const ok = async (line: string, body?: unknown, status = 200): Promise<any> => {
    const reply = await call(line, body);
    assert.equal(reply.status, status, `${line}: ${reply.text}`);
    return reply.body;
  };
  const walletOf = (name: string, more: object = {}) =>
    ok(`POST ${V2}/card-definitions`, { name, type: "INDIVIDUAL", status: "ACTIVE", ...more });
  const wallet = await walletOf("Points", given.wallet);
  const second = await walletOf("Stars", given.second);
  const rule = await ok(`POST ${V2}/earning-rules`, {
    name: "Order",
    status: "ACTIVE",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ points: { value: 10, card_definition_id: wallet.id } }] }],
  });
  const program = await ok(`POST ${V2}/programs`, {
    name: "Club",
    status: "ACTIVE",
    card_definitions: [{ id: wallet.id }, { id: second.id }],
    earning_rules: [{ id: rule.id }],
    ...given.program,
  });
  const path = `${V2}/programs/${program.id}`;
  const enrol = async (source_id: string) => {
    const customer = await ok("POST /v1/customers", { source_id });
    const { id, cards } = await ok(`POST ${path}/members`, { customer_id: customer.id });
    const [card, other] = cards.map((one: { card: { id: string } }) => one.card.id) as [string, string];
    const member = `${path}/members/${id}`;
    return { id, customer, card, other, path: member, cardPath: `${member}/cards/${card}` };
  };
  const member = await enrol(given.customer ?? "ann");
  const cardOf = async (of = member, n = 0) => (await ok(`GET ${of.path}`)).cards[n].card;
  const adjust = (points: number, of = member, card = of.card) =>
    ok(`POST ${of.path}/cards/${card}/points`, { points });
  const moves = async (of = member, card = of.card) =>
    (await ok(`GET ${of.path}/cards/${card}/transactions?limit=100&order=created_at`)).data;
  const purchases = async (of = member) => (await ok(`GET ${of.path}/rewards/purchases?limit=100`)).data;
  const payments = async (of = member) => (await ok(`GET ${of.path}/orders/payments?limit=100`)).data;
  /** A reward that is active and in the program. */
  const reward = async (more: object = {}, stock: object = { type: "UNLIMITED" }) => {
    const body = { name: "Mug", type: "MATERIAL", status: "ACTIVE", ...more } as Record<string, unknown>;
    if (body.type === "MATERIAL" && !body.material)
      body.material = { product: { id: (await ok("POST /v1/products", { name: "Mug" })).id } };
    body.costs ??= [{ spending: [{ points: 100, card_definition_id: wallet.id }] }];
    const made = await ok(`POST ${V2}/rewards`, body);
    await ok(`POST ${path}/rewards/batch`, { assign: [{ id: made.id, stock }] });
    return made;
  };
  const stockOf = async (rewardId: string) =>
    (await ok(`GET ${path}/rewards?limit=100`)).data.find((one: { reward_id: string }) => one.reward_id === rewardId);
  const buy = (rewardId: string, more: object = {}, of = member) =>
    call(`POST ${of.path}/rewards/purchases`, { reward_id: rewardId, ...more });
  const bought = async (rewardId: string, of = member) => {
    const reply = await buy(rewardId, {}, of);
    assert.equal(reply.status, 202, reply.text);
    const all = await purchases(of);
    return { made: reply.body, settled: all.find(({ id }: { id: string }) => id === reply.body.transaction.id) };
  };
  const refund = (id: string, policies?: object | null) =>
    call(`POST ${path}/rewards/purchases/${id}/refund`, policies === undefined ? undefined : { policies });
  return {
    ...{ call, ok, wallet, second, rule, program, path, enrol, member, cardOf, adjust, moves, purchases, payments },
    ...{ reward, stockOf, buy, bought, refund, walletOf },
  };
}
export type Club = Awaited<ReturnType<typeof makeClub>>;

/** The same in this process, with a clock that can be moved, and points that are earned. */
export async function testClub(db: Pool, given: Parameters<typeof makeClub>[1] & { project?: TestProject } = {}) {
  const project = given.project ?? (await testProject(db));
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const club = await makeClub(call, given);
  /** Earns points on a card as an event would. */
  const earnPoints = (points: number, of = club.member) =>
    transaction(db, async (tx) => {
      const setup = (await loadSetup(tx, project.id, club.program.id))!;
      const members = await lockMembers(tx, project.id, [of.id]);
      const c = { db: tx, project: { ...project, timezone: "UTC" }, now: clock.now, newId };
      const work = await openProgramCards(tx, project.id, { ids: [of.card] });
      const worldOf = await loadWorlds(c, new Map([[club.program.id, setup]]), { members });
      const one = work.get(of.card)!;
      changeCard(one, worldOf(one.row)!, (card, world) =>
        earn(card, world, { points, reason: "Earned", orderTotal: null }),
      );
      await saveProgramCards(tx, project.id, work);
    });
  return { ...club, project, clock, earnPoints, db };
}

/** What must always hold of everything in the database. */
export async function assertInvariants(db: Pool): Promise<void> {
  for (const [name, find] of Object.entries(INVARIANTS)) {
    const [{ count, example }] = (await find(db as never)) as any;
    assert.equal(Number(count), 0, `${name}: ${example}`);
  }
}
