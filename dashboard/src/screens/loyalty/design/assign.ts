import type { BodyOf } from "../../../api/op.ts";
import {
  batchProgramCardDefinitionAssignments,
  batchProgramEarningRuleAssignments,
  batchProgramRewardAssignments,
  batchProgramTierStructureAssignments,
} from "../../../api/operations.gen.ts";
import { useSend } from "../../../api/use-op.ts";
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

/** Puts parts of a kind into a program and takes them out. A reward has a stock there. */
export function useAssign(kind: Kind, programId: string) {
  const { mutateAsync } = useSend(ASSIGNS[kind] as typeof batchProgramRewardAssignments);
  return {
    assign: (id: string, stock?: Stock) => {
      const one = kind === "reward" ? { id, stock: stock ?? stockOf(null) } : { id };
      return mutateAsync({ params: { programId }, body: { assign: [one as RewardToAssign] } });
    },
    unassign: (id: string) => mutateAsync({ params: { programId }, body: { unassign: [{ id }] } }),
  };
}
