import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError } from "../../core/errors.ts";
import { type Permission, permits } from "../../core/users/roles.ts";
import type { Caller } from "../../ctx.ts";

type Named = { id?: string | undefined };
type Drafted = {
  campaigns?: readonly (Named & { promotion?: { tiers?: readonly Named[] } | null })[];
  promotion_tiers?: readonly Named[];
  validation_rules?: readonly Named[];
  validation_rules_assignments?: readonly object[];
  stacking_rules?: object;
};
/** The resource that a draft is of, and whether each one is saved already. */
type Drafting = { resource: string; scope: string | null; areSaved: readonly boolean[] };

/** What a caller needs to save what they draft: nobody learns by a draft what they could not find out by saving it. */
function draftingIn(catalog: Catalog, draft: Drafted): Drafting[] {
  const { campaigns = [], promotion_tiers = [], validation_rules = [], validation_rules_assignments = [] } = draft;
  const savedIn = (rows: ReadonlyMap<string, unknown>, drafts: readonly Named[]) =>
    drafts.map(({ id }) => id !== undefined && rows.has(id));
  const tiers = [...promotion_tiers, ...campaigns.flatMap(({ promotion }) => promotion?.tiers ?? [])];
  const rules = savedIn(catalog.validation_rules, validation_rules);
  return [
    { resource: "campaigns", scope: "campaigns", areSaved: savedIn(catalog.campaigns, campaigns) },
    { resource: "promotions", scope: "promotions", areSaved: savedIn(catalog.promotion_tiers, tiers) },
    {
      resource: "validation-rules",
      scope: "validation-rules",
      areSaved: [...rules, ...validation_rules_assignments.map(() => false)],
    },
    // A management operation, which no scope but the one for everything stands for.
    {
      resource: "stacking-rules",
      scope: null,
      areSaved: draft.stacking_rules ? [catalog.stacking_rules !== null] : [],
    },
  ].filter(({ areSaved }) => areSaved.length > 0);
}

/** 403 for a token without the scopes of what is drafted, and for a user who could not save it. */
export function requireMayDraft({ scopes, permissions, kind }: Caller, catalog: Catalog, draft: Drafted): void {
  for (const { resource, scope, areSaved } of draftingIn(catalog, draft)) {
    if (scopes && !scopes.some((one) => one === "api" || one === scope))
      throw missing(`The token needs the scope api${scope ? ` or ${scope}` : ""} for drafts of ${resource}`);
    if (kind !== "session") continue;
    for (const isSaved of new Set(areSaved)) {
      const needed: Permission = `${resource}.${isSaved ? "update" : "create"}`;
      if (!permits(permissions ?? [], needed)) throw missing(`The user needs the permission ${needed}`);
    }
  }
}

/** 403 for a client application that sends what only a server may. */
export function requireNoTrial(options: object | null | undefined): void {
  const { draft, at } = (options ?? {}) as { draft?: unknown; at?: unknown };
  if (draft != null || at != null)
    throw missing("Client applications cannot send .options.draft and .options.at: send them with a server key");
}

const missing = (details: string) => new ApiError("missing_required_permission", { details });
