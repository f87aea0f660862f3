import type { Catalog } from "../../catalog/catalog.ts";
import type { NewId, NewSecret } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";

/** What one request wants to publish: the code that it names, or so many of a campaign. */
export type Wish = {
  voucher: string | null;
  campaign: Campaign | null;
  count: number;
  now: string;
  newId: NewId;
  newSecret: NewSecret;
};

/** One code of a campaign, or one that is named. */
export const wishFor = (
  { now, newId, newSecret }: Pick<Wish, "now" | "newId" | "newSecret">,
  about: { campaign: Campaign } | { voucher: string },
): Wish => ({ voucher: null, campaign: null, ...about, count: 1, now, newId, newSecret });

/** The code or the campaign that a body names. */
type SourceNamed = {
  voucher?: string | null | undefined;
  campaign?: string | { id?: string | null; name?: string | null; count?: number | null } | null | undefined;
};

/** The campaign that a body names, by its id or name; empty: none. */
export const nameIn = ({ campaign }: SourceNamed): string =>
  (typeof campaign === "string" ? campaign : campaign?.id || campaign?.name) || "";

/** What a request is about. A code that is named comes before a campaign. */
export function wishOf(
  body: SourceNamed,
  { campaigns }: Pick<Catalog, "campaigns">,
  { now, newId, newSecret }: Pick<Wish, "now" | "newId" | "newSecret">,
): Wish {
  const voucher = body.voucher || null;
  const name = voucher === null ? nameIn(body) : "";
  const campaign = campaigns.get(name) ?? campaigns.values().find((other) => other.name === name) ?? null;
  const count = voucher === null && typeof body.campaign === "object" ? (body.campaign?.count ?? 1) : 1;
  return { voucher, campaign, count, now, newId, newSecret };
}
