import { useEffect, useState } from "react";
import { type Campaign, getCampaign } from "../../../api/operations.gen.ts";
import { useOp } from "../../../api/use-op.ts";
import { areMade } from "./next-steps.ts";

const AGAIN_MS = 2_000;

/** A campaign with its counters. While its codes are being made it is asked again. */
export function useCounted(campaign: Campaign) {
  const [isMaking, setMaking] = useState(areMade(campaign));
  const counted = useOp(
    getCampaign,
    { campaignId: campaign.id, expand: "counters" },
    isMaking ? { everyMs: AGAIN_MS } : {},
  );
  const now = counted.data && areMade(counted.data);
  useEffect(() => {
    if (now !== undefined) setMaking(now);
  }, [now]);
  return counted;
}
