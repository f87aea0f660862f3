import type { Catalog } from "../../catalog/catalog.ts";
import { namedInCosts } from "../../catalog/named-in-rules.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { refusedSpending } from "../../core/loyalty/card/moves.ts";
import { costOf, type PurchaseFacts, purchaseFault } from "../../core/loyalty/card/purchase.ts";
import { FULL, purchasePoints, spendPoints } from "../../core/loyalty/card/spend.ts";
import { isRoom } from "../../core/loyalty/earning/earn.ts";
import type { Rejection } from "../../core/loyalty/earning/limits.ts";
import { ruleGroupHolds } from "../../core/loyalty/earning/rule-group.ts";
import type { Reward, RewardCost } from "../../core/loyalty/program/reward.ts";
import { type MemberUses, used } from "../../core/loyalty/program/uses.ts";
import type { MemberRow, TransactionRow } from "../../core/rows/loyalty.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type NewEvent, record } from "../../events/events.ts";
import { getCustomer } from "../../resources/customers/customers/store.ts";
import { getMember, saveMembers } from "../../resources/loyalty-v2/members/store.ts";
import { countPurchase, lockRewardStock } from "../../resources/loyalty-v2/programs/assignments-store.ts";
import type { PurchaseBody, PurchaseMade, PurchaseSimulated } from "../../resources/loyalty-v2/transactions/schema.ts";
import { insertTransactions, transactionViews } from "../../resources/loyalty-v2/transactions/store.ts";
import { evaluationAt, loadSegmentsOf } from "../../steps/customers/segment-membership.ts";
import { earningFacts } from "../../steps/earning/earn-causes.ts";
import { type CardInWorld, saveProgramCards } from "../../steps/points/program-cards.ts";
import { alter, type MemberAtWork, openMember, stateOf } from "../../steps/points/program-members.ts";
import { type Handout, type HandoutView, handOut, openHandout } from "../../steps/publishing/hand-out.ts";

type Which = { programId: string; memberId: string };
const DRY_RUN = "Dry run mode. No transaction was created. This is only a simulation.";
const REASON = "Points spent on reward";

/**
 * Buys a reward: lock in order (customer, campaign, code, member, cards, stock), decide in memory, and save all of it in
 * the transaction of the request. What is refused changes nothing; what cannot be handed out is kept as rejected.
 */
export async function purchaseReward(
  c: WriteCtx,
  which: Which,
  { reward_id, mode }: PurchaseBody,
): Promise<PurchaseMade | PurchaseSimulated> {
  const catalog = await c.catalog();
  const reward = await requireReward(c, catalog, { ...which, rewardId: reward_id });
  const isDry = mode === "DRY_RUN";
  const handout = isDry ? null : await openDelivery(c, catalog, reward, which);
  const at = await openMember(c, catalog, which);
  const stock = await lockRewardStock(c.db, c.project.id, { ...which, rewardId: reward.id });
  if (!stock) throw notFound("reward", reward.id);
  const facts = await purchaseFacts(c, catalog, { at, reward, stock: stock.stock_quantity });
  const fault = purchaseFault(facts);
  if (fault) throw new ApiError(fault, { details: DETAILS[fault] });
  const bought: Bought = { reward, at, cost: costOf(facts)!, id: isDry ? "" : c.newId("lrtx") };
  return isDry ? simulatedPurchase(bought) : settlePurchase(c, bought, handout);
}

const DETAILS: Partial<Record<NonNullable<ReturnType<typeof purchaseFault>>, string>> = {
  reward_out_of_stock: "Cannot purchase reward when stock is not available",
  insufficient_card_balance: "Operation exceeds the available card balance",
};

/** Parents first: 404 for what is missing, and for a reward that the program does not have. */
async function requireReward(
  c: WriteCtx,
  { programs, assignments_of, rewards }: Catalog,
  { programId, memberId, rewardId }: Which & { rewardId: string },
): Promise<Reward> {
  if (!programs.has(programId)) throw notFound("program", programId);
  await getMember(c.db, c.project.id, { programId, memberId });
  const isAssigned = assignments_of.get(programId)?.some(({ component_id }) => component_id === rewardId);
  const reward = rewards.get(rewardId);
  if (!isAssigned || !reward) throw notFound("reward", rewardId);
  return reward;
}

/** A code is locked before the member; points and goods need none. */
async function openDelivery(
  c: WriteCtx,
  catalog: Catalog,
  { digital }: Reward,
  which: Which,
): Promise<Handout | { rejection: Rejection } | null> {
  if (!digital || digital.type === "LOYALTY_CARD_POINTS") return null;
  const { customer_id } = await getMember(c.db, c.project.id, which);
  return openHandout(c, catalog, { digital, customerId: customer_id! });
}

async function purchaseFacts(
  c: WriteCtx,
  catalog: Catalog,
  { at, reward, stock }: { at: MemberAtWork; reward: Reward; stock: number | null },
): Promise<PurchaseFacts> {
  const { program, member, cards } = at;
  const asked = reward.costs.some(({ rules }) => rules) ? await rulesAsked(c, catalog, member) : null;
  const tiers = [...cards.values()].flatMap(({ change: { card } }) => card.tier ?? []);
  return {
    program,
    member: { status: member.status, uses: member.uses as MemberUses },
    reward,
    stock,
    tierIn: (id) => tiers.find(({ tier_structure_id }) => tier_structure_id === id)?.tier_id ?? null,
    holds: ({ rules }) => asked === null || ruleGroupHolds(rules, asked),
    cardOf: (id) => {
      const card = at.cardOf(id);
      return card && { card: stateOf(card), world: card.world };
    },
    now: c.now,
    zone: zoneOf(c.project),
  };
}

/** What the rules of costs look at. */
async function rulesAsked(
  c: WriteCtx,
  catalog: Catalog,
  { customer_id, metadata }: MemberRow,
): Promise<ReturnType<typeof earningFacts>> {
  const customer = await getCustomer(c.db, c.project.id, customer_id!);
  const named = { projectId: c.project.id, segmentIds: namedInCosts(catalog).segments };
  const segmentsOf = await loadSegmentsOf(c.db, catalog, [customer], named);
  const segments = segmentsOf(0, evaluationAt(c.project, c.now));
  return earningFacts({ of: c, customer, segments, order: null, custom_event: {} }, c.project, metadata);
}

type Bought = { id: string; reward: Reward; at: MemberAtWork; cost: RewardCost };
const spendingOf = ({ cost }: Bought) => cost.spending[0]!;
const payerOf = (bought: Bought): CardInWorld => bought.at.cardOf(spendingOf(bought).card_definition_id)!;

const purchaseDetails = (bought: Bought) => ({
  reason: REASON,
  rejection: null as Rejection | null,
  metadata: {},
  points: { total: spendingOf(bought).points },
  result: null as object | null,
});

function simulatedPurchase(bought: Bought): PurchaseSimulated {
  const { at, reward } = bought;
  return {
    transaction: {
      card_id: payerOf(bought).card.row.id,
      card_transaction_id: null,
      program_id: at.program.id,
      member_id: at.member.id,
      reward_id: reward.id,
      status: "SIMULATED",
      type: "PURCHASE",
      details: purchaseDetails(bought),
      updated_at: null,
      object: "reward_transaction",
    },
    status: "DRY_RUN",
    message: DRY_RUN,
  };
}

/** What the member gets, or why it cannot be handed out. */
type Delivery = { rejection: Rejection } | { given: HandoutView | null; happened: readonly NewEvent[] };

async function settlePurchase(
  c: WriteCtx,
  bought: Bought,
  handout: Handout | { rejection: Rejection } | null,
): Promise<PurchaseMade> {
  const { at, reward } = bought;
  const paid = pay(bought, handout && "rejection" in handout ? handout.rejection : null);
  const delivered = await deliver(c, bought, { handout, paid });
  await saveProgramCards(c.db, c.project.id, at.cards);
  if (!("rejection" in delivered)) {
    const zone = zoneOf(c.project);
    const uses = used(at.member.uses as MemberUses, reward.id, { now: c.now, zone });
    await saveMembers(c.db, c.project.id, [{ ...at.member, uses }]);
    await countPurchase(c.db, c.project.id, { programId: at.program.id, rewardId: reward.id, by: 1 });
    await record(c, delivered.happened);
  }
  const row = rowOf(c, bought, { paid, delivered });
  await insertTransactions(c.db, [row]);
  const made = { ...row, status: "PENDING" as const, updated_at: null };
  const details = { ...row.details, rejection: null, result: null };
  return {
    transaction: transactionViews.reward({ ...made, details }),
    status: "TRANSACTION_CREATED",
    message: "Reward purchase transaction created",
  };
}

/** Points are spent, or locked and unlocked again. Returns the id of the transaction of the card. */
function pay(bought: Bought, known: Rejection | null): { id: string; rejection: Rejection | null } {
  const target = targetOf(bought);
  const points = cardPoints(bought.reward);
  const rejection = known ?? (target && !isRoom(stateOf(target), points!.points) ? FULL : null);
  const details = {
    reward: { id: bought.reward.id },
    reward_transaction: { id: bought.id },
    ...(target && { target_card: { id: target.card.row.id } }),
  };
  const spent = { kind: "reward_spend", points: spendingOf(bought).points, reason: REASON, details } as const;
  const { entries } = alter(payerOf(bought), (card, world) =>
    rejection ? refusedSpending(card, world, { ...spent, rejection }) : spendPoints(card, world, spent),
  );
  return { id: entries[0]!.id, rejection };
}

const cardPoints = ({ digital }: Reward) => digital?.loyalty_card_points ?? null;
function targetOf({ reward, at }: Bought): CardInWorld | null {
  const points = cardPoints(reward);
  return points && at.cardOf(points.card_definition_id);
}

type Paid = ReturnType<typeof pay>;

async function deliver(
  c: WriteCtx,
  bought: Bought,
  { handout, paid }: { handout: Handout | { rejection: Rejection } | null; paid: Paid },
): Promise<Delivery> {
  if (paid.rejection) return { rejection: paid.rejection };
  if (handout && !("rejection" in handout)) return handOut(c, handout);
  const target = targetOf(bought);
  return { given: target && creditPoints(bought, target, paid), happened: [] };
}

/** Points that are bought. Both transactions name each other. */
function creditPoints(bought: Bought, target: CardInWorld, paid: Paid): HandoutView {
  const { points, card_definition_id } = cardPoints(bought.reward)!;
  const details = {
    reward: { id: bought.reward.id },
    reward_transaction: { id: bought.id },
    card_transaction: { id: paid.id },
  };
  const { entries } = alter(target, (card, world) =>
    purchasePoints(card, world, { points, reason: "Points purchased", details }),
  );
  const { card: payer } = payerOf(bought);
  const purchase_transaction = { id: entries[0]!.id };
  payer.change = {
    ...payer.change,
    entries: payer.change.entries.map((entry) =>
      entry.id === paid.id ? { ...entry, details: { ...entry.details, purchase_transaction } } : entry,
    ),
  };
  return {
    type: "LOYALTY_CARD_POINTS",
    loyalty_card_points: { points, card_definition_id, card_id: target.card.row.id },
  };
}

function rowOf(c: WriteCtx, bought: Bought, { paid, delivered }: { paid: Paid; delivered: Delivery }): TransactionRow {
  const { at, reward } = bought;
  const { id: card_id, card_definition_id } = payerOf(bought).card.row;
  const isRejected = "rejection" in delivered;
  const { id, type, material } = reward;
  const result = isRejected
    ? null
    : { reward: { id, type }, quantity: 1, material: material ?? null, digital: delivered.given };
  return {
    project_id: c.project.id,
    id: bought.id,
    kind: "reward",
    program_id: at.program.id,
    member_id: at.member.id,
    card_id,
    card_definition_id,
    type: "PURCHASE",
    subject_id: reward.id,
    status: isRejected ? "REJECTED" : "APPROVED",
    details: { ...purchaseDetails(bought), rejection: paid.rejection, result, card_transaction_id: paid.id },
    created_at: c.now,
    updated_at: c.now,
  };
}
