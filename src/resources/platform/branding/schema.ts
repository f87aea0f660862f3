import { type Static, type TSchema, Type } from "typebox";
import { listOf, Nullable, optional, strict } from "../../../http/schemas.ts";

const Text = Type.String({ minLength: 1, maxLength: 500 });
const Email = Type.Unsafe<string>({ type: "string", format: "email", maxLength: 254 });
/** It becomes a link in what is sent to customers, so it leads to a page and runs nothing. */
const PageUrl = Nullable(Type.String({ maxLength: 2000, pattern: "^https?://\\S+$" }));
const Reminder = Type.String({ maxLength: 2000, description: "Why customers are written to." });

const brandLinks = { privacy_policy_url: PageUrl, terms_of_use_url: PageUrl, website_url: PageUrl };
const address = { street: Text, city: Text, postal: Nullable(Type.String({ maxLength: 100 })), country: Text };
const state = Type.String({ maxLength: 500 });
const phone = Nullable(Type.String({ maxLength: 100 }));

const parts = {
  brand: Type.Object({ name: Text, ...brandLinks, permission_reminder: Reminder }),
  address: Type.Object({ ...address, state }),
  contact: Type.Object({ email: Email, phone }),
};
export const Branding = Type.Object({ id: Type.String(), ...parts }, { title: "Branding" });
export type Branding = Static<typeof Branding>;
export type BrandingParts = Omit<Branding, "id">;

export const BrandingCreate = strict({
  brand: strict({ name: Text, ...optional({ ...brandLinks, permission_reminder: Nullable(Reminder) }) }),
  address: strict({ ...address, ...optional({ state }) }),
  contact: strict({ email: Email, ...optional({ phone }) }),
});
export type BrandingCreate = Static<typeof BrandingCreate>;

const some = <P extends Record<string, TSchema>>({ properties }: { properties: P }) => strict(optional(properties));
export const BrandingUpdate = strict(
  optional({ brand: some(parts.brand), address: some(parts.address), contact: some(parts.contact) }),
);
export type BrandingUpdate = Static<typeof BrandingUpdate>;
export const BrandingList = listOf(Branding);
export const InProject = Type.Object({ projectId: Type.String() });
export const ByBranding = Type.Object({ projectId: Type.String(), brandingId: Type.String() });
