import { PROGRAM } from "./loyalty.ts";
import { amount, percent } from "./promotions.ts";
import { answeredId, type DemoRequest, dayOf, type Seeded } from "./requests.ts";
import { CITIES } from "./shop.ts";

// What happened in the shop before the demo was loaded, so that lists and sums have something to show. The campaigns and the
// customers of the history are its own: the balances and counts that the documents name stay as they are.

const NAMES = ["Amira", "Bruno", "Cleo", "Dora", "Elif", "Fritz", "Greta", "Hana", "Ivo", "Jule", "Kofi", "Lena"];
const SURNAMES = ["Berg", "Cruz", "Diaz", "Falk", "Kaya", "Lang", "Moreau", "Nowak", "Okoye", "Rossi"];
const GUESTS = 36;
/** The customers, and what runs all the time, were there when something was redeemed first. */
const BEFORE = 2;
/** An offer is made a week before it begins, and one that has not begun was made in the last days. */
const PLANNED = 7;
/** What the documents name, and is worth something, was there before the first sale and before all other offers. */
export const offeredDaysAgo = (historyDays: number): number => Math.max(100, historyDays + 10);

const budget = (name: string, cents: number): DemoRequest => ({
  line: "POST /v1/validation-rules",
  body: {
    name,
    rules: {
      "1": {
        name: "campaign.orders.amount_discounted",
        conditions: { $less_than_or_equal: [cents] },
        error: { message: "The budget of this offer is used up" },
      },
    },
  },
  as: name,
});

/** A campaign with one code that everybody may use. Days count from the day when the demo is loaded. */
type Offer = { name: string; code: string; discount: object; from?: number; until?: number; rule?: string };
const OFFERS: readonly Offer[] = [
  { name: "Newsletter", code: "NEWS10", discount: percent(10), rule: "Newsletter budget" },
  { name: "Autumn sale", code: "AUTUMN15", discount: percent(15), from: -70, until: -15 },
  { name: "Podcast", code: "PODCAST5", discount: amount(500), from: -45, until: 10 },
  { name: "Flash weekend", code: "FLASH20", discount: percent(20), from: -30, rule: "Flash budget" },
  { name: "Winter preview", code: "WINTER12", discount: percent(12), from: 12, until: 60 },
];

const offerRequest = ({ name, code, discount, from, until, rule }: Offer): DemoRequest => ({
  line: "POST /v1/campaigns",
  body: {
    name,
    campaign_type: "DISCOUNT_COUPONS",
    type: "STANDALONE",
    ...(from !== undefined && { start_date: dayOf(from) }),
    ...(until !== undefined && { expiration_date: dayOf(until) }),
    ...(rule && { validation_rules: [answeredId(rule)] }),
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: null }, code },
  },
  as: name,
});

/** The day on which an offer was made. */
const madeOn = ({ from }: Offer, days: number): number =>
  from === undefined ? -(days + BEFORE) : Math.min(-1 - BEFORE, from - PLANNED);

const isOpen = (day: number, { from = -1_000, until = 1_000 }: Offer): boolean => day >= from && day < until;

/** More on a weekend, and a little more from week to week. */
const salesOn = (day: number, days: number, { integer }: Seeded): number =>
  2 + integer(0, 3) + (Math.abs(day) % 7 < 2 ? 3 : 0) + Math.round((2 * (days + day)) / days);

const THINGS = ["tee", "mug", "beans", "grinder"];

type Moment = { day: number; hour: number };
/** Day -1 is the one that ends as the demo is loaded. */
const daysAgoOf = ({ day, hour }: Moment) => -day - hour / 24;

function sale(random: Seeded, moment: Moment, offer: Offer, n: number): DemoRequest {
  const { pick, integer } = random;
  return {
    line: "POST /v1/redemptions",
    body: {
      redeemables: [{ object: "voucher", id: offer.code }],
      customer: { source_id: `guest-${integer(1, GUESTS)}` },
      order: {
        source_id: `history-${n}`,
        status: "PAID",
        items: [
          { source_id: pick(THINGS), related_object: "product", quantity: integer(1, 3) },
          { source_id: "shipping", related_object: "product", quantity: 1 },
        ],
        metadata: { channel: pick(["web", "web", "app", "store"]) },
      },
    },
    as: `sale ${n}`,
    daysAgo: daysAgoOf(moment),
    mayBeRefused: true,
  };
}

const REFERRALS = "Tell a friend";
/** How many friends the first guests brought: the first one seven, the next one four. */
const BROUGHT = [7, 4, 2, 1];
const codeOf = (guest: number) => `TELL-GUEST-${guest}`;

const referralOpening = (): DemoRequest[] => [
  {
    line: "POST /v1/campaigns",
    body: {
      name: REFERRALS,
      campaign_type: "REFERRAL_PROGRAM",
      type: "AUTO_UPDATE",
      voucher: {
        type: "DISCOUNT_VOUCHER",
        discount: amount(800),
        redemption: { quantity: null },
        code_config: { pattern: "TELL-######" },
        is_referral_code: true,
      },
      referral_program: { conversion_event_type: "redemption" },
    },
    as: REFERRALS,
  },
  ...BROUGHT.flatMap((_, n): DemoRequest[] => [
    { line: `POST /v1/campaigns/${answeredId(REFERRALS)}/vouchers/${codeOf(n + 1)}`, body: {} },
    { line: "POST /v1/publications", body: { voucher: codeOf(n + 1), customer: { source_id: `guest-${n + 1}` } } },
  ]),
];

/** Each friend comes once, with the code of who brought them. */
function friendSales(random: Seeded, days: number): DemoRequest[] {
  const codes = BROUGHT.flatMap((count, n) => Array<string>(count).fill(codeOf(n + 1)));
  return codes.map((code, n) => ({
    line: "POST /v1/redemptions",
    body: {
      redeemables: [{ object: "voucher", id: code }],
      customer: { source_id: `guest-${GUESTS - n}` },
      order: {
        source_id: `friend-${n + 1}`,
        status: "PAID",
        items: [{ source_id: random.pick(THINGS), related_object: "product", quantity: random.integer(1, 2) }],
      },
    },
    daysAgo: random.integer(1, Math.max(1, days - 1)) - random.next(),
  }));
}

const CARDS = 8;
const cardOf = (n: number) => `GIFT-GUEST-${n}`;
const giftOpening = (): DemoRequest[] =>
  Array.from({ length: CARDS }, (_, n) => ({
    line: `POST /v1/campaigns/${answeredId("Gift cards")}/vouchers/${cardOf(n + 1)}`,
    body: {},
  }));

/** Somebody comes every few days: between the first day and today, by the clock of a shop. */
function* visits({ integer, next }: Seeded, days: number, apart: number): Generator<number> {
  for (let day = -days + integer(0, apart); day < 0; day += integer(1, 2 * apart - 1))
    yield daysAgoOf({ day, hour: integer(7, 22) + next() });
}

const paidOrder = (source_id: string, items: readonly (readonly [thing: string, quantity: number])[]) => ({
  ...{ source_id, status: "PAID" },
  items: items.map(([thing, quantity]) => ({ source_id: thing, related_object: "product", quantity })),
});

/** Guests pay a part of what they buy with a gift card, until nothing is left on it. */
const giftSales = (random: Seeded, days: number): DemoRequest[] =>
  [...visits(random, days, 4)].map((daysAgo, n) => {
    const guest = random.integer(1, CARDS);
    const gift = { credits: 100 * random.integer(3, 9) };
    return {
      line: "POST /v1/redemptions",
      body: {
        redeemables: [{ object: "voucher", id: cardOf(guest), gift }],
        customer: { source_id: `guest-${guest}` },
        order: paidOrder(`gift-${n + 1}`, [[random.pick(THINGS), 1]]),
      },
      daysAgo,
      mayBeRefused: true,
    };
  });

/** What a cart must hold for a promotion of "Spend and save". */
const TIERS: readonly (readonly [tier: string, grinders: number])[] = [
  ["5% from 50.00", 1],
  ["10% from 100.00", 2],
  ["A mug from 150.00", 2],
];
const tierSales = (random: Seeded, days: number): DemoRequest[] =>
  [...visits(random, days, 2)].map((daysAgo, n) => {
    const [tier, grinders] = random.pick(TIERS);
    return {
      line: "POST /v1/redemptions",
      body: {
        redeemables: [{ object: "promotion_tier", id: answeredId(tier) }],
        customer: { source_id: `guest-${random.integer(1, GUESTS)}` },
        order: paidOrder(`promotion-${n + 1}`, [["grinder", grinders]]),
      },
      daysAgo,
    };
  });

/** These guests are in the Laurel club too: whatever they buy brings them points. */
const MEMBERS = 12;
const membershipOf = (guest: number) => `the membership of guest-${guest}`;
const clubOpening = (): DemoRequest[] =>
  Array.from({ length: MEMBERS }, (_, n) => ({
    line: `POST ${PROGRAM}/members`,
    body: { customer_id: answeredId(`guest-${n + 1}`) },
    as: membershipOf(n + 1),
  }));

/** Not everybody has the points for it yet. */
const rewardsTaken = (random: Seeded, days: number): DemoRequest[] =>
  [...visits(random, days, 5)].map((daysAgo) => ({
    line: `POST ${PROGRAM}/members/${answeredId(membershipOf(random.integer(1, MEMBERS)))}/rewards/purchases`,
    body: { reward_id: answeredId("5.00 coupon") },
    daysAgo,
    mayBeRefused: true,
  }));

/** The days before today, each with its sales, refusals and what was given back. */
export function historyRequests(random: Seeded, days: number): DemoRequest[] {
  if (days === 0) return [];
  const { pick, integer } = random;
  const opening: DemoRequest[] = [
    ...Array.from({ length: GUESTS }, (_, n) => ({
      line: "POST /v1/customers",
      body: {
        source_id: `guest-${n + 1}`,
        name: `${pick(NAMES)} ${pick(SURNAMES)}`,
        email: `guest-${n + 1}@shop.example`,
        address: { city: pick(CITIES) },
      },
      as: `guest-${n + 1}`,
    })),
    ...[budget("Newsletter budget", 150_000), budget("Flash budget", 70_000)].map((rule) => ({
      ...rule,
      // Before all offers that name it.
      daysAgo: offeredDaysAgo(days) - 1,
    })),
    ...OFFERS.map((offer) => ({ ...offerRequest(offer), daysAgo: -madeOn(offer, days) })),
    ...referralOpening(),
    ...giftOpening(),
    ...clubOpening(),
  ].map((request) => ({ daysAgo: days + BEFORE, ...request }));
  const sales: DemoRequest[] = [];
  for (let day = -days; day < 0; day += 1) {
    for (let left = salesOn(day, days, random); left > 0; left -= 1) {
      const moment = { day, hour: integer(7, 22) + random.next() };
      // One in eight asks for an offer that is over or has not begun.
      const isWelcome = integer(1, 8) > 1;
      const made = OFFERS.filter((offer) => madeOn(offer, days) <= day);
      const closed = made.filter((offer) => !isOpen(day, offer));
      const offers = isWelcome || closed.length === 0 ? made.filter((offer) => isOpen(day, offer)) : closed;
      sales.push(sale(random, moment, pick(offers), sales.length + 1));
    }
  }
  const returned = sales
    .filter((_, n) => n % 29 === 7)
    .map(({ as, daysAgo }) => ({
      line: `POST /v1/redemptions/${answeredId(as!)}/rollback`,
      body: { reason: "The goods came back" },
      after: as!,
      daysAgo: Math.max(0, daysAgo! - 3),
    }));
  const friends = friendSales(random, days);
  const others = [...giftSales(random, days), ...tierSales(random, days), ...rewardsTaken(random, days)];
  return [...opening, ...[...sales, ...returned, ...friends, ...others].sort((a, b) => b.daysAgo! - a.daysAgo!)];
}
