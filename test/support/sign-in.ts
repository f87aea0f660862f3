import assert from "node:assert/strict";
import { transaction } from "../../src/db/batches/commit.ts";
import type { Pool } from "../../src/db/db.ts";
import { createUser } from "../../src/flows/platform/invite-user.ts";
import { hashPassword, setPassword } from "../../src/resources/platform/users/password-store.ts";
import { type Call, NOW, newId, newSecret, type Reply } from "./engine.ts";

export const PASSWORD = "correct horse battery staple";
/** Hashed once: it costs as much as it should. */
const hashed = hashPassword(PASSWORD, "ab".repeat(32));

type NewMember = { email?: string; is_owner?: boolean };

/** A user with the password above, and with these roles. */
export async function makeUser(
  db: Pool,
  projects: Record<string, string>,
  { email, is_owner = false }: NewMember = {},
) {
  const address = email ?? `${newId("Uma")}@Shop.example`;
  const hash = await hashed;
  const id = await transaction(db, async (tx) => {
    const names = { first_name: "Uma", last_name: "Underhill" };
    const sources = { newId, newSecret, now: NOW };
    const made = await createUser(tx, sources, { email: address, ...names, projects, is_owner });
    await setPassword(tx, made.id, hash, NOW);
    return made.id;
  });
  return { id, email: address };
}

/** No key of any kind. */
export const NO_KEYS = {
  "x-app-id": "",
  "x-app-token": "",
  "x-client-application-id": "",
  "x-client-token": "",
  "x-management-id": "",
  "x-management-token": "",
  // `call` adds a bearer token on v2 unless this is there.
  authorization: "",
};

/** What a browser sends back of the cookies that it was given. */
export const cookieOf = ({ headers }: Reply): string => String(headers["set-cookie"]).split(";")[0]!;

/** Signs in, and gives what calls as that user, for a project where one is named. */
export async function signIn(call: Call, email: string, projectId?: string) {
  const reply = await call("POST /management/v1/session", { email, password: PASSWORD }, NO_KEYS);
  assert.equal(reply.status, 200, reply.text);
  const cookie = cookieOf(reply);
  const headers = {
    ...NO_KEYS,
    cookie,
    "x-laurel-csrf": reply.body.csrf_token as string,
    ...(projectId !== undefined && { "x-laurel-project": projectId }),
  };
  const as: Call = (request, body, more = {}) => call(request, body, { ...headers, ...more });
  return { as, headers, cookie, session: reply.body };
}
