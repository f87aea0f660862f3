import { type Static, Type } from "typebox";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { WALLET_STATUSES, walletStatus } from "../../core/vouchers/worth.ts";
import type { Ctx } from "../../ctx.ts";
import { getCustomer } from "../../resources/customers/customers/store.ts";
import { HolderQuery, RedeemableHolder } from "../../resources/promotions/redeemable-holders/schema.ts";
import { listHolders, view } from "../../resources/promotions/redeemable-holders/store.ts";
import { Voucher } from "../../resources/promotions/vouchers/schema.ts";
import { vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { loadPointsNow } from "../../steps/points/point-cards.ts";
import { memberView } from "../../steps/points/point-members.ts";
import { campaignsOf, voucherView } from "../../steps/promotions/voucher-view.ts";

const HeldRedeemable = Type.Object(
  {
    ...RedeemableHolder.properties,
    redeemable: Type.Object({
      type: Type.Literal("voucher"),
      voucher: Voucher,
      status: Type.Unsafe<(typeof WALLET_STATUSES)[number]>({ type: "string", enum: [...WALLET_STATUSES] }),
    }),
  },
  { title: "HeldRedeemable" },
);

export const RedeemablesQuery = HolderQuery;
export const CustomerRedeemables = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(HeldRedeemable),
  total: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next page." })),
});
type CustomerRedeemables = Static<typeof CustomerRedeemables>;

/** What a customer holds, with how it stands now. */
export async function redeemablesOf(c: Ctx, reference: string, query: HolderQuery): Promise<CustomerRedeemables> {
  const { id } = await getCustomer(c.db, c.project.id, reference);
  const { rows, total, has_more } = await listHolders(c.db, c.project.id, { customerId: id }, { ...query, now: c.now });
  const ids = rows.map(({ voucher_id }) => voucher_id);
  const vouchers = new Map((await vouchersById(c.db, c.project.id, ids)).map((row) => [row.id, row]));
  const catalog = await c.catalog();
  const campaigns = await campaignsOf(c.db, c.project.id, catalog, [...vouchers.values()]);
  const shown = { ...catalog, campaigns };
  const cards = await loadPointsNow(c, shown, [...vouchers.values()]);
  const data = rows.flatMap((held) => {
    const found = vouchers.get(held.voucher_id);
    // Deleted since the page was read.
    if (!found) return [];
    const card = cards.get(found.id);
    const row = card ? { ...found, account: card.change.card.account.sums } : found;
    const campaign = row.campaign_id === null ? null : (campaigns.get(row.campaign_id) ?? null);
    const is_active = row.active && (campaign?.active ?? true);
    const status = walletStatus({ ...row, is_active }, settingsOf(row, campaign), c.now);
    const voucher = card ? memberView(shown, card, c.project) : voucherView(shown, row, c.project);
    return [{ ...view(held), redeemable: { type: "voucher" as const, voucher, status } }];
  });
  const next = has_more ? { more_starting_after: rows.at(-1)!.id } : {};
  return { object: "list", data_ref: "data", data, total, has_more, ...next };
}
