import { createHash } from "node:crypto";
import { ApiError, notFound } from "../../core/errors.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import type { Invitation, NewId, NewSecret } from "../../request.ts";
import { missingProject } from "../../resources/platform/projects/store.ts";
import { requireRoles } from "../../resources/platform/roles/store.ts";
import { hashPassword, setPassword } from "../../resources/platform/users/password-store.ts";
import type { InvitationAccept, UserInvite } from "../../resources/platform/users/schema.ts";
import { findInvited, insertUser, lockInvited, setNames, setRoles } from "../../resources/platform/users/store.ts";

const INVITATION_DAYS = 7;
type Sources = { newId: NewId; newSecret: NewSecret; now: string };

const hashToken = (token: string) => createHash("sha256").update(token).digest("hex");

/** Creates a user who has no password yet. The token of the link is in what is returned, and nowhere else. */
export async function createUser(
  tx: Tx,
  { newId, newSecret, now }: Sources,
  { email, first_name, last_name, projects, is_owner }: UserInvite & { is_owner: boolean },
): Promise<{ id: string; invitation: Invitation }> {
  const wanted = Object.keys(projects);
  const missing = await missingProject(tx, wanted);
  if (missing !== undefined) throw notFound("project", missing);
  await requireRoles(tx, Object.values(projects));
  const [id, token] = [newId("user"), newSecret()];
  const expires_at = new Date(Date.parse(now) + INVITATION_DAYS * 86_400_000).toISOString();
  const user = { id, email, first_name, last_name, is_owner, created_at: now };
  await insertUser(tx, { ...user, invitation_hash: hashToken(token), invitation_until: expires_at });
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

/** The user whom a token invited; refused when nobody was, or when it is too late. */
function requireInvited<Invited extends { until: string }>(user: Invited | undefined, now: string): Invited {
  if (!user)
    throw new ApiError("not_found", {
      details: "The invitation does not exist, or it was accepted before",
      resource_type: "invitation",
    });
  if (user.until <= now)
    throw new ApiError("invitation_expired", { details: `The invitation was valid until ${user.until}` });
  return user;
}

/** Whom an invitation is for, told to who has its token. */
export async function showInvitation(c: Ctx, token: string) {
  const user = requireInvited(await findInvited(c.db, hashToken(token)), c.now);
  const { email, first_name, last_name, until: expires_at } = user;
  return { email, first_name, last_name, expires_at, object: "invitation" as const };
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
