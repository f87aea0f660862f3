import { listCampaigns } from "../../../api/operations.gen.ts";
import { useOp } from "../../../api/use-op.ts";
import { useText } from "../../../text/text.ts";
import type { Holder } from "./make-rewards.ts";

/** The campaign that holds what referrers get, if it is there. */
export function useHolder(enabled: boolean): Holder {
  const t = useText();
  const name = t("referrals.holder");
  const { data } = useOp(listCampaigns, { campaign_type: "LOYALTY_PROGRAM", name, limit: 100 }, { enabled });
  const found = data?.campaigns.find((one) => one.name === name);
  return { id: found?.id ?? null, name, description: t("referrals.holderSays") };
}
