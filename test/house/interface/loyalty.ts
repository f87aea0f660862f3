import { each, open, rows } from "./row.ts";

const STATUSES = "is DRAFT, ACTIVE, INACTIVE or DELETED";

const structures = (name: string) => `test/loyalty-v2/loyalty-tier-structures.test.ts › ${name}`;
const WHOLE = structures(
  "a tier structure is created, read, listed, updated and deleted, with every field at every step",
);
const TAKEN = structures("every value that the interface allows is taken and returned, on update and on create");
const REFUSED = structures(
  "every value that the interface does not allow is a 400 that names the field, and nothing changes",
);
const KEPT = structures(
  "what is not sent keeps its value, what is sent replaces the whole of it, and {} changes nothing",
);
const TRACKED = structures(
  "a type that becomes POINT_BALANCE clears what was tracked; POINT_EARNED keeps it and cannot be without",
);
const NOT_DRAFT = structures("not in DRAFT only name and metadata are taken, whatever value another key has");
const ACTIVATED = structures(
  "a tier structure is activated from every state, without a body, and again without a change",
);
const FAILED = structures("an update that fails inside is a 500 with the error body, and nothing changes");
const definitions = (name: string) => `test/loyalty-v2/loyalty-card-definitions.test.ts › ${name}`;
const DEFINITION = definitions("a card definition is created with every section, read, listed, updated and deleted");
const SECTIONS = definitions("every section is taken in each of its forms, and a type that is left out is returned");
const DEFINITION_READ = definitions(
  "reading a card definition takes any id and any query parameter, and answers 404 for what is not there",
);
const DEFINITION_MOVES = definitions("a card definition moves between DRAFT and ACTIVE, and from nowhere else");

export const tierStructure = [
  ...rows(
    "tier_structure",
    {
      id: "identifier, always there",
      name: "display name, at most 200 characters, always there",
      type: "POINT_BALANCE or POINT_EARNED, always there",
      card_definition_id: "the linked card definition, always there",
      point_earned: ["object or null, there when the type is POINT_EARNED", each(WHOLE), TRACKED],
      expiration: "object or null: when a qualification expires",
      downgrade: "object or null: how a member moves down",
      metadata: "free keys and values, always there",
      status: [STATUSES, each(WHOLE), ACTIVATED, NOT_DRAFT],
      created_at: "instant, always there",
      updated_at: "instant or null",
      object: "always tier_structure",
    },
    [each(WHOLE), TAKEN],
  ),
  ...rows(
    "tier_structure.point_earned",
    {
      period: "required; value is a whole number from 1, unit HOUR, DAY, WEEK, MONTH or YEAR, both required",
      type: "required; IMMEDIATELY or NEXT_TRACKING_PERIOD: when earned points count",
    },
    [TAKEN, each(REFUSED)],
  ),
  ...rows(
    "tier_structure.expiration",
    {
      type: "required; one of the four kinds of expiration",
      rolling_expiration: "required for its type; period of DAY, MONTH or YEAR",
      calendar_expiration: "required for its type; 1 to 20 dates of day and month",
      sliding_expiration: "required for its type",
      rule1: "NO_EXPIRATION allows no sub-object",
      rule2: "each other type takes its own sub-object, required, and no other",
      rule3: "a day is 1..31 and fits its month (29 February counts), a month 1..12",
      rule4: "a period is at least 1 and at most 90 days, 12 months or 5 years",
    },
    [TAKEN, each(REFUSED)],
  ),
  ...rows(
    "tier_structure.sliding_expiration",
    {
      earning_activity: "boolean, in every response: earning resets the window",
      spending_activity: ["boolean, in every response: spending resets the window", each(TAKEN), REFUSED],
      custom_activity: "boolean, in every response: custom events reset the window",
      custom_activity_types: "at most 10 different event schema ids, required and not empty with custom_activity",
      period: "required, DAY, MONTH or YEAR from 1; may be null in a request",
      one_flag: "a request has at least one of the three flags true",
    },
    [TAKEN, each(REFUSED)],
  ),
  ...rows(
    "tier_structure.downgrade",
    {
      type: "MULTI_LEVEL, SINGLE_LEVEL or NO_DOWNGRADE",
      grace_period: "object or null; value and unit required, maximum by unit, round_up boolean",
    },
    [TAKEN, each(REFUSED)],
  ),
  ...rows(
    "tier_structure.put",
    {
      path: ["PUT /v2/loyalties/tier-structures/{id}, id required", each(WHOLE), REFUSED],
      strict: ["a JSON body is required; unknown fields are refused", each(REFUSED)],
      partial: ["all fields are optional; what is not sent keeps its value", KEPT],
      name: "1 to 200 characters",
      type: "POINT_BALANCE or POINT_EARNED",
      card_definition_id: "of a card definition that exists",
      point_earned: "object or null",
      expiration: "object or null",
      downgrade: "object or null",
      metadata: "object or null",
      rule1: ["not in DRAFT only name and metadata may change", NOT_DRAFT],
      rule2: ["changing the type to POINT_EARNED needs point_earned", each(REFUSED), TRACKED],
      rule3: ["with POINT_BALANCE point_earned must be null", each(REFUSED), TRACKED],
      rule4: "sub-objects have the shapes of the resource and refuse unknown fields",
      answer: ["200 with the structure; 400, 404 and 500 with the error body", each(WHOLE), REFUSED, FAILED],
    },
    [TAKEN, each(REFUSED)],
  ),
  ...rows(
    "tier_structure.activate",
    {
      path: "POST …/activate without a body",
      answer: "200 with the activated structure",
    },
    [ACTIVATED],
  ),
  ...rows(
    "tier_structure.state",
    {
      statuses: [STATUSES, WHOLE, ACTIVATED],
      rule1: "not in DRAFT the update takes only name and metadata",
    },
    [NOT_DRAFT],
  ),
  ...open(
    rows("tier_structure.state", { activate_from: "from which states it may be activated", rule2: "other moves" }, [
      ACTIVATED,
    ]),
  ),
];

export const cardDefinition = [
  ...rows(
    "card_definition",
    {
      id: "identifier",
      name: "text",
      type: "INDIVIDUAL",
      status: [STATUSES, each(DEFINITION), DEFINITION_MOVES],
      code_config: "pattern, length, charset, prefix, postfix",
      points_expiration: "rolling, calendar and sliding sub-objects",
      pending_points: "period_based, fixed_dates and event_based sub-objects",
      earning_limits: "global limits with a period, limits of a transaction",
      spending_limits: "global limits, limits of a transaction of type POINTS",
      refunds: "methods for spent (RETURN_POINTS) and earned points",
      balance_settings: "allow_negative boolean",
      metadata: "object",
      created_at: "instant",
      updated_at: "instant or null",
      object: "always card_definition",
    },
    [each(DEFINITION), SECTIONS],
  ),
  ...rows("card_definition.get", { path: "GET by id, without a body", answer: "200 with the card definition" }, [
    DEFINITION,
    DEFINITION_READ,
  ]),
  ...open(rows("card_definition.state", { transitions: "how its status changes" }, [DEFINITION_MOVES])),
];

const rule = (name: string) => `test/loyalty-v2/loyalty-earning-rules.test.ts › ${name}`;
const RULE_FIELDS = rule(
  "a deleted earning rule is answered with every field that a rule has, and with the status DELETED",
);
const RULE_GONE = rule(
  "deleting takes a rule of every status; then it is gone for every operation, and a second delete is 404",
);
const RULE_MOVES = rule("a rule moves between its statuses, and every other move is 409");
const RULE_STRICT = rule(
  "unknown fields are refused at every depth, and so is the name that a later dialect gives to an incentive",
);

export const earningRule = [
  ...rows(
    "earning_rule",
    {
      id: "identifier",
      name: "text",
      status: [STATUSES, each(RULE_FIELDS), RULE_MOVES],
      earnings: "name, rules with logic, effects, tier_rules",
      trigger: "a custom event schema or a segment",
      metadata: "object",
      created_at: "instant",
      object: "always earning_rule",
      error: "message, optional",
      validity_hours: "daily days of the week, start and end, optional",
      start_date: "instant or null",
      end_date: "instant or null",
      trigger_limits: "a fixed cooldown, and how often by period (TIME_BASED, CURRENT_PERIOD)",
      updated_at: "instant or null",
    },
    [each(RULE_FIELDS)],
  ),
  ...rows(
    "earning_rule.effect",
    {
      one_or_more: ["an effect holds one or more of the three kinds", RULE_FIELDS],
      points: "value, card definition, expiration",
      points_proportional: "card definition, expiration and branches",
      order: "by amount, total_amount or metadata of the order",
      customer_metadata: "by metadata of the customer",
      order_items: "by amount, subtotal_amount or quantity of products, SKUs or collections",
      incentive: ["id", each(RULE_FIELDS), RULE_STRICT],
    },
    [each(RULE_FIELDS)],
  ),
  ...rows("earning_rule.delete", {
    path: ["DELETE by id, without a body", RULE_GONE],
    answer: ["200 with the deleted rule", each(RULE_FIELDS)],
  }),
  ...open(
    rows("earning_rule.state", {
      transitions: ["its status after the delete and other moves", RULE_GONE, RULE_MOVES],
    }),
  ),
];
