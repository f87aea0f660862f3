import {
  type LoyaltyCardTransaction,
  type LoyaltyTierTransaction,
  listCardTransactions,
  listMemberTierTransactions,
  listTiers,
} from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOps } from "../../api/use-ops.ts";
import { memberPath, type ProgramCard } from "./programs.ts";

/** What moved points, or a tier, in a loyalty program: a line of the timeline. */
export type Movement = {
  id: string;
  created_at: string;
  entry: LoyaltyCardTransaction["type"] | LoyaltyTierTransaction["type"];
  points: number | null;
  tier: string | null;
  /** Of the program, with the wallet that points are in, and the page of its member. */
  name: string;
  to: string;
};

/** As many as the timeline shows at most. */
const NEWEST = { limit: 100, order: ["-created_at" as const] };
const isDone = ({ status }: { status: string }) => status !== "REJECTED";

/** Everything that programs have written down of somebody: points of each card, and moves between tiers. */
export function useMovements(cards: readonly ProgramCard[]): Movement[] {
  const can = useCan();
  const asked = can("listCardTransactions") ? cards : [];
  const lists = useOps(
    listCardTransactions,
    asked.map(({ program, member, card }) => ({
      ...{ programId: program.id, memberId: member.id, cardId: card.id },
      ...NEWEST,
    })),
  );
  const members = [...new Map(cards.map((one) => [one.member.id, one])).values()];
  const climbing = can("listMemberTierTransactions") ? members : [];
  const moves = useOps(
    listMemberTierTransactions,
    climbing.map(({ program, member }) => ({ programId: program.id, memberId: member.id, ...NEWEST })),
  );
  const tierMoves = (moves.data ?? []).flatMap(({ data }) => data).filter(isDone);
  const structures = can("listTiers") ? [...new Set(tierMoves.map((one) => one.tier_structure_id))] : [];
  const tiers = useOps(
    listTiers,
    structures.map((tierStructureId) => ({ tierStructureId, limit: 100 })),
  );
  const names = new Map((tiers.data ?? []).flatMap(({ data }) => data).map(({ id, name }) => [id, name]));
  const places = new Map(
    cards.flatMap((one) => {
      const { program, member, card, wallet } = one;
      const to = memberPath(one);
      const name = [program.name, wallet].filter(Boolean).join(" · ");
      return [[member.id, { name: program.name, to }] as const, [card.id, { name, to }] as const];
    }),
  );
  const placeOf = (id: string) => places.get(id) ?? { name: "", to: "" };
  return [
    ...(lists.data ?? [])
      .flatMap(({ data }) => data)
      .filter(isDone)
      .map(({ id, created_at, type, details, card_id }) => ({
        ...{ id, created_at, entry: type, points: details.points?.total ?? null, tier: null },
        ...placeOf(card_id),
      })),
    ...tierMoves.map(({ id, created_at, type, tier_id, member_id }) => ({
      ...{ id, created_at, entry: type, points: null, tier: names.get(tier_id ?? "") ?? null },
      ...placeOf(member_id),
    })),
  ];
}
