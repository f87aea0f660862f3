import { unitTypesOf } from "../../core/discounts/discount.ts";
import type { SingleOffer } from "../../core/qualify/offer.ts";
import { usedPromotions } from "../../core/qualify/promotions.ts";
import { SCENARIOS, type Source } from "../../core/qualify/scenario.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Db } from "../../db/db.ts";
import { loadLocks } from "../../resources/checkout/sessions/store.ts";
import { loadGeneric, loadStandalone, loadWallets } from "../../resources/promotions/vouchers/offered-store.ts";
import { askedBy, loadBudgets } from "../../steps/checkout/budgets.ts";
import type { CartProject } from "../../steps/checkout/carts.ts";
import { promotionsOf, unitTypesIn, usedTiers } from "../../steps/checkout/offers.ts";
import { discountOf, loadKnownVouchers, locksAsked } from "../../steps/checkout/redeemables.ts";
import { collectionsNamed, customersAsked, limitedOffers } from "../../steps/checkout/rule-facts.ts";
import { loadUse } from "../../steps/checkout/use.ts";
import { loadGoods, membershipIn, unitsOf } from "../../steps/goods/goods.ts";
import {
  type AddedUnits,
  type CodePortion,
  type ListedCodes,
  type OfferFacts,
  type QualifyRequest,
  sourcesOf,
} from "./state.ts";

/** What promotions and codes may add to a cart. */
export async function loadUnits(
  db: Db,
  { id }: CartProject,
  { requests, rows }: { requests: readonly QualifyRequest[]; rows: readonly VoucherRow[] },
): Promise<(request: QualifyRequest) => AddedUnits> {
  const catalogs = [...new Set(requests.map(({ command }) => command.catalog))];
  const types = new Set([
    ...catalogs.flatMap(unitTypesIn),
    ...catalogs.flatMap((catalog) => rows.flatMap((row) => unitTypesOf(discountOf(row, catalog)))),
  ]);
  if (types.size === 0) return () => ({ units: new Map(), types });
  const goods = await loadGoods(db, id, { products: [...types], skus: [...types] });
  return ({ command: { catalog }, cart }) => ({
    units: unitsOf(goods, membershipIn(collectionsNamed(catalog, types), goods, cart.moment, cart.steps)),
    types,
  });
}

/** The codes of wallets and those that are for everybody. */
export async function loadListed(
  db: Db,
  project: CartProject,
  requests: readonly QualifyRequest[],
): Promise<ListedCodes> {
  const of = (source: Source) => requests.filter(({ command }) => sourcesOf(command).has(source));
  const customers = of("wallet").flatMap(({ cart }) => cart.customer?.id ?? []);
  const generic = of("generic").flatMap(({ command: { catalog } }) =>
    [...catalog.campaigns.values()].flatMap(({ id, type }) => (type === "STANDALONE" ? id : [])),
  );
  const [wallets, codes] = await Promise.all([
    customers.length > 0 ? loadWallets(db, project.id, [...new Set(customers)]) : [],
    generic.length > 0 ? loadGeneric(db, project.id, [...new Set(generic)]) : [],
  ]);
  const walletOf = Map.groupBy(wallets, ({ of_customer }) => of_customer);
  const rows = new Map(
    requests.map(({ command, cart }) => {
      const held = sourcesOf(command).has("wallet") ? (walletOf.get(cart.customer?.id ?? "") ?? []) : [];
      const roles = Map.groupBy(held, ({ id }) => id);
      const own = [...roles.values()].map((same) => ({
        ...same[0]!,
        roles: same.map(({ holder_role }) => holder_role),
      }));
      const open = sourcesOf(command).has("generic") ? codes.filter(({ id }) => !roles.has(id)) : [];
      return [command, [...own, ...open.map((row) => ({ ...row, roles: [] as string[] }))]] as const;
    }),
  );
  const all = [...wallets, ...codes];
  return {
    rows,
    all,
    facts: await loadFacts(db, project, { requests, vouchers: all, promotions: requests.flatMap(usedPromotionsOf) }),
  };
}

async function loadFacts(
  db: Db,
  project: CartProject,
  {
    requests,
    vouchers,
    promotions,
  }: { requests: readonly QualifyRequest[]; vouchers: readonly VoucherRow[]; promotions: readonly SingleOffer[] },
): Promise<OfferFacts> {
  const rows = [...new Map(vouchers.map((row) => [row.id, row])).values()];
  const subjects = [
    ...rows.map((row) => ({ ref: row.id, campaign_id: row.campaign_id, row })),
    ...promotions.map(({ redeemable: { ref, campaign_id } }) => ({ ref, campaign_id, row: null })),
  ];
  const [known, locks, use] = await Promise.all([
    loadKnownVouchers(db, project.id, rows),
    loadLocks(
      db,
      project.id,
      locksAsked(
        requests.map(({ command }) => command),
        rows,
      ),
    ),
    loadUse(db, project.id, {
      subjects,
      apiKeyIds: [...new Set(requests.map(({ command }) => command.api_key_id))],
      moments: requests.map(({ command: { now } }) => ({ now, zone: zoneOf(project) })),
      customers: customersAsked(requests, subjects),
    }),
  ]);
  const commands = requests.map(({ command }) => command);
  const budgets = await loadBudgets(db, project.id, {
    redeemables: limitedOffers(commands, known),
    ...askedBy(requests, () => commands.flatMap(({ catalog }) => unitTypesIn(catalog))),
  });
  return {
    knownOf: new Map(known.map((voucher) => [voucher.row.id, voucher])),
    held: locks.held,
    use,
    budgets,
  };
}

/** The promotions that may apply and whose rules look at what was redeemed so far. */
function usedPromotionsOf({ command, cart }: QualifyRequest): readonly SingleOffer[] {
  const { catalog, project, scenario, paging, now } = command;
  const { index, stacks } = promotionsOf(catalog, zoneOf(project));
  const facts = { customer: cart.customer, order: cart.order, now };
  const after = paging.sorting === "DEFAULT" ? paging.after : null;
  const used = usedPromotions(index, { scenario: SCENARIOS[scenario], facts, after });
  return sourcesOf(command).has("stacks") ? [...used, ...usedTiers(stacks)] : used;
}

/** The next codes that stand alone, of all commands in one statement. */
export async function loadPortion(
  db: Db,
  project: CartProject,
  requests: readonly QualifyRequest[],
  size: number,
): Promise<CodePortion> {
  const wanting = requests.filter(({ command }) => sourcesOf(command).has("standalone"));
  const before = ({ command: { paging } }: QualifyRequest) => (paging.sorting === "DEFAULT" ? paging.after : null);
  const moments = [...new Set(wanting.map(before))];
  const found = moments.length > 0 ? await loadStandalone(db, project.id, { before: moments, limit: size }) : [];
  const rows = new Map(wanting.map((request) => [request.command, found[moments.indexOf(before(request))]!]));
  const all = found.flat();
  return { rows, all, facts: await loadFacts(db, project, { requests, vouchers: all, promotions: [] }), size };
}
