import { requireMetadata } from "../../catalog/metadata.ts";
import { setupOf } from "../../catalog/program-setup.ts";
import { notFound } from "../../core/errors.ts";
import { type LoyaltyMove, MOVED, statusAfter } from "../../core/loyalty/program/status.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import type { Member, MemberUpdate } from "../../resources/loyalty-v2/members/schema.ts";
import { lockMembers, saveMembers, view } from "../../resources/loyalty-v2/members/store.ts";
import { removeProgramMembers } from "../../steps/programs/remove-members.ts";

type Which = { programId: string; memberId: string };

/** Metadata is merged key by key; null takes all of it away. */
export async function updateMember(c: WriteCtx, which: Which, { metadata }: MemberUpdate): Promise<Member> {
  const member = await lockMember(c, which);
  const merged = metadata === null ? {} : mergeMetadata(member.metadata, metadata);
  requireMetadata(await c.catalog(), "vl_member", { metadata: merged, on: "create" });
  return saveMember(c, "vl.member.updated", { ...member, metadata: merged });
}

export async function moveMember(
  c: WriteCtx,
  which: Which,
  move: Extract<LoyaltyMove, "activate" | "deactivate">,
): Promise<Member> {
  const member = await lockMember(c, which);
  const status = statusAfter("member", move, member) as "ACTIVE" | "INACTIVE";
  return saveMember(c, `vl.member.${MOVED[move]}`, { ...member, status });
}

/** The member and the cards are gone; what happened with them stays in the ledger. */
export async function removeMember(c: WriteCtx, which: Which): Promise<Member> {
  const member = await lockMember(c, which);
  const setup = setupOf(await c.catalog(), which.programId);
  await record(c, await removeProgramMembers(c, new Map(setup ? [[which.programId, setup]] : []), [member]));
  return view({ ...member, status: "DELETED", updated_at: c.now });
}

async function lockMember(c: WriteCtx, { programId, memberId }: Which): Promise<MemberRow> {
  const { programs } = await c.catalog();
  if (!programs.has(programId)) throw notFound("program", programId);
  const [member] = await lockMembers(c.db, c.project.id, [memberId]);
  if (member?.program_id !== programId) throw notFound("member", memberId);
  return member;
}

async function saveMember(
  c: WriteCtx,
  kind: `vl.member.${"updated" | "activated" | "deactivated"}`,
  changed: MemberRow,
): Promise<Member> {
  const row = { ...changed, updated_at: c.now };
  await saveMembers(c.db, c.project.id, [row]);
  const member = view(row);
  await record(c, [{ kind, subject_id: row.id, payload: { member } }]);
  return member;
}
