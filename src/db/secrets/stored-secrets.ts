import type { Pool } from "../db.ts";
import { isSealed, type SecretBox, type SecretPlace } from "./secret-box.ts";

type Table = SecretPlace[0];
type StoredSecret = { id: string; stored: string };

/** Every column that holds a secret which has to be read again, and what names its row. */
const COLUMNS: Readonly<Record<Table, { id: string; secret: string; anew: string }>> = {
  projects: { id: "id", secret: "webhook_token", anew: "change the webhook secret of the project" },
  webhook_secrets: { id: "project_id", secret: "previous", anew: "it ends by itself within a day" },
  user_totp: { id: "user_id", secret: "secret", anew: "laurel user remove-totp" },
};
const TABLES = Object.keys(COLUMNS) as Table[];

/** So many rows at a time. */
const TURN = 500;

/** Some rows of a table, in the order of their ids. */
function turnOf(db: Pool, table: Table, after: string) {
  const { id, secret } = COLUMNS[table];
  return db<StoredSecret[]>`
    select ${db(id)} as id, ${db(secret)} as stored from ${db(table)} where ${db(id)} > ${after}
    order by ${db(id)} limit ${TURN}`;
}

async function* allIn(db: Pool, table: Table): AsyncGenerator<StoredSecret> {
  for (let rows = await turnOf(db, table, ""); rows.length > 0; rows = await turnOf(db, table, rows.at(-1)!.id))
    yield* rows;
}

/** Encrypts what was stored before there was a key, or with the key before this one. One that changes meanwhile is left to who changed it. Returns how many. */
export async function sealStored(db: Pool, secretBox: SecretBox): Promise<number> {
  if (!secretBox.hasKey) return 0;
  let sealed = 0;
  for (const table of TABLES) {
    const { id: key, secret } = COLUMNS[table];
    for await (const { id, stored } of allIn(db, table)) {
      if (!secretBox.isOld([table, id], stored)) continue;
      const sealedAnew = secretBox.seal([table, id], secretBox.open([table, id], stored));
      const { count } = await db`
        update ${db(table)} set ${db(secret)} = ${sealedAnew}
        where ${db(key)} = ${id} and ${db(secret)} = ${stored}`;
      sealed += count;
    }
  }
  return sealed;
}

/** Secrets that the key does not open, those that are not encrypted, and those that wait for the new key. */
export async function examineSecrets(db: Pool, secretBox: SecretBox) {
  const unreadable: string[] = [];
  let [plain, previous] = [0, 0];
  for (const table of TABLES)
    for await (const { id, stored } of allIn(db, table)) {
      if (!isSealed(stored)) plain += 1;
      else if (secretBox.isOld([table, id], stored)) previous += 1;
      if (!secretBox.canOpen([table, id], stored)) unreadable.push(`${table} ${id} (${COLUMNS[table].anew})`);
    }
  return { unreadable, plain, previous };
}
