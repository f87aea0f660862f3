import { type Static, Type } from "typebox";
import type { Catalog } from "../../catalog/catalog.ts";
import { OPEN, only, see } from "../../core/client/fields.ts";
import { CUSTOMER, VOUCHER } from "../../core/client/parts.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { PublicationRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import type { NewId, Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { type Publication, publicationFields } from "../../resources/promotions/publications/schema.ts";
import { Voucher } from "../../resources/promotions/vouchers/schema.ts";
import { customerShown } from "../checkout/redemption-view.ts";
import { voucherView } from "../promotions/voucher-view.ts";

export const PublicationMade = Type.Object(
  {
    ...publicationFields,
    result: Type.Literal("SUCCESS"),
    voucher: Type.Optional(Voucher),
    vouchers: Type.Optional(Type.Array(Type.String({ description: "The codes, where several were published." }))),
  },
  { title: "PublicationMade" },
);
export type PublicationMade = Static<typeof PublicationMade>;

/** What a client application sees of it. */
export const ClientPublicationMade = only(
  Type.Object(
    {
      ...PublicationMade.properties,
      voucher: Type.Optional(Type.Object(Voucher.properties, { title: "PublishedVoucher" })),
    },
    { title: "PublicationMade" },
  ),
  see("id object created_at customer_id tracking_id channel source_id vouchers_id result vouchers", {
    metadata: OPEN,
    customer: CUSTOMER,
    voucher: VOUCHER,
  }),
);

type PublicationSent = Partial<Record<"channel" | "source_id", string | null>> & {
  metadata?: Record<string, unknown> | null;
};
type PublicationDraft = { sent: PublicationSent; project: Pick<Project, "id">; now: string; newId: NewId };
type About = {
  campaign: Campaign | null;
  voucher: VoucherRow | null;
  customer: Pick<CustomerRow, "id" | "tracking_id">;
};

/** A publication that is about to be made, without its codes. */
export const publicationRow = (
  { sent, project, now, newId }: PublicationDraft,
  { campaign, voucher, customer }: About,
): PublicationRow => ({
  project_id: project.id,
  id: newId("pub"),
  customer_id: customer.id,
  tracking_id: customer.tracking_id,
  campaign_id: campaign?.id ?? null,
  campaign_name: campaign?.name ?? null,
  voucher_ids: [],
  voucher_code: voucher?.code ?? null,
  voucher_type: voucher?.type ?? campaign?.voucher_type ?? null,
  is_referral_code: campaign?.campaign_type === "REFERRAL_PROGRAM",
  channel: sent.channel ?? "API",
  source_id: sent.source_id ?? null,
  result: "SUCCESS",
  failure_code: null,
  failure_message: null,
  metadata: sent.metadata ?? {},
  created_at: now,
});

const baseOf = (row: PublicationRow, customer: CustomerRow | null) => ({
  id: row.id,
  object: "publication" as const,
  created_at: row.created_at,
  customer_id: row.customer_id,
  tracking_id: row.tracking_id,
  metadata: row.metadata,
  channel: row.channel,
  source_id: row.source_id,
  customer: customer && (customerShown(customer) as NonNullable<Publication["customer"]>),
  vouchers_id: [...row.voucher_ids],
});

type Shown = Pick<Catalog, "campaigns" | "categories">;

/** A publication as it is answered: with its code as it is now, or the codes where there are several. */
export function publicationMade(
  row: PublicationRow,
  { customer, vouchers }: { customer: CustomerRow; vouchers: readonly VoucherRow[] },
  { shown, project }: { shown: Shown; project: Pick<Project, "id" | "secret"> },
): PublicationMade {
  return {
    ...baseOf(row, customer),
    result: "SUCCESS",
    ...(row.voucher_ids.length === 1
      ? { voucher: voucherView(shown, vouchers[0]!, project) }
      : { vouchers: vouchers.map(({ code }) => code) }),
  };
}

/** A publication in a list. Codes that are gone are named as far as they are known. */
export function publicationView(
  row: PublicationRow,
  customer: CustomerRow | null,
  { vouchers, shown }: { vouchers: ReadonlyMap<string, VoucherRow>; shown: Shown },
): Publication {
  const { result, failure_code, failure_message, voucher_ids } = row;
  const [first] = voucher_ids;
  return {
    ...baseOf(row, customer),
    result,
    ...(failure_code !== null && { failure_code }),
    ...(failure_message !== null && { failure_message }),
    ...(voucher_ids.length === 1
      ? { voucher: shortVoucher(row, vouchers.get(first!), shown) }
      : { vouchers: voucher_ids.map((id) => vouchers.get(id)?.code ?? id) }),
  };
}

function shortVoucher(
  { voucher_code, campaign_name, is_referral_code }: PublicationRow,
  voucher: VoucherRow | undefined,
  { campaigns }: Shown,
): NonNullable<Publication["voucher"]> {
  const campaign = campaigns.get(voucher?.campaign_id ?? "") ?? null;
  const settings = voucher && settingsOf(voucher, campaign);
  const sums = voucher && settings ? sumsOf(voucher, settings) : null;
  return {
    code: voucher?.code ?? voucher_code ?? "",
    campaign: campaign?.name ?? campaign_name,
    is_referral_code,
    ...(settings?.discount && { discount: { ...settings.discount } }),
    ...(settings?.gift && sums && { gift: { amount: sums.received, balance: sums.available } }),
    ...(settings?.loyalty_card && sums && { loyalty_card: { points: sums.received, balance: sums.available } }),
    object: "voucher",
  };
}
