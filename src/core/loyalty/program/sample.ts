import type { CardState, NewCardId } from "../card/card.ts";
import type { World } from "../card/moves.ts";
import { PLAIN_WALLET, type Wallet } from "../card/wallet.ts";
import type { WatchedStructure, WatchedTier } from "../tiers/tiers.ts";
import { openCard } from "./lifecycle.ts";

// What tests of cards begin with.

/** Ids that count up: the same history has the same ids. */
export function sampleIds(): NewCardId {
  let last = 0;
  return (prefix) => {
    last += 1;
    return `${prefix}_${String(last).padStart(6, "0")}`;
  };
}

export const sampleWorld = ({
  wallet,
  ...given
}: Partial<Omit<World, "wallet">> & { wallet?: Partial<Wallet> } = {}): World => ({
  now: "2026-01-01T12:00:00.000Z",
  zone: "UTC",
  newId: sampleIds(),
  tiers: null,
  ...given,
  wallet: { ...PLAIN_WALLET, ...wallet },
});

export const sampleCard = (world: World): CardState =>
  openCard({ id: "lcrd_1", program_id: "lprg_1", member_id: "lmbr_1", card_definition_id: "lcdef_1" }, world).card;

export const sampleTier = (id: string, min_value: number, max_value?: number): WatchedTier => ({
  id,
  name: id,
  qualification_rules: { type: "POINTS", points: { min_value, ...(max_value !== undefined && { max_value }) } },
  downgrade: { type: "INHERIT" },
  points_expiration: null,
});

/** Bronze to 99, silver to 199, gold to 299, platinum above. */
export const METALS: readonly WatchedTier[] = [
  sampleTier("bronze", 0, 99),
  sampleTier("silver", 100, 199),
  sampleTier("gold", 200, 299),
  sampleTier("platinum", 300),
];

export const sampleTiers = (
  structure: Partial<WatchedStructure> = {},
  tiers: readonly WatchedTier[] = METALS,
): NonNullable<World["tiers"]> => ({
  structure: {
    id: "lts_1",
    type: "POINT_BALANCE",
    point_earned: null,
    expiration: { type: "NO_EXPIRATION" },
    downgrade: { type: "MULTI_LEVEL" },
    ...structure,
  },
  tiers,
  isInSegment: () => false,
});
