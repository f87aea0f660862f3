import { lazy, Suspense } from "react";
import { useParams } from "react-router";
import { getCampaign, listCampaignEarningRules } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { Page } from "../../kit/page/page.tsx";
import { campaignSentence } from "../../registry/campaign-sentence.ts";
import { useText } from "../../text/text.ts";
import { Actions } from "./actions.tsx";
import { ownersIn, useGoods } from "./goods/use-goods.ts";
import { KINDS } from "./kinds.ts";
import { offerOf } from "./offer.ts";
import { useReferrerRewards } from "./referral/use-rewards.ts";

const Conditions = lazy(() => import("./conditions.tsx"));

/** Among the first ones there is what orders earn. */
const FEW = 10;

export default function CampaignPage() {
  const t = useText();
  const can = useCan();
  const { currency, timezone } = useProject();
  const { campaignId = "" } = useParams();
  const campaign = useOp(getCampaign, { campaignId });
  const rewards = useReferrerRewards(campaign.data);
  const { data: goods } = useGoods(campaign.data ? ownersIn(campaign.data) : []);
  const isLoyalty = campaign.data?.campaign_type === "LOYALTY_PROGRAM";
  const first = { campaignId, limit: FEW, order: "created_at" as const };
  const rules = useOp(listCampaignEarningRules, first, { enabled: isLoyalty && can("listCampaignEarningRules") });
  const isWithCodes = campaign.data?.campaign_type !== "PROMOTION";
  return (
    <Page
      of={campaign}
      title={({ name }) => name}
      status={({ status, active }) => status ?? (active ? "ACTIVE" : "DISABLED")}
      below={(one) => (
        <>
          {[
            t(KINDS[one.campaign_type]),
            campaignSentence(offerOf(one, { rewards, goods, rules: rules.data?.data }), {
              t,
              currency,
              zone: timezone,
            }),
            ...one.categories.map(({ name }) => t("conditions.inCategory", { name })),
          ].join(" · ")}
          {can("getValidationRule") && (
            <Suspense>
              <Conditions campaign={one} />
            </Suspense>
          )}
        </>
      )}
      actions={(one) => <Actions campaign={one} />}
      call={[getCampaign, { campaignId }]}
      tabs={{
        overview: { title: "campaigns.overview", load: () => import("./tabs/overview.tsx") },
        ...(isWithCodes && can("listVouchers")
          ? { codes: { title: "campaigns.codes" as const, load: () => import("./tabs/codes.tsx") } }
          : {}),
        ...(campaign.data?.promotion
          ? { tiers: { title: "campaigns.tiers" as const, load: () => import("./offers/offers.tsx") } }
          : {}),
        ...(isLoyalty
          ? { program: { title: "cards.program" as const, load: () => import("./cards/program.tsx") } }
          : {}),
        ...(can("getCampaignAudience")
          ? { audience: { title: "campaigns.audience" as const, load: () => import("./tabs/audience.tsx") } }
          : {}),
        ...(can("listRefusals")
          ? { refusals: { title: "campaigns.refusals" as const, load: () => import("./tabs/refusals.tsx") } }
          : {}),
        ...(can("listAuditLog")
          ? { history: { title: "campaigns.history" as const, load: () => import("./tabs/history.tsx") } }
          : {}),
      }}
    />
  );
}
