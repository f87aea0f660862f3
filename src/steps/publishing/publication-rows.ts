import type { HolderRow, PublicationRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { NewId } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";

type NewHolder = Omit<HolderRow, "project_id">;

/** Who is given a code holds it. */
export const holderRow = (
  { newId, now }: { newId: NewId; now: string },
  voucher: VoucherRow,
  {
    campaign,
    customerId,
    metadata,
  }: { campaign: Campaign | null; customerId: string; metadata: NewHolder["metadata"] },
): NewHolder => ({
  id: newId("rh"),
  voucher_id: voucher.id,
  campaign_id: voucher.campaign_id,
  customer_id: customerId,
  holder_role: campaign?.campaign_type === "REFERRAL_PROGRAM" ? "REFERRER" : "OWNER",
  metadata,
  created_at: now,
});

export const holderEvent = ({ id, voucher_id, campaign_id, customer_id, holder_role }: NewHolder) => ({
  kind: "customer.holder.assignment.created" as const,
  customer_id,
  voucher_id,
  campaign_id,
  payload: { redeemable_holder_id: id, holder_role },
});

/** What is told of a publication: once of itself, and once of each code. */
export function publicationEvents(row: PublicationRow, vouchers: readonly Pick<VoucherRow, "id">[]) {
  const { id: publication_id, customer_id, campaign_id, voucher_ids } = row;
  const about = { customer_id, campaign_id };
  const voucher_id = voucher_ids.length === 1 ? voucher_ids[0]! : null;
  return [
    {
      kind: "customer.publication.succeeded" as const,
      ...about,
      voucher_id,
      payload: { publication_id, voucher_ids },
    },
    ...vouchers.map(({ id }) => ({
      kind: "voucher.published" as const,
      campaign_id,
      voucher_id: id,
      payload: { publication_id, customer_id },
    })),
  ];
}
