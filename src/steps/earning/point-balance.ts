import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError } from "../../core/errors.ts";
import { changeCard } from "../../core/loyalty/card/card-at-work.ts";
import type { Expiry } from "../../core/loyalty/card/expiration.ts";
import { addPoints, expiryOn, takePoints } from "../../core/loyalty/card/points.ts";
import { NO_EXPIRATION, type PointsExpiration } from "../../core/loyalty/card/wallet.ts";
import { isRoom } from "../../core/loyalty/earning/earn.ts";
import { localDate } from "../../core/time/calendar.ts";
import { NOT_A_DAY } from "../../core/time/instant.ts";
import type { WriteCtx } from "../../ctx.ts";
import { hasAutoRewards } from "../points/auto-rewards.ts";
import { type AutoRedeeming, type PointCard, savePointCards } from "../points/point-cards.ts";
import { type MembersAtWork, openMembers, requireHolder, type Which } from "../points/point-members.ts";
import { autoRedeeming, saveAutoRedeemed } from "./auto-redeem.ts";

/** When points expire that are added by hand. */
export type ExpirationSent = {
  expiration_type?: "PROGRAM_RULES" | "CUSTOM_DATE" | "NON_EXPIRING" | null | undefined;
  expiration_date?: string | null | undefined;
};
type PointsSent = ExpirationSent & {
  points: number;
  source_id?: string | null | undefined;
  reason?: string | null | undefined;
};

/** Adds points to a card by hand, or takes some away. Returns the events; the caller records them. */
export const adjustMember = (c: WriteCtx, catalog: Catalog, which: Which, sent: PointsSent) =>
  autoRedeeming(c.db, hasAutoRewards(catalog), (db, auto) => adjust({ ...c, db }, { catalog, auto, which }, sent));

type Adjusting = { catalog: Catalog; auto: AutoRedeeming | null; which: Which };

async function adjust(c: WriteCtx, { catalog, auto, which }: Adjusting, sent: PointsSent) {
  const work = await openMembers(c, catalog, [which.memberId], auto);
  const one = work.named(which);
  requireHolder(one.row);
  const { points, source_id = null, reason = null } = sent;
  const how = points > 0 ? expiryIn(c, work, one, sent) : {};
  const told = { reason, cause: { source_id } };
  const { change } = changeCard(one, work.worldOf(one), (card, world) => {
    if (points > 0) requireRoom(isRoom(card, points));
    else requirePoints(one, -points, card.account.sums.available);
    return {
      change:
        points > 0
          ? addPoints(card, world, { kind: "addition", points, ...how, ...told })
          : takePoints(card, world, { kind: "removal", points: -points, ...told }),
    };
  });
  const happened = await savePointCards(c.db, c.project, [one], { source: "API" });
  const redeemed = await saveAutoRedeemed(c.db, { ...c, catalog, auto, cards: work.cards }, () => c);
  const { total, balance } = change.entries[0]!;
  return { row: one.row, points, total, balance, happened, redeemed };
}

export function requireRoom(isRoomLeft: boolean): void {
  if (!isRoomLeft)
    throw new ApiError("invalid_payload", {
      details: `Property .points is too large: a card takes ${Number.MAX_SAFE_INTEGER} in all`,
    });
}

// Contract is silent: what sessions hold back can be taken away too. Who removes it by hand means it.
export function requirePoints({ row: { code } }: PointCard, points: number, available: number): void {
  if (points > available) throw new ApiError("loyalty_card_points_exceeded", { details: code });
}

const ISO_DAY = /^(\d{4}-\d{2}-\d{2})(T.*)?$/;
/** The end of the next one has five digits. */
const LAST_DAY = "9999-12-30";

// Contract is silent: a date that comes without a type is the date that is meant.
function expiryIn(
  c: WriteCtx,
  work: MembersAtWork,
  one: PointCard,
  { expiration_type, expiration_date }: ExpirationSent,
): { effect?: PointsExpiration; expiry?: Expiry } {
  const type = expiration_type ?? (expiration_date ? "CUSTOM_DATE" : "PROGRAM_RULES");
  if (type === "PROGRAM_RULES") return {};
  if (type === "NON_EXPIRING") return { effect: NO_EXPIRATION };
  if (!expiration_date)
    throw new ApiError("invalid_payload", { details: "Payload must have required property 'expiration_date'" });
  const { zone } = work.worldOf(one);
  const day = dayOf(expiration_date, zone);
  if (!day) throw new ApiError("invalid_payload", { details: `Property .expiration_date ${NOT_A_DAY}` });
  if (Temporal.PlainDate.compare(day, localDate(c.now, zone)) < 0)
    throw new ApiError("invalid_expiration_date", { details: "Expiration date cannot be set in the past" });
  return { expiry: expiryOn(day, zone) };
}

/** A day, or the day of a moment in the project's zone; null: it is none. */
function dayOf(text: string, zone: string): Temporal.PlainDate | null {
  const match = ISO_DAY.exec(text);
  try {
    if (!match) return null;
    const day = match[2] ? localDate(text, zone) : Temporal.PlainDate.from(match[1]!);
    return Temporal.PlainDate.compare(day, LAST_DAY) > 0 ? null : day;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The balance of a card after points were moved by hand. */
export const pointBalance = (
  voucherId: string,
  { points, total, balance }: Record<"points" | "total" | "balance", number>,
) => ({
  points,
  total,
  balance,
  type: "loyalty_card" as const,
  object: "balance" as const,
  related_object: { type: "voucher" as const, id: voucherId },
  operation_type: "MANUAL" as const,
});
