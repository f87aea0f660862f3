import type { EntryKind } from "../../core/ledger/account.ts";
import type { Change } from "../../core/loyalty/card/card.ts";
import type { TierMoveType } from "../../core/loyalty/tiers/state.ts";
import type { EntryRow } from "../../core/rows/ledger.ts";
import type { TransactionRow } from "../../core/rows/loyalty.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { NewEvent } from "../../events/events.ts";

type OnCard = "points_added" | "points_expired" | "transaction.created";
type OnPending = `pending_points.${"added" | "activated" | "canceled" | "updated"}`;
type OnTier = "joined" | "upgraded" | "downgraded" | "left" | "prolonged" | "expiration.changed";
type PointEvent =
  | `voucher.loyalty_card.${OnCard | OnPending}`
  | `customer.voucher.loyalty_card.${"points_added" | "points_expired" | "points_transferred" | OnPending}`
  | `customer.loyalty.tier.${OnTier}`;

const ADDED: readonly EntryKind[] = ["addition", "accrual", "activation_in", "transfer_in"];
const PENDING: Partial<Record<EntryKind, OnPending>> = {
  pending_addition: "pending_points.added",
  activation_in: "pending_points.activated",
  cancellation: "pending_points.canceled",
};

/** What is told of a card that was changed. `ended` are tiers that waited and began, on any card. */
export function tellingOf(
  { row, change }: { row: VoucherRow; change: Change },
  { entries, ended }: { entries: readonly EntryRow[]; ended: readonly TransactionRow[] },
): NewEvent[] {
  const { id: voucher_id, campaign_id, holder_id: customer_id } = row;
  const tell = (kind: PointEvent, at: string, payload: Readonly<Record<string, unknown>>): NewEvent => ({
    kind,
    at,
    ...(kind.startsWith("customer.") && { customer_id }),
    voucher_id,
    campaign_id,
    payload,
  });
  type Name = "points_added" | "points_expired" | OnPending;
  const both = (name: Name, at: string, payload: Readonly<Record<string, unknown>>) => [
    tell(`voucher.loyalty_card.${name}`, at, payload),
    ...(customer_id === null ? [] : [tell(`customer.voucher.loyalty_card.${name}`, at, payload)]),
  ];
  const moves = entries.flatMap((entry) => {
    if (entry.kind === "opening" || entry.kind === "activation_out" || entry.amount === 0) return [];
    const payload = payloadOf(entry, voucher_id);
    const at = entry.created_at;
    const pending = entry.details.is_adjusted ? ("pending_points.updated" as const) : PENDING[entry.kind];
    return [
      ...(entry.pot === "available" ? [tell("voucher.loyalty_card.transaction.created", at, payload)] : []),
      ...(pending ? both(pending, at, payload) : []),
      ...(ADDED.includes(entry.kind) ? both("points_added", at, payload) : []),
      ...(entry.kind === "expiration" ? both("points_expired", at, payload) : []),
      ...(entry.kind === "transfer_out" && customer_id !== null
        ? [tell("customer.voucher.loyalty_card.points_transferred", at, payload)]
        : []),
    ];
  });
  if (customer_id === null) return moves;
  const made = change.tiers.flatMap((one) =>
    one.kind === "made" && one.transaction.status === "APPROVED" ? [one.transaction] : [],
  );
  const begun = ended.filter((one) => one.card_id === voucher_id && one.status === "APPROVED");
  const tiers = [...made, ...begun].flatMap(({ id, type, details, created_at, ...waited }) => {
    const at = "updated_at" in waited && waited.updated_at ? waited.updated_at : created_at;
    const { tier_from, tier_to, start_at, expires_at } = details as Record<string, unknown>;
    const payload = { transaction_id: id, tier_from, tier_to, start_at, expires_at };
    const names = type === "PROLONGED" ? (["prolonged", "expiration.changed"] as const) : [tierEventName(type)];
    return names.map((name) => tell(`customer.loyalty.tier.${name}`, at, payload));
  });
  return [...moves, ...tiers];
}

const tierEventName = (type: string): OnTier =>
  (
    ({
      JOINED: "joined",
      UPGRADED: "upgraded",
      DOWNGRADED: "downgraded",
      LEFT: "left",
      PROLONGED: "prolonged",
    }) as const
  )[type as TierMoveType];

const payloadOf = ({ id, amount, total, balance, pot, details }: EntryRow, voucherId: string) => ({
  balance: {
    type: "loyalty_card",
    points: amount,
    ...(pot === "available" && { total, balance }),
    ...(pot === "pending" && { total: balance }),
    related_object: { type: "voucher", id: voucherId },
    object: "balance",
  },
  transaction_id: id,
  ...(details.pending_points !== undefined && { pending_points: details.pending_points }),
});
