import type { Ctx } from "../../ctx.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import type { Publication, PublicationQuery } from "../../resources/promotions/publications/schema.ts";
import { listPublications } from "../../resources/promotions/publications/store.ts";
import { vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { campaignsOf } from "../../steps/promotions/voucher-view.ts";
import { publicationView } from "../../steps/publishing/publication-view.ts";

/** A page of publications, with their customers and codes as they are now. */
export async function publicationsOf(c: Ctx, query: PublicationQuery): Promise<{ rows: Publication[]; total: number }> {
  const { rows, total } = await listPublications(c.db, c.project, { ...query, now: c.now });
  const ids = rows.flatMap(({ customer_id }) => customer_id ?? []);
  const [customers, vouchers, catalog] = await Promise.all([
    findCustomers(c.db, c.project.id, { ids, sourceIds: [], trackingIds: [] }),
    vouchersById(
      c.db,
      c.project.id,
      rows.flatMap(({ voucher_ids }) => voucher_ids),
    ),
    c.catalog(),
  ]);
  const shown = { ...catalog, campaigns: await campaignsOf(c.db, c.project.id, catalog, vouchers) };
  const byId = new Map(vouchers.map((row) => [row.id, row]));
  const customerOf = new Map(customers.map((row) => [row.id, row]));
  const view = { vouchers: byId, shown };
  return {
    rows: rows.map((row) => publicationView(row, customerOf.get(row.customer_id ?? "") ?? null, view)),
    total,
  };
}
