import { useNavigate } from "react-router";
import { useCan } from "../../api/session.ts";

/** Opens the form of a campaign, for who may change it: behind a key nothing happens to others. */
export function useOpenEdit(campaignId: string): () => void {
  const navigate = useNavigate();
  const can = useCan();
  return () => void (can("updateCampaign") && navigate(`/campaigns/${campaignId}/edit`));
}
