import type { Catalog } from "../../catalog/catalog.ts";
import type { EarningRule } from "../../core/loyalty/earning/earning-rule.ts";
import type { Rejection } from "../../core/loyalty/earning/limits.ts";
import { startsProgramRule } from "../../core/loyalty/earning/triggers.ts";
import type { Benefit } from "../../core/loyalty/program/benefit.ts";
import type { Digital } from "../../core/loyalty/program/material.ts";
import { isShared, joinsOnce } from "../../core/publish/publish.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import type { Tx } from "../../db/db.ts";
import type { Origin, Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { EarningProject } from "../points/earning-triggers.ts";
import { acceptGift, type DrawnGift, gettingKey, loadJoined, planHandOver } from "../publishing/handing-over.ts";
import { type CodesAtWork, openCodes } from "../publishing/publishing.ts";
import { type Wish, wishFor } from "../publishing/wishes.ts";
import type { Cause } from "./earn-causes.ts";

export type BenefitHanded = { result: Record<string, unknown> } | { rejection: Rejection };

/** The codes that earnings may give. They are locked, and stay as they are until a plan is accepted. */
export type BenefitHandouts = {
  codes: CodesAtWork;
  /** What each benefit of a cause asks for, as often as it may come. */
  waiting: ReadonlyMap<string, readonly Wish[]>;
  /** Who has a code of a campaign that gives each customer one. */
  joined: ReadonlySet<string>;
  accept(gift: DrawnGift<Origin>): void;
};

/** The active rules of a program that a cause starts, in the order of their assignment. */
export const rulesStartedIn = (
  { assignments_of, earning_rules }: Catalog,
  programId: string,
  { occurrence }: Pick<Cause, "occurrence">,
): EarningRule[] =>
  (assignments_of.get(programId) ?? [])
    .flatMap(({ component_id }) => earning_rules.get(component_id) ?? [])
    .filter((rule) => rule.status === "ACTIVE" && startsProgramRule(rule, occurrence));

/** The benefits that causes may bring, each as often as it may. */
export function benefitsFor(
  catalog: Catalog,
  causes: readonly Cause[],
  members: readonly MemberRow[],
): { cause: Cause; benefit: Benefit }[] {
  const programsOf = Map.groupBy(members, ({ customer_id }) => customer_id);
  return causes.flatMap((cause) =>
    (programsOf.get(cause.customer?.id ?? "") ?? [])
      .flatMap(({ program_id }) => rulesStartedIn(catalog, program_id, cause))
      .flatMap(({ earnings }) => earnings.flatMap(({ effects }) => effects))
      .flatMap((effect) => (effect.type === "INCENTIVE" ? (catalog.benefits.get(effect.incentive.id) ?? []) : []))
      .filter(({ status }) => status === "ACTIVE")
      .map((benefit) => ({ cause, benefit })),
  );
}

const digitalOf = ({ config }: Benefit): Digital | null => ("digital" in config ? config.digital : null);
const campaignIn = ({ campaigns }: Catalog, { discount_coupons, gift_vouchers }: Digital): Campaign | undefined =>
  campaigns.get((discount_coupons ?? gift_vouchers)!.campaign_id);

const NONE: { rejection: Rejection } = { rejection: { reason: "NO_VOUCHER_SUITABLE_FOR_PUBLICATION", details: null } };

/** Locks the codes that may be given; null: there are none. Campaigns and codes come before members in the order of locks. */
export async function openHandouts(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  wanted: readonly { cause: Cause; benefit: Benefit }[],
): Promise<BenefitHandouts | null> {
  const wishes = wanted.flatMap(({ cause, benefit }) => {
    const digital = digitalOf(benefit);
    const campaign = digital && campaignIn(catalog, digital);
    if (!campaign) return [];
    const wish = wishFor(cause.of, { campaign });
    return [{ key: keyOf(cause, benefit), customerId: cause.customer!.id, campaign, wish }];
  });
  if (wishes.length === 0) return null;
  const codes = await openCodes(
    tx,
    project,
    wishes.map(({ wish }) => wish),
  );
  const waiting = Map.groupBy(wishes, ({ key }) => key);
  return benefitHandoutsFrom({
    codes,
    waiting: new Map([...waiting].map(([key, all]) => [key, all.map(({ wish }) => wish)])),
    joined: await loadJoined(tx, project.id, wishes),
  });
}

export const benefitHandoutsFrom = (
  locked: Omit<BenefitHandouts, "accept"> & { joined: Set<string> },
): BenefitHandouts => ({
  ...locked,
  accept: (gift) => {
    acceptGift(locked.codes, gift);
    if (joinsOnce(gift.drawn.campaign, null)) locked.joined.add(joinedBy(gift));
  },
});

const keyOf = (cause: Cause, benefit: Benefit): string => `${cause.id} ${benefit.id}`;
const joinedBy = ({ voucher, drawn: { campaign } }: DrawnGift): string =>
  gettingKey({ customerId: voucher.holder_id!, campaign });

/** The codes of one cause while it is planned. */
export type HandoutDraft = {
  /** Gives a code to the customer. */
  hand(benefit: Benefit): BenefitHanded;
  gifts: readonly DrawnGift<Origin>[];
};
type Handing = { project: Pick<Project, "id">; catalog: Catalog; cause: Cause };

export function draftHandouts(handouts: BenefitHandouts | null, { project, catalog, cause }: Handing): HandoutDraft {
  const gifts: DrawnGift<Origin>[] = [];
  const asked = new Map<string, number>();
  const hand = (benefit: Benefit): BenefitHanded => {
    const digital = digitalOf(benefit)!;
    const campaign = campaignIn(catalog, digital);
    const nth = asked.get(benefit.id) ?? 0;
    asked.set(benefit.id, nth + 1);
    const wish = handouts?.waiting.get(keyOf(cause, benefit))?.[nth];
    if (!handouts || !campaign || !wish) return NONE;
    const customer = cause.customer!;
    const key = gettingKey({ customerId: customer.id, campaign });
    const isJoined = joinsOnce(campaign, null) && gifts.some((gift) => joinedBy(gift) === key);
    // Credits that one customer gets cannot be put on a code for all.
    if (isJoined || handouts.joined.has(key) || (digital.gift_vouchers && isShared(campaign))) return NONE;
    const drawn = handouts.codes.draw(wish, campaign, 1, gifts);
    const filled = drawn && withCredits(drawn.rows[0]!, campaign, digital);
    if (!filled) return NONE;
    const handed = planHandOver(handouts.codes, filled, { of: cause.of, project, campaign, customer });
    gifts.push({ ...handed, drawn });
    return { result: resultOf(handed.voucher, campaign, digital) };
  };
  return { hand, gifts };
}

/** A gift card is worth what its campaign says, and the credits of the benefit; null when it cannot be. */
function withCredits(row: VoucherRow, campaign: Campaign, { gift_vouchers }: Digital): VoucherRow | null {
  if (!gift_vouchers || gift_vouchers.balance === 0) return row;
  const settings = settingsOf(row, campaign);
  const amount = (settings.gift?.amount ?? 0) + gift_vouchers.balance;
  if (!settings.gift || row.account !== null || amount > Number.MAX_SAFE_INTEGER) return null;
  return { ...row, settings: { ...settings, gift: { ...settings.gift, amount } } };
}

function resultOf(voucher: VoucherRow, campaign: Campaign, { type }: Digital): Record<string, unknown> {
  const { id, code } = voucher;
  if (type === "DISCOUNT_COUPONS") return { type, discount_coupons: [{ id, code }] };
  const amount = settingsOf(voucher, campaign).gift?.amount ?? 0;
  return { type, gift_vouchers: [{ id, code, amount, balance: amount }] };
}
