import type { Catalog } from "../../catalog/catalog.ts";
import { advanceCard } from "../../core/loyalty/card/card-at-work.ts";
import type { VoucherUse } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Tx } from "../../db/db.ts";
import { type Writes, writeLater } from "../../db/together.ts";
import { type EventsOf, type NamedEvent, withIds } from "../../events/events.ts";
import type { NewId, Origin, Project } from "../../request.ts";
import { takeRewardStock } from "../../resources/loyalty-v1/rewards/store.ts";
import type { CardSeen } from "./card-rewards.ts";
import { type EarningTrigger, tiersMoved } from "./earning-triggers.ts";
import { type PointCard, pointWorld, sendPointCards } from "./point-cards.ts";

type Moment = {
  project: Pick<Project, "timezone">;
  catalog: Pick<Catalog, "tiers_of_campaign">;
  now: string;
  newId: NewId;
};
/** The world of a loyalty card at the moment of a request. */
export const worldOf = ({ campaign }: PointCard, { catalog, project, now, newId }: Moment) =>
  pointWorld(catalog, campaign, { now, zone: zoneOf(project), newId });

/** What a card holds at this moment. One that nobody has holds what it began with. */
export function seePoints(one: PointCard, at: Moment): CardSeen {
  if (one.row.account !== null || one.row.holder_id !== null) advanceCard(one, worldOf(one, at));
  const { account, tier } = one.change.card;
  return { available: account.sums.available, tier_id: tier?.tier_id ?? null };
}

/** Which request brought what has happened to a card: it is told with it. */
export function noteCauses<C>(caused: Map<string, C>, { change }: PointCard, command: C): void {
  const ids = [
    ...change.entries.map(({ id }) => id),
    ...change.tiers.map((one) => (one.kind === "made" ? one.transaction.id : one.id)),
  ];
  for (const id of ids) if (!caused.has(id)) caused.set(id, command);
}

/** The points and the balance of a card, as they are stored with a redemption. */
export const pointsShown = ({ change }: PointCard) => {
  const { received, available } = change.card.account.sums;
  return { points: received, balance: available };
};

/** What is left of codes, after their points were saved. */
export const usesAfter = (uses: Iterable<VoucherUse>, points: ReadonlyMap<string, PointCard>): VoucherUse[] =>
  [...uses].map((use) => {
    const card = points.get(use.id);
    if (!card?.world) return use;
    const { sums } = card.change.card.account;
    return { ...use, account: sums, available: sums.available };
  });

type Saving<C> = {
  project: Project;
  points: ReadonlyMap<string, PointCard>;
  caused: ReadonlyMap<string, C>;
  /** Change in the redeemed count, by reward id; negative for a rollback. */
  rewards: ReadonlyMap<string, number>;
};

type Saved<C> = { told: EventsOf<C, NamedEvent>[]; moved: EarningTrigger[] };

/**
 * Saves cards and what was taken of rewards; before `saveUses`. Returns what is to be recorded, and what points may follow
 * from. The caller waits for `writes`.
 */
export async function savePointsWork<C extends Origin>(tx: Tx, work: Saving<C>, writes: Writes): Promise<Saved<C>> {
  const { project, points, caused, rewards } = work;
  if (points.size + rewards.size === 0) return { told: [], moved: [] };
  const tellings = await sendPointCards(tx, project, points.values(), { source: null, writes });
  const moved: EarningTrigger[] = [];
  const told = [...Map.groupBy(tellings, ({ payload }) => caused.get(payload!.transaction_id as string)!)].map(
    ([of, some]) => {
      const happened = withIds(of, some);
      moved.push(...tiersMoved(happened, of));
      return { of, happened };
    },
  );
  const taken = [...rewards].filter(([, by]) => by !== 0).map(([id, by]) => ({ id, by }));
  writeLater(writes, takeRewardStock(tx, project.id, taken));
  return { told, moved };
}
