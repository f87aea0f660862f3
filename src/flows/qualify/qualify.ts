import { formulaOf } from "../../catalog/formulas.ts";
import { type Answer, refusal, refused, success } from "../../core/answer.ts";
import { unitTypesOf } from "../../core/discounts/discount.ts";
import type { CatalogueUnits } from "../../core/discounts/units.ts";
import { apiErrorFrom, type ErrorBody, errorBody } from "../../core/errors.ts";
import type { CompiledFilter } from "../../core/filters/predicate.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { Order } from "../../core/order/order.ts";
import { momentOf } from "../../core/qualify/cursor.ts";
import { type Offer, refOf, type SingleOffer } from "../../core/qualify/offer.ts";
import { CONSIDERED_MAX, type Page, type Paging, pageOf } from "../../core/qualify/page.ts";
import { usedPromotions } from "../../core/qualify/promotions.ts";
import { type Question, questionOf } from "../../core/qualify/qualify.ts";
import { SCENARIOS, type ScenarioName, type Source } from "../../core/qualify/scenario.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { type Steps, spend, tooExpensive } from "../../core/steps.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import { type CommandHead, type Ctx, commandOf } from "../../ctx.ts";
import type { ReadFlow } from "../../db/batch.ts";
import type { Db } from "../../db/db.ts";
import { loadLocks, type SessionLock } from "../../resources/checkout/sessions/store.ts";
import { currentCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { loadGeneric, loadStandalone, loadWallets } from "../../resources/promotions/vouchers/offered-store.ts";
import { askedBy, type Budgets, loadBudgets } from "../../steps/checkout/budgets.ts";
import { type Cart, type CartProject, type CartSent, collectionsNamed, loadCarts } from "../../steps/checkout/carts.ts";
import { customersAsked, limitedOffers, liveLocks, settingsFor } from "../../steps/checkout/deciding.ts";
import { promotionsOf, unitTypesIn, usedTiers, VOUCHER_STEPS, voucherOffer } from "../../steps/checkout/offers.ts";
import {
  discountOf,
  type KnownVoucher,
  loadKnownVouchers,
  voucherRedeemable,
} from "../../steps/checkout/redeemables.ts";
import { loadUse, type Use } from "../../steps/checkout/use.ts";
import { loadGoods, membershipIn, unitsOf } from "../../steps/goods/goods.ts";
import { showCampaigns } from "../../steps/promotions/campaigns.ts";
import { voucherView } from "../../steps/promotions/voucher-view.ts";

export type QualifyCommand = CommandHead & {
  sent: CartSent & { metadata?: Readonly<Record<string, unknown>> | null | undefined };
  scenario: ScenarioName;
  /** Narrower than the scenario, where an older operation asks for one kind of thing only. */
  sources?: ReadonlySet<Source>;
  session: { key: string | null } | null;
  steps?: Steps | undefined;
  /** Sent by a client application, which is shown less. */
  isClient?: boolean;
  filter: CompiledFilter | null;
  paging: Paging;
  show(qualified: Qualified): unknown;
};
export type Qualified = {
  page: Page;
  question: Question;
  cart: Cart;
  /** The rows of the codes that were looked at. */
  rows: ReadonlyMap<string, VoucherRow>;
};

/** Codes are loaded in portions: most pages are full with the first. */
const PORTIONS = [100, 1000, CONSIDERED_MAX];

/** Which redeemables a customer can use, each alone on the cart. Nothing is written. */
export const qualify: ReadFlow<QualifyCommand, Answer> = {
  name: "qualify",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  read: async (db, _, commands) => {
    const { project } = commands[0]!;
    const carts = await loadCarts(db, project, commands, NO_TYPES);
    const answers = new Map<QualifyCommand, Answer>();
    const asking = commands.flatMap((command, n): Asking[] => {
      const cart = carts[n]!;
      const fault = "refused" in cart ? cart.refused : requestFault(command);
      if (fault) answers.set(command, refused(fault, command.request_id));
      return fault || "refused" in cart ? [] : [{ command, cart }];
    });
    await answerAll(db, project, asking, answers);
    return commands.map((command) => answers.get(command)!);
  },
};
const NO_TYPES: ReadonlySet<string> = new Set();

type Asking = { command: QualifyCommand; cart: Cart };

function requestFault({ catalog, sent: { metadata } }: QualifyCommand): ErrorBody | null {
  const details = metadata ? metadataFault(catalog.metadata_schemas, "redemption", { metadata, on: "create" }) : null;
  return details === null ? null : errorBody("metadata_validation_failed", { details });
}

const sourcesOf = ({ scenario, sources }: QualifyCommand): ReadonlySet<Source> =>
  sources ? SCENARIOS[scenario].sources.intersection(sources) : SCENARIOS[scenario].sources;

/** Those whose page is not full are asked again with more codes; the last portion ends the search. */
async function answerAll(
  db: Db,
  project: CartProject,
  asking: readonly Asking[],
  answers: Map<QualifyCommand, Answer>,
): Promise<void> {
  let open = asking;
  const listed = await loadListed(db, project, asking);
  for (const [round, size] of PORTIONS.entries()) {
    if (open.length === 0) return;
    const isLast = round === PORTIONS.length - 1;
    // A sorted page has to see them all.
    const now = open.filter(({ command }) => isLast || command.paging.sorting === "DEFAULT");
    const standalone = await loadPortion(db, project, now, size);
    const unitsFor = await loadUnits(db, project, { asking: now, rows: [...listed.all, ...standalone.all] });
    for (const one of now) {
      const answer = answerOf(one, { unitsFor, listed, standalone, isLast });
      if (answer) answers.set(one.command, answer);
    }
    open = open.filter(({ command }) => !answers.has(command));
  }
}

/** The answer with the codes that are loaded; null: more of them are needed. What costs too much is refused alone. */
function answerOf(one: Asking, { unitsFor, listed, standalone, isLast }: Round): Answer | null {
  try {
    const question = questionFor(one, unitsFor);
    const page = pageFor(one, { question, listed, standalone });
    if (page.resume !== null && !isLast) return null;
    const rows = new Map([...listed.all, ...standalone.all].map((row) => [row.id, row]));
    return success(one.command.show({ page, question, cart: one.cart, rows }));
  } catch (error) {
    return refused(tooExpensive(error), one.command.request_id);
  }
}

type Units = { units: CatalogueUnits; types: ReadonlySet<string> };

/** What promotions and codes may add to a cart. */
async function loadUnits(
  db: Db,
  { id }: CartProject,
  { asking, rows }: { asking: readonly Asking[]; rows: readonly VoucherRow[] },
): Promise<(one: Asking) => Units> {
  const catalogs = [...new Set(asking.map(({ command }) => command.catalog))];
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

function questionFor(one: Asking, unitsFor: (one: Asking) => Units): Question {
  const { command, cart } = one;
  const { catalog, now, sent, api_key_id, scenario, filter } = command;
  const { units, types } = unitsFor(one);
  return questionOf(scenario, {
    order: cart.order && withCollections(cart.order, one, types),
    settings: settingsFor(catalog),
    filter,
    situation: {
      now,
      zone: cart.moment.zone,
      customer: cart.customer,
      redemption: { metadata: sent.metadata ?? {}, api_key_id, user_login: null },
      units,
      formula: formulaOf,
      steps: cart.steps,
    },
  });
}

/** A discount may give units of a collection that no rule names. */
function withCollections(order: Order, { command: { catalog }, cart }: Asking, types: ReadonlySet<string>): Order {
  if (![...types].some((id) => catalog.product_collections.has(id))) return order;
  const collections = membershipIn(collectionsNamed(catalog, types), cart.goods, cart.moment, cart.steps);
  return {
    ...order,
    items: order.items.map((item) => ({ ...item, collections: collections(item.product, item.sku) })),
  };
}

type Facts = {
  knownOf: ReadonlyMap<string, KnownVoucher>;
  locks: ReadonlyMap<string, readonly SessionLock[]>;
  use: Use;
  budgets: Budgets;
};
type Held = VoucherRow & { roles: readonly string[] };
type Listed = { rows: ReadonlyMap<QualifyCommand, readonly Held[]>; all: readonly VoucherRow[]; facts: Facts };

/** The codes of wallets and those that are for everybody. */
async function loadListed(db: Db, project: CartProject, asking: readonly Asking[]): Promise<Listed> {
  const of = (source: Source) => asking.filter(({ command }) => sourcesOf(command).has(source));
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
    asking.map(({ command, cart }) => {
      const held = sourcesOf(command).has("wallet") ? (walletOf.get(cart.customer?.id ?? "") ?? []) : [];
      const roles = Map.groupBy(held, ({ id }) => id);
      const own = [...roles.values()].map((same) => ({ ...same[0]!, roles: same.map((one) => one.holder_role) }));
      const open = sourcesOf(command).has("generic") ? codes.filter(({ id }) => !roles.has(id)) : [];
      return [command, [...own, ...open.map((row) => ({ ...row, roles: [] as string[] }))]] as const;
    }),
  );
  const all = [...wallets, ...codes];
  return {
    rows,
    all,
    facts: await loadFacts(db, project, { asking, vouchers: all, promotions: asking.flatMap(usedPromotionsOf) }),
  };
}

async function loadFacts(
  db: Db,
  project: CartProject,
  {
    asking,
    vouchers,
    promotions,
  }: { asking: readonly Asking[]; vouchers: readonly VoucherRow[]; promotions: readonly SingleOffer[] },
): Promise<Facts> {
  const rows = [...new Map(vouchers.map((row) => [row.id, row])).values()];
  const ids = rows.map(({ id }) => id);
  const subjects = [
    ...rows.map((row) => ({ ref: row.id, campaign_id: row.campaign_id, row })),
    ...promotions.map(({ redeemable: { ref, campaign_id } }) => ({ ref, campaign_id, row: null })),
  ];
  const [known, locks, use] = await Promise.all([
    loadKnownVouchers(db, project.id, rows),
    ids.length > 0 ? loadLocks(db, project.id, ids) : [],
    loadUse(db, project.id, {
      subjects,
      apiKeyIds: [...new Set(asking.map(({ command }) => command.api_key_id))],
      moments: asking.map(({ command: { now } }) => ({ now, zone: zoneOf(project) })),
      customers: customersAsked(asking, subjects),
    }),
  ]);
  const commands = asking.map(({ command }) => command);
  const budgets = await loadBudgets(db, project.id, {
    redeemables: limitedOffers(commands, known),
    ...askedBy(asking, () => commands.flatMap(({ catalog }) => unitTypesIn(catalog))),
  });
  return {
    knownOf: new Map(known.map((one) => [one.row.id, one])),
    locks: Map.groupBy(locks, ({ redeemable_id }) => redeemable_id),
    use,
    budgets,
  };
}

/** The promotions that may apply and whose rules look at what was redeemed so far. */
function usedPromotionsOf({ command, cart }: Asking): readonly SingleOffer[] {
  const { catalog, project, scenario, paging, now } = command;
  const { index, stacks } = promotionsOf(catalog, zoneOf(project));
  const facts = { customer: cart.customer, order: cart.order, now };
  const after = paging.sorting === "DEFAULT" ? paging.after : null;
  const used = usedPromotions(index, { scenario: SCENARIOS[scenario], facts, after });
  return sourcesOf(command).has("stacks") ? [...used, ...usedTiers(stacks)] : used;
}

type Portion = {
  rows: ReadonlyMap<QualifyCommand, readonly VoucherRow[]>;
  all: readonly VoucherRow[];
  facts: Facts;
  size: number;
};

/** The next codes that stand alone, of all commands in one statement. */
async function loadPortion(db: Db, project: CartProject, asking: readonly Asking[], size: number): Promise<Portion> {
  const wanting = asking.filter(({ command }) => sourcesOf(command).has("standalone"));
  const before = ({ command: { paging } }: Asking) => (paging.sorting === "DEFAULT" ? paging.after : null);
  const moments = [...new Set(wanting.map(before))];
  const found = moments.length > 0 ? await loadStandalone(db, project.id, { before: moments, limit: size }) : [];
  const rows = new Map(wanting.map((one) => [one.command, found[moments.indexOf(before(one))]!]));
  const all = found.flat();
  return { rows, all, facts: await loadFacts(db, project, { asking, vouchers: all, promotions: [] }), size };
}

type Loaded = { question: Question; listed: Listed; standalone: Portion };
type Round = { unitsFor(one: Asking): Units; listed: Listed; standalone: Portion; isLast: boolean };

function pageFor(one: Asking, { question, listed, standalone }: Loaded): Page {
  const { command, cart } = one;
  const { catalog, project, paging, api_key_id, now } = command;
  const sources = sourcesOf(command);
  const zone = zoneOf(project);
  const asker = { api_key_id, customer_id: cart.customer?.id ?? null, starts: startsOf(now, zone) };
  const alone = standalone.rows.get(command) ?? [];
  const held = listed.rows.get(command)!;
  const isHeld = new Set(held.map(({ id }) => id));
  const { index, stacks } = promotionsOf(catalog, zone);
  const isMore = alone.length === standalone.size && paging.sorting === "DEFAULT";
  spend(cart.steps, VOUCHER_STEPS * (held.length + alone.length));
  return pageOf(
    {
      promotions: sources.has("tiers") || sources.has("campaigns") ? index : null,
      listed: [
        ...held.flatMap((row) => offersOf(one, listed.facts, row, row.roles)),
        ...alone.filter(({ id }) => !isHeld.has(id)).flatMap((row) => offersOf(one, standalone.facts, row, [])),
        ...(sources.has("stacks") ? stacks : []),
      ],
      listedTo: isMore ? momentOf(alone.at(-1)!.created_at) : null,
      // What is configured has its counters elsewhere; a code was read with its own.
      current: ({ object, redeemable }) => {
        if (object === "voucher") return redeemable;
        const { ref, campaign_id } = redeemable;
        const { use, budgets } = listed.facts;
        return {
          ...redeemable,
          counts: use.countsOf({ ref, campaign_id, row: null }, asker),
          used_units: budgets.usedBy({ ref, campaign_id }, cart.customer?.id ?? null),
        };
      },
    },
    { ...question, scenario: { ...question.scenario, sources } },
    paging,
  );
}

function offersOf({ command, cart }: Asking, facts: Facts, row: VoucherRow, roles: readonly string[]): Offer[] {
  const { catalog, session, now, api_key_id, project } = command;
  const known = facts.knownOf.get(row.id)!;
  const asker = { api_key_id, customer_id: cart.customer?.id ?? null, starts: startsOf(now, zoneOf(project)) };
  const counts = facts.use.countsOf({ ref: row.id, campaign_id: row.campaign_id, row }, asker);
  const live = liveLocks(facts.locks.get(row.id) ?? [], { now });
  const locks = live.filter(({ session_key }) => session_key !== session?.key);
  const usedUnits = facts.budgets.usedBy({ ref: row.id, campaign_id: row.campaign_id }, cart.customer?.id ?? null);
  const customer = { id: cart.customer?.id ?? null, email: cart.email };
  const asked = { credits: null, reward: null, locks, held: live, customer };
  const redeemable = voucherRedeemable(known, { catalog, counts, usedUnits }, asked);
  return redeemable ? [voucherOffer(known, redeemable, { catalog, roles })] : [];
}

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
  const [answer] = await qualify.read(c.db, c.project.id, [command]);
  if (!found) throw apiErrorFrom(JSON.parse(answer!.body) as ErrorBody);
  return found;
}

function listed<V extends object>(views: readonly V[], { cart }: Qualified, { order }: OlderQuery) {
  const data = order === "created_at" ? views.toReversed() : [...views];
  const tracking = cart.tracking_id === null ? {} : { tracking_id: cart.tracking_id };
  return { object: "list" as const, data_ref: "data" as const, data, total: data.length, ...tracking };
}

const refsIn = ({ page: { matches } }: Qualified): string[] => matches.map(({ offer }) => refOf(offer));

/** The codes that stand alone and that the customer can use. */
export async function qualifyVouchers(c: Ctx, sent: CartSent, query: OlderQuery) {
  const found = await askOlder(c, sent, query, "standalone");
  const catalog = await c.catalog();
  const views = refsIn(found).map((ref) => voucherView(catalog, found.rows.get(ref)!, c.project));
  return listed(views, found, query);
}

/** The campaigns of which the customer can get a code. */
export async function qualifyCampaigns(c: Ctx, sent: CartSent, query: OlderQuery) {
  const found = await askOlder(c, sent, query, "campaigns");
  const rows = await currentCampaigns(c.db, c.project.id, refsIn(found));
  return listed(await showCampaigns(c.db, c.project.id, rows), found, query);
}
