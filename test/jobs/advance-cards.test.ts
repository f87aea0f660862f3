import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { DEMO_LOADING } from "../../src/core/projects/settings.ts";
import type { Pool } from "../../src/db/db.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import type { JobCtx } from "../../src/jobs/job.ts";
import { newId, testDatabase } from "../support/engine.ts";
import { STRUCTURE, yearlyClub } from "../support/loyalty-year.ts";

const { db, open } = await testDatabase();
const sweep = (now: string, given: Partial<JobCtx> = {}) =>
  advanceCards.run({ db, now: () => now, newId, random: randomBytes, ...given });
const days = (from: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => new Date(Date.parse(from) + (n + 1) * 86_400_000).toISOString());
const MIDNIGHT = "2026-01-15T00:00:00.000Z";
/** When points expire that were earned on the first of January. */
const EXPIRED = "2026-04-02T00:00:00.000Z";

test("a year of a program: each thing happens at its own local midnight, also where clocks change", async () => {
  const { members, earnPoints, story } = await yearlyClub(db, { timezone: "Europe/Warsaw" });
  const cards = await members(1);
  await earnPoints(cards, 250);
  for (const day of days("2026-01-01T12:00:00.000Z", 250)) await sweep(day);
  const [{ points, tiers }] = (await story(cards)) as [{ points: string[]; tiers: string[] }];
  assert.deepEqual(points, [
    "2026-01-01T12:00:00.000Z pending_addition 250 250",
    "2026-01-14T23:00:00.000Z activation_in 250 250",
    "2026-04-15T22:00:00.000Z expiration -250 0",
  ]);
  const daily = "by daily_task_operations";
  assert.deepEqual(tiers, [
    "2026-01-01T12:00:00.000Z JOINED Bronze APPROVED until 2026-02-01T23:00:00.000Z by member_card_created",
    "2026-01-14T23:00:00.000Z UPGRADED Gold APPROVED until 2026-02-14T23:00:00.000Z by card_operations",
    `2026-02-14T23:00:00.000Z PROLONGED Gold APPROVED until 2026-03-14T23:00:00.000Z ${daily}`,
    `2026-03-14T23:00:00.000Z PROLONGED Gold APPROVED until 2026-04-14T22:00:00.000Z ${daily}`,
    `2026-04-14T22:00:00.000Z PROLONGED Gold APPROVED until 2026-05-14T22:00:00.000Z ${daily}`,
    `2026-05-24T22:00:00.000Z DOWNGRADED Silver APPROVED until 2026-06-24T22:00:00.000Z ${daily}`,
    `2026-07-04T22:00:00.000Z DOWNGRADED Bronze APPROVED until 2026-08-04T22:00:00.000Z ${daily}`,
    `2026-08-04T22:00:00.000Z PROLONGED Bronze APPROVED until 2026-09-04T22:00:00.000Z ${daily}`,
    `2026-09-04T22:00:00.000Z PROLONGED Bronze APPROVED until 2026-10-04T22:00:00.000Z ${daily}`,
  ]);
});

for (const timezone of ["UTC", "America/St_Johns", "Pacific/Apia"])
  test(`an outage of forty days leaves what daily sweeps leave (${timezone})`, async () => {
    const stories: unknown[] = [];
    for (const isDaily of [true, false]) {
      const { members, earnPoints, story, dueAt } = await yearlyClub(db, {
        timezone,
        structure: {
          expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 5, unit: "DAY" } } },
        },
      });
      const cards = await members(3);
      await earnPoints(cards.slice(0, 2), 150);
      await earnPoints(cards.slice(1), 90, "2026-01-03T22:30:00.000Z");
      const until = days("2026-01-03T22:30:00.000Z", 40);
      for (const day of isDaily ? until : until.slice(-1)) await sweep(day);
      stories.push([await story(cards), await Promise.all(cards.map(dueAt))]);
    }
    assert.deepEqual(stories[1], stories[0]);
  });

test("a tracking period of hours is followed hour by hour, whenever the sweep comes", async () => {
  const { members, earnPoints, story } = await yearlyClub(db, {
    wallet: { pending_points: { type: "IMMEDIATE" } },
    structure: {
      type: "POINT_EARNED",
      point_earned: { period: { value: 6, unit: "HOUR" }, type: "IMMEDIATELY" },
      expiration: { type: "NO_EXPIRATION" },
      downgrade: { type: "MULTI_LEVEL" },
    },
  });
  const cards = await members(1);
  await earnPoints(cards, 250);
  await sweep("2026-01-09T00:00:00.000Z");
  const [one] = await story(cards);
  assert.deepEqual(
    one!.tiers.map((line) => line.split(" ").slice(0, 3).join(" ")),
    [
      "2026-01-01T12:00:00.000Z JOINED Bronze",
      "2026-01-01T12:00:00.000Z UPGRADED Gold",
      "2026-01-01T18:00:00.000Z DOWNGRADED Bronze",
    ],
  );
});

test("nothing happens before its moment, and a second sweep finds nothing more", async () => {
  const { members, earnPoints, story, dueAt } = await yearlyClub(db);
  const cards = await members(2);
  await earnPoints(cards, 120);
  const before = await story(cards);
  await sweep("2026-01-14T23:59:59.999Z");
  assert.deepEqual(await story(cards), before);
  assert.equal(await dueAt(cards[0]!), MIDNIGHT);
  await sweep(MIDNIGHT);
  const after = await story(cards);
  assert.equal(after[0]!.points.at(-1), `${MIDNIGHT} activation_in 120 120`);
  await sweep(MIDNIGHT);
  await sweep("2026-01-15T23:00:00.000Z");
  assert.deepEqual(await story(cards), after);
  assert.equal(await dueAt(cards[0]!), "2026-02-15T00:00:00.000Z");
});

/** What lots, entries and cards say of all the points of a project, which are to be the same. */
async function totals(pool: Pool, projectId: string) {
  const [row] = await pool`
    select (select count(*) from ledger_entries where project_id = ${projectId} and kind = 'expiration') as expirations,
      (select count(distinct account_id) from ledger_entries
        where project_id = ${projectId} and kind = 'expiration') as cards,
      (select sum(amount) from ledger_entries where project_id = ${projectId} and pot = 'available')::int as entries,
      (select sum(remaining) from ledger_lots where project_id = ${projectId})::int as lots,
      (select sum((account->'sums'->>'available')::bigint) from loyalty_cards where project_id = ${projectId})::int as held,
      (select count(*) from loyalty_cards where project_id = ${projectId} and due_at <= ${EXPIRED}) as due`;
  return row;
}
const allGone = (cards: number) => ({ expirations: cards, cards, entries: 0, lots: 0, held: 0, due: 0 });
const IMMEDIATE = { wallet: { pending_points: { type: "IMMEDIATE" } } };

test("a thousand members' points expire at once, each once, with two sweepers at it", async () => {
  const { project, members, earnPoints } = await yearlyClub(db, IMMEDIATE);
  const cards = await members(1_000);
  await earnPoints(cards, 150);
  const other = open();
  await Promise.all([sweep(EXPIRED), sweep(EXPIRED, { db: other })]);
  // One that found the other at the last cards leaves them to it.
  assert.deepEqual(await totals(db, project.id), allGone(1_000));
});

test("a sweep that is stopped between two batches, or dies within one, is gone on with", async () => {
  const { project, members, earnPoints } = await yearlyClub(db, IMMEDIATE);
  await earnPoints(await members(450), 150);
  const ending = new AbortController();
  let asked = 0;
  const now = () => {
    asked += 1;
    if (asked === 3) ending.abort();
    return EXPIRED;
  };
  await sweep(EXPIRED, { now, signal: ending.signal });
  assert.equal((await totals(db, project.id))!.cards, 200, "the first batch is done, and no other");
  let left = 300;
  const dying = (prefix: string) => {
    left -= 1;
    if (left < 0) throw new Error("planted");
    return newId(prefix);
  };
  await assert.rejects(sweep(EXPIRED, { newId: dying }), /planted/);
  const { cards } = (await totals(db, project.id))!;
  assert.ok(cards >= 200 && cards < 450, "a batch that failed left nothing");
  await sweep("2026-04-03T00:00:00.000Z");
  assert.deepEqual(await totals(db, project.id), allGone(450));
});

test("a card that cannot be advanced keeps neither the others of its project nor other projects", async () => {
  const [bad, good] = [await yearlyClub(db, IMMEDIATE), await yearlyClub(db, IMMEDIATE)];
  const cards = await bad.members(3);
  await bad.earnPoints(cards, 150);
  await good.earnPoints(await good.members(2), 150);
  // What no operation writes: the sweep of this card fails.
  const [{ account }] = (await db`
    select account from loyalty_cards where id = ${cards[0]!}`) as unknown as [{ account: object }];
  const setAccount = (to: object) =>
    db`update loyalty_cards set account = ${db.json(to as never)} where id = ${cards[0]!}`;
  await setAccount({});
  await assert.rejects(sweep(EXPIRED));
  assert.deepEqual(await totals(db, good.project.id), allGone(2));
  await sweep(EXPIRED);
  const story = await bad.story(cards);
  assert.deepEqual(
    story.map(({ points }) => points.length),
    [1, 2, 2],
  );
  await setAccount(account);
  await sweep("2026-04-04T00:00:00.000Z");
  assert.deepEqual(
    await totals(db, bad.project.id),
    allGone(3),
    "it is tried again, and its points expire on their day",
  );
});

test("the number of statements of a batch does not depend on how many cards it has", async () => {
  const counts: number[] = [];
  for (const count of [2, 150]) {
    const { members, earnPoints } = await yearlyClub(db, IMMEDIATE);
    await earnPoints(await members(count), 150);
    const statements: string[] = [];
    await sweep(EXPIRED, { db: open({ onQuery: (text) => void statements.push(text) }) });
    counts.push(statements.length);
  }
  assert.equal(counts[0], counts[1]);
});

test("the cards of a program that becomes active are looked at: what was due meanwhile happens at its moment", async () => {
  const { ok, program, members, earnPoints, story, clock, dueAt } = await yearlyClub(db, IMMEDIATE);
  const cards = await members(1);
  await earnPoints(cards, 150);
  await ok(`POST /v2/loyalties/programs/${program.id}/deactivate`);
  await sweep("2026-02-10T00:00:00.000Z");
  assert.equal((await story(cards))[0]!.tiers.length, 2, "nothing watches its tiers");
  assert.equal(await dueAt(cards[0]!), EXPIRED, "but its points expire");
  clock.now = "2026-02-10T00:00:00.000Z";
  await ok(`POST /v2/loyalties/programs/${program.id}/activate`);
  await sweep("2026-02-10T00:00:00.000Z");
  const { tiers } = (await story(cards))[0]!;
  assert.deepEqual(tiers.slice(2), [
    "2026-02-02T00:00:00.000Z PROLONGED Silver APPROVED until 2026-03-02T00:00:00.000Z by daily_task_operations",
  ]);
  assert.equal(await dueAt(cards[0]!), "2026-03-02T00:00:00.000Z");
  const left = await db`select 1 from loyalty_reviews`;
  assert.equal(left.length, 0);
});

test("who enters a segment that a tier asks for gets the tier, and who leaves it loses it", async () => {
  const club = await yearlyClub(db, {
    ...IMMEDIATE,
    structure: { ...STRUCTURE, expiration: { type: "NO_EXPIRATION" }, downgrade: { type: "MULTI_LEVEL" } },
    segment: { name: "VIP", filter: { junction: "and", name: { conditions: { $is: "Vip" } } } },
  });
  const { ok, project, members, earnPoints, story, clock } = club;
  const cards = await members(2);
  await earnPoints(cards, 250);
  const [{ customer_id }] = (await db`
    select m.customer_id from loyalty_members m join loyalty_cards c on c.project_id = m.project_id and c.member_id = m.id
    where c.id = ${cards[0]!}`) as unknown as [{ customer_id: string }];
  const tiersOf = async () =>
    (await story(cards)).map(({ tiers }) => tiers.map((line) => line.split(" ").slice(1, 3).join(" ")));
  const before = await tiersOf();
  await ok(`PUT /v1/customers/${customer_id}`, { name: "Vip" });
  await sweep(clock.now);
  const entered = await tiersOf();
  assert.deepEqual(entered, [[...before[0]!, "JOINED Gold"], before[1]!]);
  // The job that finds members whom the time brought in or out asks in the same way.
  await db`update customers set name = 'Ann' where project_id = ${project.id} and id = ${customer_id}`;
  await db`update segments set recalculated_at = null where project_id = ${project.id}`;
  await advanceCards.run({ db, now: () => "2026-01-02T00:00:00.000Z", newId, random: randomBytes });
  await sweep("2026-01-02T00:00:00.000Z");
  assert.deepEqual(await tiersOf(), [[...before[0]!, "JOINED Gold", "LEFT none"], before[1]!]);
});

test("a project that is being filled with demo history is left alone until that is done", async () => {
  const { project, members, earnPoints, dueAt } = await yearlyClub(db);
  const [card] = await members(1);
  await earnPoints([card!], 250);
  const before = await dueAt(card!);
  const mark = (change: "array_append" | "array_remove") =>
    db`update projects set features = ${db.unsafe(change)}(features, ${DEMO_LOADING}) where id = ${project.id}`;
  await mark("array_append");
  await sweep(MIDNIGHT);
  assert.equal(await dueAt(card!), before);
  await mark("array_remove");
  await sweep(MIDNIGHT);
  assert.notEqual(await dueAt(card!), before);
});
