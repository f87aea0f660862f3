import type { TierMoveType } from "../tiers/state.ts";

/** What rules and calculations can look at only when the event brings it. */
export type TriggerFact = "order" | "custom_event";
/** The object that an event is about: it decides which ids the event has, and by which of them a rule names it. */
export type About = "order" | "redemption" | "custom_event" | "segment" | "tier";

type Row = {
  about: About;
  brings: TriggerFact | null;
  /**
   * What it wakes in loyalty campaigns: rules, which name it by `event` (null: by the name of the custom event), or the
   * return of what an order earned, with the reason that its transactions give.
   */
  v1: { wakes: "rules"; event: string | null } | { wakes: "returns"; reason: string } | null;
  /** What it wakes in loyalty programs, whose rules name it by its kind. */
  v2: { wakes: "rules" } | { wakes: "returns" } | null;
  /** The move between tiers that it tells of. */
  move?: TierMoveType;
};

const RULES = { wakes: "rules" } as const;
const RETURNS = { wakes: "returns" } as const;
const returnsFor = <R extends string>(reason: R) => ({ ...RETURNS, reason }) as const;
const rulesNaming = <E extends string | null>(event: E) => ({ ...RULES, event }) as const;
const tierMove = <E extends string, M extends TierMoveType>(event: E, move: M) =>
  ({ about: "tier", brings: null, v1: rulesNaming(event), v2: null, move }) as const;

/**
 * The events that points follow from. An event that earns is one row: the schemas of both kinds of earning rules, the
 * matchers, what is loaded and who is asked follow from it.
 */
export const TRIGGERS = {
  "customer.order.paid": { about: "order", brings: "order", v1: rulesNaming("order.paid"), v2: RULES },
  "customer.custom_event": { about: "custom_event", brings: "custom_event", v1: rulesNaming(null), v2: RULES },
  "customer.segment.entered": {
    about: "segment",
    brings: null,
    v1: rulesNaming("customer.segment.entered"),
    v2: RULES,
  },
  "customer.order.canceled": { about: "order", brings: null, v1: returnsFor("Order canceled"), v2: RETURNS },
  // The order of a redemption that is rolled back is not cancelled by that: members of programs keep what it earned.
  "customer.redemption.rollback.succeeded": {
    about: "redemption",
    brings: null,
    v1: returnsFor("Redemption rolled back"),
    v2: null,
  },
  "customer.loyalty.tier.joined": tierMove("customer.loyalty.tier.joined", "JOINED"),
  "customer.loyalty.tier.left": tierMove("customer.loyalty.tier.left", "LEFT"),
  "customer.loyalty.tier.upgraded": tierMove("customer.loyalty.tier.upgraded", "UPGRADED"),
  "customer.loyalty.tier.downgraded": tierMove("customer.loyalty.tier.downgraded", "DOWNGRADED"),
  "customer.loyalty.tier.prolonged": tierMove("customer.loyalty.tier.prolonged", "PROLONGED"),
} as const satisfies Record<string, Row>;

type Table = typeof TRIGGERS;
export type TriggerKind = keyof Table;
/** The kinds that are about an object of one sort. */
export type KindAbout<A extends About> = { [K in TriggerKind]: Table[K]["about"] extends A ? K : never }[TriggerKind];
type TierEvent = KindAbout<"tier">;
/** The kinds that an earning rule of a loyalty program can name. */
export type ProgramTrigger = { [K in TriggerKind]: Table[K]["v2"] extends typeof RULES ? K : never }[TriggerKind];

const ROWS = Object.entries(TRIGGERS) as [TriggerKind, Row][];
export const triggerOf = (kind: TriggerKind): Row => TRIGGERS[kind];
/** The row of an event of any kind; undefined: no points follow from it. */
export const findTrigger = (kind: string): Row | undefined =>
  Object.hasOwn(TRIGGERS, kind) ? triggerOf(kind as TriggerKind) : undefined;
export const isKindAbout = <A extends About>(kind: string, about: A): kind is KindAbout<A> =>
  findTrigger(kind)?.about === about;

/** The kinds that an earning rule of a loyalty program can name, in the order of the table. */
export const PROGRAM_TRIGGERS = ROWS.filter(([, { v2 }]) => v2?.wakes === "rules").map(
  ([kind]) => kind as ProgramTrigger,
);
/** How an earning rule of a loyalty campaign names each kind. Custom events are left out: their names are of the project. */
export const CAMPAIGN_TRIGGERS: ReadonlyMap<string, TriggerKind> = new Map(
  ROWS.flatMap(([kind, { v1 }]) => (v1?.wakes === "rules" && v1.event !== null ? [[v1.event, kind]] : [])),
);
/** The same as contexts of validation rules name them, custom events among them. */
export const EARNING_CONTEXTS: readonly string[] = ROWS.flatMap(([, { v1 }]) =>
  v1?.wakes === "rules" ? [`earning_rule.${(v1.event ?? "custom_event").replace(".loyalty.", ".")}`] : [],
);
const [BY_NAME] = ROWS.find(([, { v1 }]) => v1?.wakes === "rules" && v1.event === null)!;
/** The kind that starts a rule of a loyalty campaign with this event. Every name that is not ours is one of a custom event. */
export const campaignTriggerNamed = (event: string): TriggerKind => CAMPAIGN_TRIGGERS.get(event) ?? BY_NAME;

/** The kinds that tell of moves between tiers. */
export const TIER_EVENTS = Object.fromEntries(
  ROWS.flatMap(([kind, { move }]) => (move ? [[move, kind]] : [])),
) as Record<TierMoveType, TierEvent>;

/** The kinds that bring a fact, as rules of loyalty programs name them. */
export const programTriggersBringing = (fact: TriggerFact): ProgramTrigger[] =>
  PROGRAM_TRIGGERS.filter((kind) => triggerOf(kind).brings === fact);
/** The same as rules of loyalty campaigns name them. */
export const campaignTriggersBringing = (fact: TriggerFact): string[] =>
  [...CAMPAIGN_TRIGGERS].filter(([, kind]) => triggerOf(kind).brings === fact).map(([event]) => event);

/** What happened to a customer: the kind of the event, and the ids of what it is about. */
export type Occurrence = {
  event: TriggerKind;
  schema_id?: string;
  segment_id?: string;
  /** The tier that was entered or kept, or the one that was left; and the campaign that has it. */
  tier_id?: string;
  campaign_id?: string;
};

/** What decides whether an event starts a rule of a loyalty campaign. */
export type CampaignRuleStart = {
  campaign_id: string;
  event: string;
  segment_id: string | null;
  custom_event_schema_id: string | null;
  loyalty_tier_id: string | null;
};
export const ANY_TIER = "__ANY__";

// Contract is silent: any tier is any of the program that has the rule; a tier of another one has to be named.
const NAMES_IT: Record<About, (rule: CampaignRuleStart, occurrence: Occurrence) => boolean> = {
  order: () => true,
  redemption: () => true,
  custom_event: (rule, { schema_id }) => rule.custom_event_schema_id === schema_id,
  segment: (rule, { segment_id }) => rule.segment_id === segment_id,
  tier: (rule, { tier_id, campaign_id }) =>
    rule.loyalty_tier_id === ANY_TIER ? rule.campaign_id === campaign_id : rule.loyalty_tier_id === tier_id,
};

/** The kind that starts a rule of a loyalty campaign. A custom event may have the name of another event. */
export const triggerOfCampaignRule = (
  rule: Pick<CampaignRuleStart, "event" | "custom_event_schema_id">,
): TriggerKind => (rule.custom_event_schema_id === null ? campaignTriggerNamed(rule.event) : BY_NAME);

/** Whether an event starts a rule of a loyalty campaign. */
export const startsCampaignRule = (rule: CampaignRuleStart, occurrence: Occurrence): boolean =>
  triggerOfCampaignRule(rule) === occurrence.event && NAMES_IT[triggerOf(occurrence.event).about](rule, occurrence);

/** The field in which a trigger of a loyalty program names what it is about; null: it names nothing. */
const PROGRAM_FIELDS = {
  order: null,
  redemption: null,
  custom_event: "custom_event",
  segment: "segment",
  tier: null,
} as const;
export const TRIGGER_FIELDS = Object.fromEntries(
  PROGRAM_TRIGGERS.map((kind) => [kind, PROGRAM_FIELDS[triggerOf(kind).about]]),
) as { [K in ProgramTrigger]: (typeof PROGRAM_FIELDS)[Table[K]["about"]] };

/** What starts an earning rule of a loyalty program. */
export type RuleTrigger = {
  event: ProgramTrigger;
  custom_event?: { schema_id: string } | undefined;
  segment?: { id: string } | undefined;
};

/** Whether an event starts a rule of a loyalty program. */
export const startsProgramRule = ({ trigger }: { trigger: RuleTrigger }, occurrence: Occurrence): boolean =>
  trigger.event === occurrence.event &&
  trigger.custom_event?.schema_id === occurrence.schema_id &&
  trigger.segment?.id === occurrence.segment_id;

/** The name under which it is noted that an order moved points of members, which it does once; null: it is about no order. */
export const programCauseOf = (kind: TriggerKind): `order.${string}` | null =>
  triggerOf(kind).about === "order" ? (kind.replace(/^customer\./, "") as `order.${string}`) : null;

export type CampaignCause = `card.order.${string}`;
export const RETURNED: CampaignCause = "card.order.returned";
/** The same for loyalty cards of campaigns, on which an order that was returned may earn again. */
export function campaignCauseOf(kind: TriggerKind): CampaignCause | null {
  const { about, v1 } = triggerOf(kind);
  if (v1?.wakes === "returns") return RETURNED;
  return about === "order" && v1 ? `card.${programCauseOf(kind)!}` : null;
}
const EARNED = ROWS.map(([kind]) => campaignCauseOf(kind)).filter(
  (cause) => cause !== null && cause !== RETURNED,
) as CampaignCause[];
export const CAMPAIGN_CAUSES: readonly CampaignCause[] = [...EARNED, RETURNED];
/** What an order may do again after this: earn after it was returned, and be returned after it earned. */
export const undoneBy = (cause: CampaignCause): readonly CampaignCause[] => (cause === RETURNED ? EARNED : [RETURNED]);

/** The field that says what is supposed of an event whose earnings are examined. */
export type ExaminedField<K extends string> = K extends `${infer Head}.${infer Tail}`
  ? `${Head}_${ExaminedField<Tail>}`
  : K;
export const examinedField = <K extends ProgramTrigger>(kind: K) => kind.replaceAll(".", "_") as ExaminedField<K>;
/** The kinds in the order of those fields: custom events come last. */
export const EXAMINED: readonly ProgramTrigger[] = PROGRAM_TRIGGERS.toSorted(
  (a, b) => Number(triggerOf(a).about === "custom_event") - Number(triggerOf(b).about === "custom_event"),
);
