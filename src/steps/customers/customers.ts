import type { Catalog } from "../../catalog/catalog.ts";
import { apiErrorFrom } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type CustomerNamed, type Saved, upsertCustomers } from "../../resources/customers/customers/store.ts";

/** Creates or updates the customers of a request, their metadata checked. The first that is refused ends the request. */
export async function saveCustomers(c: WriteCtx, catalog: Catalog, given: readonly CustomerNamed[]): Promise<Saved[]> {
  const results = await upsertCustomers(c.db, c.project.id, given, {
    secret: c.project.secret,
    now: c.now,
    newId: c.newId,
    metadataFault: (metadata, on) => metadataFault(catalog.metadata_schemas, "customer", { metadata, on }),
  });
  return results.map((one) => {
    if ("refused" in one) throw apiErrorFrom(one.refused);
    return one;
  });
}
