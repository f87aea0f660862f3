import { walletPoints } from "../../core/loyalty/earning/earning-rule.ts";
import { stockShown } from "../../core/loyalty/program/benefit.ts";
import type { Component, ComponentKind } from "../../core/loyalty/program/program.ts";
import type { Db } from "../../db/db.ts";
import { cardDefinitions, viewCardDefinition } from "../../resources/loyalty-v2/card-definitions/store.ts";
import { earningRules, view as viewEarningRule } from "../../resources/loyalty-v2/earning-rules/store.ts";
import type { AssignmentRow } from "../../resources/loyalty-v2/programs/assignments-store.ts";
import type { Program, ProgramReward } from "../../resources/loyalty-v2/programs/schema.ts";
import { rewards, view as viewReward } from "../../resources/loyalty-v2/rewards/store.ts";
import { tierStructures, viewTierStructure } from "../../resources/loyalty-v2/tier-structures/store.ts";

/** A component, and how it is shown. */
export type ShownComponent = Component & { shown: object };
type Load = (db: Db, projectId: string, ids: readonly string[]) => Promise<ShownComponent[]>;

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

const LOADS: Record<ComponentKind, Load> = {
  card_definition: async (db, projectId, ids) =>
    (await cardDefinitions.load(db, projectId, ids)).map((row) => ({
      ...{ kind: "card_definition", id: row.id, status: row.status },
      wallets: [],
      shown: viewCardDefinition(row),
    })),
  tier_structure: async (db, projectId, ids) =>
    (await tierStructures.load(db, projectId, ids)).map((row) => ({
      ...{ kind: "tier_structure", id: row.id, status: row.status },
      wallets: [row.card_definition_id],
      shown: viewTierStructure(row),
    })),
  earning_rule: async (db, projectId, ids) =>
    (await earningRules.load(db, projectId, ids)).map((row) => ({
      ...{ kind: "earning_rule", id: row.id, status: row.status },
      wallets: unique(
        row.earnings.flatMap(({ effects }) => effects.flatMap((one) => walletPoints(one)?.card_definition_id ?? [])),
      ),
      shown: viewEarningRule(row),
    })),
  reward: async (db, projectId, ids) =>
    (await rewards.load(db, projectId, ids)).map((row) => ({
      ...{ kind: "reward", id: row.id, status: row.status },
      wallets: unique(row.costs.flatMap(({ spending }) => spending.map((one) => one.card_definition_id))),
      shown: viewReward(row),
    })),
};
/** Also the order in which they are locked. */
export const COMPONENT_KINDS = Object.keys(LOADS) as ComponentKind[];

/** What is assigned, as it is now: one statement for each kind. */
export async function loadShownComponents(
  db: Db,
  projectId: string,
  assigned: readonly Pick<AssignmentRow, "kind" | "component_id">[],
): Promise<Map<string, ShownComponent>> {
  const by = Map.groupBy(assigned, ({ kind }) => kind);
  const parts: ShownComponent[] = [];
  for (const [kind, rows] of by)
    parts.push(
      ...(await LOADS[kind](
        db,
        projectId,
        rows.map(({ component_id }) => component_id),
      )),
    );
  return new Map(parts.map((part) => [part.id, part]));
}

const ASSIGNMENT_OBJECTS = {
  card_definition: "program_card_definition",
  earning_rule: "program_earning_rule",
  tier_structure: "program_tier_structure",
  reward: "program_reward",
} as const;

/** An assignment as clients see it. */
export const assignmentViews = {
  card_definition: ({ component_id, created_at }: AssignmentRow) => ({
    card_type: "INDIVIDUAL" as const,
    card_definition_id: component_id,
    created_at,
    object: ASSIGNMENT_OBJECTS.card_definition,
  }),
  earning_rule: ({ component_id, created_at }: AssignmentRow) => ({
    earning_rule_id: component_id,
    created_at,
    object: ASSIGNMENT_OBJECTS.earning_rule,
  }),
  tier_structure: ({ component_id, created_at }: AssignmentRow) => ({
    tier_structure_id: component_id,
    created_at,
    object: ASSIGNMENT_OBJECTS.tier_structure,
  }),
  reward: ({ component_id, stock_quantity, redeemed, created_at, updated_at }: AssignmentRow): ProgramReward => ({
    reward_id: component_id,
    stock: stockShown(stock_quantity),
    redeemed,
    created_at,
    updated_at,
    object: ASSIGNMENT_OBJECTS.reward,
  }),
};

/** What is told of assignments: one event of the program, and one of the component. */
export const assignmentEvents = (
  program: Program,
  happened: "assigned" | "unassigned",
  { rows, parts }: { rows: readonly AssignmentRow[]; parts: ReadonlyMap<string, ShownComponent> },
) =>
  rows.flatMap((row) => {
    const { kind, component_id } = row;
    const shown = parts.get(component_id)?.shown ?? { id: component_id, object: kind };
    const payload = { [kind]: shown, program, [ASSIGNMENT_OBJECTS[kind]]: assignmentViews[kind](row) };
    return [
      { kind: `vl.program.${kind}.${happened}` as const, subject_id: program.id, payload },
      { kind: `vl.${kind}.${happened}` as const, subject_id: component_id, payload },
    ];
  });
