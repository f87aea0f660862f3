import { unitTypesOf } from "../../core/discounts/discount.ts";
import type { SingleOffer } from "../../core/qualify/offer.ts";
import { usedPromotions } from "../../core/qualify/promotions.ts";
import { SCENARIOS, type Source } from "../../core/qualify/scenario.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Db } from "../../db/db.ts";
import { loadLocks } from "../../resources/checkout/sessions/store.ts";
import type { FoundVoucher } from "../../resources/promotions/vouchers/beside-store.ts";
import { type HeldVoucher, loadWallets } from "../../resources/promotions/vouchers/offered-store.ts";
import { askedBy, loadBudgets } from "../../steps/checkout/budgets.ts";
import type { CartProject } from "../../steps/checkout/carts.ts";
import { besideAsked, heldIn, knownFrom } from "../../steps/checkout/codes-beside.ts";
import { promotionsOf, unitTypesIn, usedTiers } from "../../steps/checkout/offers.ts";
import { discountOf, locksAsked } from "../../steps/checkout/redeemables.ts";
import { collectionsNamed, countersAsked, customersAsked, limitedOffers } from "../../steps/checkout/rule-facts.ts";
import { loadUse } from "../../steps/checkout/use.ts";
import { loadGoods, membershipIn, unitsOf } from "../../steps/goods/goods.ts";
import { beforeOf, genericIn, type Portion, type ReadAhead } from "./ahead.ts";
import {
  type AddedUnits,
  type CodePortion,
  type ListedCodes,
  type OfferFacts,
  type QualifyRequest,
  sourcesOf,
} from "./state.ts";

/** What promotions and codes may add to a cart. What promotions may add was read; a code may add more. */
export async function loadUnitTypes(
  db: Db,
  { id }: CartProject,
  {
    requests,
    rows,
    ahead,
  }: { requests: readonly QualifyRequest[]; rows: readonly VoucherRow[]; ahead: ReadAhead["units"] },
): Promise<(request: QualifyRequest) => AddedUnits> {
  const catalogs = [...new Set(requests.map(({ command }) => command.catalog))];
  const types = new Set([
    ...catalogs.flatMap(unitTypesIn),
    ...catalogs.flatMap((catalog) => rows.flatMap((row) => unitTypesOf(discountOf(row, catalog)))),
  ]);
  if (types.size === 0) return () => ({ units: new Map(), types });
  const isRead = types.size === ahead.types.size && types.isSubsetOf(ahead.types);
  const goods = isRead ? ahead.goods : await loadGoods(db, id, { products: [...types], skus: [...types] });
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
  ahead: ReadAhead,
): Promise<ListedCodes> {
  const of = (source: Source) => requests.filter(({ command }) => sourcesOf(command).has(source));
  const customers = [...new Set(of("wallet").flatMap(({ cart }) => cart.customer?.id ?? []))];
  const walletOf = await walletsOf(db, project, { requests, customers, ahead });
  const wallets = customers.flatMap((id) => walletOf.get(id) ?? []);
  const campaigns = new Set(genericIn(of("generic").map(({ command }) => command)));
  const generic = ahead.generic.filter(({ row }) => campaigns.has(row.campaign_id!));
  const rows = new Map(
    requests.map(({ command, cart }) => {
      const held = sourcesOf(command).has("wallet") ? (walletOf.get(cart.customer?.id ?? "") ?? []) : [];
      const roles = Map.groupBy(held, ({ row }) => row.id);
      const own = [...roles.values()].map((same) => ({
        ...same[0]!.row,
        roles: same.map(({ holder_role }) => holder_role),
      }));
      const open = sourcesOf(command).has("generic") ? generic.filter(({ row }) => !roles.has(row.id)) : [];
      return [command, [...own, ...open.map(({ row }) => ({ ...row, roles: [] as string[] }))]] as const;
    }),
  );
  const found: readonly FoundVoucher[] = [...wallets, ...generic];
  return {
    rows,
    all: found.map(({ row }) => row),
    facts: await loadFacts(db, project, { requests, found, promotions: requests.flatMap(usedPromotionsOf) }),
  };
}

type Wallets = ReadonlyMap<string, readonly HeldVoucher[]>;
/** Wallets were read by the names of customers. Somebody who got another one meanwhile was not found: then they are read by id. */
async function walletsOf(
  db: Db,
  project: CartProject,
  { requests, customers, ahead }: { requests: readonly QualifyRequest[]; customers: string[]; ahead: ReadAhead },
): Promise<Wallets> {
  if (customers.every((id) => ahead.wallets.has(id))) return ahead.wallets;
  const commands = requests.map(({ command }) => command);
  return loadWallets(db, project.id, customers, besideAsked(commands));
}

type Offered = {
  requests: readonly QualifyRequest[];
  found: readonly FoundVoucher[];
  promotions: readonly SingleOffer[];
};

async function loadFacts(db: Db, project: CartProject, { requests, found, promotions }: Offered): Promise<OfferFacts> {
  const once = [...new Map(found.map((one) => [one.row.id, one])).values()];
  const rows = once.map(({ row }) => row);
  const known = knownFrom(project.id, once);
  const subjects = [
    ...rows.map((row) => ({ ref: row.id, campaign_id: row.campaign_id, row })),
    ...promotions.map(({ redeemable: { ref, campaign_id } }) => ({ ref, campaign_id, row: null })),
  ];
  const commands = requests.map(({ command }) => command);
  const asked = locksAsked(commands, rows);
  const [locks, use, budgets] = await Promise.all([
    heldIn(once, asked) ?? loadLocks(db, project.id, asked),
    loadUse(db, project.id, {
      subjects,
      apiKeyIds: [...new Set(commands.map(({ api_key_id }) => api_key_id))],
      moments: commands.map(({ now }) => ({ now, zone: zoneOf(project) })),
      customers: customersAsked(requests, subjects),
      asked: countersAsked(commands),
    }),
    loadBudgets(db, project.id, {
      redeemables: limitedOffers(commands, known),
      ...askedBy(requests, () => commands.flatMap(({ catalog }) => unitTypesIn(catalog))),
    }),
  ]);
  return { knownOf: new Map(known.map((voucher) => [voucher.row.id, voucher])), held: locks.held, use, budgets };
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

/** A portion of codes that stand alone, as each request finds it. */
export async function loadPortion(
  db: Db,
  project: CartProject,
  requests: readonly QualifyRequest[],
  { before, size }: Portion,
): Promise<CodePortion> {
  const wanting = requests.filter(({ command }) => sourcesOf(command).has("standalone"));
  const found = [...new Set(wanting.map(({ command }) => beforeOf(command)))].flatMap((moment) => before.get(moment)!);
  const rowsOf = ({ command }: QualifyRequest) => before.get(beforeOf(command))!.map(({ row }) => row);
  return {
    rows: new Map(wanting.map((request) => [request.command, rowsOf(request)])),
    all: found.map(({ row }) => row),
    facts: await loadFacts(db, project, { requests, found, promotions: [] }),
    size,
  };
}
