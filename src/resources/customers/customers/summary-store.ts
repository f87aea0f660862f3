import { CUSTOMER_TEXTS } from "../../../core/customers/customer.ts";
import type { CustomerSubject, FilterFact } from "../../../core/filters/fields.ts";
import type { CustomerRow } from "../../../core/rows/customer.ts";
import type { Db } from "../../../db/db.ts";
import type { Customer } from "./schema.ts";

export type CustomerSummaryFacts = Pick<Customer, "summary" | "loyalty" | "referrals">;

/** The facts of a customer who never did anything. */
const noFacts = (): CustomerSummaryFacts => ({
  summary: {
    redemptions: {
      total_redeemed: 0,
      total_failed: 0,
      total_succeeded: 0,
      total_rolled_back: 0,
      total_rollback_failed: 0,
      total_rollback_succeeded: 0,
      gift: { redeemed_amount: 0, amount_to_go: 0 },
      loyalty_card: { redeemed_points: 0, points_to_go: 0 },
    },
    orders: { total_amount: 0, total_count: 0, average_amount: 0, last_order_amount: 0 },
  },
  loyalty: { points: 0, referred_customers: 0, campaigns: {} },
  referrals: { total: 0, campaigns: [] },
});

type OrderSums = { customer_id: string; last_order_date: string } & Record<
  "total_amount" | "total_count" | "average_amount" | "last_order_amount",
  number
>;
type RedemptionSums = Record<"succeeded" | "failed" | "undone" | "undoing_failed" | "credits" | "points", number> & {
  customer_id: string;
};
/** What the cards of one kind, of one campaign, hold. */
type CardSums = { customer_id: string; type: string; campaign: string | null; balance: number };

/**
 * What customers did so far, one statement for each source of it and all customers together. Sums stop at the largest
 * number that JSON readers take.
 */
async function loadCustomerSummaries(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CustomerSummaryFacts>> {
  const facts = new Map(ids.map((id) => [id, noFacts()]));
  if (ids.length === 0) return facts;
  const [orders, redemptions, cards, came, brought] = await Promise.all([
    sumOrders(db, projectId, ids),
    sumRedemptions(db, projectId, ids),
    sumCards(db, projectId, ids),
    loadReferrals(db, projectId, ids),
    countReferred(db, projectId, ids),
  ]);
  for (const { customer_id, ...sums } of orders) facts.get(customer_id)!.summary.orders = sums;
  for (const { customer_id, ...sums } of redemptions) {
    const { gift, loyalty_card } = facts.get(customer_id)!.summary.redemptions;
    facts.get(customer_id)!.summary.redemptions = {
      total_redeemed: sums.succeeded + sums.failed,
      total_failed: sums.failed,
      total_succeeded: sums.succeeded,
      total_rolled_back: sums.undone,
      total_rollback_failed: sums.undoing_failed,
      total_rollback_succeeded: sums.undone,
      gift: { ...gift, redeemed_amount: sums.credits },
      loyalty_card: { ...loyalty_card, redeemed_points: sums.points },
    };
  }
  for (const { customer_id, type, campaign, balance } of cards) {
    const { summary, loyalty } = facts.get(customer_id)!;
    const { gift, loyalty_card } = summary.redemptions;
    if (type === "GIFT_VOUCHER") gift.amount_to_go = capped(gift.amount_to_go + balance);
    else {
      loyalty.points = capped(loyalty.points + balance);
      loyalty_card.points_to_go = Math.max(0, loyalty.points);
      loyalty.campaigns = { ...loyalty.campaigns, [campaign!]: { points: balance, referred_customers: 0 } };
    }
  }
  for (const { customer_id, ...one } of came) {
    const { referrals } = facts.get(customer_id)!;
    facts.get(customer_id)!.referrals = { total: referrals.total + 1, campaigns: [...referrals.campaigns, one] };
  }
  for (const { customer_id, campaign, count } of brought) {
    const { loyalty } = facts.get(customer_id)!;
    loyalty.referred_customers += count;
    if (campaign === null) continue;
    const own = { ...loyalty.campaigns[campaign], referred_customers: count };
    loyalty.campaigns = { ...loyalty.campaigns, [campaign]: own };
  }
  return facts;
}

/** How customers came, the first first. */
const loadReferrals = (db: Db, projectId: string, ids: readonly string[]) =>
  db<(CustomerSummaryFacts["referrals"]["campaigns"][number] & { customer_id: string })[]>`
    select referee_id as customer_id, campaign_id, referrer_id, related_object_id, related_object_type,
      created_at as date
    from referral_conversions where project_id = ${projectId} and referee_id = any(${ids})
    order by created_at, campaign_id`;

/** How many they brought; a campaign that is not there any more has no name. */
const countReferred = (db: Db, projectId: string, ids: readonly string[]) =>
  db<{ customer_id: string; campaign: string | null; count: number }[]>`
    select r.referrer_id as customer_id, c.name as campaign, count(*) as count
    from referral_conversions r
    left join campaigns c on c.project_id = r.project_id and c.id = r.campaign_id and c.deleted_at is null
    where r.project_id = ${projectId} and r.referrer_id = any(${ids})
    group by r.referrer_id, c.name order by c.name`;

const MOST = Number.MAX_SAFE_INTEGER;
const capped = (sum: number) => Math.max(Math.min(sum, MOST), -MOST);

const sumOrders = (db: Db, projectId: string, ids: readonly string[]) =>
  db<OrderSums[]>`
    select customer_id, count(*) as total_count, max(created_at) as last_order_date,
      least(sum(coalesce(amount, 0)), ${MOST}::bigint)::bigint as total_amount,
      round(avg(coalesce(amount, 0)))::bigint as average_amount,
      (array_agg(coalesce(amount, 0) order by created_at desc, id desc))[1] as last_order_amount
    from orders
    where project_id = ${projectId} and customer_id = any(${ids}) and status in ('PAID', 'FULFILLED')
    group by customer_id`;

// Contract is silent: a stack counts as the redemptions that it is made of, and what was rolled back stays counted.
const sumRedemptions = (db: Db, projectId: string, ids: readonly string[]) => {
  const isRollback = db`object = 'redemption_rollback'`;
  const spent = (kind: string) => db`
    greatest(least(coalesce(sum(amount) filter (where amount is not null and effect ->> 'kind' = ${kind}), 0),
      ${MOST}::bigint), 0)::bigint`;
  return db<RedemptionSums[]>`
    select customer_id,
      count(*) filter (where object = 'redemption' and result = 'SUCCESS') as succeeded,
      count(*) filter (where object = 'redemption' and result = 'FAILURE') as failed,
      count(*) filter (where ${isRollback} and result = 'SUCCESS') as undone,
      count(*) filter (where ${isRollback} and result = 'FAILURE') as undoing_failed,
      ${spent("credits")} as credits, ${spent("points")} as points
    from redemptions
    where project_id = ${projectId} and customer_id = any(${ids})
      and related_object_type is distinct from 'redemption'
    group by customer_id`;
};

/** A card that nothing was moved on holds what its settings say, or those of its campaign. */
const sumCards = (db: Db, projectId: string, ids: readonly string[]) =>
  db<CardSums[]>`
    select h.customer_id, v.type, c.name as campaign,
      greatest(least(sum(coalesce((s.account ->> 'available')::numeric,
        (worth -> 'gift' ->> 'amount')::numeric, (worth -> 'loyalty_card' ->> 'points')::numeric, 0)),
        ${MOST}::bigint), -${MOST}::bigint)::bigint as balance
    from redeemable_holders h
    join vouchers v on v.project_id = h.project_id and v.id = h.voucher_id
    left join voucher_states s on s.project_id = h.project_id and s.voucher_id = h.voucher_id
    left join campaigns c on c.project_id = h.project_id and c.id = v.campaign_id and c.deleted_at is null
    left join voucher_templates t on t.project_id = h.project_id and t.campaign_id = v.campaign_id
      and t.version = coalesce(v.template_version, s.template_version, c.voucher_version)
    cross join lateral (select coalesce(v.settings, t.settings) as worth) as w
    where h.project_id = ${projectId} and h.customer_id = any(${ids}) and h.holder_role = 'OWNER'
      and v.type <> 'DISCOUNT_VOUCHER' and v.deleted_at is null and (v.campaign_id is null or c.id is not null)
    group by h.customer_id, v.type, c.name`;

/** Customers as filters ask about them, with no more loaded than what these filters look at. */
export async function loadSubjects(
  db: Db,
  projectId: string,
  rows: readonly (Partial<CustomerRow> | null)[],
  needed: ReadonlySet<FilterFact>,
): Promise<CustomerSubject[]> {
  const ids = rows.flatMap((row) => row?.id ?? []);
  const summed = needed.has("summary") || needed.has("loyalty");
  const facts = summed ? await loadCustomerSummaries(db, projectId, ids) : new Map<string, CustomerSummaryFacts>();
  const counts = needed.has("events") && ids.length > 0 ? await countEvents(db, projectId, ids) : [];
  const eventsOf = Map.groupBy(counts, ({ customer_id }) => customer_id);
  return rows.map((row) => {
    const { summary, loyalty } = facts.get(row?.id ?? "") ?? noFacts();
    const own = eventsOf.get(row?.id ?? "") ?? [];
    const events = Object.fromEntries(own.map(({ name, count, last_date }) => [name, { count, last_date }]));
    return { ...row, system_metadata: {}, summary, loyalty, events };
  });
}

/** How often customers did what, and when last. Events of before had another name for what was sent. */
const countEvents = (db: Db, projectId: string, ids: readonly string[]) =>
  db<{ customer_id: string; name: string; count: number; last_date: string }[]>`
    select customer_id, coalesce(payload -> 'event', payload -> 'custom_event') ->> 'type' as name, count(*) as count,
      max(created_at) as last_date
    from events
    where project_id = ${projectId} and customer_id = any(${ids}) and kind = 'customer.custom_event'
    group by customer_id, name`;

/** What the interface shows. A text that is not set is left out. */
function view(row: CustomerRow, { summary, loyalty, referrals }: CustomerSummaryFacts): Customer {
  const { project_id: _, tracking_id: __, id, source_id, address, metadata, created_at, updated_at } = row;
  const texts = CUSTOMER_TEXTS.flatMap((field) => (row[field] === null ? [] : [[field, row[field]]]));
  return {
    id,
    ...(source_id !== null && { source_id }),
    ...Object.fromEntries(texts),
    address,
    metadata: { ...metadata },
    summary,
    loyalty,
    referrals,
    system_metadata: {},
    created_at,
    ...(updated_at !== null && { updated_at }),
    assets: {},
    object: "customer",
  };
}

/** The views of a page. */
export async function showCustomers(db: Db, projectId: string, rows: readonly CustomerRow[]): Promise<Customer[]> {
  const facts = await loadCustomerSummaries(
    db,
    projectId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => view(row, facts.get(row.id)!));
}
