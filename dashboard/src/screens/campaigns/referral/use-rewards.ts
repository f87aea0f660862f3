import { useQuery } from "@tanstack/react-query";
import { type Campaign, listCampaignRewards } from "../../../api/operations.gen.ts";
import { send } from "../../../api/send.ts";
import { useCan, useProject } from "../../../api/session.ts";
import type { Rewards } from "./values.ts";

const NONE: Rewards = new Map();
const assignmentsOf = (campaign: Campaign | undefined) => [
  ...new Set((campaign?.referral_program?.tiers ?? []).map(({ reward }) => reward.assignment_id)),
];

async function readAll(ids: readonly string[]): Promise<Rewards> {
  const read = await Promise.all(ids.map((assignment_id) => send(listCampaignRewards, { assignment_id })));
  return new Map(read.flatMap(({ data: [reward] }, place) => (reward ? [[ids[place]!, reward] as const] : [])));
}

/** The rewards that referrers get, by their assignments; undefined: they are not there yet. */
export function useReferrerRewards(campaign: Campaign | undefined): Rewards | undefined {
  const { id } = useProject();
  const ids = useCan()("listCampaignRewards") ? assignmentsOf(campaign) : [];
  const { data, error } = useQuery({
    queryKey: [id, "referrer rewards", ids],
    queryFn: () => readAll(ids),
    meta: { path: listCampaignRewards.path },
    enabled: ids.length > 0,
  });
  return ids.length === 0 || error ? NONE : data;
}

/** The same, once. */
export const readReferrerRewards = (campaign: Campaign): Promise<Rewards> =>
  readAll(assignmentsOf(campaign)).catch(() => NONE);
