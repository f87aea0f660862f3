import { listCampaigns } from "../../../api/operations.gen.ts";
import { useOp } from "../../../api/use-op.ts";
import { useText } from "../../../text/text.ts";
import type { Holder } from "./make-rewards.ts";

/** The same in every language: whoever works in another one finds the same campaign. */
const NAME = "Rewards for referrers";

/** The campaign that holds what referrers get, if it is there. */
export function useHolder(enabled: boolean): Holder {
  const t = useText();
  const { data } = useOp(listCampaigns, { campaign_type: "LOYALTY_PROGRAM", name: NAME, limit: 100 }, { enabled });
  const found = data?.campaigns.find((one) => one.name === NAME);
  return { id: found?.id ?? null, name: NAME, description: t("referrals.holderSays") };
}
