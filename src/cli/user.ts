import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Config, ConfigError, publicUrlOf } from "../config.ts";
import { invitationLink } from "../core/users/invitation-link.ts";
import { transaction } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import { ROLE_OF_OWNERS } from "../flows/platform/create-project.ts";
import { createUser, inviteAgain, resetPassword } from "../flows/platform/invite-user.ts";
import type { Invitation } from "../request.ts";
import { listProjects } from "../resources/platform/projects/store.ts";
import { hashPassword, setPassword } from "../resources/platform/users/password-store.ts";
import { PASSWORD_LENGTH } from "../resources/platform/users/schema.ts";
import { listUsers, lockUser, removeUser, statusOf } from "../resources/platform/users/store.ts";
import { hasTotp, removeTotp } from "../resources/platform/users/totp-store.ts";
import { newId, newSecret, now } from "../sources.ts";
import { logCommand } from "./audit.ts";
import { withDatabase } from "./database.ts";
import { printTable } from "./print/table.ts";

type Create = { email: string; firstName?: string; lastName: string; owner?: true; project?: string; role: string };

/** Creates a user and prints the link with which they choose a password: whoever runs this is the mail server. */
export async function createCommand(config: Config, options: Create): Promise<void> {
  const { email, owner = false, project } = options;
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new ConfigError("--email must be an e-mail address such as ann@shop.example.");
  if (!owner && project === undefined) throw new ConfigError("Say --owner, or a --project that the user is for.");
  const { id, invitation } = await withDatabase(config, async (db) => {
    const projects = {
      ...(owner && (await rolesOfOwner(db))),
      ...(project !== undefined && { [project]: options.role }),
    };
    const first_name = options.firstName ?? email.split("@")[0]!;
    const user = { email, first_name, last_name: options.lastName, projects, is_owner: owner };
    return transaction(db, async (tx) => {
      const made = await createUser(tx, { newId, newSecret, now: now() }, user);
      await logCommand(tx, "user create", { kind: "user", id: made.id });
      return made;
    });
  });
  printLink(config, id, invitation);
}

/** Prints a new link for a user who has not accepted yet. The one before ends. An owner who is not known is made. */
export async function inviteCommand(config: Config, user: string, { owner }: { owner?: true }): Promise<void> {
  const isKnown = await withDatabase(config, async (db) => {
    if (owner && !(await listUsers(db)).some(({ id, login }) => id === user || login === user.toLowerCase()))
      return false;
    const { id, invitation } = await transaction(db, async (tx) => {
      const again = await inviteAgain(tx, { newSecret, now: now() }, user);
      await logCommand(tx, "user invite", { kind: "user", id: again.id });
      return again;
    });
    printLink(config, id, invitation);
    return true;
  });
  if (!isKnown) await createCommand(config, { email: user, lastName: "", owner: true, role: ROLE_OF_OWNERS });
}

const RESET_HOURS = 24;

/** Prints a link with which a user chooses another password. Until it is used, the one that they have works. */
export async function resetCommand(config: Config, user: string): Promise<void> {
  const { id, invitation, asksForCode } = await withDatabase(config, (db) =>
    transaction(db, async (tx) => {
      const reset = await resetPassword(tx, { newSecret, now: now() }, user, RESET_HOURS);
      await logCommand(tx, "user reset", { kind: "user", id: reset.id });
      return { ...reset, asksForCode: await hasTotp(tx, reset.id) };
    }),
  );
  printLink(config, id, invitation);
  if (asksForCode)
    console.log(
      "Signing in still asks for a code of their authenticator app. " +
        `When the device and the recovery codes are lost: laurel user remove-totp ${invitation.email.toLowerCase()}`,
    );
}

/** Removes the second factor of who has lost the device and the recovery codes. Make sure that it is them who ask. */
export async function removeTotpCommand(config: Config, user: string): Promise<void> {
  const { login } = await withDatabase(config, (db) =>
    transaction(db, async (tx) => {
      const row = await lockUser(tx, user);
      if (!(await removeTotp(tx, row.id))) throw new ConfigError(`${row.login} has no second factor.`);
      await logCommand(tx, "user remove-totp", { kind: "user", id: row.id });
      return row;
    }),
  );
  console.log(`${login} signs in with the password alone.`);
}

function printLink(config: Config, id: string, { email, token, expires_at }: Invitation): void {
  console.log(`user   ${id}`);
  console.log(`login  ${email.toLowerCase()}`);
  console.log(`link   ${invitationLink(publicUrlOf(config), token)}`);
  console.log(`The link works once, until ${expires_at}. It is not shown again.`);
}

const rolesOfOwner = async (db: Pool): Promise<Record<string, string>> =>
  Object.fromEntries((await listProjects(db)).map(({ id }) => [id, ROLE_OF_OWNERS]));

/** Sets a password. It is read from standard input: an argument would stand in the list of processes. */
export async function passwordCommand(config: Config, user: string): Promise<void> {
  const password = process.stdin.isTTY ? await askTwice() : await firstLine();
  const { min, max } = PASSWORD_LENGTH;
  if (password.length < min || password.length > max)
    throw new ConfigError(`A password must have ${min} to ${max} characters.`);
  const hash = await hashPassword(password, newSecret());
  const { login } = await withDatabase(config, (db) =>
    transaction(db, async (tx) => {
      const row = await lockUser(tx, user);
      await setPassword(tx, row.id, hash, now());
      await logCommand(tx, "user password", { kind: "user", id: row.id });
      return row;
    }),
  );
  console.log(`The password of ${login} is set.`);
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return "";
}

/** Asks without showing what is typed. */
async function askTwice(): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const ask = async (question: string) => {
    process.stderr.write(question);
    const answer = await lines.question("");
    process.stderr.write("\n");
    return answer;
  };
  try {
    const password = await ask("Password: ");
    if ((await ask("Once more: ")) !== password) throw new ConfigError("The two passwords are not the same.");
    return password;
  } finally {
    lines.close();
  }
}

export async function listCommand(config: Config): Promise<void> {
  const rows = await withDatabase(config, listUsers);
  const cells = rows.map((user) => [
    user.id,
    user.login,
    user.is_owner ? "yes" : "no",
    statusOf(user).toLowerCase(),
    Object.entries(user.projects)
      .map(([id, role]) => `${id}:${role}`)
      .join(" "),
  ]);
  printTable(["ID", "LOGIN", "OWNER", "STATE", "PROJECTS"], cells);
}

export async function deleteCommand(config: Config, user: string): Promise<void> {
  const { login } = await withDatabase(config, (db) =>
    transaction(db, async (tx) => {
      const row = await lockUser(tx, user);
      await removeUser(tx, row.id);
      await logCommand(tx, "user delete", { kind: "user", id: row.id });
      return row;
    }),
  );
  console.log(`${login} is deleted.`);
}
