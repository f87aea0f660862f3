import {
  getCardDefinition,
  getCustomerMemberships,
  getProgramMembership,
  type LoyaltyCard,
  type LoyaltyMemberships,
} from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { useOps } from "../../api/use-ops.ts";

type Membership = LoyaltyMemberships["memberships"][number];
/** A card of a program: its wallet by name, and the tier that it has brought its member to. */
export type ProgramCard = {
  program: Membership["program"];
  member: Membership["member"];
  card: LoyaltyCard;
  wallet: string | null;
  tier: string | null;
};

function useMemberships(customerId: string | undefined): LoyaltyMemberships | undefined {
  const can = useCan();
  const enabled = customerId !== undefined && can("getCustomerMemberships");
  return useOp(getCustomerMemberships, { customerId: customerId ?? "" }, { enabled }).data;
}

/** The cards of somebody in all programs. Names and tiers come after the balances: nothing waits for them. */
export function useProgramCards(customerId: string | undefined): ProgramCard[] {
  const can = useCan();
  const memberships = useMemberships(customerId)?.memberships ?? [];
  const cards = memberships.flatMap(({ program, member, cards: held }) =>
    held.flatMap(({ card }) => (card === null ? [] : [{ program, member, card }])),
  );
  const wallets = can("getCardDefinition") ? [...new Set(cards.map(({ card }) => card.card_definition_id))] : [];
  const named = useOps(
    getCardDefinition,
    wallets.map((cardDefinitionId) => ({ cardDefinitionId })),
  );
  const programs = can("getProgramMembership") ? memberships.map(({ program }) => program.id) : [];
  const detailed = useOps(
    getProgramMembership,
    programs.map((programId) => ({ programId, customerId: customerId ?? "" })),
  );
  const names = new Map((named.data ?? []).map(({ id, name }) => [id, name]));
  const tiers = new Map(
    (detailed.data ?? []).flatMap((one) =>
      one.cards.map(({ card, tier_progress }) => [card?.id, tier_progress?.current?.tier?.name] as const),
    ),
  );
  return cards.map((one) => ({
    ...one,
    wallet: names.get(one.card.card_definition_id) ?? null,
    tier: tiers.get(one.card.id) ?? null,
  }));
}

export const memberPath = ({ program, member }: Pick<ProgramCard, "program" | "member">): string =>
  `/loyalty/${program.id}/members/${member.id}`;
