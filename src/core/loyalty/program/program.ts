import { ApiError, invalid, notFound } from "../../errors.ts";
import type { LoyaltyStatus } from "./status.ts";

export type ComponentKind = "card_definition" | "earning_rule" | "tier_structure" | "reward";
/** What is assigned to a program: its status, and the card definitions that it needs. */
export type Component = { kind: ComponentKind; id: string; status: LoyaltyStatus; wallets: readonly string[] };
type ProgramLike = { id: string; status: LoyaltyStatus };

const MOST: Record<Exclude<ComponentKind, "tier_structure">, number> = {
  card_definition: 10,
  earning_rule: 100,
  reward: 100,
};
export const MEMBERS_MAX = 100_000;

const words = (kind: ComponentKind): string => kind.replace("_", " ");
const of = (components: readonly Component[], kind: ComponentKind) => components.filter((one) => one.kind === kind);
const isActive = ({ status }: { status: LoyaltyStatus }): boolean => status === "ACTIVE";

/** 423 while the program is beyond what its cards are fixed by: wallets and tiers change only in a draft. */
export function requireAssignable(kind: ComponentKind, { id, status }: ProgramLike): void {
  if (status === "DRAFT" || kind === "earning_rule" || kind === "reward") return;
  throw new ApiError("non_draft_program", {
    details: `Cannot modify ${words(kind)} assignment when program status is not DRAFT`,
    resource_id: id,
    resource_type: "program",
  });
}

/**
 * Whether a program may be what it is after a change of its assignments. `before` and `after` are all of its
 * components; `status` is the one it has then.
 */
export function requireFittingComponents(
  program: ProgramLike,
  { before, after }: { before: readonly Component[]; after: readonly Component[] },
): void {
  requireRoomForComponents(program, after);
  const wallets = new Set(of(after, "card_definition").map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  const gone = new Set(of(before, "card_definition").flatMap(({ id }) => (wallets.has(id) ? [] : [id])));
  for (const { kind, id, wallets: needed } of after) {
    // What was assigned before and needs no wallet that goes is left in peace.
    const missing = needed.find((one) => !wallets.has(one) && (!known.has(id) || gone.has(one)));
    if (missing !== undefined)
      throw new ApiError("resource_locked", {
        details: `The ${words(kind)} ${id} uses the card definition ${missing}, which must be assigned to the program`,
        resource_id: missing,
        resource_type: "card_definition",
        related_object_ids: [id],
        related_object_type: kind,
      });
  }
  if (program.status === "ACTIVE") requireActiveRule(program, after);
}

function requireRoomForComponents(program: ProgramLike, after: readonly Component[]): void {
  if (of(after, "tier_structure").length > 1)
    throw new ApiError("tier_structure_limit_exceeded", {
      details: "A program must NOT have more than 1 tier structure",
      resource_id: program.id,
      resource_type: "program",
    });
  for (const [kind, most] of Object.entries(MOST) as [keyof typeof MOST, number][])
    if (of(after, kind).length > most)
      // Contract is silent: which error, when there are too many of the others.
      throw invalid(`A program must NOT have more than ${most} ${words(kind)}s`);
}

function requireActiveRule({ id }: ProgramLike, components: readonly Component[]): void {
  if (of(components, "earning_rule").some(isActive)) return;
  throw new ApiError("missing_active_earning_rule", {
    details: "An active program must have an active earning rule assigned",
    resource_id: id,
    resource_type: "program",
  });
}

/** 423 when a program lacks what an active one needs. One that is still a draft needs everything to be active. */
export function requireReady(program: ProgramLike, components: readonly Component[]): void {
  if (!of(components, "card_definition").some(isActive))
    throw new ApiError("missing_active_card_definition", {
      details: "An active program must have an active card definition assigned",
      resource_id: program.id,
      resource_type: "program",
    });
  requireActiveRule(program, components);
  const unready = components.find(
    ({ kind, status }) =>
      status !== "ACTIVE" && (program.status === "DRAFT" || kind === "tier_structure" || status === "DRAFT"),
  );
  if (unready)
    throw new ApiError("resource_locked", {
      details: `The ${words(unready.kind)} ${unready.id} must be ACTIVE before the program is`,
      resource_id: unready.id,
      resource_type: unready.kind,
    });
}

/** 423 for what only an active program does. */
export function requireActiveProgram({ id, status }: ProgramLike, does: string): void {
  if (status === "ACTIVE") return;
  throw new ApiError("non_active_program", {
    details: `Cannot ${does} when program status is not ACTIVE`,
    resource_id: id,
    resource_type: "program",
  });
}

/** What is asked for twice, or does not exist, ends a batch as a whole. */
export function requireDistinct(ids: readonly string[], path: string): void {
  if (new Set(ids).size < ids.length) throw invalid(`Property ${path} must NOT have duplicate items`);
}

export function requireFoundComponents(kind: ComponentKind, ids: readonly string[], found: ReadonlySet<string>): void {
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound(kind, missing);
}
