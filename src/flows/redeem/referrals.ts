import { foldCode, trimCode } from "../../core/codes/code.ts";
import type { Tx } from "../../db/db.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { findVouchers } from "../../resources/promotions/vouchers/store.ts";
import { codesIn, type RedeemRequest } from "../../steps/checkout/requests.ts";
import { referralsIn, referrersOf, referrersOfOrders } from "../../steps/referrals/referrals.ts";
import { namesOf, ordersNamed, referrerNames } from "./lock.ts";

/** Who of a request may be given something by what comes of it, or spends what they were given. */
type Concerned = { own: readonly string[]; referrers: readonly string[] };
/** Requests in their order: which of them has to wait until what the ones before it brought is saved. */
export type ReferralRounds = {
  mustWait(command: RedeemRequest): boolean;
  /** It is in this round. */
  add(command: RedeemRequest): void;
  nextRound(): void;
  referrersOf(command: RedeemRequest): readonly string[];
};

const NONE: ReferralRounds = { mustWait: () => false, add: () => {}, nextRound: () => {}, referrersOf: () => [] };

/**
 * A referral puts points on cards of the friend and of the referrer. A command that spends them goes into a later round, and
 * one whose points come before the referral into an earlier one: the same as one command after the other.
 */
export async function referralRounds(
  tx: Tx,
  projectId: string,
  commands: readonly RedeemRequest[],
): Promise<ReferralRounds> {
  if (commands.length < 2) return NONE;
  const [{ catalog, project }] = commands as readonly [RedeemRequest];
  const { campaignIds, paid } = referralsIn(catalog);
  if (campaignIds.length === 0) return NONE;
  const found = await findVouchers(tx, project, codesIn(commands));
  const names = commands.flatMap(namesOf);
  const ofOrders = await referrersOfOrders(tx, projectId, catalog, { names, orders: ordersNamed(commands) });
  if (referrersOf(catalog, found).length === 0 && paid.length === 0) return NONE;
  const all = [...names, ...commands.flatMap(referrerNames)];
  const rows = all.length > 0 ? await findCustomers(tx, projectId, { ids: all, sourceIds: all, trackingIds: all }) : [];
  const idOf = new Map(rows.flatMap((row) => [row.id, row.source_id, row.tracking_id].map((name) => [name, row.id])));
  const byName = new Map(found.flatMap((row) => [[row.id, row] as const, [row.code_folded, row] as const]));
  // An order that the batch makes has the referrers of what was redeemed with it before.
  const broughtBy = new Map<string, readonly string[]>();
  const of = new Map(
    commands.map((command): [RedeemRequest, Concerned] => {
      const codes = command.sent.redeemables.flatMap(({ object, id }) => {
        const name = trimCode(id);
        const row =
          object === "voucher" && (byName.get(name) ?? byName.get(foldCode(name, project.case_sensitive_codes)));
        return row ? [row] : [];
      });
      const shared = referrersOf(catalog, codes);
      const idsIn = (some: readonly string[]) => some.map((name) => idOf.get(name) ?? name);
      const people = idsIn(namesOf(command));
      const cards = codes.filter((row) => referrersOf(catalog, [row]).length === 0);
      const holders = cards.flatMap(({ holder_id }) => holder_id ?? []);
      const [order] = ordersNamed([command]);
      const referrers = [
        ...shared,
        ...(command.sent.order ? ofOrders : []),
        ...(order ? (broughtBy.get(order) ?? []) : []),
        ...idsIn(referrerNames(command)),
      ];
      if (order) broughtBy.set(order, referrers);
      return [command, { own: [...people, ...holders], referrers }];
    }),
  );
  const isBringing = (command: RedeemRequest) =>
    of.get(command)!.referrers.length > 0 || (paid.length > 0 && !!command.sent.order);
  let [seen, given] = [new Set<string>(), new Set<string>()];
  return {
    mustWait: (command) => {
      const { own, referrers } = of.get(command)!;
      return (
        own.some((id) => given.has(id)) || (isBringing(command) && [...own, ...referrers].some((id) => seen.has(id)))
      );
    },
    add: (command) => {
      const { own, referrers } = of.get(command)!;
      for (const id of own) seen.add(id);
      if (isBringing(command)) for (const id of [...own, ...referrers]) given.add(id);
    },
    nextRound: () => {
      [seen, given] = [new Set(), new Set()];
    },
    referrersOf: (command) => of.get(command)!.referrers,
  };
}
