import { Stack } from "@mantine/core";
import type { Campaign } from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { Earning } from "./earning.tsx";
import { Rewards } from "./rewards.tsx";
import { Tiers } from "./tiers.tsx";

/** What a loyalty campaign is made of: how its cards earn points, where members stand, and what points buy. */
export default function Program({ record }: { record: Campaign }) {
  const can = useCan();
  return (
    <Stack gap="lg">
      {can("listCampaignEarningRules") && <Earning campaign={record} />}
      {can("listCampaignTiers") && <Tiers campaign={record} />}
      {can("listRewardsOfCampaign") && <Rewards campaignId={record.id} />}
    </Stack>
  );
}
