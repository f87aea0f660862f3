import { createHash } from "node:crypto";
import { ApiError, invalid } from "../../core/errors.ts";
import { type Entrance, entranceOf, type ProviderIdentity } from "../../core/users/single-sign-on.ts";
import type { Ctx, SingleSignOn, WriteCtx } from "../../ctx.ts";
import type { Db } from "../../db/db.ts";
import { listProjects } from "../../resources/platform/projects/store.ts";
import { requireRoles } from "../../resources/platform/roles/store.ts";
import { isPassword } from "../../resources/platform/users/password-store.ts";
import {
  endSessions,
  findLogin,
  insertSession,
  lockWithPassword,
} from "../../resources/platform/users/session-store.ts";
import type { SignOnConfirm } from "../../resources/platform/users/single-sign-on-schema.ts";
import {
  findAddressOwner,
  findLinked,
  findSignOn,
  insertSignOn,
  keepIdentity,
  linkIdentity,
  removeIdentities,
  removeSignOn,
  type SignOnRow,
} from "../../resources/platform/users/single-sign-on-store.ts";
import { insertUser, lockUser, setRoles } from "../../resources/platform/users/store.ts";
import { hasTotp, requireSecondFactor } from "../../resources/platform/users/totp-store.ts";

/** Time enough to sign in at the provider, with a second factor there. */
const SIGN_ON_MS = 10 * 60_000;

const hashToken = (token: string) => createHash("sha256").update(token).digest("hex");
const failed = (details: string) => new ApiError("single_sign_on_failed", { details });
const refused = (details: string) => new ApiError("single_sign_on_refused", { details });

function requireSingleSignOn({ singleSignOn }: Pick<Ctx, "singleSignOn">): SingleSignOn {
  if (!singleSignOn)
    throw new ApiError("not_found", { details: "Single sign-on is not set up", resource_type: "single_sign_on" });
  return singleSignOn;
}

/** Where the browser goes. Asked before the transaction: the provider may be slow. */
export async function askProvider(c: Ctx): Promise<{ token: string; url: string }> {
  const token = c.newSecret();
  return { token, url: await requireSingleSignOn(c).urlFor(token) };
}

/** Sends a browser to the provider. What it comes back with counts in this browser only, which has the token. */
export async function startSignOn(c: WriteCtx, asked: Awaited<ReturnType<typeof askProvider>>, return_to = "/") {
  const ends_at = new Date(Date.parse(c.now) + SIGN_ON_MS).toISOString();
  await insertSignOn(c.db, { token_hash: hashToken(asked.token), return_to, ends_at });
  c.setSignOn({ token: asked.token, ends_at });
  return { object: "single_sign_on_start" as const, url: asked.url, expires_at: ends_at };
}

/** The row of the browser that calls. */
async function requireSignOn(c: Pick<Ctx<Db>, "db" | "now" | "signOnToken">): Promise<SignOnRow> {
  const row = c.signOnToken ? await findSignOn(c.db, hashToken(c.signOnToken), c.now) : undefined;
  if (!row) throw failed("This browser did not begin to sign in, or more than ten minutes ago");
  return row;
}

/** Who came back from the provider. It is asked before the transaction, and answers once. */
export async function requireIdentity(c: Ctx, query: string): Promise<{ row: SignOnRow; identity: ProviderIdentity }> {
  const singleSignOn = requireSingleSignOn(c);
  const row = await requireSignOn(c);
  if (row.identity) throw failed("This sign-in at the provider was used before");
  return { row, identity: await singleSignOn.identityOf(c.signOnToken!, query) };
}

/** How somebody comes in, as the tables are now. */
async function findEntrance(c: Pick<Ctx<Db>, "db" | "now" | "singleSignOn">, identity: ProviderIdentity) {
  const { domains } = requireSingleSignOn(c);
  const [linked, owner] = [await findLinked(c.db, identity), await findAddressOwner(c.db, identity)];
  return entranceOf({ identity, linked, owner, domains, now: c.now });
}

const PROVE = { prove: "PASSWORD_REQUIRED", enter: "CODE_REQUIRED", link: "CODE_REQUIRED" } as const;

/** Lets in who came back, or says what they have to show first. */
export async function finishSignOn(
  c: WriteCtx,
  { row, identity }: Awaited<ReturnType<typeof requireIdentity>>,
  token_hash: string,
) {
  const entrance = await findEntrance(c, identity);
  if (entrance.way === "refuse") throw refused(entrance.details);
  const { return_to } = row;
  if (entrance.way === "prove" || (entrance.way !== "join" && (await hasTotp(c.db, entrance.user_id)))) {
    if (!(await keepIdentity(c.db, row.token_hash, identity)))
      throw failed("This sign-in at the provider was used before");
    return { status: PROVE[entrance.way], email: identity.email, return_to, opened: null };
  }
  if (!(await removeSignOn(c.db, row.token_hash))) throw failed("This sign-in at the provider was used before");
  c.setSignOn(null);
  const userId = await letIn(c, entrance, identity);
  const opened = await insertSession(c.db, userId, token_hash, c.now);
  return { status: "SIGNED_IN" as const, email: identity.email, return_to, opened };
}

/** Makes the account that of a user: one who is known, was invited, or is new. */
async function letIn(
  c: WriteCtx,
  entrance: Exclude<Entrance, { way: "refuse" }>,
  identity: ProviderIdentity,
): Promise<string> {
  const id = entrance.way === "join" ? await addUser(c, entrance.email, identity) : entrance.user_id;
  const { is_disabled, has_password, has_identity } = await lockUser(c.db, id);
  if (is_disabled) throw refused("The account was switched off");
  // The invitation may have been accepted with a password a moment ago.
  if (entrance.way === "link" && (has_password || has_identity)) throw failed("The account was changed meanwhile");
  if (entrance.way === "enter") return id;
  c.changed("user", id);
  await linkIdentity(c.db, id, identity, c.now);
  return id;
}

/** A user whom nobody invited: everybody of their domain may come. */
async function addUser(c: WriteCtx, email: string, { first_name, last_name }: ProviderIdentity): Promise<string> {
  const { role, projects } = requireSingleSignOn(c);
  await requireRoles(c.db, [role]);
  const there = (await listProjects(c.db)).map(({ id }) => id);
  const own = projects === "all" ? there : there.filter((id) => projects.includes(id));
  const id = c.newId("user");
  const names = { first_name: first_name || email.split("@")[0]!, last_name };
  const never = { invitation_hash: null, invitation_until: null };
  await insertUser(c.db, { id, email, ...names, is_owner: false, created_at: c.now, ...never });
  await setRoles(c.db, id, Object.fromEntries(own.map((project) => [project, role])));
  return id;
}

/** Checks the password of the account that is to be linked. Before the transaction, since a hash takes long. */
export async function requireProof(c: Ctx, { password }: SignOnConfirm) {
  const row = await requireSignOn(c);
  if (!row.identity) throw failed("Nobody has come back from the provider yet");
  const entrance = await findEntrance(c, row.identity);
  if (entrance.way === "refuse") throw refused(entrance.details);
  if (entrance.way !== "prove") return { row, identity: row.identity, password_hash: null };
  if (password === undefined) throw invalid("Payload must have the property 'password'");
  const { password_hash } = (await findLogin(c.db, entrance.user_id)) ?? {};
  if (!password_hash || !(await isPassword(password, password_hash)))
    throw new ApiError("unauthorized", { details: "The password of the account is wrong" });
  return { row, identity: row.identity, password_hash };
}

/** Lets in who has shown the password of the account, or a code of its second factor. */
export async function confirmSignOn(
  c: WriteCtx,
  { row, identity, password_hash }: Awaited<ReturnType<typeof requireProof>>,
  { code, token_hash }: { code: string | undefined; token_hash: string },
) {
  const entrance = await findEntrance(c, identity);
  if (entrance.way === "refuse" || entrance.way === "join") throw failed("The account was changed meanwhile");
  const isProven = password_hash !== null && (await lockWithPassword(c.db, entrance.user_id, password_hash));
  if (entrance.way === "prove" && !isProven) throw failed("The account was changed meanwhile");
  const userId = await letIn(c, entrance, identity);
  await requireSecondFactor(c.db, userId, { code, now: c.now, secretBox: c.secretBox });
  if (!(await removeSignOn(c.db, row.token_hash))) throw failed("This sign-in at the provider was used before");
  c.setSignOn(null);
  const opened = await insertSession(c.db, userId, token_hash, c.now);
  return { status: "SIGNED_IN" as const, email: identity.email, return_to: row.return_to, opened };
}

/** The hash of the password of who is signed in, once it was shown. Before the transaction, since a hash takes long. */
export async function requireOwnPassword(c: Pick<Ctx, "db" | "caller">, password: string): Promise<string> {
  const { password_hash } = (await findLogin(c.db, c.caller.key_id)) ?? {};
  if (!password_hash)
    throw new ApiError("forbidden", { details: "Choose a password first: the provider is the only way in" });
  if (!(await isPassword(password, password_hash)))
    throw new ApiError("unauthorized", { details: "The password is wrong" });
  return password_hash;
}

/** Ends the link with the provider. Sessions that may have begun with it end, but for the one that asks. */
export async function unlinkIdentities(c: WriteCtx, passwordHash: string): Promise<null> {
  const { key_id: id, session } = c.caller;
  if (!(await lockWithPassword(c.db, id, passwordHash)))
    throw new ApiError("unauthorized", { details: "The password was changed meanwhile" });
  if (!(await removeIdentities(c.db, id)))
    throw new ApiError("not_found", { details: "No account of a provider is linked", resource_type: "identity" });
  c.changed("user", id);
  await endSessions(c.db, id, session!.hash);
  return null;
}
