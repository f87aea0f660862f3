import type { CounterRow } from "../../core/rows/counter.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { HolderRow } from "../../core/rows/publication.ts";
import type { Db } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { loadCounters } from "../../resources/checkout/counters/store.ts";
import { loadHeldBySessions } from "../../resources/checkout/sessions/store.ts";
import { loadLots } from "../../resources/ledger/ledger/store.ts";
import { loadHolders } from "../../resources/promotions/redeemable-holders/store.ts";
import {
  loadVoucherAssignments,
  type ValidationRuleAssignmentRow,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { ofNamedVouchers } from "../../resources/promotions/vouchers/store.ts";
import { locksAsked } from "./redeemables.ts";
import { codesIn, type Request, rewardsIn } from "./requests.ts";

/** What is stored of codes beside their rows. */
export type CodesAhead = {
  assignments: readonly ValidationRuleAssignmentRow[];
  held: Awaited<ReturnType<typeof loadHeldBySessions>>;
  counted: readonly CounterRow[];
  /** Null: no request names credits or a reward. Of other cards they come later. */
  lots: readonly LotRow[] | null;
  holders: readonly Pick<HolderRow, "voucher_id" | "customer_id" | "holder_role">[];
};

type Counting = {
  /** The first days of the periods that are counted. */
  days: readonly string[];
  /** What is counted beside the campaigns of the codes. */
  subjectIds?: readonly string[];
  /** Whether anybody asks what the campaigns have counted. */
  asksCampaigns?: boolean;
};

/**
 * What is read of codes that are locked by their names, with the same message: nothing waits for their ids. Behind the
 * locks, so it is as new as they are.
 */
export async function readCodesAhead(
  db: Db,
  requests: readonly Request[],
  { days, subjectIds = [], asksCampaigns = true }: Counting,
): Promise<CodesAhead> {
  const { project, catalog } = requests[0]!;
  const codes = codesIn(requests);
  const named = (field: "id" | "campaign_id") => ofNamedVouchers(db, project, field, codes);
  const isPaid =
    requests.some(({ sent }) => sent.redeemables.some(({ gift }) => gift)) || rewardsIn(requests).length > 0;
  const hasCodes = codes.length > 0;
  const ofCampaigns = hasCodes && asksCampaigns && catalog.campaigns.size > 0;
  const counted = ofCampaigns ? db`(${named("campaign_id")} || ${subjectIds}::text[])` : subjectIds;
  const [assignments, held, counters, lots, holders] = await together([
    hasCodes ? loadVoucherAssignments(db, project.id, named("id")) : [],
    loadHeldBySessions(db, project.id, { ...locksAsked(requests, []), codes: hasCodes ? named("id") : [] }),
    ofCampaigns || subjectIds.length > 0 ? loadCounters(db, project.id, { subjectIds: counted, starts: days }) : [],
    isPaid ? (hasCodes ? loadLots(db, project.id, named("id")) : []) : null,
    hasCodes ? loadHolders(db, project.id, named("id")) : [],
  ]);
  return { assignments, held, counted: counters, lots, holders };
}
