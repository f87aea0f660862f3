import {
  IconArrowBackUp,
  IconBolt,
  IconClock,
  IconGift,
  IconReceipt,
  IconShoppingCart,
  IconStar,
  IconTicket,
  IconTicketOff,
  IconUser,
  IconUsers,
  IconUsersGroup,
  type TablerIcon,
} from "@tabler/icons-react";
import type { TextKey } from "../../text/text.ts";

export const KINDS = ["orders", "codes", "points", "profile"] as const;
export type Kind = (typeof KINDS)[number];

type About = {
  kind: Kind;
  icon: TablerIcon;
  text: TextKey;
  /** Where the name of what it is about stands. */
  what?: string;
  /** That name is the key of a reason. */
  isReason?: true;
  /** Not told where the same request did this, which says the same. */
  unless?: string;
};
const row = (kind: Kind, icon: TablerIcon, text: TextKey, more: Partial<About> = {}): About => ({
  ...{ kind, icon, text },
  ...more,
});

/** What can happen with a customer, as the timeline tells it. */
export const ACTIVITIES: Record<string, About> = {
  "customer.created": row("profile", IconUser, "customers.did.created"),
  "customer.updated": row("profile", IconUser, "customers.did.updated"),
  "customer.confirmed": row("profile", IconUser, "customers.did.confirmed"),
  "customer.segment.entered": row("profile", IconUsersGroup, "customers.did.entered", { what: "segment.name" }),
  "customer.segment.left": row("profile", IconUsersGroup, "customers.did.left", { what: "segment.name" }),
  "customer.custom_event": row("profile", IconBolt, "customers.did.event", { what: "event.type" }),
  "customer.referred": row("profile", IconUsers, "customers.did.referred"),
  "customer.order.created": row("orders", IconShoppingCart, "customers.did.ordered", { unless: "customer.order.paid" }),
  "customer.order.updated": row("orders", IconShoppingCart, "customers.did.orderChanged"),
  "customer.order.paid": row("orders", IconReceipt, "customers.did.paid"),
  "customer.order.fulfilled": row("orders", IconReceipt, "customers.did.fulfilled"),
  "customer.order.canceled": row("orders", IconArrowBackUp, "customers.did.canceled"),
  "customer.validation.succeeded": row("codes", IconTicket, "customers.did.asked"),
  "customer.validation.failed": row("codes", IconTicketOff, "customers.did.askedInVain"),
  "customer.redemption.succeeded": row("codes", IconTicket, "customers.did.redeemed"),
  "customer.redemption.failed": row("codes", IconTicketOff, "customers.did.refused", {
    what: "failure_code",
    isReason: true,
  }),
  "customer.redemption.rollback.succeeded": row("codes", IconArrowBackUp, "customers.did.rolledBack"),
  "customer.redemption.rollback.failed": row("codes", IconTicketOff, "customers.did.notRolledBack"),
  "customer.publication.succeeded": row("codes", IconGift, "customers.did.given"),
  "customer.publication.failed": row("codes", IconTicketOff, "customers.did.notGiven"),
  "customer.holder.assignment.created": row("codes", IconGift, "customers.did.given", {
    unless: "customer.publication.succeeded",
  }),
  "customer.holder.assignment.deleted": row("codes", IconTicketOff, "customers.did.taken"),
  "customer.voucher.gift.balance_added": row("codes", IconGift, "customers.did.creditAdded"),
  "customer.rewarded": row("points", IconGift, "customers.did.rewarded", {
    unless: "customer.rewarded.loyalty_points",
  }),
  "customer.rewarded.loyalty_points": row("points", IconStar, "customers.did.earned"),
  "customer.reward_redemptions.completed": row("points", IconGift, "customers.did.rewardTaken"),
  "customer.voucher.loyalty_card.points_added": row("points", IconStar, "customers.did.pointsAdded", {
    unless: "customer.rewarded.loyalty_points",
  }),
  "customer.voucher.loyalty_card.points_expired": row("points", IconClock, "customers.did.pointsExpired"),
  "customer.voucher.loyalty_card.points_transferred": row("points", IconStar, "customers.did.pointsMoved"),
  "customer.voucher.loyalty_card.pending_points.added": row("points", IconClock, "customers.did.pending"),
  "customer.voucher.loyalty_card.pending_points.activated": row("points", IconStar, "customers.did.pendingReady"),
  "customer.voucher.loyalty_card.pending_points.canceled": row("points", IconArrowBackUp, "customers.did.pendingGone"),
  "customer.loyalty.tier.joined": row("points", IconStar, "customers.did.tierJoined"),
  "customer.loyalty.tier.upgraded": row("points", IconStar, "customers.did.tierUp"),
  "customer.loyalty.tier.downgraded": row("points", IconStar, "customers.did.tierDown"),
  "customer.loyalty.tier.prolonged": row("points", IconStar, "customers.did.tierKept"),
  "customer.loyalty.tier.left": row("points", IconStar, "customers.did.tierLeft"),
};

/** What the server adds later is shown by its own name, and belongs to the profile. */
export const kindOf = (type: string): Kind => ACTIVITIES[type]?.kind ?? "profile";
