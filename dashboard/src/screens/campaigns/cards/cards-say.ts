import { getCampaign } from "../../../api/operations.gen.ts";
import { send } from "../../../api/send.ts";
import { known } from "../../../kit/confirm/known.ts";
import type { Text } from "../../../text/text.ts";

/** How many cards a change reaches; null: it cannot be read. */
export async function cardsSay(campaignId: string, t: Text): Promise<string | null> {
  const campaign = await known(send(getCampaign, { campaignId, expand: "counters" }));
  return campaign?.counters ? t("cards.cardsThere", { count: campaign.counters.codes }) : null;
}
