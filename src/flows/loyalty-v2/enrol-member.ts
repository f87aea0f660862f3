import { requireMetadata } from "../../catalog/metadata.ts";
import { type ProgramSetup, setupOf } from "../../catalog/program-setup.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { meantBy } from "../../core/loyalty/program/member.ts";
import { MEMBERS_MAX, requireActiveProgram } from "../../core/loyalty/program/program.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import { bySourceId, lockCustomers } from "../../resources/customers/customers/store.ts";
import { insertEnrolments } from "../../resources/loyalty-v2/members/enrolments-store.ts";
import type { MemberCreate, MemberWithCards } from "../../resources/loyalty-v2/members/schema.ts";
import { countProgramMembers, view } from "../../resources/loyalty-v2/members/store.ts";
import { enqueueAsyncAction } from "../../resources/platform/async-actions/store.ts";
import { memberCardView } from "../../steps/points/loyalty-cards.ts";
import { enrol, enrolmentEvents } from "../../steps/programs/enrolment.ts";

/** Entries of a batch that one turn of its action takes. */
const TURN = 100;

/** Makes a customer a member, with a card for each wallet of the program. */
export async function enrolMember(c: WriteCtx, programId: string, sent: MemberCreate): Promise<MemberWithCards> {
  const setup = await openSetup(c, programId);
  const metadata = sent.metadata ?? {};
  requireMetadata(setup, "vl_member", { metadata, on: "create" });
  const customer = await lockMeant(c, sent);
  if ((await countProgramMembers(c.db, c.project.id, { programId, max: MEMBERS_MAX })) >= MEMBERS_MAX)
    throw new ApiError("member_limit_exceeded", { resource_id: programId, resource_type: "program" });
  const random = () => Buffer.from(c.newSecret(), "hex");
  const joining = [{ customer, status: sent.status ?? "ACTIVE", metadata }];
  const enrolled = await enrol({ ...c, random }, setup, joining);
  const [one] = enrolled;
  if (!one)
    throw new ApiError("member_already_exists", {
      details: `Customer '${customer.id}' already is a member of program '${programId}'`,
      resource_id: customer.id,
      resource_type: "customer",
    });
  await record(c, enrolmentEvents(enrolled));
  return { ...view(one.member), cards: one.cards.map((card) => memberCardView(card, [])) };
}

/** Enrols many in the background. What is wrong with an entry stands in the result of the action. */
export async function enrolMembers(
  c: WriteCtx,
  programId: string,
  entries: readonly unknown[],
): Promise<{ async_action_id: string }> {
  await openSetup(c, programId);
  const id = c.newId("aa");
  const parts = Array.from({ length: Math.ceil(entries.length / TURN) }, (_, n) =>
    entries.slice(n * TURN, (n + 1) * TURN),
  );
  await insertEnrolments(c.db, c.project.id, { actionId: id, parts });
  await enqueueAsyncAction(c.db, {
    project_id: c.project.id,
    id,
    type: "PROGRAM.MEMBERS_CREATE",
    request_id: c.request_id,
    work: { program_id: programId, parts: parts.length },
    created_at: c.now,
  });
  return { async_action_id: id };
}

async function openSetup(c: WriteCtx, programId: string): Promise<ProgramSetup> {
  const setup = setupOf(await c.catalog(), programId);
  if (!setup) throw notFound("program", programId);
  requireActiveProgram(setup.program, "create member");
  return setup;
}

async function lockMeant(c: WriteCtx, sent: MemberCreate): Promise<CustomerRow> {
  const meant = meantBy(sent);
  const named = "id" in meant ? { ids: [meant.id] } : { sourceIds: [meant.sourceId] };
  const rows = await lockCustomers(c.db, c.project.id, named);
  const customer = "id" in meant ? rows[0] : bySourceId(rows)(meant.sourceId);
  if (!customer) throw notFound("customer", "id" in meant ? meant.id : meant.sourceId);
  return customer;
}
