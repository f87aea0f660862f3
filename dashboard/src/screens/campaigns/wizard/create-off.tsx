import { Button } from "@mantine/core";
import { Can } from "../../../kit/page/can.tsx";
import { useText } from "../../../text/text.ts";

/** Another way to make a campaign: nothing of it applies until somebody enables it. */
export function CreateOff({ isBusy, onClick }: { isBusy: boolean; onClick: () => void }) {
  const t = useText();
  return (
    <Can do="disableCampaign">
      <Button variant="default" disabled={isBusy} onClick={onClick}>
        {t("campaigns.createOff")}
      </Button>
    </Can>
  );
}
