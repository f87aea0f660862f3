import { createHash } from "node:crypto";
import { ApiError, notFound } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import type { Invitation, NewId, NewSecret } from "../../request.ts";
import { missingProject } from "../../resources/platform/projects/store.ts";
import { requireRoles } from "../../resources/platform/roles/store.ts";
import { hashPassword, setPassword } from "../../resources/platform/users/password-store.ts";
import type { UserInvite } from "../../resources/platform/users/schema.ts";
import { insertUser, lockInvited, setRoles } from "../../resources/platform/users/store.ts";

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

/** The token proves who it is. It is looked up before the password is hashed: that costs too much to do for strangers. */
export async function acceptInvitation(c: WriteCtx, { token, password }: { token: string; password: string }) {
  const user = await lockInvited(c.db, hashToken(token));
  if (!user)
    throw new ApiError("not_found", {
      details: "The invitation does not exist, or it was accepted before",
      resource_type: "invitation",
    });
  const { until, ...identity } = user;
  if (until <= c.now) throw new ApiError("invitation_expired", { details: `The invitation was valid until ${until}` });
  c.changed("user", user.id);
  await setPassword(c.db, user.id, await hashPassword(password, c.newSecret()), c.now);
  return { ...identity, accepted_at: c.now, object: "invitation" as const };
}
