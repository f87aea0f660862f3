import { createCatalogs } from "../src/catalog/catalog.ts";
import { formulaOf } from "../src/catalog/formulas.ts";
import { LIMIT_DEFAULT, offersPage } from "../src/core/qualify/page.ts";
import { promotionsFor } from "../src/core/qualify/promotions.ts";
import { qualifyOffer, questionOf } from "../src/core/qualify/qualify.ts";
import { SCENARIOS } from "../src/core/qualify/scenario.ts";
import { pageView } from "../src/core/qualify/view.ts";
import { DEFAULT_STACKING } from "../src/core/stacking/settings.ts";
import type { Pool } from "../src/db/db.ts";
import { newId, now } from "../src/sources.ts";
import { loadCarts } from "../src/steps/checkout/carts.ts";
import { promotionsOf } from "../src/steps/checkout/offers.ts";
import type { Cart } from "./shop.ts";

/** What a qualification has to answer, found without the index; of some carts also how many promotions there are. */
export type Scanned = { redeemables: string; candidates?: number; matches?: number };
const COUNTED_MAX = 20;

/** Lines get an id with every request: it is not compared. */
export const withoutLineIds = (view: unknown): string => JSON.stringify(view).replaceAll(/"ordli_\w+"/g, '"ordli"');

export async function scanAll(db: Pool, projectId: string, carts: readonly Cart[]): Promise<Scanned[]> {
  const [project] =
    await db`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${projectId}`;
  const catalogs = createCatalogs(db, { bytesMax: 2 ** 30 });
  const catalog = await catalogs.catalogOf(project as never);
  const { index } = promotionsOf(catalog, project!.timezone);
  const offers = [...index.base.offers.filter((_, n) => index.gone[n] === 0), ...index.recent.offers];
  const at = now();
  const loaded = await loadCarts(
    db,
    project as never,
    carts.map((sent) => ({ catalog, now: at, newId, sent: sent as never })),
    new Set(),
  );
  return loaded.map((cart, n) => {
    if ("refused" in cart) throw new Error(`refused: ${JSON.stringify(cart.refused)}`);
    const question = questionOf("ALL", {
      order: cart.order,
      settings: DEFAULT_STACKING,
      filter: null,
      situation: {
        now: at,
        zone: cart.moment.zone,
        customer: cart.customer,
        redemption: { metadata: {}, api_key_id: null, user_login: null },
        units: new Map(),
        formula: formulaOf,
      },
    });
    const page = offersPage({ promotions: null, listed: offers }, question, {
      limit: LIMIT_DEFAULT,
      after: null,
      sorting: "DEFAULT",
    });
    const view = pageView(page, {
      question,
      people: cart.people,
      expand: new Set(),
      newLineId: () => "",
    });
    const facts = { customer: cart.customer, order: cart.order, now: at };
    return {
      redeemables: withoutLineIds(view),
      ...(n < COUNTED_MAX && {
        candidates: [...promotionsFor(index, { scenario: SCENARIOS.ALL, facts, after: null })].length,
        matches: offers.filter((offer) => qualifyOffer(offer, question) !== null).length,
      }),
    };
  });
}
