import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import {
  archiveCampaign,
  type Campaign,
  disableCampaign,
  enableCampaign,
  unarchiveCampaign,
} from "../../api/operations.gen.ts";
import { useKeys } from "../../kit/keys/letters.ts";
import { Can } from "../../kit/page/can.tsx";
import { MoreMenu } from "../../kit/page/more-menu.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";
import { useOpenEdit } from "./use-open-edit.ts";

const WINDOWS = {
  duplicate: lazy(() => import("./duplicate-window.tsx")),
  template: lazy(() => import("./template-window.tsx")),
};
/** The kinds that a template can hold. */
const TEMPLATES: readonly Campaign["campaign_type"][] = ["DISCOUNT_COUPONS", "GIFT_VOUCHERS"];

/** Enabling, disabling and archiving, each with its opposite. */
function useSwitches(campaign: Campaign) {
  const t = useText();
  const [enable, disable] = [useAct(enableCampaign), useAct(disableCampaign)];
  const [archive, unarchive] = [useAct(archiveCampaign), useAct(unarchiveCampaign)];
  const write = { params: { campaignId: campaign.id } };
  const one = { count: 1 };
  return {
    isBusy: enable.isPending || disable.isPending || unarchive.isPending,
    toggle: () =>
      campaign.active
        ? disable.run(write, t("campaigns.disabled", one), () => enable.run(write))
        : enable.run(write, t("campaigns.enabled", one), () => disable.run(write)),
    // Archiving disables a campaign: one that ran runs again.
    archive: () =>
      archive.run(write, t("campaigns.archived", one), () => (campaign.active ? enable : unarchive).run(write)),
    unarchive: () => unarchive.run(write, t("campaigns.unarchived", one), () => archive.run(write)),
  };
}

/** What can be done with a campaign, at the head of its page. */
export function Actions({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const [open, setOpen] = useState<keyof typeof WINDOWS | null>(null);
  const switches = useSwitches(campaign);
  const openEdit = useOpenEdit(campaign.id);
  useKeys({ e: openEdit });
  const isArchived = campaign.archived_at !== undefined;
  const toggle = campaign.active ? "disableCampaign" : "enableCampaign";
  const Window = open && WINDOWS[open];
  return (
    <>
      {isArchived && (
        <Can do="unarchiveCampaign">
          <Button variant="default" loading={switches.isBusy} onClick={() => void switches.unarchive()}>
            {t("campaigns.unarchive")}
          </Button>
        </Can>
      )}
      <Can do={toggle}>
        <Button variant="default" loading={switches.isBusy} onClick={() => void switches.toggle()}>
          {t(campaign.active ? "campaigns.disable" : "campaigns.enable")}
        </Button>
      </Can>
      <Can do="updateCampaign">
        <Button component={Link} to={`/campaigns/${campaign.id}/edit`}>
          {t("campaigns.edit")}
        </Button>
      </Can>
      <MoreMenu
        items={[
          ...(campaign.campaign_type === "LOYALTY_PROGRAM"
            ? []
            : [{ text: t("campaigns.duplicate"), can: "duplicateCampaign", run: () => setOpen("duplicate") }]),
          ...(TEMPLATES.includes(campaign.campaign_type)
            ? [{ text: t("templates.saveAs"), can: "createCampaignTemplate", run: () => setOpen("template") }]
            : []),
          ...(isArchived
            ? []
            : [{ text: t("campaigns.archive"), can: "archiveCampaign", run: () => void switches.archive() }]),
        ]}
      />
      {Window && (
        <Suspense>
          <Window campaign={campaign} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}
