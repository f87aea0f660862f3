import { requireMetadata } from "../../catalog/metadata.ts";
import { invalid } from "../../core/errors.ts";
import { parseWindow } from "../../core/loyalty/card/window.ts";
import { type StockSent, stockOf, stockShown } from "../../core/loyalty/program/benefit.ts";
import {
  type ComponentKind,
  requireDistinct,
  requireFittingComponents,
  requireFoundComponents,
  requireReady,
} from "../../core/loyalty/program/program.ts";
import { type LoyaltyMove, MOVED, statusAfter } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import { reviewPrograms } from "../../resources/loyalty-v2/cards/reviews-store.ts";
import {
  type AssignmentRow,
  assignmentId,
  assignmentsOf,
  deleteAssignments,
  insertAssignments,
  lockComponents,
} from "../../resources/loyalty-v2/programs/assignments-store.ts";
import type {
  Program,
  ProgramCreate,
  ProgramUpdate,
  ProgramWithAssignments,
} from "../../resources/loyalty-v2/programs/schema.ts";
import { lockProgram, type ProgramRow, programs, view } from "../../resources/loyalty-v2/programs/store.ts";
import { enqueueAsyncAction } from "../../resources/platform/async-actions/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import {
  assignmentEvents,
  COMPONENT_KINDS,
  loadShownComponents,
  type ShownComponent,
} from "../../steps/programs/programs.ts";

type ComponentSent = { id: string; stock?: StockSent };
const FIELDS = {
  card_definition: "card_definitions",
  earning_rule: "earning_rules",
  tier_structure: "tier_structures",
  reward: "rewards",
} as const satisfies Record<ComponentKind, keyof ProgramCreate>;

/** A program with what is assigned to it from the beginning, all or nothing. */
export async function createProgram(c: WriteCtx, sent: ProgramCreate): Promise<ProgramWithAssignments> {
  const metadata = sent.metadata ?? {};
  requireMetadata(await lockConfiguration(c), "vl_program", { metadata, on: "create" });
  const row: ProgramRow = {
    project_id: c.project.id,
    id: c.newId("lprg"),
    name: sent.name,
    status: sent.status ?? "DRAFT",
    ...parseWindow(sent),
    metadata,
    created_at: c.now,
    updated_at: null,
  };
  const program = await programs.insert(c.db, row);
  c.changed("program", program.id);
  const rows: AssignmentRow[] = [];
  for (const kind of COMPONENT_KINDS)
    rows.push(...(await assignedAtFirst(c, program.id, kind, sent[FIELDS[kind]] ?? [])));
  const parts = await loadShownComponents(c.db, c.project.id, rows);
  const after = [...parts.values()];
  if (program.status === "ACTIVE") requireReady({ ...program, status: "DRAFT" }, after);
  requireFittingComponents(program, { before: [], after });
  await insertAssignments(c.db, rows);
  const shown = view(program);
  await record(c, [
    { kind: "vl.program.created", subject_id: program.id, payload: { program: shown } },
    ...assignmentEvents(shown, "assigned", { rows, parts }),
  ]);
  const ids = (kind: ComponentKind) => {
    const of = rows.filter((one) => one.kind === kind).map(({ component_id: id }) => ({ id }));
    return of.length > 0 ? of : null;
  };
  const rewards = rows.filter(({ kind }) => kind === "reward");
  return {
    ...shown,
    card_definitions: ids("card_definition"),
    earning_rules: ids("earning_rule"),
    rewards:
      rewards.length > 0
        ? rewards.map(({ component_id: id, stock_quantity }) => ({ id, stock: stockShown(stock_quantity) }))
        : null,
    tier_structures: ids("tier_structure"),
  };
}

async function assignedAtFirst(
  c: WriteCtx,
  program_id: string,
  kind: ComponentKind,
  sent: readonly ComponentSent[],
): Promise<AssignmentRow[]> {
  const ids = sent.map(({ id }) => id);
  if (ids.length === 0) return [];
  requireDistinct(ids, `.${FIELDS[kind]}`);
  requireFoundComponents(kind, ids, await lockComponents(c.db, c.project.id, { kind, ids }));
  return sent.map(({ id, stock }, n) => {
    const stock_quantity = stockOf(stock, `.${FIELDS[kind]}[${n}].stock`);
    c.changed("program_assignment", assignmentId(program_id, id));
    const common = { project_id: c.project.id, program_id, redeemed: 0, created_at: c.now, updated_at: null };
    return { ...common, kind, component_id: id, stock_quantity };
  });
}

/** What is left out keeps its value, null resets it. Of an active program only the name and the metadata change. */
export async function updateProgram(c: WriteCtx, id: string, sent: ProgramUpdate): Promise<Program> {
  const before = await lockProgram(c.db, c.project.id, id);
  const forbidden = Object.keys(sent).find((field) => field !== "name" && field !== "metadata");
  if (before.status === "ACTIVE" && forbidden !== undefined)
    throw invalid(`Property .${forbidden} cannot be changed while the program is ACTIVE`);
  const metadata = sent.metadata === undefined ? before.metadata : (sent.metadata ?? {});
  if (sent.metadata !== undefined) requireMetadata(await c.catalog(), "vl_program", { metadata, on: "create" });
  return saveProgram(c, before, "updated", { name: sent.name ?? before.name, ...parseWindow(sent, before), metadata });
}

/** 400 for a move that is none, 423 while something is missing. */
export async function moveProgram(
  c: WriteCtx,
  id: string,
  move: Extract<LoyaltyMove, "activate" | "deactivate">,
): Promise<Program> {
  await lockConfiguration(c);
  const before = await lockProgram(c.db, c.project.id, id);
  const status = statusAfter("program", move, before);
  if (status === "ACTIVE") {
    requireReady(before, [...(await loadComponents(c, id)).values()]);
    // Nothing watched its tiers while it was not active.
    await reviewPrograms(c, [id]);
  }
  return saveProgram(c, before, MOVED[move], { status });
}

/**
 * The program is gone at once, and what is assigned to it is free. Its members follow in the background; without their
 * program nobody finds them.
 */
export async function removeProgram(c: WriteCtx, id: string): Promise<Program> {
  await lockConfiguration(c);
  const before = await lockProgram(c.db, c.project.id, id);
  const rows = await deleteAssignments(c.db, c.project.id, id, null);
  for (const { component_id } of rows) c.changed("program_assignment", assignmentId(id, component_id));
  const parts = await loadShownComponents(c.db, c.project.id, rows);
  const deleted = await saveProgram(c, before, "deleted", { status: "DELETED" });
  await record(c, assignmentEvents(deleted, "unassigned", { rows, parts }));
  await enqueueAsyncAction(c.db, {
    project_id: c.project.id,
    id: c.newId("aa"),
    type: "PROGRAM.MEMBERS_DELETE",
    request_id: c.request_id,
    work: { program_id: id },
    created_at: c.now,
  });
  return deleted;
}

async function saveProgram(
  c: WriteCtx,
  { id }: ProgramRow,
  happened: "updated" | "activated" | "deactivated" | "deleted",
  patch: Partial<ProgramRow>,
): Promise<Program> {
  const program = view(await programs.update(c.db, c.project.id, id, { ...patch, updated_at: c.now }));
  c.changed("program", id);
  await record(c, [{ kind: `vl.program.${happened}`, subject_id: id, payload: { program } }]);
  return program;
}

const loadComponents = async (c: WriteCtx, programId: string): Promise<Map<string, ShownComponent>> =>
  loadShownComponents(c.db, c.project.id, await assignmentsOf(c.db, c.project.id, programId));
