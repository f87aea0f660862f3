import { Button } from "@mantine/core";
import { Link, useParams } from "react-router";
import { type Campaign, disableCampaign, enableCampaign, getCampaign } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { useKeys } from "../../kit/keys/letters.ts";
import { Can } from "../../kit/page/can.tsx";
import { Page } from "../../kit/page/page.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { campaignSentence } from "../../registry/campaign-sentence.ts";
import { useText } from "../../text/text.ts";
import { KINDS } from "./kinds.ts";
import { offerOf } from "./offer.ts";
import { useOpenEdit } from "./use-open-edit.ts";

function Actions({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const enable = useAct(enableCampaign);
  const disable = useAct(disableCampaign);
  const openEdit = useOpenEdit(campaign.id);
  useKeys({ e: openEdit });
  const write = { params: { campaignId: campaign.id } };
  const toggle = () =>
    campaign.active
      ? disable.run(write, t("campaigns.disabled", { count: 1 }), () => enable.run(write))
      : enable.run(write, t("campaigns.enabled", { count: 1 }), () => disable.run(write));
  return (
    <>
      <Can do={campaign.active ? "disableCampaign" : "enableCampaign"}>
        <Button variant="default" loading={enable.isPending || disable.isPending} onClick={() => void toggle()}>
          {t(campaign.active ? "campaigns.disable" : "campaigns.enable")}
        </Button>
      </Can>
      <Can do="updateCampaign">
        <Button component={Link} to={`/campaigns/${campaign.id}/edit`}>
          {t("campaigns.edit")}
        </Button>
      </Can>
    </>
  );
}

export default function CampaignPage() {
  const t = useText();
  const can = useCan();
  const { currency, timezone } = useProject();
  const { campaignId = "" } = useParams();
  const campaign = useOp(getCampaign, { campaignId });
  const isWithCodes = campaign.data?.campaign_type !== "PROMOTION";
  return (
    <Page
      of={campaign}
      title={({ name }) => name}
      status={({ status, active }) => status ?? (active ? "ACTIVE" : "DISABLED")}
      below={(one) =>
        [t(KINDS[one.campaign_type]), campaignSentence(offerOf(one), { t, currency, zone: timezone })].join(" · ")
      }
      actions={(one) => <Actions campaign={one} />}
      call={[getCampaign, { campaignId }]}
      tabs={{
        overview: { title: "campaigns.overview", load: () => import("./overview.tsx") },
        ...(isWithCodes && can("listVouchers")
          ? { codes: { title: "campaigns.codes" as const, load: () => import("./codes.tsx") } }
          : {}),
        ...(campaign.data?.promotion
          ? { tiers: { title: "campaigns.tiers" as const, load: () => import("./tiers.tsx") } }
          : {}),
        ...(can("listRefusals")
          ? { refusals: { title: "campaigns.refusals" as const, load: () => import("./refusals.tsx") } }
          : {}),
        ...(can("listAuditLog")
          ? { history: { title: "campaigns.history" as const, load: () => import("./history.tsx") } }
          : {}),
      }}
    />
  );
}
