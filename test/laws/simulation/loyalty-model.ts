/** What a club with two wallets must do, as plainly as it can be said. No database, no batches, no sweep. */
type Wallet = { waitsDays: number; lasts: Temporal.DurationLike };
export type WalletName = "points" | "stars";
/** Points can be spent at once for a month. Stars wait for five days, and can be spent for twenty. */
const WALLETS: Record<WalletName, Wallet> = {
  points: { waitsDays: 0, lasts: { months: 1 } },
  stars: { waitsDays: 5, lasts: { days: 20 } },
};
export const ZONE = "Europe/Warsaw";
/** Points for one minor unit of money. */
export const RATIO = 2;

/** Points of one day: the last on which they can be spent, or the one on which what waits becomes available. */
type Lot = { day: string; points: number; orderId: string | null };
export type Card = {
  wallet: WalletName;
  lots: Lot[];
  waits: Lot[];
  transactions: number;
  /** Time changed it, and no sweep has been there since: its list of transactions may not tell of it yet. */
  isLate: boolean;
  /** What each order earned here that could be spent, also what is gone by now. */
  earned: Map<string, number>;
};
export type Member = { path: string; source: string; cards: Record<WalletName, Card & { id: string }> };
export type Reward = { wallet: WalletName; cost: number; stock: number; redeemed: number };
export type Purchase = { id: string; reward: string; member: Member; isBack: boolean };
export type Order = {
  id: string;
  total: number;
  status: "CREATED" | "PAID" | "CANCELED";
  customer: string;
  /** Money that points have paid. */
  paid: number;
  spent: Map<Card, number>;
};
export type Model = {
  now: number;
  members: Member[];
  rewards: Map<string, Reward>;
  purchases: Purchase[];
  orders: Order[];
};

export const emptyModel = (now: number): Model => ({ now, members: [], rewards: new Map(), purchases: [], orders: [] });
export const newCard = (wallet: WalletName): Card => ({
  ...{ wallet, lots: [], waits: [], transactions: 0, isLate: false },
  earned: new Map(),
});

const sum = (lots: readonly Lot[]) => lots.reduce((all, { points }) => all + points, 0);
export const available = ({ lots }: Card): number => sum(lots);
export const pending = ({ waits }: Card): number => sum(waits);
/** Points by their day. */
export function daysOf(lots: readonly Lot[]): Record<string, number> {
  const days: Record<string, number> = {};
  for (const { day, points } of lots) if (points > 0) days[day] = (days[day] ?? 0) + points;
  return days;
}

const dayAt = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(ZONE).toPlainDate();
const startOf = (day: Temporal.PlainDate): number => day.toZonedDateTime(ZONE).epochMilliseconds;
const comesAt = ({ day }: Lot): number => startOf(Temporal.PlainDate.from(day));
const goesAt = ({ day }: Lot): number => startOf(Temporal.PlainDate.from(day).add({ days: 1 }));

function put(card: Card, points: number, { at, orderId = null }: { at: number; orderId?: string | null }): void {
  if (points === 0) return;
  card.lots.push({ day: dayAt(at).add(WALLETS[card.wallet].lasts).toString(), points, orderId });
  if (orderId !== null) card.earned.set(orderId, (card.earned.get(orderId) ?? 0) + points);
}

/** Those go first that expire first. */
function take(card: Card, points: number): void {
  let left = points;
  for (const lot of card.lots.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const taken = Math.min(left, lot.points);
    lot.points -= taken;
    left -= taken;
  }
  card.lots = card.lots.filter((lot) => lot.points > 0);
}

/** Time goes on: what waits becomes available on its day, and what nobody spent is gone after its last one. */
export function passTo(model: Model, now: number): void {
  model.now = now;
  for (const card of model.members.flatMap(({ cards }) => Object.values(cards))) {
    for (const day of Object.keys(daysOf(card.waits)).sort()) {
      const due = card.waits.filter((lot) => lot.day === day && comesAt(lot) <= now);
      if (due.length === 0) continue;
      activate(card, due, comesAt(due[0]!));
      card.isLate = true;
    }
    for (const day of Object.keys(daysOf(card.lots)))
      if (goesAt({ day, points: 0, orderId: null }) <= now) {
        expire(card, day);
        card.isLate = true;
      }
  }
}

function activate(card: Card, lots: readonly Lot[], at: number): void {
  card.waits = card.waits.filter((lot) => !lots.includes(lot));
  for (const { points, orderId } of lots) put(card, points, { at, orderId });
  card.transactions += 1;
}

/** All points of a day are gone, in one transaction. */
export function expire(card: Card, day: string): void {
  card.lots = card.lots.filter((lot) => lot.day !== day);
  card.transactions += 1;
}

/** What waits for a day becomes available now, or is cancelled. */
export function settleWaiting(model: Model, card: Card, { day, how }: { day: string; how: string }): void {
  const lots = card.waits.filter((lot) => lot.day === day);
  if (how === "activate") activate(card, lots, model.now);
  else {
    card.waits = card.waits.filter((lot) => !lots.includes(lot));
    card.transactions += 1;
  }
}

export function earn(model: Model, card: Card, { points, orderId }: { points: number; orderId: string | null }): void {
  if (points === 0) return;
  const { waitsDays } = WALLETS[card.wallet];
  if (waitsDays === 0) put(card, points, { at: model.now, orderId });
  else card.waits.push({ day: dayAt(model.now).add({ days: waitsDays }).toString(), points, orderId });
  card.transactions += 1;
}

/** By hand. More than there is cannot be taken, and is a transaction all the same. */
export function adjust(model: Model, card: Card, points: number): void {
  if (points === 0) return;
  card.transactions += 1;
  if (points > 0) put(card, points, { at: model.now });
  else if (-points <= available(card)) take(card, -points);
}

export const memberOf = ({ members }: Model, source: string): Member | undefined =>
  members.find((one) => one.source === source);

/** A point and a star for each whole 100 of an order. It earns once. */
export function payInMoney(model: Model, order: Order): void {
  if (order.status === "PAID") return;
  order.status = "PAID";
  const cards = memberOf(model, order.customer)?.cards;
  for (const card of Object.values(cards ?? {}))
    earn(model, card, { points: Math.floor(order.total / 100), orderId: order.id });
}

/** Why a reward is not sold, or null. */
export function faultOfPurchase({ stock, cost }: Reward, card: Card): string | null {
  if (stock < 1) return "reward_out_of_stock";
  return available(card) < cost ? "insufficient_card_balance" : null;
}

export function buy(model: Model, purchase: Purchase): void {
  const reward = model.rewards.get(purchase.reward)!;
  const card = purchase.member.cards[reward.wallet];
  take(card, reward.cost);
  card.transactions += 1;
  reward.stock -= 1;
  reward.redeemed += 1;
  model.purchases.push(purchase);
}

export function giveBack(model: Model, purchase: Purchase, { isWrittenOff }: { isWrittenOff: boolean }): void {
  const reward = model.rewards.get(purchase.reward)!;
  const card = purchase.member.cards[reward.wallet];
  put(card, reward.cost, { at: model.now });
  card.transactions += 1;
  purchase.isBack = true;
  if (isWrittenOff) return;
  reward.stock += 1;
  reward.redeemed -= 1;
}

export type Limit = { points?: number; amount?: number };

/** What a card pays, or why it cannot. More than is left to pay is rejected when it settles. */
export function payInPoints(order: Order, card: Card, limit: Limit): string {
  if (order.status === "CANCELED") return "order_canceled";
  if (available(card) === 0) return "zero_card_balance";
  const points = Math.min(available(card), limit.points ?? Number.MAX_SAFE_INTEGER);
  const amount = Math.min(Math.floor(points / RATIO), limit.amount ?? Number.MAX_SAFE_INTEGER);
  if (amount === 0) return "insufficient_card_balance";
  card.transactions += 1;
  if (amount > order.total - order.paid) return "REJECTED";
  take(card, amount * RATIO);
  order.paid += amount;
  order.spent.set(card, (order.spent.get(card) ?? 0) + amount * RATIO);
  return "APPROVED";
}

/** What was paid for it comes back, then what it earned is taken back as far as it is there. Once. */
export function cancel(model: Model, order: Order): void {
  if (order.status === "CANCELED") return;
  order.status = "CANCELED";
  for (const card of model.members.flatMap(({ cards }) => Object.values(cards))) {
    const days = Object.keys(daysOf(card.waits.filter(({ orderId }) => orderId === order.id)));
    card.waits = card.waits.filter(({ orderId }) => orderId !== order.id);
    const returned = order.spent.get(card) ?? 0;
    put(card, returned, { at: model.now });
    const revoked = Math.min(card.earned.get(order.id) ?? 0, available(card));
    take(card, revoked);
    card.transactions += days.length + (revoked > 0 ? 1 : 0) + (returned > 0 ? 1 : 0);
  }
}
