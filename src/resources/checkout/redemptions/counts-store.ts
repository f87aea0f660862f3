import type { Db } from "../../../db/db.ts";
import { namedBy } from "../../../db/records.ts";

/** How often a customer redeemed something, with success and without a rollback. */
export type CustomerCount = {
  customer_id: string;
  related_object_id: string;
  campaign_id: string | null;
  total: number;
  day: number;
  week: number;
  month: number;
};

/** The redemptions of these customers of these codes, tiers and campaigns, in all and since the moments given. */
export const loadCustomerCounts = (
  db: Db,
  projectId: string,
  wanted: {
    customerIds: readonly string[];
    refs: readonly string[];
    campaignIds: readonly string[];
    since: Readonly<Record<"day" | "week" | "month", string>>;
  },
) => db<CustomerCount[]>`
  select customer_id, related_object_id, campaign_id, count(*) as total,
    count(*) filter (where created_at >= ${wanted.since.day}) as day,
    count(*) filter (where created_at >= ${wanted.since.week}) as week,
    count(*) filter (where created_at >= ${wanted.since.month}) as month
  from redemptions
  where project_id = ${projectId} and customer_id = any(${wanted.customerIds}) and object = 'redemption'
    and status = 'SUCCEEDED' and related_object_type <> 'redemption'
    and ${namedBy(db, { related_object_id: wanted.refs, campaign_id: wanted.campaignIds })}
  group by customer_id, related_object_id, campaign_id`;
