import { type Static, type TSchema, Type } from "typebox";
import { ValidityHours, ValidityHoursSent } from "../../../core/loyalty/card/window.ts";
import { Stock, StockSent } from "../../../core/loyalty/program/benefit.ts";
import { idOf } from "../../../core/loyalty/program/shape.ts";
import {
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Metadata,
  Nullable,
  strict,
} from "../../../http/schemas.ts";

const PROGRAM_STATUSES = ["DRAFT", "ACTIVE", "INACTIVE", "DELETED"] as const;
const Name = Type.String({ minLength: 1, maxLength: 200 });

export const Program = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Choice(PROGRAM_STATUSES),
    start_date: Nullable(DateTime),
    end_date: Nullable(DateTime),
    validity_hours: ValidityHours,
    metadata: Metadata,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("program"),
  },
  { title: "LoyaltyProgram" },
);
export type Program = Static<typeof Program>;
export const ProgramList = cursorListOf(Program);

const BATCH_MAX = 10;
const few = <S extends TSchema>(item: S) =>
  Type.Optional(Nullable(Type.Array(item, { minItems: 1, maxItems: BATCH_MAX })));
const component = (prefix: string) => strict({ id: idOf(prefix) });
const rewardSent = strict({ id: idOf("lrew"), stock: StockSent });

const writable = {
  name: Name,
  start_date: Nullable(DateTime),
  end_date: Nullable(DateTime),
  validity_hours: Nullable(ValidityHoursSent),
  metadata: Nullable(Metadata),
};
export const ProgramCreate = strict({
  name: writable.name,
  start_date: Type.Optional(writable.start_date),
  end_date: Type.Optional(writable.end_date),
  validity_hours: Type.Optional(writable.validity_hours),
  metadata: Type.Optional(writable.metadata),
  status: Type.Optional(Nullable(Choice(["ACTIVE", "DRAFT"]))),
  card_definitions: few(component("lcdef")),
  earning_rules: few(component("lern")),
  rewards: few(rewardSent),
  tier_structures: few(component("lts")),
});
export type ProgramCreate = Static<typeof ProgramCreate>;
export const ProgramUpdate = strict({
  name: Type.Optional(writable.name),
  start_date: Type.Optional(writable.start_date),
  end_date: Type.Optional(writable.end_date),
  validity_hours: Type.Optional(writable.validity_hours),
  metadata: Type.Optional(writable.metadata),
});
export type ProgramUpdate = Static<typeof ProgramUpdate>;

const Named = Type.Object({ id: Type.String() });
export const ProgramWithAssignments = Type.Object(
  {
    ...Program.properties,
    card_definitions: Nullable(Type.Array(Named)),
    earning_rules: Nullable(Type.Array(Named)),
    rewards: Nullable(Type.Array(Type.Object({ id: Type.String(), stock: Stock }))),
    tier_structures: Nullable(Type.Array(Named)),
  },
  { title: "LoyaltyProgramWithAssignments" },
);
export type ProgramWithAssignments = Static<typeof ProgramWithAssignments>;

export const ProgramCardDefinition = Type.Object(
  {
    card_type: Type.Literal("INDIVIDUAL"),
    card_definition_id: Type.String(),
    created_at: DateTime,
    object: Type.Literal("program_card_definition"),
  },
  { title: "LoyaltyProgramCardDefinition" },
);
export const ProgramEarningRule = Type.Object(
  { earning_rule_id: Type.String(), created_at: DateTime, object: Type.Literal("program_earning_rule") },
  { title: "LoyaltyProgramEarningRule" },
);
export const ProgramTierStructure = Type.Object(
  { tier_structure_id: Type.String(), created_at: DateTime, object: Type.Literal("program_tier_structure") },
  { title: "LoyaltyProgramTierStructure" },
);
export const ProgramReward = Type.Object(
  {
    reward_id: Type.String(),
    stock: Stock,
    redeemed: Type.Integer({ minimum: 0, description: "How many were bought." }),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("program_reward"),
  },
  { title: "LoyaltyProgramReward" },
);
export type ProgramReward = Static<typeof ProgramReward>;

export const batchOf = (prefix: string) => strict({ assign: few(component(prefix)), unassign: few(component(prefix)) });
export const RewardBatch = strict({ assign: few(rewardSent), unassign: few(component("lrew")) });
export type RewardBatch = Static<typeof RewardBatch>;
export const batchResultOf = <S extends TSchema>(item: S) =>
  Type.Object({ assigned: Nullable(Type.Array(item)), unassigned: Nullable(Type.Array(item)) });
export const RewardStock = strict({ stock: StockSent });

export const ByProgram = Type.Object({ programId: Type.String() });
export const ByProgramReward = Type.Object({ programId: Type.String(), rewardId: Type.String() });
export const ProgramQuery = CursorQuery(["created_at", "name"], { filters: Type.Optional(Filters) });
export const ProgramAssignmentQuery = CursorQuery(["created_at"]);
