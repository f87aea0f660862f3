import type { Static, TSchema } from "typebox";
import type { ComponentKind } from "../../../core/loyalty/program/program.ts";
import { assignToProgram, setRewardStock } from "../../../flows/loyalty-v2/assign-to-program.ts";
import { createProgram, moveProgram, removeProgram, updateProgram } from "../../../flows/loyalty-v2/save-program.ts";
import { cursorList, type Route, read, write } from "../../../http/route.ts";
import { cursorListOf } from "../../../http/schemas.ts";
import { statusRoutes } from "../../../http/status-routes.ts";
import { assignmentViews } from "../../../steps/programs/programs.ts";
import { type AssignmentRow, listProgramAssignments } from "./assignments-store.ts";
import {
  ByProgram,
  ByProgramReward,
  batchOf,
  batchResultOf,
  Program,
  ProgramAssignmentQuery,
  ProgramCardDefinition,
  ProgramCreate,
  ProgramEarningRule,
  ProgramList,
  ProgramQuery,
  ProgramReward,
  ProgramTierStructure,
  ProgramUpdate,
  ProgramWithAssignments,
  RewardBatch,
  RewardStock,
} from "./schema.ts";
import { programs as store, view } from "./store.ts";

const PROGRAM = "/v2/loyalties/programs/{programId}";

type Assigned<S extends TSchema> = {
  kind: ComponentKind;
  path: "card-definitions" | "earning-rules" | "tier-structures" | "rewards";
  name: "CardDefinition" | "EarningRule" | "TierStructure" | "Reward";
  words: string;
  cursor: `lcrs${string}`;
  schema: S;
  body: typeof RewardBatch | ReturnType<typeof batchOf>;
  view(row: AssignmentRow): Static<S>;
};

/** The two operations on what is assigned to a program, of one kind. */
function assignmentRoutes<S extends TSchema>(of: Assigned<S>): Route[] {
  const { kind, path, name, words, cursor, schema, body, view } = of;
  return [
    read(
      `GET ${PROGRAM}/${path}`,
      {
        id: `listProgram${name}Assignments`,
        summary: `List the ${words} of a program`,
        params: ByProgram,
        query: ProgramAssignmentQuery,
        ok: cursorListOf(schema),
      },
      async (c) => {
        const { id: programId } = await store.get(c.db, c.project.id, c.params.programId);
        const page = await listProgramAssignments(c.db, c, { programId, kind, prefix: cursor }, c.query);
        return cursorList(page, view) as never;
      },
    ),
    write(
      `POST ${PROGRAM}/${path}/batch`,
      {
        id: `batchProgram${name}Assignments`,
        summary: `Assign and unassign ${words}`,
        description: "What is unassigned goes first. All of it is done, or nothing.",
        params: ByProgram,
        body,
        ok: batchResultOf(schema),
      },
      async (c) => {
        const { assigned, unassigned } = await assignToProgram(c, { programId: c.params.programId, kind }, c.body);
        return { assigned: assigned?.map(view) ?? null, unassigned: unassigned?.map(view) ?? null } as never;
      },
    ),
  ];
}

const [list, create, ...others] = statusRoutes({
  resource: "program",
  words: "a loyalty program",
  store,
  view,
  params: ByProgram,
  query: ProgramQuery,
  ok: { one: Program, list: ProgramList },
  body: { create: ProgramCreate, update: ProgramUpdate },
  flow: { create: createProgram, update: updateProgram, remove: removeProgram, move: moveProgram },
  activities: { id: "laprg", cursor: "lcrsapr" },
  specs: {
    create: {
      description: "With what is assigned to it from the beginning, all or nothing.",
      ok: ProgramWithAssignments,
    },
    update: { description: "While it is active only its name and its metadata change." },
    delete: { description: "It is gone at once, and its members with it. What happened stays in the ledger." },
    activate: { description: "It needs a card definition and an earning rule that are active." },
  },
});

export const loyaltyProgramRoutes = [
  // The order of openapi.json.
  create!,
  list!,
  ...others,
  ...assignmentRoutes({
    ...{ kind: "card_definition", path: "card-definitions", name: "CardDefinition", words: "card definitions" },
    cursor: "lcrscdefa",
    schema: ProgramCardDefinition,
    body: batchOf("lcdef"),
    view: assignmentViews.card_definition,
  }),
  ...assignmentRoutes({
    ...{ kind: "earning_rule", path: "earning-rules", name: "EarningRule", words: "earning rules" },
    cursor: "lcrserna",
    schema: ProgramEarningRule,
    body: batchOf("lern"),
    view: assignmentViews.earning_rule,
  }),
  ...assignmentRoutes({
    ...{ kind: "tier_structure", path: "tier-structures", name: "TierStructure", words: "tier structures" },
    cursor: "lcrstsa",
    schema: ProgramTierStructure,
    body: batchOf("lts"),
    view: assignmentViews.tier_structure,
  }),
  ...assignmentRoutes({
    ...{ kind: "reward", path: "rewards", name: "Reward", words: "rewards" },
    cursor: "lcrsrewa",
    schema: ProgramReward,
    body: RewardBatch,
    view: assignmentViews.reward,
  }),
  write(
    `PUT ${PROGRAM}/rewards/{rewardId}`,
    {
      id: "updateProgramRewardAssignment",
      summary: "Set how much there is of a reward in a program",
      params: ByProgramReward,
      body: RewardStock,
      ok: ProgramReward,
    },
    (c) => setRewardStock(c, c.params, c.body.stock),
  ),
];
