import type { Catalog } from "../../catalog/catalog.ts";
import { namedInCosts } from "../../catalog/named-in-rules.ts";
import { offerOf } from "../../core/loyalty/earning/examine.ts";
import { ruleGroupHolds } from "../../core/loyalty/earning/rule-group.ts";
import type { MemberUses } from "../../core/loyalty/program/uses.ts";
import type { RewardRow } from "../../core/rows/loyalty.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import type { ExaminedRewards, ExamineRewards } from "../../resources/loyalty-v2/examine/schema.ts";
import { assignmentsOfPrograms } from "../../resources/loyalty-v2/programs/assignments-store.ts";
import { evaluationAt, loadSegmentsOf } from "../../steps/customers/segment-membership.ts";
import { earningFacts } from "../../steps/earning/earn-causes.ts";
import {
  cardShown,
  type Examined,
  examinedCustomer,
  loadExamined,
  membershipShown,
  requireMemberMeant,
  supposing,
  tierInOf,
} from "../../steps/programs/examining.ts";

/** The rewards of a membership, with what is left of each; null: unlimited. */
type Offered = (membership: Examined) => { reward: RewardRow; stock: number | null }[];

/** Which rewards a customer can have, of all programs. Nothing is written. */
export async function examineRewards(
  c: Ctx,
  { customer_identification, customer: sent, member: sentMember }: ExamineRewards,
): Promise<ExaminedRewards> {
  requireMemberMeant(sentMember, "", customer_identification);
  const catalog = await c.catalog();
  const { customer, memberships } = await loadExamined(c, catalog, customer_identification);
  const offered = await loadOffered(c, catalog, memberships);
  const asked = supposing(customer, sent);
  const segmentIds = namedInCosts(catalog).segments;
  const segmentsOf = await loadSegmentsOf(c.db, catalog, [asked], { projectId: c.project.id, segmentIds });
  const segments = segmentsOf(0, evaluationAt(c.project, c.now));
  const situation = { of: c, customer: asked, segments, order: null, custom_event: {} };
  const shown = memberships.map((membership) => {
    const facts = earningFacts(situation, c.project, supposing(membership.member, sentMember).metadata);
    const offers = offered(membership).flatMap(({ reward, stock }) => {
      const offer = offerOf({
        ...examinedFacts(c, membership),
        reward,
        stock,
        holds: ({ rules }) => ruleGroupHolds(rules, facts),
      });
      return offer ? [{ reward, ...offer }] : [];
    });
    return { membership, offers };
  });
  const rewards = new Map(shown.flatMap(({ offers }) => offers.map(({ reward }) => [reward.id, reward])));
  return {
    customer: examinedCustomer(customer),
    rewards: [...rewards.values()].map(({ id, name, type, metadata, purchase_limits }) => ({
      ...{ id, name, type, metadata, purchase_limits },
      object: "reward",
    })),
    memberships: shown.map(({ membership, offers }) => ({
      ...membershipShown(membership),
      cards: membership.cards
        .map((one) => ({
          card: cardShown(one),
          rewards: offers.filter(({ card }) => card.id === one.card.id).map(offerShown),
          object: "card_estimation" as const,
        }))
        .filter((one) => one.rewards.length > 0),
      object: "member_rewards_opportunity",
    })),
    object: "rewards_examine_result",
  };
}

/** Stock is not in the catalog: one statement for all programs. */
async function loadOffered(c: Ctx, catalog: Catalog, memberships: readonly Examined[]): Promise<Offered> {
  const programIds = memberships.map(({ program }) => program.id);
  const assigned = await assignmentsOfPrograms(c.db, c.project.id, programIds);
  const by = Map.groupBy(
    assigned.filter(({ kind }) => kind === "reward"),
    ({ program_id }) => program_id,
  );
  return ({ program }) =>
    (by.get(program.id) ?? []).flatMap(({ component_id, stock_quantity: stock }) => {
      const reward = catalog.rewards.get(component_id);
      return reward?.status === "ACTIVE" ? [{ reward, stock }] : [];
    });
}

const examinedFacts = ({ project, now }: Ctx, { member, program, cards }: Examined) => ({
  program,
  member: { status: member.status, uses: member.uses as MemberUses },
  tierIn: tierInOf(cards),
  cardOf: (id: string) => {
    const found = cards.find(({ card }) => card.card_definition_id === id);
    return found ? { card: found.state, world: found.world! } : null;
  },
  now,
  zone: zoneOf(project),
});

type Offer = NonNullable<ReturnType<typeof offerOf>> & { reward: RewardRow };
const offerShown = ({ reward, points, reasons }: Offer) => ({
  reward: { id: reward.id, object: "reward" as const },
  status: reasons.length === 0 ? ("AVAILABLE" as const) : ("UNAVAILABLE" as const),
  cost: { points, object: "reward_cost" as const },
  ...(reasons.length > 0 && {
    unavailability_reasons: reasons.map((one) => ({ ...one, object: "reward_unavailability_reason" as const })),
  }),
  object: "reward_estimation" as const,
});
