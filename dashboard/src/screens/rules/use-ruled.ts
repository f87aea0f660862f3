import { getCampaign, getPromotionTier, getVoucher } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import type { Ruled } from "../../registry/conditions/assigned-rules.tsx";

/** What a rule is for, by its name, and the page of it. Until the name is read, and where there is none, by its id. */
export function useRuled({ type, id }: Ruled): { name: string; to: string | null } {
  const can = useCan();
  const isRead = (kind: Ruled["type"], operation: { id: string }) => type === kind && can(operation.id);
  const campaign = useOp(getCampaign, { campaignId: id }, { enabled: isRead("campaign", getCampaign) });
  const voucher = useOp(getVoucher, { code: id }, { enabled: isRead("voucher", getVoucher) });
  const tier = useOp(
    getPromotionTier,
    { promotionTierId: id },
    { enabled: isRead("promotion_tier", getPromotionTier) },
  );
  if (campaign.data) return { name: campaign.data.name, to: `/campaigns/${id}` };
  if (voucher.data) return { name: voucher.data.code, to: `/codes/${encodeURIComponent(voucher.data.code)}` };
  if (tier.data) return { name: tier.data.name, to: `/campaigns/${tier.data.campaign_id}?tab=tiers&offer=${id}` };
  return { name: id, to: null };
}

const KINDS: readonly string[] = ["campaign", "voucher", "promotion_tier"] satisfies Ruled["type"][];
/** What the address says that a new rule is for: `campaign:camp_1`. */
export function ruledIn(query: string | null): Ruled | null {
  const [type = "", id] = (query ?? "").split(":");
  return KINDS.includes(type) && id ? { type: type as Ruled["type"], id } : null;
}
