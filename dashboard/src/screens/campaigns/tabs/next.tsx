import { Anchor, List } from "@mantine/core";
import { Link } from "react-router";
import { type Campaign, listCampaignEarningRules, listRewardsOfCampaign } from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Section } from "../../../kit/page/section.tsx";
import { useText } from "../../../text/text.ts";
import { nextStepsOf } from "./next-steps.ts";
import { useCounted } from "./use-counted.ts";

/** How many there are; null: it may not be asked, or is not known yet. */
function useTotals(campaign: Campaign) {
  const can = useCan();
  const params = { campaignId: campaign.id, limit: 1 };
  const isLoyalty = campaign.campaign_type === "LOYALTY_PROGRAM";
  const rules = useOp(listCampaignEarningRules, params, { enabled: isLoyalty && can("listCampaignEarningRules") });
  const rewards = useOp(listRewardsOfCampaign, params, { enabled: isLoyalty && can("listRewardsOfCampaign") });
  return { rules: rules.data?.total ?? null, rewards: rewards.data?.total ?? null };
}

/** What to do with a campaign that does nothing yet. */
export default function Next({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const can = useCan();
  const totals = useTotals(campaign);
  const { data } = useCounted(campaign);
  if (!data?.counters) return null;
  const { codes, redemptions } = data.counters;
  const steps = nextStepsOf(data, { codes, redemptions, ...totals }).filter(({ needs }) => can(needs));
  if (steps.length === 0) return null;
  return (
    <Section title={t("campaigns.nextSteps.title")}>
      <List size="sm" spacing="xs">
        {steps.map(({ text, to }) => (
          <List.Item key={text}>
            <Anchor component={Link} to={to} inherit underline="always">
              {t(text)}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
