import type { EntryRow } from "../core/rows/ledger.ts";
import type { Db } from "../db/db.ts";
import { categories } from "../resources/catalogue/categories/store.ts";
import { redemptionsById } from "../resources/checkout/redemptions/list-store.ts";
import { findCustomers } from "../resources/customers/customers/store.ts";
import { showCustomers } from "../resources/customers/customers/summary-store.ts";
import { entriesById, lotsById } from "../resources/ledger/ledger/store.ts";
import { campaignEarningRules } from "../resources/loyalty-v1/earning-rules/store.ts";
import { findOrders } from "../resources/orders/orders/store.ts";
import { loadCampaigns } from "../resources/promotions/campaigns/store.ts";
import { promotionTiers } from "../resources/promotions/promotion-tiers/store.ts";
import { publicationsById } from "../resources/promotions/publications/store.ts";
import { validationRules } from "../resources/promotions/validation-rules/store.ts";
import { vouchersById } from "../resources/promotions/vouchers/store.ts";

type Named = { id: string };
type Rows<F extends (...args: never[]) => PromiseLike<readonly Named[]>> = ReadonlyMap<
  string,
  Awaited<ReturnType<F>>[number]
>;
/** Rows that deliveries are made from, by their ids. */
export type LoadedRows = {
  entries: ReadonlyMap<string, EntryRow>;
  publications: Rows<typeof publicationsById>;
  vouchers: Rows<typeof vouchersById>;
  earning_rules: Rows<typeof campaignEarningRules.load>;
  validation_rules: Rows<typeof validationRules.load>;
  promotion_tiers: Rows<typeof promotionTiers.load>;
  redemptions: Rows<typeof redemptionsById>;
  lots: Rows<typeof lotsById>;
  campaigns: Rows<typeof loadCampaigns>;
  orders: Rows<typeof findOrders>;
  customers: Rows<typeof findCustomers>;
  categories: Rows<typeof categories.load>;
  full_customers: Rows<typeof showCustomers>;
};
export type LoadedKind = keyof LoadedRows;

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
export const NOTHING_LOADED: LoadedRows = {
  ...{ entries: NONE, publications: NONE, vouchers: NONE, earning_rules: NONE, validation_rules: NONE },
  ...{ promotion_tiers: NONE, redemptions: NONE, lots: NONE, campaigns: NONE, orders: NONE, customers: NONE },
  ...{ categories: NONE, full_customers: NONE },
};

/** What an event names. */
type Naming = {
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  payload?: Readonly<Record<string, unknown>>;
};
/** An event, and the kinds of rows that are wanted for it. */
export type Wanting = { event: Naming; wants: ReadonlySet<LoadedKind> };

/** Where rows of a kind are read, and which: those that events name, and those that other rows lead to. */
type Source = {
  named?(event: Naming): readonly unknown[];
  ledTo?(loaded: LoadedRows): readonly (string | null)[];
  read(db: Db, projectId: string, ids: string[], loaded: LoadedRows): PromiseLike<readonly Named[]>;
};

type Assigned = { rule_id: string; related_object_type: string; related_object_id: string };
const assignmentIn = ({ payload }: Naming) => payload?.assignment as Assigned | undefined;
/** What a validation rule is assigned to, where that is such a thing. */
const assignedTo = (event: Naming, type: string) =>
  assignmentIn(event)?.related_object_type === type ? [assignmentIn(event)!.related_object_id] : [];
const rowsIn = <K extends LoadedKind>(loaded: LoadedRows, kind: K) =>
  [...loaded[kind].values()] as (LoadedRows[K] extends ReadonlyMap<string, infer R> ? R : never)[];

/** Rows lead to other rows, so they are read in steps. */
const STEPS: readonly Partial<Record<LoadedKind, Source>>[] = [
  {
    entries: { named: ({ payload }) => [payload?.transaction_id], read: entriesById },
    publications: { named: ({ payload }) => [payload?.publication_id], read: publicationsById },
    vouchers: { named: (event) => [event.voucher_id, ...assignedTo(event, "voucher")], read: vouchersById },
    earning_rules: {
      named: (event) => [event.payload?.earning_rule_id, ...assignedTo(event, "earning_rule")],
      read: campaignEarningRules.load,
    },
    validation_rules: { named: (event) => [assignmentIn(event)?.rule_id], read: validationRules.load },
    promotion_tiers: { named: (event) => assignedTo(event, "promotion_tier"), read: promotionTiers.load },
  },
  {
    redemptions: {
      named: ({ payload }) => [
        payload?.redemption_id,
        (payload?.redemption as Named | null | undefined)?.id,
        payload?.rollback_id,
      ],
      ledTo: (loaded) =>
        rowsIn(loaded, "entries").flatMap(({ redemption_id, rollback_id }) => [redemption_id, rollback_id]),
      read: redemptionsById,
    },
    lots: {
      ledTo: (loaded) => rowsIn(loaded, "entries").flatMap(({ lots }) => lots.map(([lot]) => lot)),
      read: lotsById,
    },
    campaigns: {
      named: (event) => [event.campaign_id, ...assignedTo(event, "campaign")],
      ledTo: (loaded) => rowsIn(loaded, "vouchers").map(({ campaign_id }) => campaign_id),
      read: loadCampaigns,
    },
  },
  {
    orders: {
      named: ({ payload }) => [payload?.order_id],
      ledTo: (loaded) => [
        ...rowsIn(loaded, "entries").map(({ order_id }) => order_id),
        ...rowsIn(loaded, "redemptions").map(({ order_id }) => order_id),
      ],
      read: (db, projectId, ids) => findOrders(db, projectId, { ids, sourceIds: [] }),
    },
    customers: {
      named: ({ customer_id, payload }) => [customer_id, payload?.customer_id],
      ledTo: (loaded) => [
        ...rowsIn(loaded, "vouchers").map(({ holder_id }) => holder_id),
        ...rowsIn(loaded, "redemptions").map(({ customer_id }) => customer_id),
        ...rowsIn(loaded, "publications").map(({ customer_id }) => customer_id),
      ],
      read: (db, projectId, ids) => findCustomers(db, projectId, { ids, sourceIds: [], trackingIds: [] }),
    },
    categories: {
      ledTo: (loaded) => [
        ...rowsIn(loaded, "campaigns").map(({ category_id }) => category_id),
        ...rowsIn(loaded, "vouchers").map(({ category_id }) => category_id),
      ],
      read: categories.load,
    },
  },
  {
    full_customers: {
      named: ({ customer_id }) => [customer_id],
      read: (db, projectId, ids, { customers }) =>
        showCustomers(
          db,
          projectId,
          ids.flatMap((id) => customers.get(id) ?? []),
        ),
    },
  },
];

/** Reads what deliveries are made from, each kind of rows in one statement, however many events there are. */
export async function loadPayloadRows(db: Db, projectId: string, wanting: readonly Wanting[]): Promise<LoadedRows> {
  let loaded: LoadedRows = NOTHING_LOADED;
  for (const step of STEPS) {
    const sources = Object.entries(step) as [LoadedKind, Source][];
    const read = await Promise.all(
      sources.map(async ([kind, source]) => {
        const ids = idsOf(kind, source, { wanting, loaded });
        const rows = ids.length === 0 ? [] : await source.read(db, projectId, ids, loaded);
        return [kind, new Map(rows.map((row) => [row.id, row]))] as const;
      }),
    );
    loaded = { ...loaded, ...Object.fromEntries(read) };
  }
  return loaded;
}

function idsOf(
  kind: LoadedKind,
  { named, ledTo }: Source,
  { wanting, loaded }: { wanting: readonly Wanting[]; loaded: LoadedRows },
): string[] {
  const events = wanting.flatMap(({ event, wants }) => (wants.has(kind) ? [event] : []));
  if (events.length === 0) return [];
  const ids = [...events.flatMap((event) => named?.(event) ?? []), ...(ledTo?.(loaded) ?? [])];
  return [...new Set(ids.filter((id): id is string => typeof id === "string" && id !== ""))];
}
