import { Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useParams, useSearchParams } from "react-router";
import { PageHead } from "../../../kit/page/page-head.tsx";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { useText } from "../../../text/text.ts";
import { CampaignFields } from "./campaign-fields.tsx";
import { startOf } from "./starts.ts";

// What a saved campaign is read with: a new one needs nothing of it.
const EditCampaign = lazy(() => import("./edit.tsx"));

export default function CampaignForm() {
  const t = useText();
  const { campaignId } = useParams();
  const [query] = useSearchParams();
  return (
    <Stack gap={0}>
      <PageHead title={t(campaignId === undefined ? "campaigns.new" : "campaigns.editTitle")} />
      {campaignId === undefined ? (
        <CampaignFields campaign={null} from={{ values: startOf(query.get("start")), etag: null }} />
      ) : (
        <Suspense fallback={<LoadingRows />}>
          <EditCampaign campaignId={campaignId} />
        </Suspense>
      )}
    </Stack>
  );
}
