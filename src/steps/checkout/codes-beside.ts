import type { Catalog } from "../../catalog/catalog.ts";
import { oncePer } from "../../core/once-per.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { SessionLocks } from "../../resources/checkout/sessions/store.ts";
import type { BesideAsked, FoundVoucher } from "../../resources/promotions/vouchers/beside-store.ts";
import { isPublished, type KnownVoucher, lastMoment, type locksAsked } from "./redeemables.ts";

/** More campaigns with a limit than this are not named: then what sessions hold is read of the codes of all campaigns. */
const NAMED_MAX = 200;

type OfCampaigns = Pick<BesideAsked, "limited" | "lots" | "referrers">;
/** What the campaigns of a project say about codes. What sessions hold and lots are read later where they were not asked for. */
const askedIn = oncePer((campaigns: Catalog["campaigns"]): OfCampaigns => {
  const all = [...campaigns.values()];
  const limited = all.flatMap(({ id, templates }) =>
    templates.values().some(({ quantity }) => quantity !== null) ? id : [],
  );
  return {
    limited: limited.length > NAMED_MAX ? null : limited,
    lots: all.some(({ campaign_type }) => campaign_type === "LOYALTY_PROGRAM"),
    referrers: all.some(({ campaign_type }) => campaign_type === "REFERRAL_PROGRAM"),
  };
});

type Request = { catalog: Catalog; now: string; session: { key: string | null } | null };

/** What is read beside the codes of requests, in the statement that finds them. What sessions themselves hold is asked for by them. */
export function besideAsked(requests: readonly Request[], days: readonly string[] = []): BesideAsked {
  const asked = requests.map(({ catalog }) => askedIn(catalog.campaigns));
  return {
    limited: asked.at(-1)!.limited,
    lots: asked.some(({ lots }) => lots),
    referrers: asked.some(({ referrers }) => referrers),
    overBy: requests.some(({ session }) => session?.key != null) ? null : lastMoment(requests),
    days,
  };
}

/** Codes as they are decided about, as they were found. */
export const knownFrom = (project_id: string, found: readonly FoundVoucher[]): KnownVoucher[] =>
  found.map(({ row, beside: { assigned, holders, referrer } }) => ({
    row,
    assignments: assigned.map(({ id, rule_id, created_at }) => {
      const of = { related_object_type: "voucher", related_object_id: row.id } as const;
      return { project_id, id, rule_id, ...of, created_at };
    }),
    holder_ids: isPublished(row) ? holders : null,
    ...(referrer && { referrer }),
  }));

/** What sessions hold of codes; null when that was not read of one that is asked for. */
export function heldIn(
  found: readonly FoundVoucher[],
  { codes, sessions }: ReturnType<typeof locksAsked>,
): SessionLocks | null {
  const read = new Map(found.map(({ row, beside: { held } }) => [row.id, held]));
  const held = codes.flatMap((id) => {
    const one = read.get(id);
    return one ? [[id, one] as const] : [];
  });
  return sessions.length === 0 && held.length === codes.length
    ? { held: new Map(held), codesOf: new Map(), own: [] }
    : null;
}

/** The lots of loyalty cards; null when those of one were not read. */
export const lotsIn = (found: readonly FoundVoucher[]): readonly LotRow[] | null =>
  found.every(({ beside: { lots } }) => lots !== null) ? found.flatMap(({ beside: { lots } }) => lots ?? []) : null;
