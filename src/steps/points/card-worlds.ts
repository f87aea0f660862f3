import { type ProgramSetup, segmentIdsOf } from "../../catalog/program-setup.ts";
import type { FilterEvaluation } from "../../core/filters/operator.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Db } from "../../db/db.ts";
import type { NewId, Project } from "../../request.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { evaluationAt, loadSegmentsOf } from "../customers/segment-membership.ts";

type Living = { db: Db; project: Pick<Project, "id" | "timezone">; now: string; newId: NewId };
type Of = { program_id: string; member_id: string; card_definition_id: string };
/** What a card of one of the members lives in, now or at another moment; null when its program is gone. */
export type WorldOf = (card: Of, now?: string) => World | null;

/**
 * What the cards of these members live in. Customers are read only where a tier asks for a segment, unless they are
 * given: then two statements more, and one for each fact that the segments look at.
 */
export async function loadWorlds(
  c: Living,
  setups: ReadonlyMap<string, ProgramSetup>,
  { members, customers }: { members: readonly MemberRow[]; customers?: readonly CustomerRow[] },
): Promise<WorldOf> {
  const zone = zoneOf(c.project);
  const isIn = await loadMembership(c, setups, { members, customers });
  return ({ program_id, member_id, card_definition_id }, now = c.now) => {
    const setup = setups.get(program_id);
    const isInSegment = (segmentId: string, at: string) => isIn(member_id, segmentId, at);
    return setup ? worldIn(setup, card_definition_id, { now, zone, newId: c.newId, isInSegment }) : null;
  };
}

/** What the cards of one wallet live in; null when the wallet is none of the program any more. */
export function worldIn(
  { definitions, tiers }: Pick<ProgramSetup, "definitions" | "tiers">,
  cardDefinitionId: string,
  { isInSegment, ...living }: Pick<World, "now" | "zone" | "newId"> & Pick<NonNullable<World["tiers"]>, "isInSegment">,
): World | null {
  const wallet = definitions.find(({ id }) => id === cardDefinitionId);
  if (!wallet) return null;
  const isWatched = tiers?.structure.card_definition_id === cardDefinitionId;
  return { ...living, wallet, tiers: isWatched ? { ...tiers, isInSegment } : null };
}

/** Whether a member is in a segment that a tier asks for. */
async function loadMembership(
  c: Living,
  setups: ReadonlyMap<string, ProgramSetup>,
  { members, customers }: { members: readonly MemberRow[]; customers?: readonly CustomerRow[] | undefined },
): Promise<(memberId: string, segmentId: string, now: string) => boolean> {
  const all = [...setups.values()];
  const segmentIds = all.flatMap((setup) => segmentIdsOf(setup));
  if (segmentIds.length === 0 || members.length === 0) return () => false;
  const ids = members.flatMap(({ customer_id }) => customer_id ?? []);
  const known = customers ?? (await findCustomers(c.db, c.project.id, { ids, sourceIds: [], trackingIds: [] }));
  const inSegments = await loadSegmentsOf(c.db, all[0]!, known, { projectId: c.project.id, segmentIds });
  const places = new Map(known.map(({ id }, n) => [id, n]));
  const owners = new Map(members.map(({ id, customer_id }) => [id, customer_id]));
  const moments = new Map<string, FilterEvaluation>();
  return (memberId, segmentId, now) => {
    const place = places.get(owners.get(memberId) ?? "");
    const moment = moments.get(now) ?? evaluationAt(c.project, now);
    moments.set(now, moment);
    return place !== undefined && inSegments(place, moment).has(segmentId);
  };
}
