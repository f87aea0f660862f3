import { ApiError, notFound } from "../../core/errors.ts";
import { type StockSent, stockOf } from "../../core/loyalty/program/benefit.ts";
import {
  type ComponentKind,
  requireAssignable,
  requireDistinct,
  requireFittingComponents,
  requireFoundComponents,
} from "../../core/loyalty/program/program.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import {
  type AssignmentRow,
  assignmentId,
  assignmentsOf,
  deleteAssignments,
  insertAssignments,
  lockComponents,
  setStock,
} from "../../resources/loyalty-v2/programs/assignments-store.ts";
import type { ProgramReward } from "../../resources/loyalty-v2/programs/schema.ts";
import { lockProgram, programs, view } from "../../resources/loyalty-v2/programs/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { assignmentEvents, assignmentViews, loadShownComponents } from "../../steps/programs/programs.ts";

type ComponentSent = { id: string; stock?: StockSent };
type Batch = { assign?: readonly ComponentSent[] | null; unassign?: readonly { id: string }[] | null };
/** Null: that list was not sent. */
type Done = { assigned: AssignmentRow[] | null; unassigned: AssignmentRow[] | null };

/** Takes components out of a program and puts others in, all or nothing. */
export async function assignToProgram(
  c: WriteCtx,
  { programId, kind }: { programId: string; kind: ComponentKind },
  { assign, unassign }: Batch,
): Promise<Done> {
  await lockConfiguration(c);
  const [wanted, unwanted] = [(assign ?? []).map(({ id }) => id), (unassign ?? []).map(({ id }) => id)];
  requireDistinct(wanted, ".assign");
  requireDistinct(unwanted, ".unassign");
  requireAssignable(kind, await programs.get(c.db, c.project.id, programId));
  // Components before the program: in this order they are locked by whoever changes one.
  requireFoundComponents(kind, wanted, await lockComponents(c.db, c.project.id, { kind, ids: wanted }));
  const program = await lockProgram(c.db, c.project.id, programId);
  requireAssignable(kind, program);

  const before = await assignmentsOf(c.db, c.project.id, programId);
  const held = new Set(before.filter((row) => row.kind === kind).map(({ component_id }) => component_id));
  requireFoundComponents(kind, unwanted, held);
  const again = wanted.find((id) => held.has(id) && !unwanted.includes(id));
  if (again !== undefined)
    throw new ApiError("duplicate_found", {
      details: `The ${kind} ${again} is assigned to the program already`,
      resource_id: again,
      resource_type: kind,
    });
  const gone = await deleteAssignments(c.db, c.project.id, programId, unwanted);
  const rows = (assign ?? []).map(({ id, stock }, n): AssignmentRow => {
    const stock_quantity = stockOf(stock, `.assign[${n}].stock`);
    const common = { project_id: c.project.id, program_id: programId, redeemed: 0, created_at: c.now };
    return { ...common, kind, component_id: id, stock_quantity, updated_at: null };
  });
  await insertAssignments(c.db, rows);

  const after = await assignmentsOf(c.db, c.project.id, programId);
  const parts = await loadShownComponents(c.db, c.project.id, [...after, ...gone]);
  const of = (assigned: readonly AssignmentRow[]) =>
    assigned.flatMap(({ component_id }) => parts.get(component_id) ?? []);
  if (wanted.length + unwanted.length > 0) requireFittingComponents(program, { before: of(before), after: of(after) });
  for (const id of [...wanted, ...unwanted]) c.changed("program_assignment", assignmentId(programId, id));
  const shown = view(program);
  await record(c, [
    ...assignmentEvents(shown, "unassigned", { rows: gone, parts }),
    ...assignmentEvents(shown, "assigned", { rows, parts }),
  ]);
  return { assigned: assign ? rows : null, unassigned: unassign ? gone : null };
}

/** Sets how much there is of a reward in the program. Who buys it locks the same row. */
export async function setRewardStock(
  c: WriteCtx,
  { programId, rewardId }: { programId: string; rewardId: string },
  sent: StockSent,
): Promise<ProgramReward> {
  const program = await programs.get(c.db, c.project.id, programId);
  const stock = stockOf(sent, ".stock");
  const row = await setStock(c.db, c.project.id, { programId, rewardId, stock, now: c.now });
  if (!row) throw notFound("reward", rewardId);
  const program_reward = assignmentViews.reward(row);
  const payload = { program: view(program), program_reward };
  await record(c, [{ kind: "vl.program.reward.updated", subject_id: programId, payload }]);
  return program_reward;
}
