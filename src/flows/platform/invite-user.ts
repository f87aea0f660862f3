import { createHash } from "node:crypto";
import { ApiError, notFound } from "../../core/errors.ts";
import { invitationLink } from "../../core/users/invitation-link.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import type { Invitation, NewId, NewSecret } from "../../request.ts";
import { missingProject } from "../../resources/platform/projects/store.ts";
import { requireRoles } from "../../resources/platform/roles/store.ts";
import { hashPassword, setPassword } from "../../resources/platform/users/password-store.ts";
import type { InvitationAccept, UserInvite } from "../../resources/platform/users/schema.ts";
import {
  findInvited,
  insertUser,
  lockInvited,
  lockUser,
  mayReset,
  setInvitation,
  setNames,
  setRoles,
} from "../../resources/platform/users/store.ts";

const HOUR_MS = 3_600_000;
const INVITATION_HOURS = 7 * 24;
/** Somebody who asked for it by mail reads it soon. */
const RESET_HOURS = 1;
/** No mailbox is filled by strangers: the link before must be so old. */
const RESET_PAUSE_MS = 5 * 60_000;
type Sources = { newId: NewId; newSecret: NewSecret; now: string };

const hashToken = (token: string) => createHash("sha256").update(token).digest("hex");

/** A token for a link, until when it works, and what is stored of both. */
function newInvitation({ newSecret, now }: Pick<Sources, "newSecret" | "now">, hours = INVITATION_HOURS) {
  const token = newSecret();
  const expires_at = new Date(Date.parse(now) + hours * HOUR_MS).toISOString();
  return { token, expires_at, stored: { invitation_hash: hashToken(token), invitation_until: expires_at } };
}

/** Creates a user who has no password yet. The token of the link is in what is returned, and nowhere else. */
export async function createUser(
  tx: Tx,
  sources: Sources,
  { email, first_name, last_name, projects, is_owner }: UserInvite & { is_owner: boolean },
  hours?: number,
): Promise<{ id: string; invitation: Invitation }> {
  const wanted = Object.keys(projects);
  const missing = await missingProject(tx, wanted);
  if (missing !== undefined) throw notFound("project", missing);
  await requireRoles(tx, Object.values(projects));
  const id = sources.newId("user");
  const { token, expires_at, stored } = newInvitation(sources, hours);
  await insertUser(tx, { id, email, first_name, last_name, is_owner, created_at: sources.now, ...stored });
  await setRoles(tx, id, projects);
  return { id, invitation: { email, first_name, last_name, token, expires_at } };
}

/** The invitation goes out once the user is there for good. */
export async function inviteUser(c: WriteCtx, body: UserInvite): Promise<null> {
  const { id, invitation } = await createUser(c.db, c, { ...body, is_owner: false });
  c.changed("user", id);
  c.sendInvitation(invitation);
  return null;
}

/** Invites a user again, by id or login: the link that they had before ends. Whoever accepted needs none. */
export async function inviteAgain(
  tx: Tx,
  sources: Pick<Sources, "newSecret" | "now">,
  user: string,
  { projectId, hours }: { projectId?: string; hours?: number } = {},
): Promise<{ id: string; invitation: Invitation }> {
  const { id, email, first_name, last_name, has_password, has_identity, projects } = await lockUser(tx, user);
  if (projectId !== undefined && !Object.hasOwn(projects, projectId)) throw notFound("user", user);
  if (has_password || has_identity)
    throw new ApiError("invitation_accepted", {
      details: `User ${user} has accepted the invitation`,
      resource_id: user,
      resource_type: "user",
    });
  const { token, expires_at, stored } = newInvitation(sources, hours);
  await setInvitation(tx, id, stored);
  return { id, invitation: { email, first_name, last_name, token, expires_at } };
}

export async function resendInvitation(c: WriteCtx, user: string): Promise<null> {
  const { id, invitation } = await inviteAgain(c.db, c, user, { projectId: c.project.id });
  c.changed("user", id);
  c.sendInvitation(invitation);
  return null;
}

/** The link of an invitation for who invited: without a mail server nobody else takes it to the user. */
export async function createInvitationLink(c: WriteCtx, user: string) {
  const { id, invitation } = await inviteAgain(c.db, c, user, { projectId: c.project.id });
  c.changed("user", id);
  const { token, expires_at } = invitation;
  return { url: invitationLink(c.publicUrl, token), expires_at, object: "invitation_link" as const };
}

/** A link for a user to choose a password with, in place of the one that they have. Until it is used, that one works. */
export async function resetPassword(
  tx: Tx,
  sources: Pick<Sources, "newSecret" | "now">,
  user: string,
  hours = RESET_HOURS,
): Promise<{ id: string; invitation: Invitation }> {
  const { id, email, first_name, last_name } = await lockUser(tx, user);
  const { token, expires_at, stored } = newInvitation(sources, hours);
  await setInvitation(tx, id, stored);
  return { id, invitation: { email, first_name, last_name, token, expires_at, isReset: true } };
}

/** Sends the link to who forgot a password. Nobody is told whether there is such a user, or whether a mail was sent. */
export async function askForPassword(c: WriteCtx, email: string): Promise<{ object: "password_reset" }> {
  const sentSince = new Date(Date.parse(c.now) - RESET_PAUSE_MS + RESET_HOURS * HOUR_MS).toISOString();
  if (await mayReset(c.db, email, sentSince)) {
    const { id, invitation } = await resetPassword(c.db, c, email);
    c.changed("user", id);
    c.sendInvitation(invitation);
  }
  return { object: "password_reset" };
}

/** Sets the password with a link, as an invitation is accepted. It signs nobody in: a second factor is asked for as ever. */
export async function acceptReset(c: WriteCtx, { token, password }: Pick<InvitationAccept, "token" | "password">) {
  await acceptInvitation(c, { token, password });
  return null;
}

/** The user whom a token invited; refused when nobody was, or when it is too late. */
function requireInvited<Invited extends { until: string }>(user: Invited | undefined, now: string): Invited {
  if (!user)
    throw new ApiError("not_found", {
      details: "The invitation does not exist, was accepted before, or was replaced by a newer one",
      resource_type: "invitation",
    });
  if (user.until <= now)
    throw new ApiError("invitation_expired", { details: `The invitation was valid until ${user.until}` });
  return user;
}

/** Whom an invitation is for, told to who has its token. */
export async function showInvitation(c: Ctx, token: string) {
  const user = requireInvited(await findInvited(c.db, hashToken(token)), c.now);
  const { email, first_name, last_name, until: expires_at, has_accepted: is_reset } = user;
  return { email, first_name, last_name, expires_at, is_reset, object: "invitation" as const };
}

/** The token proves who it is. It is looked up before the password is hashed: that costs too much to do for strangers. */
export async function acceptInvitation(c: WriteCtx, { token, password, ...sent }: InvitationAccept) {
  const { until: _, ...identity } = requireInvited(await lockInvited(c.db, hashToken(token)), c.now);
  const { first_name = identity.first_name, last_name = identity.last_name } = sent;
  c.changed("user", identity.id);
  await setNames(c.db, identity.id, { first_name, last_name });
  await setPassword(c.db, identity.id, await hashPassword(password, c.newSecret()), c.now);
  return { ...identity, first_name, last_name, accepted_at: c.now, object: "invitation" as const };
}
