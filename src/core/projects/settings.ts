type Callout = { email: boolean; in_app: boolean; emails: string[] };
type Usage = { enabled: boolean; value: number; in_app: boolean; emails: string[] };
export type CalloutNotifications = Record<"webhooks" | "distributions", Callout>;
export type UsageNotifications = Record<(typeof USAGE_KINDS)[number], Usage>;

export const USAGE_KINDS = [
  "messages",
  "api_calls",
  "cycle_calls",
  "redemptions",
  "webhook_calls",
  "bulk_api_calls",
] as const;

/** One region: everything of a self-hosted Laurel is in it. */
export const CLUSTER_ID = "eu1";
export const API_VERSION = "v2018-08-01";
export const WEBHOOK_VERSION = "v2024-01-01";
/** For clients that look for the reason of a skipped redeemable in its `result`. */
export const SKIPPED_RESULT_DETAILS = "SKIPPED_RESULT_DETAILS";
/**
 * Marks a project while `laurel demo load` fills it with history. Until that ends, sweeps leave it alone: they would move
 * its cards to the present in the middle of their past.
 */
export const DEMO_LOADING = "DEMO_LOADING";
/** What `laurel project feature` switches. */
export const FEATURES = ["LOYALTY_V2", SKIPPED_RESULT_DETAILS] as const;
export const FEATURES_OF_NEW_PROJECTS: readonly (typeof FEATURES)[number][] = ["LOYALTY_V2"];

const DIGITS = "0123456789";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Where case does not count, letters of one case are enough. */
export const defaultCharset = (caseSensitive: boolean): string =>
  `${DIGITS}${LETTERS}${caseSensitive ? LETTERS.toUpperCase() : ""}`;

const callout = (): Callout => ({ email: false, in_app: false, emails: [] });
const usage = (): Usage => ({ enabled: false, value: 80, in_app: false, emails: [] });

export const defaultCallouts = (): CalloutNotifications => ({ webhooks: callout(), distributions: callout() });
export const defaultUsage = (): UsageNotifications =>
  Object.fromEntries(USAGE_KINDS.map((kind) => [kind, usage()])) as UsageNotifications;

/** Keeps what is not sent, at both levels. */
export function mergeNotifications<T extends Record<string, object>>(
  before: T,
  sent: { [K in keyof T]?: Partial<T[K]> } = {},
): T {
  const merged = Object.entries(before).map(([kind, value]) => [kind, { ...value, ...sent[kind] }]);
  return Object.fromEntries(merged) as T;
}
