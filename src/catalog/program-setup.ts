import type { Db } from "../db/db.ts";
import { segments } from "../resources/customers/segments/store.ts";
import { type CardDefinitionRow, cardDefinitions } from "../resources/loyalty-v2/card-definitions/store.ts";
import { type Assignment, assignmentsOfPrograms } from "../resources/loyalty-v2/programs/assignments-store.ts";
import { type ProgramRow, programs } from "../resources/loyalty-v2/programs/store.ts";
import { type TierStructureRow, tierStructures } from "../resources/loyalty-v2/tier-structures/store.ts";
import { loadTiers, type TierRow } from "../resources/loyalty-v2/tiers/store.ts";
import { metadataSchemas } from "../resources/platform/metadata-schemas/store.ts";
import type { Catalog } from "./catalog.ts";

/** A program with what its members' cards are made of and watched by. */
export type ProgramSetup = Pick<Catalog, "segments" | "metadata_schemas"> & {
  program: ProgramRow;
  /** Active card definitions, in the order of their assignment. */
  definitions: readonly CardDefinitionRow[];
  /** Null without a structure that is active, and while the program is not. */
  tiers: { structure: TierStructureRow; tiers: readonly TierRow[] } | null;
};
type Components = Pick<Catalog, "card_definitions" | "tier_structures" | "tiers_of">;

function componentsOf(
  program: ProgramRow,
  assigned: readonly Pick<Assignment, "kind" | "component_id">[],
  known: Components,
): Pick<ProgramSetup, "definitions" | "tiers"> {
  const active = <R extends { status: string }>(kind: Assignment["kind"], rows: ReadonlyMap<string, R>): R[] =>
    assigned
      .filter((one) => one.kind === kind)
      .flatMap(({ component_id }) => rows.get(component_id) ?? [])
      .filter(({ status }) => status === "ACTIVE");
  const [structure] = program.status === "ACTIVE" ? active("tier_structure", known.tier_structures) : [];
  return {
    definitions: active("card_definition", known.card_definitions),
    tiers: structure ? { structure, tiers: known.tiers_of.get(structure.id) ?? [] } : null,
  };
}

/** From the catalog; undefined without such a program. */
export function setupOf(catalog: Catalog, programId: string): ProgramSetup | undefined {
  const program = catalog.programs.get(programId);
  if (!program) return undefined;
  const { segments, metadata_schemas } = catalog;
  const parts = componentsOf(program, catalog.assignments_of.get(programId) ?? [], catalog);
  return { program, segments, metadata_schemas, ...parts };
}

/** The setup as it is now, for a job, which has no catalog. */
export const loadSetup = async (db: Db, projectId: string, programId: string): Promise<ProgramSetup | undefined> =>
  (await loadSetups(db, projectId, [programId])).get(programId);

/** The same for many, by id. The number of statements does not depend on how many there are. */
export async function loadSetups(
  db: Db,
  projectId: string,
  programIds: readonly string[],
): Promise<Map<string, ProgramSetup>> {
  const rows = await programs.load(db, projectId, programIds);
  if (rows.length === 0) return new Map();
  const assigned = await assignmentsOfPrograms(db, projectId, programIds);
  const ids = assigned.map(({ component_id }) => component_id);
  const by = <R, F extends keyof R>(rows: readonly R[], field: F) =>
    new Map(rows.map((row) => [String(row[field]), row]));
  const known: Components = {
    card_definitions: by(await cardDefinitions.load(db, projectId, ids), "id"),
    tier_structures: by(await tierStructures.load(db, projectId, ids), "id"),
    tiers_of: Map.groupBy(await loadTiers(db, projectId, null), ({ tier_structure_id }) => tier_structure_id),
  };
  const own = Map.groupBy(assigned, ({ program_id }) => program_id);
  const setups = rows.map((program) => ({ program, ...componentsOf(program, own.get(program.id) ?? [], known) }));
  const common = {
    segments: by(await segments.load(db, projectId, setups.flatMap(segmentIdsOf)), "id"),
    metadata_schemas: by(await metadataSchemas.load(db, projectId, null), "related_object"),
  };
  return new Map(setups.map((setup) => [setup.program.id, { ...setup, ...common }]));
}

/** The segments that some tier asks for. */
export const segmentIdsOf = ({ tiers }: Pick<ProgramSetup, "tiers">): string[] =>
  (tiers?.tiers ?? []).flatMap(({ qualification_rules: { segment } }) => segment?.id ?? []);

/** The setups of programs, by id, from the catalog. */
export const setupsOf = (catalog: Catalog, programIds: Iterable<string>): Map<string, ProgramSetup> =>
  new Map([...new Set(programIds)].flatMap((id) => setupOf(catalog, id) ?? []).map((one) => [one.program.id, one]));
