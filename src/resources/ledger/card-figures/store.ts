import type { Months } from "../../../core/time/months.ts";
import type { Db, Fragment } from "../../../db/db.ts";

const MOST = Number.MAX_SAFE_INTEGER;
/** What no number can hold is shown as the largest one. */
const bounded = (db: Db, sum: Fragment): Fragment => db`least(coalesce(${sum}, 0), ${MOST}::bigint)::bigint`;

export type GiftSums = { cards: number; issued: number; removed: number; spent: number; balance: number };

/**
 * What is on all gift cards of a project, or of a campaign. A card on which nothing was moved holds what its settings say: those are
 * counted by the version of their template, and only that is multiplied.
 */
export async function sumGiftCards(db: Db, projectId: string, campaignId: string | null): Promise<GiftSums> {
  const of = campaignId === null ? db`true` : db`v.campaign_id = ${campaignId}`;
  const held = (name: string) => db`sum((u.account ->> ${name})::bigint)`;
  const [row] = await db<[GiftSums]>`
    with cards as (
      select v.campaign_id, coalesce(v.template_version, u.template_version) as version, v.settings is not null as has_own,
        count(*) as cards, count(*) filter (where u.account is null) as untouched,
        sum((v.settings -> 'gift' ->> 'amount')::bigint) filter (where u.account is null) as own,
        ${held("received")} as received, ${held("subtracted")} as subtracted, ${held("spent")} as spent,
        ${held("available")} as available
      from vouchers v left join voucher_states u on u.project_id = ${projectId} and u.voucher_id = v.id
      where v.project_id = ${projectId} and v.type = 'GIFT_VOUCHER' and v.deleted_at is null and ${of}
      group by 1, 2, 3
    ), worth as (
      select c.*, case when c.has_own then coalesce(c.own, 0)
        else c.untouched * coalesce((t.settings -> 'gift' ->> 'amount')::bigint, 0) end as untouched_amount
      from cards c left join campaigns k on k.project_id = ${projectId} and k.id = c.campaign_id
      left join voucher_templates t on t.project_id = ${projectId} and t.campaign_id = c.campaign_id
        and t.version = coalesce(c.version, k.voucher_version)
      where c.campaign_id is null or k.deleted_at is null
    )
    select coalesce(sum(cards), 0)::bigint as cards,
      ${bounded(db, db`sum(coalesce(received, 0) + untouched_amount)`)} as issued, ${bounded(db, db`sum(subtracted)`)} as removed,
      ${bounded(db, db`sum(spent)`)} as spent, ${bounded(db, db`sum(coalesce(available, 0) + untouched_amount)`)} as balance
    from worth`;
  return row;
}

/** What cards hold and held. `wallet` is empty for codes, which have one each. */
export type PointSums = {
  wallet: string;
  cards: number;
  issued: number;
  removed: number;
  spent: number;
  expired: number;
};
/** What is left in their lots; `n` is the month in which it expires, from 1; null: in none of those that were asked for. */
export type LotSums = { wallet: string; n: number | null; outstanding: number; pending: number };

const pointSums = (db: Db, sums: Fragment, from: Fragment): Fragment => {
  const held = (name: string) => db`coalesce((${sums} ->> ${name})::bigint, 0)`;
  return db`select wallet, count(*) as cards, ${bounded(db, db`sum(${held("received")})`)} as issued,
      ${bounded(db, db`sum(${held("subtracted")} + ${held("refunded")} + ${held("purchased_reversed")})`)} as removed,
      ${bounded(db, db`sum(${held("spent")} - ${held("returned")})`)} as spent,
      ${bounded(db, db`sum(${held("expired")})`)} as expired
    from ${from} as c group by wallet`;
};

/** What has expired is no more there, whether or not the sweep has been to its card. */
const lotSums = (db: Db, projectId: string, from: Fragment, { now, starts, end }: Months): Fragment => db`
  select c.wallet, case when l.pot = 'available' and l.expires_at < ${end}
      then width_bucket(l.expires_at, ${starts as string[]}::timestamptz[]) end as n,
    ${bounded(db, db`sum(l.remaining) filter (where l.pot = 'available')`)} as outstanding,
    ${bounded(db, db`sum(l.remaining) filter (where l.pot = 'pending')`)} as pending
  from ${from} as c join ledger_lots l on l.project_id = ${projectId} and l.account_id = c.id
  where l.remaining > 0 and (l.expires_at is null or l.expires_at > ${now})
  group by 1, 2 order by 1, 2`;

/** The cards of a loyalty campaign that somebody has. */
const codesOf = (db: Db, projectId: string, campaignId: string): Fragment => db`(
  select v.id, '' as wallet, u.account, v.active from vouchers v
  left join voucher_states u on u.project_id = ${projectId} and u.voucher_id = v.id
  where v.project_id = ${projectId} and v.campaign_id = ${campaignId} and v.holder_id is not null and v.deleted_at is null)`;
const cardsOf = (db: Db, projectId: string, programId: string): Fragment => db`(
  select id, card_definition_id as wallet, account from loyalty_cards
  where project_id = ${projectId} and program_id = ${programId} and deleted_at is null)`;

export type MemberCounts = { active: number; inactive: number };
export type PointFigures = { members: MemberCounts; cards: PointSums[]; lots: LotSums[] };

/** The members of a loyalty campaign, and their points. */
export async function figuresOfCampaign(
  db: Db,
  projectId: string,
  campaignId: string,
  months: Months,
): Promise<PointFigures> {
  const codes = codesOf(db, projectId, campaignId);
  const [members] = await db<[MemberCounts]>`
    select count(*) filter (where active) as active, count(*) filter (where not active) as inactive from ${codes} as c`;
  const cards = await db<PointSums[]>`${pointSums(db, db`c.account`, codes)}`;
  const lots = await db<LotSums[]>`${lotSums(db, projectId, codes, months)}`;
  return { members, cards, lots };
}

/** The members of a program, and their points by wallet. */
export async function figuresOfProgram(
  db: Db,
  projectId: string,
  programId: string,
  months: Months,
): Promise<PointFigures> {
  const own = cardsOf(db, projectId, programId);
  const [members] = await db<[MemberCounts]>`
    select count(*) filter (where status = 'ACTIVE') as active, count(*) filter (where status = 'INACTIVE') as inactive
    from loyalty_members where project_id = ${projectId} and program_id = ${programId} and status <> 'DELETED'`;
  const cards = await db<PointSums[]>`${pointSums(db, db`(c.account -> 'sums')`, own)} order by wallet`;
  const lots = await db<LotSums[]>`${lotSums(db, projectId, own, months)}`;
  return { members, cards, lots };
}
