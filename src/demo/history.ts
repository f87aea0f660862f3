import { amount, percent } from "./promotions.ts";
import { type DemoRequest, dayOf, idOf, type Seeded } from "./requests.ts";
import { CITIES } from "./shop.ts";

// What happened in the shop before the demo was loaded, so that lists and sums have something to show. The campaigns and the
// customers of the history are its own: the balances and counts that the documents name stay as they are.

const NAMES = ["Amira", "Bruno", "Cleo", "Dora", "Elif", "Fritz", "Greta", "Hana", "Ivo", "Jule", "Kofi", "Lena"];
const SURNAMES = ["Berg", "Cruz", "Diaz", "Falk", "Kaya", "Lang", "Moreau", "Nowak", "Okoye", "Rossi"];
const GUESTS = 36;
/** The campaigns were there when the first of them was redeemed. */
const BEFORE = 2;

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
  { name: "Podcast", code: "PODCAST5", discount: amount(500), from: -45, until: 20 },
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
    ...(rule && { validation_rules: [idOf(rule)] }),
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: null }, code },
  },
  as: name,
});

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
    { line: `POST /v1/campaigns/${idOf(REFERRALS)}/vouchers/${codeOf(n + 1)}`, body: {} },
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
    })),
    budget("Newsletter budget", 150_000),
    budget("Flash budget", 70_000),
    ...OFFERS.map(offerRequest),
    ...referralOpening(),
  ].map((request) => ({ ...request, daysAgo: days + BEFORE }));
  const sales: DemoRequest[] = [];
  for (let day = -days; day < 0; day += 1) {
    for (let left = salesOn(day, days, random); left > 0; left -= 1) {
      const moment = { day, hour: integer(7, 22) + random.next() };
      // One in eight asks for an offer that is over or has not begun.
      const isWelcome = integer(1, 8) > 1;
      const offers = OFFERS.filter((offer) => isOpen(day, offer) === isWelcome);
      sales.push(sale(random, moment, pick(offers), sales.length + 1));
    }
  }
  const returned = sales
    .filter((_, n) => n % 29 === 7)
    .map(({ as, daysAgo }) => ({
      line: `POST /v1/redemptions/${idOf(as!)}/rollback`,
      body: { reason: "The goods came back" },
      after: as!,
      daysAgo: Math.max(0, daysAgo! - 3),
    }));
  const friends = friendSales(random, days);
  return [...opening, ...[...sales, ...returned, ...friends].sort((a, b) => b.daysAgo! - a.daysAgo!)];
}
