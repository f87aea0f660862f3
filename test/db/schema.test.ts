import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "../../src/db/db.ts";
import { testDatabase } from "../support/engine.ts";
import { skipOnCitus } from "../support/nodes.ts";

const { db } = await testDatabase();

/** The tables that say which projects there are and who may call; nothing else goes without a leading project_id. */
const DIRECTORY = [
  "keys",
  "limit_counts",
  "migrations",
  "projects",
  "roles",
  "signing_keys",
  "single_sign_ons",
  "user_identities",
  "user_projects",
  "user_recovery_codes",
  "user_sessions",
  "user_totp",
  "users",
];

/** What keeps the schema from being spread over machines by project, as sentences. */
async function faults(db: Db): Promise<string[]> {
  const rows = await db<{ fault: string }[]>`
    with tables as (
      select c.oid, c.relname as name, c.relname = any(${DIRECTORY}) as is_directory,
        (select a.attnum from pg_attribute a
          where a.attrelid = c.oid and a.attname = 'project_id' and a.attnotnull) as project_id
      from pg_class c where c.relnamespace = 'laurel'::regnamespace and c.relkind in ('r', 'p'))
    select name || ' has no project_id that is never null' as fault from tables
      where not is_directory and project_id is null
    union all
    select name || ' has no primary key' from tables t
      where not exists (select 1 from pg_index i where i.indrelid = t.oid and i.indisprimary)
    union all
    select 'the index ' || i.indexrelid::regclass::text || ' does not lead with project_id'
      from tables t join pg_index i on i.indrelid = t.oid
      join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
      -- An inverted index has no order that something could lead; what it finds is filtered.
      where not t.is_directory and i.indkey[0] is distinct from t.project_id and m.amname <> 'gin'
    union all
    select 'the foreign key ' || f.conname || ' does not lead with project_id on both sides'
      from tables t join pg_constraint f on f.conrelid = t.oid and f.contype = 'f'
      join tables r on r.oid = f.confrelid
      where not t.is_directory and not r.is_directory
        and (f.conkey[1] is distinct from t.project_id or f.confkey[1] is distinct from r.project_id)
    union all
    select 'the foreign key ' || f.conname || ' leaves the schema'
      from tables t join pg_constraint f on f.conrelid = t.oid and f.contype = 'f'
      where f.confrelid not in (select oid from tables)
    union all
    select 'the constraint ' || f.conname || ' is deferrable'
      from tables t join pg_constraint f on f.conrelid = t.oid where f.condeferrable
    union all
    select 'there is a sequence ' || c.relname from pg_class c
      where c.relnamespace = 'laurel'::regnamespace and c.relkind = 'S'
    union all
    select 'there is a trigger ' || g.tgname from tables t join pg_trigger g on g.tgrelid = t.oid
      where not g.tgisinternal
    union all
    select name || ' has a rule' from tables t join pg_rewrite r on r.ev_class = t.oid
    order by 1`;
  return rows.map(({ fault }) => fault);
}

test("every tenant table leads with project_id in all its keys and indexes; no sequences, no triggers", async () => {
  assert.deepEqual(await faults(db), []);
  const [{ count }] = await db<[{ count: number }]>`
    select count(*) from pg_class where relnamespace = 'laurel'::regnamespace and relkind = 'r'`;
  assert.ok(count > DIRECTORY.length, "there were tables to look at");
});

const PLANTED: [statement: string, fault: string][] = [
  ["create table bad (id text primary key)", "bad has no project_id that is never null"],
  ["create table bad (id text, project_id text, primary key (id, project_id))", "the index bad_pkey does not lead"],
  ["create table bad (project_id text, id text)", "bad has no primary key"],
  ["create unique index bad on categories (name, project_id)", "the index bad does not lead with project_id"],
  ["create index bad on categories (lower(name))", "the index bad does not lead with project_id"],
  [
    "create table bad (project_id text, id text, category_id text, primary key (project_id, id), constraint bad_category foreign key (category_id, project_id) references categories (id, project_id))",
    "the foreign key bad_category does not lead with project_id on both sides",
  ],
  [
    "alter table categories add constraint bad unique (project_id, hierarchy, id) deferrable",
    "the constraint bad is deferrable",
  ],
  ["create table bad (project_id text, id serial, primary key (project_id, id))", "there is a sequence bad_id_seq"],
  [
    "create table bad (project_id text, id int generated always as identity, primary key (project_id, id))",
    "there is a sequence bad_id_seq",
  ],
  [
    "create function bad() returns trigger language plpgsql as 'begin return new; end'; create trigger bad before insert on categories for each row execute function bad()",
    "there is a trigger bad",
  ],
  ["create rule bad as on delete to categories do instead nothing", "categories has a rule"],
  [
    "create table public.other (id text primary key); create table bad (project_id text, id text, primary key (project_id, id), constraint bad_other foreign key (id) references public.other)",
    "the foreign key bad_other leaves the schema",
  ],
];
for (const [statement, fault] of PLANTED) {
  const trigger = statement.includes("create trigger") ? skipOnCitus("it refuses triggers, as the check does") : {};
  test(`the check finds: ${statement}`, trigger, async () => {
    const undo = new Error("undo");
    const planted = db.begin(async (tx) => {
      // The columns in another order need a unique key that fits them.
      if (statement.includes("references categories"))
        await tx`create unique index categories_turned on categories (id, project_id)`;
      await tx.unsafe(statement);
      const found = await faults(tx);
      assert.ok(
        found.some((one) => one.startsWith(fault)),
        `found only ${JSON.stringify(found)}`,
      );
      throw undo;
    });
    await assert.rejects(planted, (error) => {
      if (error !== undo) throw error;
      return true;
    });
  });
}
