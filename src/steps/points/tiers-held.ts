import type { Catalog } from "../../catalog/catalog.ts";
import { loadsIn } from "../../catalog/named-in-rules.ts";
import { type ProgramSetup, setupsOf } from "../../catalog/program-setup.ts";
import { advance } from "../../core/loyalty/card/advance.ts";
import type { CardState } from "../../core/loyalty/card/card.ts";
import { advanceCard } from "../../core/loyalty/card/card-at-work.ts";
import { isInWindow } from "../../core/loyalty/card/window.ts";
import { oncePer } from "../../core/once-per.ts";
import type { CardRow, MemberRow } from "../../core/rows/loyalty.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Db } from "../../db/db.ts";
import type { NewId, Project } from "../../request.ts";
import { cardsOfMembers } from "../../resources/loyalty-v2/cards/store.ts";
import { membersOfCustomers } from "../../resources/loyalty-v2/members/store.ts";
import { heldCards } from "../../resources/promotions/vouchers/held-store.ts";
import { loadWorlds } from "./card-worlds.ts";
import { withLots } from "./loyalty-cards.ts";
import { isActiveCard, openPointCards, type PointCard, pointWorld } from "./point-cards.ts";

/** The tiers, of those that rules name, that the n-th customer is in at a moment. */
export type TiersOf = (n: number, now: string) => ReadonlySet<string>;
type Holding = Pick<Project, "id" | "timezone">;
/** The tiers that a customer is in at a moment. */
type TiersAt = (customerId: string, now: string) => string[];

const NOBODY: ReadonlySet<string> = new Set();

/** The loyalty campaigns and programs that have the tiers that rules name. */
type Places = { campaignIds: readonly string[]; setups: ReadonlyMap<string, ProgramSetup> };
const placesIn = oncePer((catalog: Catalog): Places => {
  const named = [...loadsIn(catalog).tiers];
  const campaigns = named.flatMap((id) => catalog.campaign_tiers.get(id)?.campaign_id ?? []);
  const structures = new Set(named.flatMap((id) => catalog.tiers.get(id)?.tier_structure_id ?? []));
  const setups = structures.size > 0 ? [...setupsOf(catalog, catalog.programs.keys())] : [];
  return {
    campaignIds: [...new Set(campaigns)].filter((id) => catalog.campaigns.get(id)?.active),
    setups: new Map(setups.filter(([, { tiers }]) => tiers && structures.has(tiers.structure.id))),
  };
});

// Contract is silent: a card that is disabled or over, or of a program that is not open, holds no tier.
/**
 * Loads what tells which tiers customers hold. Nothing is read unless a rule names a tier that is there; then two
 * statements for loyalty cards and three for members of programs, and those that segments of tiers need, however many
 * customers there are. What time has brought to a card is counted for the moment that is asked about, and not saved.
 */
export async function loadTiersOf(
  db: Db,
  project: Holding,
  catalog: Catalog,
  customers: readonly ({ id?: string } | null)[],
): Promise<TiersOf> {
  const { campaignIds, setups } = placesIn(catalog);
  const customerIds = [...new Set(customers.flatMap((one) => one?.id ?? []))];
  if (customerIds.length === 0 || campaignIds.length + setups.size === 0) return () => NOBODY;
  const ofCards =
    campaignIds.length > 0 ? await tiersOfCards(db, project, catalog, { customerIds, campaignIds }) : null;
  const ofMembers = setups.size > 0 ? await tiersOfMembers(db, project, setups, customerIds) : null;
  const { tiers } = loadsIn(catalog);
  return (n, now) => {
    const id = customers[n]?.id;
    if (id === undefined) return NOBODY;
    const held = [...(ofCards?.(id, now) ?? []), ...(ofMembers?.(id, now) ?? [])];
    return new Set(held.filter((tier) => tiers.has(tier)));
  };
}

/** What is worked out here is not saved, so its ids need to differ only from each other. */
function passingIds(): NewId {
  let made = 0;
  return (prefix) => `${prefix}_${++made}`;
}

async function tiersOfCards(
  db: Db,
  project: Holding,
  catalog: Catalog,
  which: { customerIds: readonly string[]; campaignIds: readonly string[] },
): Promise<TiersAt> {
  const opened = await openPointCards(db, project, catalog, await heldCards(db, project.id, which));
  const cardsOf = Map.groupBy(opened.values(), ({ row }) => row.holder_id!);
  const tierOf = (card: PointCard, now: string): string[] => {
    if (!isActiveCard(card, now)) return [];
    // The next question may be about another moment.
    const one = { ...card };
    advanceCard(one, pointWorld(catalog, one.campaign, { now, zone: zoneOf(project), newId: passingIds() }));
    const id = one.change.card.tier?.tier_id;
    return catalog.campaign_tiers.get(id ?? "")?.campaign_id === one.campaign.id ? [id!] : [];
  };
  return (customerId, now) => (cardsOf.get(customerId) ?? []).flatMap((card) => tierOf(card, now));
}

async function tiersOfMembers(
  db: Db,
  project: Holding,
  setups: ReadonlyMap<string, ProgramSetup>,
  customerIds: readonly string[],
): Promise<TiersAt> {
  const all = await membersOfCustomers(db, project.id, { customerIds });
  const members = all.filter(({ status, program_id }) => status === "ACTIVE" && setups.has(program_id));
  if (members.length === 0) return () => [];
  const rows = await cardsOfMembers(
    db,
    project.id,
    members.map(({ id }) => id),
  );
  const states = await withLots(db, project.id, rows);
  const worldOf = await loadWorlds({ db, project, now: "", newId: passingIds() }, setups, { members });
  const cardsOf = Map.groupBy(rows.keys(), (n) => rows[n]!.member_id);
  const membersOf = Map.groupBy(members, ({ customer_id }) => customer_id!);
  const tierOf = (card: CardRow, state: CardState, now: string): string[] => {
    const world = worldOf(card, now);
    const id = world?.tiers ? advance(state, world).card.tier?.tier_id : null;
    return world?.tiers?.tiers.some((tier) => tier.id === id) ? [id!] : [];
  };
  const isOpen = ({ program_id }: MemberRow, now: string): boolean =>
    isInWindow(setups.get(program_id)!.program, now, zoneOf(project));
  return (customerId, now) =>
    (membersOf.get(customerId) ?? [])
      .filter((member) => isOpen(member, now))
      .flatMap(({ id }) => cardsOf.get(id) ?? [])
      .flatMap((n) => tierOf(rows[n]!, states[n]!, now));
}
