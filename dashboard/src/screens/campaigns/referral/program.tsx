import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Campaign } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { Facts } from "../../../kit/facts/facts.tsx";
import { Can } from "../../../kit/page/can.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { giftSays, referrerSays } from "../../../registry/campaign-sentence.ts";
import { worthOn } from "../../../registry/discount/goods-words.ts";
import { useText } from "../../../text/text.ts";
import { ownersIn, useGoods } from "../goods/use-goods.ts";
import { offerOf } from "../offer.ts";
import { useReferrerRewards } from "./use-rewards.ts";
import { referralOf } from "./values.ts";

/** What a referral campaign gives, to whom, and what makes a friend count. */
export default function ReferralProgram({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const { currency } = useProject();
  const rewards = useReferrerRewards(campaign);
  const { data: goods } = useGoods(ownersIn(campaign));
  const look = { t, currency };
  const offer = offerOf(campaign, { rewards, goods });
  const { counts, event } = referralOf(campaign, rewards ?? new Map());
  const friend = [worthOn(offer.discount, offer.goods, look), offer.friend && giftSays(offer.friend, look)];
  return (
    <Section title={t("referrals.program")}>
      <Facts
        facts={[
          [t("referrals.counts"), t(`referrals.countsWhen.${counts.replace(".", "_") as "redemption"}`)],
          ...(event ? ([[t("referrals.event"), event.label]] as const) : []),
          [t("referrals.theFriend"), friend.filter((one) => Boolean(one)).join(t("sentence.and"))],
          [t("referrals.theReferrer"), rewards ? (referrerSays(offer, look) ?? t("referrals.nothing")) : "…"],
        ]}
      />
      <Can do="updateCampaign">
        <Text size="sm" mt="md">
          <Anchor component={Link} to={`/campaigns/${campaign.id}/edit?step=offer`} inherit underline="always">
            {t("referrals.change")}
          </Anchor>
        </Text>
      </Can>
    </Section>
  );
}
