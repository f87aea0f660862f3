import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACT, LAST_TO_CONTRACT, type Migration, readMigrations } from "../../src/db/migrate.ts";

// From one release to the next both run on one database: what a migration does must leave the older one at work. And no lock of a
// whole table may last: statements that read or write all rows under one are refused.
type Fault = { says: string; finds: RegExp; mayContract?: true };
const FAULTS: readonly Fault[] = [
  { says: "drops a column", finds: /\balter table\b[^;]*\bdrop column\b/i, mayContract: true },
  { says: "drops a table", finds: /\bdrop table\b/i, mayContract: true },
  { says: "renames something", finds: /\brename (?:column |constraint )?(?:\w+ )?to\b/i },
  { says: "changes the type of a column", finds: /\balter (?:column )?\w+ (?:set data )?type\b/i },
  {
    says: "makes a column not null; add a check that is not valid, validate it in the next file",
    finds: /\balter (?:column )?\w+ set not null\b/i,
    mayContract: true,
  },
  {
    says: "adds a column that is never null and has no default",
    finds: /\badd column (?:if not exists )?\w+ (?![^,;]*\bdefault\b)[^,;]*\bnot null\b/i,
  },
  {
    says: "adds a column whose default is another one for each row",
    finds:
      /\badd column[^,;]*\bdefault\b[^,;]*\b(?:now|clock_timestamp|gen_random_uuid|random|nextval|pg_current_xact_id)\b/i,
  },
  { says: "adds a generated column, which rewrites the table", finds: /\badd column[^,;]*\bgenerated always\b/i },
  {
    says: "adds a constraint that reads all rows; add it `not valid`",
    finds: /\badd constraint (?![^;]*\b(?:not valid|using index)\b)[^;]*\b(?:check|foreign key|unique|primary key)\b/i,
  },
  {
    says: "removes a default that the older version counts on",
    finds: /\balter (?:column )?\w+ drop default\b/i,
    mayContract: true,
  },
  {
    says: "drops a constraint that the older version names in `on conflict`",
    // Nobody names a foreign key there.
    finds: /\bdrop constraint (?!\w+_fkey\b)/i,
    mayContract: true,
  },
  { says: "empties a table", finds: /\btruncate\b/i },
  { says: "locks a table", finds: /\block table\b/i },
  // What Citus does not carry to the parts of a table (ADR 0064).
  {
    says: "adds a column with a check, which is not carried; add the constraint after it",
    finds: /\badd column[^,;]*\bcheck\b/i,
  },
  { says: "sets how a column is stored, which is not carried", finds: /\bset storage\b/i },
  {
    says: "adds a foreign key to a table that is there; write it with `create table`",
    finds: /\badd (?:constraint \w+ )?foreign key\b/i,
  },
  {
    says: "makes a table that is not a statement of its own line",
    finds: /(?<!^)\bcreate (?:unlogged )?table\b/im,
  },
  { says: "writes all rows at once; use a file in chunks", finds: /^\s*(?:update \w+ set|delete from)\b/im },
];
const withoutComments = (sql: string): string => sql.replace(/--.*$/gm, "");

/** Why a migration would stop the version before it, or keep its writers waiting; null: it does neither. */
function migrationFault({ name, sql }: Pick<Migration, "name" | "sql">): string | null {
  const plain = withoutComments(sql);
  const isContract = CONTRACT.test(sql);
  const statements = plain.split(";").filter((one) => one.trim() !== "");
  if (name.endsWith(".concurrently.sql")) {
    if (statements.length !== 1) return "has more than one statement beside a transaction";
    return /^\s*(?:create (?:unique )?index|drop index) concurrently\b/i.test(plain) ? null : "is no index";
  }
  if (/\bconcurrently\b/i.test(plain)) return "has an index in a transaction; name the file .concurrently.sql";
  const indexed = [...plain.matchAll(/\bcreate (?:unique )?index (?:if not exists )?\w+ on (?:only )?(\w+)/gi)];
  const made = new Set(
    [...plain.matchAll(/\bcreate (?:unlogged )?table (?:if not exists )?(\w+)/gi)].map(([, table]) => table),
  );
  if (indexed.some(([, table]) => !made.has(table)))
    return "indexes a table while nobody can write; use .concurrently.sql";
  if (/\bdrop index\b/i.test(plain)) return "drops an index while nobody can write; use .concurrently.sql";
  const isChunks = name.endsWith(".chunks.sql");
  const found = FAULTS.find(
    ({ finds, mayContract, says }) =>
      finds.test(plain) && !(mayContract && isContract) && !(isChunks && /all rows at once/.test(says)),
  );
  return found?.says ?? null;
}

test("migrations leave the release before at work, and hold no lock for long", () => {
  for (const migration of readMigrations().filter(({ name }) => name > LAST_TO_CONTRACT))
    assert.equal(migrationFault(migration), null, `${migration.name} ${migrationFault(migration)}`);
});

const PLANTED: [sql: string, fault: RegExp, name?: string][] = [
  ["alter table a drop column b;", /drops a column/],
  ["drop table a;", /drops a table/],
  ["alter table a rename b to c;", /renames/],
  ["alter table a rename column b to c;", /renames/],
  ["alter table a rename to c;", /renames/],
  ["alter table a alter column b type bigint;", /type of a column/],
  ["alter table a alter b set not null;", /not null/],
  ["alter table a add column b text not null;", /never null/],
  ["alter table a add column b timestamptz not null default now();", /another one for each row/],
  ["alter table a add column b uuid default gen_random_uuid();", /another one for each row/],
  ["alter table a add column b int generated always as (1) stored;", /rewrites the table/],
  ["alter table a add constraint c check (b > 0);", /reads all rows/],
  ["alter table a add constraint c foreign key (b) references d;", /reads all rows/],
  ["alter table a add constraint a_unique_b unique (project_id, b);", /reads all rows/],
  ["alter table a drop constraint c;", /drops a constraint/],
  ["alter table a alter b drop default;", /removes a default/],
  ["alter table a add column b int default 0 check (b > 0);", /add the constraint after it/],
  ["alter table a alter column b set storage external;", /how a column is stored/],
  ["alter table a add constraint c foreign key (b) references d not valid;", /write it with/],
  ["select 1; create table a (b text);", /own line/],
  ["truncate a;", /empties/],
  ["lock table a;", /locks/],
  ["update a set b = 1;", /all rows at once/],
  ["create index i on a (project_id, b);", /while nobody can write/],
  ["drop index i;", /while nobody can write/],
  ["create index concurrently i on a (project_id, b);", /in a transaction/],
  ["create index concurrently i on a (b); drop table a;", /more than one/, "0100_i.concurrently.sql"],
  ["drop table a;", /no index/, "0100_i.concurrently.sql"],
];
for (const [sql, fault, name = "0100_new.sql"] of PLANTED)
  test(`the lint of migrations finds: ${sql}`, () => assert.match(migrationFault({ name, sql }) ?? "nothing", fault));

const HARMLESS: [sql: string, name?: string][] = [
  [
    "create table a (project_id text not null, id text not null, primary key (project_id, id));\ncreate index i on a (project_id, id);",
  ],
  ["alter table a add column b text;"],
  ["alter table a add column b int not null default 0;"],
  ["alter table a add constraint c check (b is not null) not valid;"],
  ["alter table a validate constraint c;"],
  ["alter table a drop constraint a_b_fkey;"],
  ["alter table a add constraint a_unique_b unique using index a_unique_b;"],
  ["-- contract: since 0.4\nalter table a drop column b;"],
  ["-- contract: since 0.4\ndrop table a;"],
  ["-- drop table a;\nselect 1;"],
  ["create index concurrently i on a (project_id, b);", "0100_i.concurrently.sql"],
  ["drop index concurrently i;", "0100_i.concurrently.sql"],
  ["-- left: select count(*) from a\nupdate a set b = 1 where b is null returning 1", "0100_b.chunks.sql"],
];
for (const [sql, name = "0100_new.sql"] of HARMLESS)
  test(`the lint of migrations lets pass: ${JSON.stringify(sql)}`, () =>
    assert.equal(migrationFault({ name, sql }), null));

test("a contract never excuses a lock that lasts, nor a new name", () => {
  for (const sql of ["alter table a rename b to c;", "create index i on a (b);", "update a set b = 1;"])
    assert.notEqual(migrationFault({ name: "0100_new.sql", sql: `-- contract: since 0.4\n${sql}` }), null, sql);
});
