import { loadSetup, type ProgramSetup } from "../../catalog/program-setup.ts";
import { ApiError, type ErrorKey } from "../../core/errors.ts";
import { type Meant, meantBy } from "../../core/loyalty/program/member.ts";
import { MEMBERS_MAX } from "../../core/loyalty/program/program.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { Ctx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import { record } from "../../events/events.ts";
import { bySourceId, lockCustomers } from "../../resources/customers/customers/store.ts";
import { dropEnrolments, takeEnrolments } from "../../resources/loyalty-v2/members/enrolments-store.ts";
import { MemberCreate } from "../../resources/loyalty-v2/members/schema.ts";
import { countProgramMembers, membersOfCustomers } from "../../resources/loyalty-v2/members/store.ts";
import type { ActionStep, AsyncActionRow } from "../../resources/platform/async-actions/store.ts";
import { getProject } from "../../resources/platform/projects/store.ts";
import { enrol, enrolmentEvents, type NewMember } from "../../steps/programs/enrolment.ts";

type EnrolCtx = Pick<Ctx<Tx>, "db" | "now" | "newId"> & { random(bytes: number): Uint8Array };
/** An entry that was not enrolled: its place in the batch, and why. It names nobody, so that nobody has to be erased from it. */
type Failed = { index: number; reason: string };
export type EnrolProgress = {
  program_id: string;
  /** How many parts there are, and how many are done. */
  parts: number;
  done?: number;
  /** Entries that were looked at. */
  seen?: number;
  enrolled?: number;
  failed_count?: number;
  failed?: Failed[];
};
const FAILED_SHOWN_MAX = 1_000;

/** Enrols the next part of a batch. Its members, their cards and what is left to do are one transaction. */
export async function enrolNext(c: EnrolCtx, action: AsyncActionRow): Promise<ActionStep> {
  const work = action.work as EnrolProgress;
  const project = await getProject(c.db, action.project_id);
  const setup = await loadSetup(c.db, project.id, work.program_id);
  if (setup?.program.status !== "ACTIVE") return stopEnrolment(c, action, "The program is not active any more.");
  const { done = 0, seen = 0, failed = [] } = work;
  const entries = await takeEnrolments(c.db, project.id, { actionId: action.id, part: done });
  const read = await readEntries(c, setup, { projectId: project.id, entries });
  const room =
    MEMBERS_MAX - (await countProgramMembers(c.db, project.id, { programId: work.program_id, max: MEMBERS_MAX }));
  const joining = read.joining.slice(0, room);
  const enrolled = await enrol(
    { ...c, project },
    setup,
    joining.map(({ joining: one }) => one),
  );
  await record({ ...c, project, request_id: action.request_id }, enrolmentEvents(enrolled));
  const isIn = new Set(enrolled.map(({ member }) => member.customer_id));
  const refused = [
    ...read.failed,
    ...joining
      .filter(({ joining: { customer } }) => !isIn.has(customer.id))
      .map(({ index }) => failure(index, "member_already_exists")),
    ...read.joining.slice(room).map(({ index }) => failure(index, "member_limit_exceeded")),
  ].map(({ index, reason }) => ({ index: seen + index, reason }));
  const next: EnrolProgress = {
    ...work,
    done: done + 1,
    seen: seen + entries.length,
    enrolled: (work.enrolled ?? 0) + enrolled.length,
    failed_count: (work.failed_count ?? 0) + refused.length,
    failed: [...failed, ...refused].slice(0, FAILED_SHOWN_MAX),
  };
  if (next.done! < work.parts) return { work: next, progress: Math.floor((next.done! / work.parts) * 100) };
  return ended(next, `Enrolled ${next.enrolled} members, ${next.failed_count} failed.`, 100);
}

/** Ends a batch that cannot go on. Those who were enrolled stay. */
export async function stopEnrolment(
  c: Pick<EnrolCtx, "db">,
  action: AsyncActionRow,
  reason: string,
): Promise<ActionStep> {
  const work = action.work as EnrolProgress;
  await dropEnrolments(c.db, action.project_id, action.id);
  const step = ended(work, `Enrolled ${work.enrolled ?? 0} members. ${reason}`, action.progress);
  return { ...step, end: { ...step.end!, operation_status: "FAILED" } };
}

function ended(work: EnrolProgress, message: string, progress: number): ActionStep {
  const { enrolled = 0, failed_count = 0, failed = [] } = work;
  const operation_status = enrolled === 0 && failed_count > 0 ? "FAILED" : "SUCCESS";
  const end = { operation_status, message, done_count: enrolled, failed_count, failed } as const;
  return { work: { program_id: work.program_id }, progress, end };
}

const failure = (index: number, reason: ErrorKey): Failed => ({ index, reason });
type Entry = { index: number; sent: MemberCreate; meant: Meant };

/** The entries that can be enrolled, with their customers, who are locked; and those that cannot. */
async function readEntries(
  c: EnrolCtx,
  { program, metadata_schemas }: ProgramSetup,
  { projectId, entries }: { projectId: string; entries: readonly unknown[] },
): Promise<{ joining: { index: number; joining: NewMember }[]; failed: Failed[] }> {
  // Loaded here and not at the top: 300 modules that only a batch of members needs would slow every start.
  const { Value } = await import("typebox/value");
  const failed: Failed[] = [];
  const good = entries.flatMap((sent, index): Entry[] => {
    const meant = Value.Check(MemberCreate, sent) ? meantOrNull(sent) : null;
    if (meant === null) failed.push(failure(index, "invalid_payload"));
    return meant === null ? [] : [{ index, sent: sent as MemberCreate, meant }];
  });
  const customers = await lockCustomers(c.db, projectId, {
    ids: good.flatMap(({ meant }) => ("id" in meant ? [meant.id] : [])),
    sourceIds: good.flatMap(({ meant }) => ("sourceId" in meant ? [meant.sourceId] : [])),
  });
  const byId = new Map(customers.map((one) => [one.id, one]));
  const bySource = bySourceId(customers);
  const members = await membersOfCustomers(c.db, projectId, {
    customerIds: customers.map(({ id }) => id),
    programId: program.id,
  });
  const taken = new Set(members.map(({ customer_id }) => customer_id));
  const joining = good.flatMap(({ index, sent, meant }) => {
    const customer: CustomerRow | undefined = "id" in meant ? byId.get(meant.id) : bySource(meant.sourceId);
    const metadata = sent.metadata ?? {};
    const reason =
      customer === undefined
        ? "not_found"
        : taken.has(customer.id)
          ? "member_already_exists"
          : metadataFault(metadata_schemas, "vl_member", { metadata, on: "create" }) !== null
            ? "metadata_validation_failed"
            : null;
    if (reason !== null) failed.push(failure(index, reason));
    if (reason !== null || !customer) return [];
    taken.add(customer.id);
    return [{ index, joining: { customer, status: sent.status ?? "ACTIVE", metadata } as NewMember }];
  });
  return { joining, failed: failed.toSorted((a, b) => a.index - b.index) };
}

function meantOrNull(sent: MemberCreate): Meant | null {
  try {
    return meantBy(sent);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
