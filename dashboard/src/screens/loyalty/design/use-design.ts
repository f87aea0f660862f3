import { useRef } from "react";
import {
  getCardDefinition,
  getEarningRule,
  getReward,
  getTierStructure,
  listProgramCardDefinitionAssignments,
  listProgramEarningRuleAssignments,
  listProgramRewardAssignments,
  listProgramTierStructureAssignments,
  listTiers,
} from "../../../api/operations.gen.ts";
import { type Reading, useOp } from "../../../api/use-op.ts";
import { useOps } from "../../../api/use-ops.ts";
import type { Design } from "./parts.ts";

/** A program has at most so many rules, and as many rewards. */
const ALL = 100;

/** Everything that a program is made of. */
export function useDesign(programId: string): Reading<Design> {
  const params = { programId, limit: ALL };
  const assigned = {
    wallets: useOp(listProgramCardDefinitionAssignments, params),
    rules: useOp(listProgramEarningRuleAssignments, params),
    structures: useOp(listProgramTierStructureAssignments, params),
    rewards: useOp(listProgramRewardAssignments, params),
  };
  const walletIds = assigned.wallets.data?.data.map(({ card_definition_id }) => card_definition_id) ?? [];
  const ruleIds = assigned.rules.data?.data.map(({ earning_rule_id }) => earning_rule_id) ?? [];
  const structureIds = assigned.structures.data?.data.map(({ tier_structure_id }) => tier_structure_id) ?? [];
  const stocks = assigned.rewards.data?.data ?? [];
  const wallets = useOps(
    getCardDefinition,
    walletIds.map((cardDefinitionId) => ({ cardDefinitionId })),
  );
  const rules = useOps(
    getEarningRule,
    ruleIds.map((earningRuleId) => ({ earningRuleId })),
  );
  const structures = useOps(
    getTierStructure,
    structureIds.map((tierStructureId) => ({ tierStructureId })),
  );
  const tiers = useOps(
    listTiers,
    structureIds.map((tierStructureId) => ({ tierStructureId, limit: ALL })),
  );
  const rewards = useOps(
    getReward,
    stocks.map(({ reward_id }) => ({ rewardId: reward_id })),
  );
  const all: Reading<unknown>[] = [...Object.values(assigned), wallets, rules, structures, tiers, rewards];
  // While something new is read, what was there before stays.
  const kept = useRef<{ programId: string; design: Design } | null>(null);
  if (all.every(({ data }) => data !== undefined))
    kept.current = {
      programId,
      design: {
        wallets: wallets.data!,
        rules: rules.data!,
        structure: structures.data![0] ?? null,
        tiers: tiers.data!.flatMap(({ data }) => data),
        rewards: rewards.data!.map((reward, place) => ({ reward, assigned: stocks[place]! })),
      },
    };
  return {
    data: kept.current?.programId === programId ? kept.current.design : undefined,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => Promise.all(all.map(({ refetch }) => refetch())),
  };
}
