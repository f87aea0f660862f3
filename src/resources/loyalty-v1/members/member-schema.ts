import { type Static, Type } from "typebox";
import { open } from "../../../core/shapes.ts";
import { PublicationBody } from "../../promotions/publications/schema.ts";
import { Voucher } from "../../promotions/vouchers/schema.ts";
import { CampaignTier } from "../tiers/schema.ts";
import { CampaignTierExpiration } from "./schema.ts";

export { LedgerTransactionQuery, TransactionList } from "../../ledger/ledger/schema.ts";

/** A loyalty card. It is a code. */
export const CampaignMember = Type.Object(
  { ...Voucher.properties, type: Type.Literal("LOYALTY_CARD") },
  { title: "Member" },
);
export type CampaignMember = Static<typeof CampaignMember>;

const { customer, voucher, source_id, channel, metadata } = PublicationBody.properties;
export const CampaignMemberCreate = open({ customer, voucher, source_id, channel, metadata });

/** The tier that somebody is in, with its first and last day. */
export const MemberTier = Type.Object(
  { ...CampaignTier.properties, expiration: CampaignTierExpiration },
  { title: "MemberTier" },
);
export type MemberTier = Static<typeof MemberTier>;
