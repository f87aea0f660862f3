import type { Pool } from "../../src/db/db.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { newId, now, random } from "../../src/sources.ts";
import { makeClub } from "../clubs.ts";
import type { Line } from "../line.ts";

const CARDS = 100_000;
const LOTS_OF_A_CARD = 10;
const POINTS_OF_A_LOT = 10;

// What the sweep has to do after an outage: every card has points of ten days that are over, and each day is a
// transaction of its own.
export const expiry: Line = {
  name: "expiry",
  floor: null,
  aim: null,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const cards = quick ? 30 : CARDS;
    const project = await makeClub(lab, server, cards);
    await server.stop();
    const count = cards * LOTS_OF_A_CARD;
    await fillCards(lab.db, project.id);
    await lab.settle();
    await lab.db`checkpoint`;
    const began = performance.now();
    await advanceCards.run({ db: lab.db, now, newId, random });
    const seconds = (performance.now() - began) / 1000;
    await requireExpired(lab.db, project.id, count);
    return {
      title: `${count} lots of ${cards} cards expire, ${LOTS_OF_A_CARD} days each`,
      unit: "lots/s",
      baseline: null,
      engine: count / seconds,
      ratio: null,
    };
  },
};

/** Gives every card a lot for each of the last days. */
async function fillCards(db: Pool, projectId: string): Promise<void> {
  await db`
    insert into ledger_lots (project_id, id, account_id, pot, amount, remaining, expires_at, created_at, bucket_id,
      bucket_date, bucket_type)
    select project_id, 'lopb_' || id || '_' || n, id, 'available', ${POINTS_OF_A_LOT}, ${POINTS_OF_A_LOT},
      date_trunc('day', now()) - n * interval '1 day', now() - interval '1 year', 'lcpeb_' || id || '_' || n,
      to_char(now() - (n + 1) * interval '1 day', 'YYYY-MM-DD'), 'ROLLING_EXPIRATION'
    from loyalty_cards, generate_series(0, ${LOTS_OF_A_CARD - 1}::int) n where project_id = ${projectId}`;
  const points = LOTS_OF_A_CARD * POINTS_OF_A_LOT;
  await db`
    update loyalty_cards set due_at = date_trunc('day', now()) - ${LOTS_OF_A_CARD - 1}::int * interval '1 day',
      account = account || jsonb_build_object('sums', account->'sums'
        || jsonb_build_object('available', ${points}::int, 'received', ${points}::int))
    where project_id = ${projectId}`;
}

async function requireExpired(db: Pool, projectId: string, count: number): Promise<void> {
  const [found] = await db`
    select (select count(*) from ledger_entries where project_id = ${projectId} and kind = 'expiration') as expired,
      (select count(*) from ledger_lots where project_id = ${projectId} and remaining > 0) as left,
      (select count(*) from loyalty_cards
        where project_id = ${projectId} and (account->'sums'->>'available')::bigint <> 0) as filled`;
  const { expired, left, filled } = found as { expired: number; left: number; filled: number };
  if (expired !== count || left !== 0 || filled !== 0)
    throw new Error(`Of ${count} lots ${expired} expired, ${left} are left, ${filled} cards hold points`);
}
