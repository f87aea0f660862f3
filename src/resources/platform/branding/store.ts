import { ApiError, notFound } from "../../../core/errors.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Tx } from "../../../db/db.ts";
import type { Branding, BrandingCreate, BrandingParts, BrandingUpdate } from "./schema.ts";

export type BrandingRow = Branding & { project_id: string; created_at: string; updated_at: string | null };

export const branding = crudStore<BrandingRow>({
  table: "branding",
  object: "branding",
  columns: ["project_id", "id", "brand", "address", "contact", "created_at", "updated_at"],
  sortable: ["created_at"],
});

const REMINDER = "You are receiving this email because you opted in at our website.";
const NO_LINKS = { privacy_policy_url: null, terms_of_use_url: null, website_url: null };

/** What a new one holds: what was sent, and a value for every other field. */
export const newBranding = ({ brand, address, contact }: BrandingCreate): BrandingParts => ({
  brand: { ...NO_LINKS, ...brand, permission_reminder: brand.permission_reminder ?? REMINDER },
  address: { state: "", ...address },
  contact: { phone: null, ...contact },
});

/** What is sent replaces a field; the others stay, inside each part too. */
export const changedBranding = (before: BrandingParts, sent: BrandingUpdate): BrandingParts => ({
  brand: { ...before.brand, ...sent.brand },
  address: { ...before.address, ...sent.address },
  contact: { ...before.contact, ...sent.contact },
});

/** When two requests create it at once, one is told that it exists. */
export async function insertBranding(tx: Tx, row: BrandingRow): Promise<BrandingRow> {
  const [saved] = await tx<BrandingRow[]>`
    insert into branding ${tx(row as never)} on conflict (project_id) do nothing returning *`;
  if (!saved) throw new ApiError("branding_exist");
  return saved;
}

/** Locks it, so that fields which two updates send are merged one after the other. */
export async function lockBranding(tx: Tx, projectId: string, id: string): Promise<BrandingRow> {
  const [row] = await tx<BrandingRow[]>`
    select * from branding where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound("branding", id);
  return row;
}

export const view = ({ id, brand, address, contact }: BrandingRow): Branding => ({ id, brand, address, contact });
