import { CONSIDERED_MAX } from "../../core/qualify/page.ts";
import type { Source } from "../../core/qualify/scenario.ts";
import type { Db } from "../../db/db.ts";
import { idsOfNames } from "../../resources/customers/customers/store.ts";
import type { FoundVoucher } from "../../resources/promotions/vouchers/beside-store.ts";
import {
  type HeldVoucher,
  loadGeneric,
  loadStandalone,
  loadWallets,
} from "../../resources/promotions/vouchers/offered-store.ts";
import { type CartProject, type CartRows, customerSent, readCarts } from "../../steps/checkout/carts.ts";
import { besideAsked } from "../../steps/checkout/codes-beside.ts";
import { unitTypesIn } from "../../steps/checkout/offers.ts";
import { type Goods, loadGoods } from "../../steps/goods/goods.ts";
import { type QualifyCommand, sourcesOf } from "./state.ts";

/** Codes are loaded in portions: most pages are full with the first. */
const PORTIONS = [100, 1000, CONSIDERED_MAX];
export const LAST_ROUND = PORTIONS.length - 1;

/** The commands of a round. A sorted page has to see all codes, so it waits for the last one. */
export const isInRound = ({ paging }: QualifyCommand, round: number): boolean =>
  round === LAST_ROUND || paging.sorting === "DEFAULT";

/** Codes that stand alone, in the order of their portion: for each moment those that are older. */
export type Portion = { round: number; size: number; before: ReadonlyMap<string | null, readonly FoundVoucher[]> };

/** What a batch reads with its first message: nothing of it depends on what a cart turns out to be. */
export type ReadAhead = {
  carts: CartRows;
  /** By customer, of all whom a command may mean. */
  wallets: ReadonlyMap<string, readonly HeldVoucher[]>;
  generic: readonly FoundVoucher[];
  portion: Portion;
  /** What promotions may add to a cart, and the ids that say so. */
  units: { types: ReadonlySet<string>; goods: Goods };
};

export async function readAhead(db: Db, project: CartProject, commands: readonly QualifyCommand[]): Promise<ReadAhead> {
  const asked = besideAsked(commands);
  const of = (source: Source) => commands.filter((command) => sourcesOf(command).has(source));
  const names = of("wallet").flatMap(namesOf);
  const campaigns = genericIn(of("generic"));
  const types = new Set(commands.flatMap(({ catalog }) => unitTypesIn(catalog)));
  const round = commands.some((command) => isInRound(command, 0)) ? 0 : LAST_ROUND;
  const [carts, wallets, generic, portion, goods] = await Promise.all([
    readCarts(db, project, commands),
    names.length > 0 ? loadWallets(db, project.id, idsOfNames(db, project.id, names), asked) : new Map(),
    campaigns.length > 0 ? loadGeneric(db, project.id, campaigns, asked) : [],
    readPortion(db, project, commands, round),
    loadGoods(db, project.id, { products: [...types], skus: [...types] }),
  ]);
  return { carts, wallets, generic, portion, units: { types, goods } };
}

/** The next codes that stand alone, of all commands of a round in one statement. */
export async function readPortion(
  db: Db,
  project: CartProject,
  commands: readonly QualifyCommand[],
  round: number,
): Promise<Portion> {
  const size = PORTIONS[round]!;
  const wanting = commands.filter((command) => isInRound(command, round) && sourcesOf(command).has("standalone"));
  const before = [...new Set(wanting.map(beforeOf))];
  const asking = { before, limit: size, asked: besideAsked(commands) };
  const found = before.length > 0 ? await loadStandalone(db, project.id, asking) : [];
  return { round, size, before: new Map(before.map((moment, n) => [moment, found[n]!])) };
}

export const beforeOf = ({ paging }: QualifyCommand): string | null =>
  paging.sorting === "DEFAULT" ? paging.after : null;

/** The campaigns with one code for everybody. */
export const genericIn = (commands: readonly QualifyCommand[]): string[] => {
  const catalogs = new Set(commands.map(({ catalog }) => catalog));
  const ids = [...catalogs].flatMap(({ campaigns }) =>
    [...campaigns.values()].flatMap(({ id, type }) => (type === "STANDALONE" ? id : [])),
  );
  return [...new Set(ids)];
};

/** How the customer of a command may be called: by id, source id or tracking id. */
function namesOf({ sent }: QualifyCommand): string[] {
  const { id, source_id } = customerSent(sent) ?? {};
  return [id, source_id, sent.tracking_id].flatMap((name) => name || []);
}
