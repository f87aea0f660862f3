import type { Catalog } from "../../catalog/catalog.ts";
import { namedInEarnings } from "../../catalog/named-in-rules.ts";
import { invalid } from "../../core/errors.ts";
import { benefitsOfEarnings, type EarningRule } from "../../core/loyalty/earning/earning-rule.ts";
import { added, type Estimate, estimatesOf, type Supposed } from "../../core/loyalty/earning/examine.ts";
import { ruleGroupHolds } from "../../core/loyalty/earning/rule-group.ts";
import {
  EXAMINED,
  examinedField,
  PROGRAM_TRIGGERS,
  type ProgramTrigger,
  triggerOf,
} from "../../core/loyalty/earning/triggers.ts";
import { variantOf } from "../../core/loyalty/program/shape.ts";
import type { MemberUses } from "../../core/loyalty/program/uses.ts";
import type { Metadata, Order } from "../../core/order/order.ts";
import { type OrderItemRequest, orderFault, referencesIn, resolveOrder } from "../../core/order/resolve.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import { type BenefitRow, benefits } from "../../resources/loyalty-v2/benefits/store.ts";
import type {
  EventSent,
  ExaminedEarnings,
  ExamineEarnings,
  ItemSent,
  OrderSent,
} from "../../resources/loyalty-v2/examine/schema.ts";
import { collectionsNamed } from "../../steps/checkout/rule-facts.ts";
import { evaluationAt, loadSegmentsOf } from "../../steps/customers/segment-membership.ts";
import { earningFacts } from "../../steps/earning/earn-causes.ts";
import { catalogueOf, loadGoods, membershipIn } from "../../steps/goods/goods.ts";
import {
  cardShown,
  type Examined,
  earningRulesOf,
  examinedCustomer,
  loadExamined,
  membershipShown,
  requireMemberMeant,
  supposing,
  tierInOf,
} from "../../steps/programs/examining.ts";

type WithMetadata = { metadata?: Metadata | null };
/** What is supposed of one kind of event, as it is sent. */
type Context = {
  customer?: WithMetadata | undefined;
  member?: WithMetadata | undefined;
  order?: OrderSent | undefined;
  custom_event?: (WithMetadata & { schema_id?: string }) | undefined;
};
/** The event that is asked about, null: all of them; and what is supposed of each. */
type Question = { event: ProgramTrigger | null; contextOf: ReadonlyMap<ProgramTrigger, Context> };

/** What a customer would earn, of all programs. Nothing is written. */
export async function examineEarnings(c: Ctx, body: ExamineEarnings): Promise<ExaminedEarnings> {
  const question = parseQuestion(body);
  const catalog = await c.catalog();
  const { customer, memberships } = await loadExamined(c, catalog, body.customer_identification);
  const situations = await loadSituations(c, catalog, { customer, question });
  const given = await loadBenefits(c, catalog, memberships);
  const when = { now: c.now, zone: zoneOf(c.project) };
  const estimated = memberships.map((membership) => {
    const { member, program, cards } = membership;
    const wallets = new Set(cards.map(({ card }) => card.card_definition_id));
    const estimates = estimatesOf(
      {
        program,
        member: { status: member.status, uses: member.uses as MemberUses },
        rules: earningRulesOf(catalog, program.id),
        tierIn: tierInOf(cards),
      },
      {
        supposedOf: (rule) => supposedOf(c, { rule, membership, question, situations }),
        takes: (id) => wallets.has(id) || given.has(id),
        when,
      },
    );
    return { membership, estimates };
  });
  const rules = new Map(estimated.flatMap(({ estimates }) => estimates.map(({ rule }) => [rule.id, rule])));
  return {
    event: question.event,
    customer: examinedCustomer(customer),
    earning_rules: [...rules.values()].map(({ id, name, metadata }) => ({
      ...{ id, name, metadata },
      object: "earning_rule",
    })),
    memberships: estimated.map(({ membership, estimates }) => ({
      ...membershipShown(membership),
      cards: cardsShown(membership, estimates),
      benefits: benefitsShown(given, estimates),
      object: "member_earnings_opportunity",
    })),
    object: "earnings_examine_result",
  };
}

/** Which events are asked about, and what is supposed of each. */
function parseQuestion(body: ExamineEarnings): Question {
  const type = variantOf(body.trigger, { ALL: null, SPECIFIC: "specific" }, { path: ".trigger" });
  if (type === "ALL" && body.trigger.specific) throw invalid("Property .trigger.specific must be null");
  const event = type === "ALL" ? null : body.trigger.specific!.event;
  for (const kind of PROGRAM_TRIGGERS) {
    const field = examinedField(kind);
    if (event === kind && body[field] === undefined) throw invalid(`Payload must have required property '${field}'`);
    if (event !== null && event !== kind && body[field] !== undefined)
      throw invalid(`Payload must NOT have additional property '${field}' when the event is ${event}`);
  }
  const contexts = new Map(EXAMINED.map((kind) => [kind, contextIn(body, kind)]));
  for (const [kind, { member }] of contexts)
    requireMemberMeant(member, `.${examinedField(kind)}`, body.customer_identification);
  return { event, contextOf: event === null ? contexts : new Map([[event, contexts.get(event)!]]) };
}

function contextIn(body: ExamineEarnings, kind: ProgramTrigger): Context {
  const sent = body[examinedField(kind)];
  if (!sent) return {};
  return "type" in sent ? customEventOf(sent, `Property .${examinedField(kind)}`) : sent;
}

function customEventOf(sent: EventSent, path: string): Context {
  const [own, other] = sent.type === "ALL" ? (["all", "specific"] as const) : (["specific", "all"] as const);
  if (sent[other]) throw invalid(`${path} must NOT have additional property '${other}' when type is ${sent.type}`);
  if (sent[own] === undefined || (own === "specific" && sent[own] === null))
    throw invalid(`${path} must have required property '${own}'`);
  return sent[own] ?? {};
}

/** What is supposed of one kind of event, ready to be asked. */
type Situation = {
  customer: CustomerRow;
  segments: ReadonlySet<string>;
  /** Those of them that a customer is in by what is known of them. */
  entered: ReadonlySet<string>;
  order: Order | null;
  custom_event: Metadata;
};

/** Each kind of event may suppose other metadata, and with it other segments. */
async function loadSituations(
  c: Ctx,
  catalog: Catalog,
  { customer, question }: { customer: CustomerRow; question: Question },
): Promise<ReadonlyMap<ProgramTrigger, Situation>> {
  const contexts = [...question.contextOf];
  const customers = contexts.map(([, context]) => supposing(customer, context.customer));
  const triggers = [...catalog.earning_rules.values()].flatMap(({ trigger }) => trigger.segment?.id ?? []);
  const dynamic = new Set(triggers.filter((id) => catalog.segments.get(id)?.type !== "static"));
  const segmentIds = [...namedInEarnings(catalog).segments, ...dynamic];
  const segmentsOf = await loadSegmentsOf(c.db, catalog, customers, { projectId: c.project.id, segmentIds });
  const moment = evaluationAt(c.project, c.now);
  const orders = new Map<ProgramTrigger, Order | null>();
  for (const [event, { order }] of contexts)
    if (triggerOf(event).brings === "order") orders.set(event, await loadOrder(c, catalog, { event, sent: order }));
  return new Map(
    contexts.map(([event, { custom_event }], n) => {
      const segments = segmentsOf(n, moment);
      const situation = {
        customer: customers[n]!,
        segments,
        entered: dynamic.intersection(segments),
        order: orders.get(event) ?? null,
        custom_event: custom_event?.metadata ?? {},
      };
      return [event, situation];
    }),
  );
}

const textOrNull = (value: string | number | null | undefined) => (value == null ? null : String(value));
const numberOrNull = (value: string | number | null | undefined) => (value == null ? null : Number(value));
const supposedProduct = (sent: ItemSent["product"]) =>
  sent ? { id: textOrNull(sent.id), source_id: textOrNull(sent.source_id), price: numberOrNull(sent.price) } : null;
const itemOf = (sent: ItemSent): OrderItemRequest => ({
  id: sent.id ?? null,
  source_id: textOrNull(sent.source_id),
  product_id: textOrNull(sent.product_id),
  sku_id: textOrNull(sent.sku_id),
  related_object: sent.related_object ?? null,
  quantity: numberOrNull(sent.quantity),
  price: numberOrNull(sent.price),
  amount: numberOrNull(sent.amount),
  product: supposedProduct(sent.product),
  sku: supposedProduct(sent.sku),
  metadata: sent.metadata ?? {},
});

/** The order that would be paid. Its amount is the one before discounts, as everywhere. */
async function loadOrder(
  c: Ctx,
  catalog: Catalog,
  { event, sent }: { event: ProgramTrigger; sent: OrderSent | undefined },
): Promise<Order | null> {
  if (!sent) return null;
  const items = (sent.items ?? []).map(itemOf);
  const goods = await loadGoods(c.db, c.project.id, referencesIn(items));
  const named = collectionsNamed(catalog, namedInEarnings(catalog).collections);
  const collections = membershipIn(named, goods, evaluationAt(c.project, c.now), c.steps);
  const amount = numberOrNull(sent.amount) ?? numberOrNull(sent.initial_amount);
  const order = resolveOrder({ amount, items, metadata: sent.metadata ?? {} }, catalogueOf(goods, collections));
  const fault = orderFault(order);
  if (fault) throw invalid(fault.replace(".order", `.${examinedField(event)}.order`));
  return {
    ...order,
    discount_amount: numberOrNull(sent.discount_amount) ?? 0,
    items: order.items.map((item, n) => ({
      ...item,
      discount_amount: numberOrNull(sent.items![n]!.discount_amount) ?? 0,
    })),
  };
}

/** What would start a rule; null: nothing that is asked about. */
function supposedOf(
  c: Ctx,
  {
    rule,
    membership,
    question,
    situations,
  }: {
    rule: EarningRule;
    membership: Examined;
    question: Question;
    situations: ReadonlyMap<ProgramTrigger, Situation>;
  },
): Supposed | null {
  const { event, custom_event, segment } = rule.trigger;
  const context = question.contextOf.get(event);
  const situation = situations.get(event);
  if (!context || !situation) return null;
  const schemaId = context.custom_event?.schema_id;
  if (schemaId !== undefined && schemaId !== custom_event?.schema_id) return null;
  if (question.event !== null && segment && !situation.entered.has(segment.id)) return null;
  const { customer, order } = situation;
  const facts = earningFacts({ ...situation, of: c }, c.project, supposing(membership.member, context.member).metadata);
  return {
    occurrence: {
      event,
      ...(custom_event && { schema_id: custom_event.schema_id }),
      ...(segment && { segment_id: segment.id }),
    },
    holds: ({ rules }) => ruleGroupHolds(rules, facts),
    bases: { steps: c.steps, order, customer: customer.metadata, custom_event: situation.custom_event },
  };
}

type OpenBenefits = ReadonlyMap<string, BenefitRow>;

/** The benefits that could be given now. Their stock is not in the catalog. */
async function loadBenefits(c: Ctx, catalog: Catalog, memberships: readonly Examined[]): Promise<OpenBenefits> {
  const rules = memberships.flatMap(({ program }) => earningRulesOf(catalog, program.id));
  const ids = rules.flatMap(({ earnings }) => benefitsOfEarnings(earnings));
  const rows = ids.length > 0 ? await benefits.load(c.db, c.project.id, [...new Set(ids)]) : [];
  const open = rows.filter(({ status, stock_quantity }) => status === "ACTIVE" && stock_quantity !== 0);
  return new Map(open.map((row) => [row.id, row]));
}

const ruleShown = ({ id }: EarningRule) => ({ id, object: "earning_rule" as const });

/** The cards that would get points. */
const cardsShown = ({ cards }: Examined, estimates: readonly Estimate[]) =>
  cards.flatMap((one) => {
    const earning_rules = estimates.flatMap(({ rule, points }) => {
      const points_estimation = points.get(one.card.card_definition_id);
      return points_estimation === undefined
        ? []
        : [{ earning_rule: ruleShown(rule), points_estimation, object: "earning_rule_estimation" as const }];
    });
    const points_estimation = earning_rules.reduce((sum, estimate) => added(sum, estimate.points_estimation), 0);
    return points_estimation === 0
      ? []
      : [{ card: cardShown(one), points_estimation, earning_rules, object: "card_estimation" as const }];
  });

/** The benefits that would be given. Points that are a benefit stand here, and are not counted with those of the cards. */
const benefitsShown = (given: OpenBenefits, estimates: readonly Estimate[]) =>
  [...given.values()].flatMap(({ id, name, type }) => {
    const own = estimates.filter((one) => one.benefits.includes(id));
    return own.length === 0
      ? []
      : [
          {
            benefit: { id, name, type, object: "benefit" as const },
            earning_rules: own.map(({ rule }) => ({
              earning_rule: ruleShown(rule),
              object: "earning_rule_estimation" as const,
            })),
            object: "benefit_estimation" as const,
          },
        ];
  });
