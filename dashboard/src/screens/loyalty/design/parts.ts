import type {
  EarningRule,
  LoyaltyCardDefinition,
  LoyaltyProgramReward,
  LoyaltyReward,
  LoyaltyTier,
  LoyaltyTierStructure,
} from "../../../api/operations.gen.ts";
import type { Text, TextKey } from "../../../text/text.ts";
import { effectSays, expirationSays, pendingSays } from "../sentences.ts";

// A program as the parts that it is made of, and how one leads to the next. The flow and the list show the same.

/** From left to right: what earns, where points are kept, where members stand, what points buy. */
export const KINDS = ["rule", "wallet", "tier", "reward"] as const;
export type Kind = (typeof KINDS)[number];

/** What may change while a program is no draft: its cards are fixed by wallets and tiers. */
export const isOpen = (kind: Kind, { status }: { status: string }): boolean =>
  status === "DRAFT" || kind === "rule" || kind === "reward";

export type Design = {
  wallets: LoyaltyCardDefinition[];
  rules: EarningRule[];
  structure: LoyaltyTierStructure | null;
  tiers: LoyaltyTier[];
  rewards: { reward: LoyaltyReward; assigned: LoyaltyProgramReward }[];
};
export type Part = { id: string; kind: Kind; name: string; status: string | null; lines: string[] };
/** A rule fills a wallet. A wallet counts for a tier, and pays for a reward. A tier opens a reward. */
export type Link = { from: string; to: string; how: "fills" | "counts" | "pays" | "opens" };

type Earning = EarningRule["earnings"][number];
type Effect = Earning["effects"][number];
type TierRules = Earning["tier_rules"];
type Look = { t: Text; currency: string };

const walletOf = ({ points, points_proportional }: Effect): string | null =>
  (points ?? points_proportional)?.card_definition_id ?? null;
export const tiersIn = ({ any_of }: TierRules): string[] => any_of?.flatMap(({ tier_ids }) => tier_ids) ?? [];

const startOf = ({ qualification_rules }: LoyaltyTier): number => qualification_rules.points.min_value;
export const byPoints = (tiers: readonly LoyaltyTier[]): LoyaltyTier[] =>
  [...tiers].sort((a, b) => startOf(a) - startOf(b));

/** Names instead of ids. What is not of this program, or is gone, is a dash. */
const namesIn = (records: readonly { id: string; name: string }[]) => {
  const names = new Map(records.map(({ id, name }) => [id, name]));
  return (ids: readonly string[]) => ids.map((id) => names.get(id) ?? "–").join(", ");
};

function ruleLines({ trigger, earnings }: EarningRule, { wallets, tiers }: Design, { t, currency }: Look): string[] {
  const [walletNames, tierNames] = [namesIn(wallets), namesIn(tiers)];
  const says = ({ tier_rules, rules, effects }: Earning) =>
    effects.map((effect) => {
      const wallet = walletOf(effect);
      const only = tiersIn(tier_rules);
      return [
        only.length > 0 && `${tierNames(only)}: `,
        effectSays(effect, t, currency),
        wallet !== null && ` → ${walletNames([wallet])}`,
        rules && ` · ${t("loyalty.withRules")}`,
      ]
        .filter(Boolean)
        .join("");
    });
  return [t(`loyalty.when.${trigger.event.replaceAll(".", "_")}` as TextKey), ...earnings.flatMap(says)];
}

function tierLines({ qualification_rules }: LoyaltyTier, { structure, wallets }: Design, { t }: Look): string[] {
  const { min_value: from, max_value: to } = qualification_rules.points;
  const range = to === undefined ? t("loyalty.fromPoints", { from }) : t("loyalty.betweenPoints", { from, to });
  return [
    range,
    ...(structure ? [`${t(`loyalty.by.${structure.type}`)} ${namesIn(wallets)([structure.card_definition_id])}`] : []),
    ...(qualification_rules.segment ? [t("designer.andSegment")] : []),
  ];
}

function rewardLines({ reward, assigned }: Design["rewards"][number], { wallets, tiers }: Design, { t }: Look) {
  const [walletNames, tierNames] = [namesIn(wallets), namesIn(tiers)];
  const costs = reward.costs.flatMap(({ tier_rules, spending }) =>
    spending.map(({ points, card_definition_id }) => {
      const only = tiersIn(tier_rules);
      const price = `${t("loyalty.costs", { count: points })} ${walletNames([card_definition_id])}`;
      return only.length > 0 ? `${tierNames(only)}: ${price}` : price;
    }),
  );
  const { limited } = assigned.stock;
  const left = limited === undefined ? t("loyalty.noStock") : t("loyalty.stock", { count: limited.quantity });
  const kind = t(`loyalty.kind.${reward.digital?.type ?? reward.type}` as TextKey);
  return [`${kind} · ${left}`, ...costs, t("loyalty.bought", { count: assigned.redeemed })];
}

/** All parts, kind by kind. Tiers begin with the lowest. */
export function partsOf(design: Design, look: Look): Part[] {
  const { t } = look;
  return [
    ...design.rules.map(
      (rule): Part => ({ ...partOf("rule", rule), status: rule.status, lines: ruleLines(rule, design, look) }),
    ),
    ...design.wallets.map((wallet): Part => {
      const lines = [expirationSays(wallet.points_expiration, t), pendingSays(wallet.pending_points, t)];
      return { ...partOf("wallet", wallet), status: wallet.status, lines };
    }),
    ...byPoints(design.tiers).map((tier): Part => ({ ...partOf("tier", tier), lines: tierLines(tier, design, look) })),
    ...design.rewards.map(
      (one): Part => ({
        ...partOf("reward", one.reward),
        status: one.reward.status,
        lines: rewardLines(one, design, look),
      }),
    ),
  ];
}
const partOf = (kind: Kind, { id, name }: { id: string; name: string }) => ({ id, kind, name, status: null });

/** Each way from one part to another, once. What leads out of the program is left out. */
export function linksOf({ wallets, rules, structure, tiers, rewards }: Design): Link[] {
  const fills = rules.flatMap(({ id, earnings }) =>
    earnings.flatMap(({ effects }) => effects.map((effect) => ({ from: id, to: walletOf(effect), how: "fills" }))),
  );
  const counts = byPoints(tiers).map(({ id }) => ({ from: structure?.card_definition_id, to: id, how: "counts" }));
  const costs = rewards.flatMap(({ reward: { id, costs: all } }) =>
    all.flatMap(({ spending, tier_rules }) => [
      ...spending.map(({ card_definition_id }) => ({ from: card_definition_id, to: id, how: "pays" })),
      ...tiersIn(tier_rules).map((tier) => ({ from: tier, to: id, how: "opens" })),
    ]),
  );
  const there = new Set([...wallets, ...rules, ...tiers, ...rewards.map(({ reward }) => reward)].map(({ id }) => id));
  const links = ([...fills, ...counts, ...costs] as Link[]).filter(({ from, to }) => there.has(from) && there.has(to));
  return [...new Map(links.map((link) => [`${link.from} ${link.to}`, link])).values()];
}

export const headOf = (kind: Kind) => `head:${kind}`;
const [GAP_X, GAP_Y] = [64, 12];
/** Where each part stands in a flow of this width: a column for each kind, below its head. */
export function placesOf(parts: readonly Part[], width: number, heightOf: (id: string) => number) {
  const column = Math.floor((width - GAP_X * (KINDS.length - 1)) / KINDS.length);
  const places = new Map<string, { x: number; y: number }>();
  const bottoms = KINDS.map((kind, place) => {
    const ids = [headOf(kind), ...parts.filter((part) => part.kind === kind).map(({ id }) => id)];
    return ids.reduce((y, id) => {
      places.set(id, { x: place * (column + GAP_X), y });
      return y + heightOf(id) + GAP_Y;
    }, 0);
  });
  return { column, places, height: Math.max(...bottoms) };
}
