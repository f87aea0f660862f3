import type { BodyOf } from "../../../api/op.ts";
import {
  batchProgramCardDefinitionAssignments,
  batchProgramEarningRuleAssignments,
  batchProgramRewardAssignments,
  batchProgramTierStructureAssignments,
} from "../../../api/operations.gen.ts";
import { useSend } from "../../../api/use-op.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import type { Kind } from "./parts.ts";

/** What puts a part into a program. Tiers come and go with their structure. */
export const ASSIGNS = {
  rule: batchProgramEarningRuleAssignments,
  wallet: batchProgramCardDefinitionAssignments,
  tier: batchProgramTierStructureAssignments,
  reward: batchProgramRewardAssignments,
} as const satisfies Record<Kind, unknown>;

type RewardToAssign = NonNullable<BodyOf<typeof batchProgramRewardAssignments>["assign"]>[number];
export type Stock = RewardToAssign["stock"];
export const stockOf = (quantity: number | null): Stock =>
  quantity === null ? { type: "UNLIMITED" } : { type: "LIMITED", limited: { quantity } };

const operationOf = (kind: Kind) => ASSIGNS[kind] as typeof batchProgramRewardAssignments;
const assigning = (kind: Kind, programId: string, id: string, stock: Stock = stockOf(null)) => {
  const one = kind === "reward" ? { id, stock } : { id };
  return { params: { programId }, body: { assign: [one as RewardToAssign] } };
};

/** Puts a part that was just made into a program: the last step of its form. */
export const assignNew = (send: SendStep, kind: Kind, programId: string, id: string, stock?: Stock) =>
  send(operationOf(kind), assigning(kind, programId, id, stock));

/** Puts parts of a kind into a program and takes them out. A reward has a stock there. */
export function useAssign(kind: Kind, programId: string) {
  const { mutateAsync } = useSend(operationOf(kind));
  return {
    assign: (id: string, stock?: Stock) => mutateAsync(assigning(kind, programId, id, stock)),
    unassign: (id: string) => mutateAsync({ params: { programId }, body: { unassign: [{ id }] } }),
  };
}
