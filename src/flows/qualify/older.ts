import { apiErrorFrom, type ErrorBody } from "../../core/errors.ts";
import { refOf } from "../../core/qualify/offer.ts";
import type { Source } from "../../core/qualify/scenario.ts";
import { type Ctx, commandOf } from "../../ctx.ts";
import { currentCampaigns } from "../../resources/promotions/campaigns/store.ts";
import type { CartSent } from "../../steps/checkout/carts.ts";
import { showCampaigns } from "../../steps/promotions/campaigns.ts";
import { voucherView } from "../../steps/promotions/voucher-view.ts";
import { qualify } from "./qualify.ts";
import type { Qualified, QualifyCommand } from "./state.ts";

const OLDER_MAX = 50;
type OlderQuery = { audienceRulesOnly?: boolean; limit?: number; order?: string };

/** One question of an older operation: a kind of thing, up to fifty of it. */
async function askOlder(c: Ctx, sent: CartSent, query: OlderQuery, source: Source): Promise<Qualified> {
  let found: Qualified | undefined;
  const command: QualifyCommand = {
    ...(await commandOf(c)),
    steps: c.steps,
    sent,
    scenario: query.audienceRulesOnly ? "AUDIENCE_ONLY" : "ALL",
    sources: new Set([source]),
    session: null,
    filter: null,
    paging: { limit: Math.min(query.limit ?? OLDER_MAX, OLDER_MAX), after: null, sorting: "DEFAULT" },
    show: (qualified) => {
      found = qualified;
      return {};
    },
  };
  const [answer] = await qualify.read(c.db, c.project.id, [command], async () => {});
  if (!found) throw apiErrorFrom(JSON.parse(answer!.body) as ErrorBody);
  return found;
}

function olderList<V extends object>(c: Ctx, views: readonly V[], { cart }: Qualified, { order }: OlderQuery) {
  const data = order === "created_at" ? views.toReversed() : [...views];
  const tracking = cart.tracking_id === null ? {} : { tracking_id: cart.tracking_id };
  const stamps = { id: c.newId("qual"), created_at: c.now };
  return { ...stamps, object: "list" as const, data_ref: "data" as const, data, total: data.length, ...tracking };
}

const refsIn = ({ page: { matches } }: Qualified): string[] => matches.map(({ offer }) => refOf(offer));

/** The codes that stand alone and that the customer can use. */
export async function qualifyVouchers(c: Ctx, sent: CartSent, query: OlderQuery) {
  const found = await askOlder(c, sent, query, "standalone");
  const catalog = await c.catalog();
  const views = refsIn(found).map((ref) => voucherView(catalog, found.rows.get(ref)!, c.project));
  return olderList(c, views, found, query);
}

/** The campaigns of which the customer can get a code. */
export async function qualifyCampaigns(c: Ctx, sent: CartSent, query: OlderQuery) {
  const found = await askOlder(c, sent, query, "campaigns");
  const rows = await currentCampaigns(c.db, c.project.id, refsIn(found));
  return olderList(c, await showCampaigns(c.db, c.project.id, rows), found, query);
}
