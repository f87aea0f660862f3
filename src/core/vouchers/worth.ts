import { VALUE_FIELDS } from "../campaigns/kind.ts";
import type { Discount } from "../discounts/discount.ts";
import type { AccountSums } from "../ledger/account.ts";
import { mergeMetadata } from "../metadata/size.ts";
import type { Metadata } from "../order/order.ts";
import type { ValidityFields } from "../time/validity.ts";
import type { GiftSettings, LoyaltyCardSettings, VoucherSettings, VoucherType } from "./settings.ts";

type Values = { discount?: unknown; gift?: unknown; loyalty_card?: unknown };
type WorthSent = Values & { type?: VoucherType | null | undefined };

const TYPES = Object.entries(VALUE_FIELDS) as [VoucherType, keyof Values][];
const NAMES = Object.values(VALUE_FIELDS).join(", ");

/**
 * The type of the code that a body describes: it follows from the one value that is sent. `expected` is the type of a
 * campaign's codes, which may be sent without a value: then they have the campaign's.
 */
export function voucherTypeOf(
  sent: WorthSent,
  expected: VoucherType | null,
): { type: VoucherType } | { fault: string } {
  const valued = TYPES.filter(([, field]) => sent[field] !== undefined && sent[field] !== null).map(([type]) => type);
  if (valued.length > 1) return { fault: `Payload must have only one of: ${NAMES}` };
  const type = valued[0] ?? expected;
  if (type === null || type === undefined) return { fault: `Payload must have one of: ${NAMES}` };
  if (sent.type && sent.type !== type)
    return { fault: `Property .type must be ${type}, as ${valued[0] ? VALUE_FIELDS[type] : "the campaign"} says` };
  if (expected !== null && type !== expected)
    return { fault: `Property .${VALUE_FIELDS[type]} does not fit the campaign, whose codes are ${expected}` };
  if (expected === null && type === "LOYALTY_CARD")
    return { fault: "Payload must have required property 'campaign': a LOYALTY_CARD belongs to one" };
  return { type };
}

/** What a body says of the settings of a code. What it leaves out stays as it is. */
export type SettingsSent = {
  [F in keyof ValidityFields]?: ValidityFields[F] | undefined;
} & {
  discount?: Discount | undefined;
  gift?: Partial<GiftSettings> | undefined;
  loyalty_card?: Partial<LoyaltyCardSettings> | undefined;
  quantity?: number | null | undefined;
  metadata?: Metadata | undefined;
};

const defined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Complete settings: those of before with what is sent. Metadata is merged key by key. */
export function mergeSettings(before: VoucherSettings, sent: SettingsSent): VoucherSettings {
  const { gift, loyalty_card, metadata, ...plain } = sent;
  return {
    ...before,
    ...(defined(plain) as Partial<VoucherSettings>),
    gift: gift ? { amount: 0, effect: "APPLY_TO_ORDER", ...before.gift, ...defined(gift) } : before.gift,
    loyalty_card: loyalty_card ? { points: 0, ...before.loyalty_card, ...defined(loyalty_card) } : before.loyalty_card,
    metadata: mergeMetadata(before.metadata, metadata),
  };
}

export const saysNothing = (sent: SettingsSent): boolean => Object.keys(defined(sent)).length === 0;

type Used = { type: VoucherType; account: AccountSums | null };

/** What a card holds and held; before anything was moved it is what its settings say. Null: it is no card. */
export function sumsOf({ type, account }: Used, { gift, loyalty_card }: VoucherSettings): AccountSums | null {
  if (type === "DISCOUNT_VOUCHER") return null;
  const received = (type === "GIFT_VOUCHER" ? gift?.amount : loyalty_card?.points) ?? 0;
  return account ?? { available: received, pending: 0, received, subtracted: 0, expired: 0, spent: 0 };
}

export const WALLET_STATUSES = ["ACTIVE", "USED", "DISABLED", "NOT_ACTIVE_YET", "EXPIRED", "NO_BALANCE"] as const;
export type WalletStatus = (typeof WALLET_STATUSES)[number];

// Contract is silent: a code that is outside of its days and hours is active, only not at this moment.
/** How a code stands in the wallet of a customer. The first reason why it cannot be used counts. */
export function walletStatus(
  voucher: Used & { is_active: boolean; redeemed_quantity: number },
  settings: VoucherSettings,
  now: string,
): WalletStatus {
  const { start_date, expiration_date, quantity } = settings;
  const isBefore = (one: string, other: string) =>
    Temporal.Instant.compare(Temporal.Instant.from(one), Temporal.Instant.from(other)) < 0;
  if (!voucher.is_active) return "DISABLED";
  if (expiration_date !== null && isBefore(expiration_date, now)) return "EXPIRED";
  if (start_date !== null && isBefore(now, start_date)) return "NOT_ACTIVE_YET";
  if (quantity !== null && voucher.redeemed_quantity >= quantity) return "USED";
  const balance = sumsOf(voucher, settings)?.available ?? null;
  return balance !== null && balance <= 0 ? "NO_BALANCE" : "ACTIVE";
}
