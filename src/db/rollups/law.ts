import { SUBJECTS, SUMS } from "../../core/rollups/metrics.ts";
import type { Db, Fragment } from "../db.ts";
import { comingRedemptions, countedEntries, countedRedemptions } from "./counted.ts";

type Breaches = PromiseLike<{ count: number; example: string | null }[]>;
type Law = (db: Db) => Breaches;
type LawIn = (db: Db, cluster: string) => Breaches;

/** Whether a project is being counted: not when rows of an earlier count have to go, or its database was restored just now. */
const isCounting = (db: Db, cluster: string): Fragment => db`
  p.is_cleared and p.transaction_id is not null and p.cluster = ${cluster}`;

/** The redemptions that are counted by now, of all projects. */
const redemptionsNow = (db: Db, cluster: string): Fragment =>
  countedRedemptions(
    db,
    db`${isCounting(db, cluster)} and r.created_at >= p.redemptions_from and not exists (select from ${comingRedemptions(
      db,
      db`r.transaction_id >= (select q.transaction_id from rollup_positions q where q.project_id = r.project_id)`,
      db`true`,
    )} as c where c.project_id = r.project_id and c.redemption_id = r.id)`,
  );
const entriesNow = (db: Db, cluster: string): Fragment =>
  countedEntries(
    db,
    db`${isCounting(db, cluster)} and e.id >= p.entries_from and (e.transaction_id is null or e.transaction_id < p.transaction_id)`,
  );

/** Every row once for each subject that it counts for. `nth` says which of the rows of its request it is. */
const bySubject = (db: Db, cluster: string): Fragment => db`(
  select c.*, s.subject, s.subject_id,
    row_number() over (partition by c.project_id, s.subject, s.subject_id, c.result, c.stack order by c.id) as nth
  from ${redemptionsNow(db, cluster)} as c cross join lateral (
    values ('project', ''), ('campaign', c.campaign_id), ('tier', c.tier_id), ('code', c.voucher_id), ('channel', c.channel)
    union all select 'segment', unnest(c.segment_ids)) as s (subject, subject_id)
  where s.subject_id is not null)`;

/** All rows counted again, by hour or by day. */
const recounted = (db: Db, cluster: string, unit: "hour" | "day"): Fragment => db`(
  select project_id, subject, subject_id, ${db(unit)}, ${listed(db, (name) => db`sum(${db(name)})::bigint as ${db(name)}`)}
  from (
    select project_id, subject, subject_id, ${db(unit)},
      (result = 'redemption')::int as redemptions, (result = 'rollback')::int as rollbacks,
      discount, gift_credits, 0 as points_issued, points_spent,
      case when nth = 1 then revenue else 0 end as revenue, case when nth = 1 then sign(revenue)::int else 0 end as orders,
      (result = 'refusal' and nth = 1)::int as refusals
    from ${bySubject(db, cluster)} as b
    union all
    select e.project_id, s.subject, s.subject_id, e.${db(unit)}, 0, 0, 0, 0,
      case metric when 'points_issued' then points else 0 end, case metric when 'points_spent' then points else 0 end, 0, 0, 0
    from ${entriesNow(db, cluster)} as e cross join lateral (values ('project', ''), ('campaign', e.campaign_id)) as s (subject, subject_id)
    where s.subject_id is not null) as x
  group by project_id, subject, subject_id, ${db(unit)})`;

const listed = (db: Db, each: (name: string) => Fragment): Fragment =>
  SUMS.reduce<Fragment>((all, name, n) => db`${all}${n > 0 ? db`,` : db``} ${each(name)}`, db``);

/** Of projects that are being counted anew, rows of the last count may be left. */
const kept = (db: Db, cluster: string, table: "rollup_hours" | "rollup_days" | "rollup_customers"): Fragment => db`(
  select t.* from ${db(table)} t join rollup_positions p on p.project_id = t.project_id and ${isCounting(db, cluster)})`;

const sameSums =
  (unit: "hour" | "day", subjects: readonly string[]): LawIn =>
  (db, cluster) =>
    db`
    select count(*), min(project_id || ' ' || subject || ' ' || subject_id || ' ' || ${db(unit)}::text) as example
    from ${kept(db, cluster, unit === "hour" ? "rollup_hours" : "rollup_days")} as t
    full join (select * from ${recounted(db, cluster, unit)} as x where subject = any(${subjects as string[]})) as r
      using (project_id, subject, subject_id, ${db(unit)})
    where ${SUMS.reduce<Fragment>(
      (any, name) => db`${any} or coalesce(t.${db(name)}, 0) <> coalesce(r.${db(name)}, 0)`,
      db`false`,
    )}`;

/** What the follower has counted is what the rows say: see ADR 0048. */
const LAWS: Record<string, LawIn> = {
  "the figures of an hour are what its rows add up to": sameSums(
    "hour",
    SUBJECTS.filter((subject) => subject !== "code"),
  ),
  "the figures of a day are what its rows add up to": sameSums("day", SUBJECTS),
  "who redeemed on a day is counted for it once": (db, cluster) => db`
    select count(*), min(project_id || ' ' || campaign_id || ' ' || day::text || ' ' || customer_id) as example
    from ${kept(db, cluster, "rollup_customers")} as t full join (
      select distinct project_id, campaign_id, day, customer_id from (
        select project_id, '' as campaign_id, day, customer_id, result from ${redemptionsNow(db, cluster)} as a
        union all select project_id, campaign_id, day, customer_id, result from ${redemptionsNow(db, cluster)} as b) as u
      where result = 'redemption' and campaign_id is not null and customer_id is not null) as r
      using (project_id, campaign_id, day, customer_id)
    where t.project_id is null or r.project_id is null`,
  "a day has as many customers as are noted for it": (db, cluster) => db`
    select count(*), min(project_id || ' ' || subject_id || ' ' || day::text) as example
    from (select * from ${kept(db, cluster, "rollup_days")} as d where unique_customers <> 0 or subject in ('project', 'campaign')) as t
    full join (
      select project_id, case campaign_id when '' then 'project' else 'campaign' end as subject, campaign_id as subject_id, day,
        count(*) as customers from ${kept(db, cluster, "rollup_customers")} as c group by 1, 2, 3, 4) as r
      using (project_id, subject, subject_id, day)
    where coalesce(t.unique_customers, 0) <> coalesce(r.customers, 0)`,
};

/** Asked first, where Laurel connects to: on a database that is spread over machines each of them would answer for itself. */
const inCluster =
  (law: LawIn): Law =>
  async (db) => {
    const [row] = await db<[{ cluster: string }]>`
      select to_hex((select system_identifier from pg_control_system())) as cluster`;
    return law(db, row.cluster);
  };

export const ROLLUP_LAWS: Record<string, Law> = Object.fromEntries(
  Object.entries(LAWS).map(([name, law]) => [name, inCluster(law)]),
);
