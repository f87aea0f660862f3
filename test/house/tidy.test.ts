// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted faults are source code.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { type SourceFile, sources, withoutComments } from "./source.ts";

const LINES_MAX = 400;
const VAGUE = ["utils", "util", "helpers", "helper", "common", "shared", "misc", "manager", "service", "base", "types"];
/** Names of types that say nothing of what they hold. `…AtWork` are rows that a transaction has locked and changes. */
const BANNED =
  /\b(?:type|interface) (?:(?:Work|Told|Given|Asked|Sent|Known|Found|Made)\b|\w+(?:(?<!At)Work|Told|Given|Found)\b(?=\s*[<=]|\s+extends\b|\s*\{))/;
/** What validates under another name: a function, an arrow function or a member that is a function. */
const VALIDATES_OTHERWISE =
  /\b(?:function|const) (?:check|ensure|verify)[A-Z]\w*|\b(?:check|ensure|verify)[A-Z]\w*(?:\??: \(|\([^()]*\): )/;
const PATH_FIRST =
  /\b(?:function|const) (?:(?:require|parse)\w+|\w+Fault)(?: = )?(?:async )?(?:<[^(]*>)?\(\s*(?:path|at): string,/;
const CLOCK = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandomUUID\b|\bTemporal\.Now\b/;
/** `AB-1:`, `(AB-1)`, `issue 12`, and the issue that somebody wrote; standards are called so, too. */
const TICKET =
  /\b(?!UTF|SHA|ISO|UTC|GMT|CVE|RFC)[A-Z]{2,3}-\d+(?=[:,)]| and [A-Z]{2,3}-\d)|\b[Ii]ssues? (?:= |#)?\d|\b[Tt]he\s+issue\b/;
const COPY_OF_OK =
  /\bok\b[^\n]*\((?:call: Call, )?(?:line|request): string, body\??: \w+\)[^\n]* => \{\n\s*const reply = await \w+\(\w+, body\);\n\s*assert\.\w+\(reply\.status/;
const all = (...patterns: string[]): SourceFile[] =>
  patterns.flatMap((pattern) => globSync(pattern)).map((path) => ({ path, text: readFileSync(path, "utf8") }));

/** Each rule of the house: the fault of a file, or null. */
const RULES: Record<string, (file: SourceFile) => string | null> = {
  "a file has at most 400 lines, unless it is a test": ({ path, text }) => {
    if (path.endsWith(".test.ts")) return null;
    const lines = text.split("\n").length - 1;
    return lines > LINES_MAX ? `${lines} lines` : null;
  },
  "no file or folder has a name that says nothing": ({ path }) => {
    const names = [...dirname(path).split("/"), ...basename(path).split(".")[0]!.split("-")];
    return names.find((name) => VAGUE.includes(name)) ?? null;
  },
  "a type is named after what it holds": ({ text }) => BANNED.exec(withoutComments(text))?.[0] ?? null,
  "tests take ok() from test/support/shop.ts": ({ path, text }) =>
    path === "test/support/shop.ts" || !path.startsWith("test/") ? null : (COPY_OF_OK.exec(text)?.[0] ?? null),
  "a test that needs a project and its server takes testShop()": ({ path, text }) =>
    path.startsWith("test/") ? (/\btestEngine\((\w+), await testProject\(\1\b/.exec(text)?.[0] ?? null) : null,
};
/** Those that also hold for documents, migrations and the dashboard. */
const TEXT_RULES: typeof RULES = {
  "nothing names a ticket": ({ text }) => TICKET.exec(text)?.[0] ?? null,
  "there is no TODO": ({ text }) => /\b(?:TODO|FIXME)\b/.exec(text)?.[0] ?? null,
};
const SOURCE_RULES: typeof RULES = {
  "time and randomness come from src/sources.ts": ({ path, text }) =>
    path === "src/sources.ts" ? null : (CLOCK.exec(withoutComments(text))?.[0] ?? null),
  "what validates is named require…, …Fault or parse…, and a path comes after what is found there": ({ path, text }) =>
    /^src\/(?:core|catalog|steps|flows|resources|http|db)\//.test(path)
      ? ((VALIDATES_OTHERWISE.exec(text) ?? PATH_FIRST.exec(text))?.[0] ?? null)
      : null,
  "a transaction is opened in src/db and src/catalog only": ({ path, text }) =>
    /^src\/(?:db|catalog)\//.test(path) ? null : (/\.begin\(|\bbegin\s*`/.exec(withoutComments(text))?.[0] ?? null),
  "rows are locked in the one way that is safe": (file) => statementsOf(file.text).map(lockFault).find(Boolean) ?? null,
  "a lock returns the column by which it found its rows": ({ text }) =>
    statementsOf(text)
      .map((sql) => unreturnedFault(sql, text))
      .find(Boolean) ?? null,
  "a statement on a tenant's table names the tenant": (file) =>
    /^src\/(?:resources|flows|steps|catalog|idempotency|events|http)\/|crud-store\.ts$/.test(file.path)
      ? (statementsOf(file.text).map(tenantFault).find(Boolean) ?? null)
      : null,
  "a statement also runs where projects are spread over machines": ({ path, text }) =>
    path === "src/db/records.ts" ? null : (statementsOf(text).map(spreadFault).find(Boolean) ?? null),
  // Citus runs the one WITH that writes where the rows are, as long as it is an update; an insert it would gather elsewhere.
  "the one WITH that writes is that of updateEach, which is given an update": ({ path, text }) => {
    if (path === "src/db/each-row.ts") return null;
    const hidden = statementsOf(text).find((sql) => /\bas (?:not )?(?:materialized )?\( ?\?/i.test(sql));
    if (hidden) return `a WITH that may write: ${hidden}`;
    const calls = [...withoutComments(text).matchAll(/\bupdateEach\([^;]*;/g)].map(([call]) => call);
    const updates = text.match(/\bconst update = tx`\s*update /g) ?? [];
    const other = calls.find((call) => !call.endsWith(", update);"));
    return other ?? (calls.length === updates.length ? null : `not all are updates: ${calls.join(" ")}`);
  },
  "a sub-select names its project by its id, not by a column of the rows around it": ({ text }) =>
    statementsOf(text, SUB_SELECT).map(aroundFault).find(Boolean) ?? null,
  "a statement runs on PostgreSQL 15": ({ text }) => statementsOf(text).map(newerFault).find(Boolean) ?? null,
  "configuration is locked by the row in tenants": ({ path, text }) =>
    path === "src/resources/platform/projects/store.ts"
      ? null
      : (statementsOf(text).find((sql) => /\bfrom projects\b.*\bfor no key update\b/i.test(sql)) ?? null),
  "the constraint of an error is read by constraintOf": ({ path, text }) =>
    /^src\/(?:db\/db|cli\/log)\.ts$/.test(path)
      ? null
      : (/\bconstraint_name\b/.exec(withoutComments(text))?.[0] ?? null),
};

/** Names of tables are values of `db(…)`; which one is not known, so it may be a tenant's. Lists of columns stand in the file. */
const KNOWN_VALUES: readonly (readonly [RegExp, string])[] = [
  [/^(?:db|tx|pool)\(table\)$/, "any_table"],
  [/^tenantOf\(/, "tenant_row"],
  [/^(?:db|tx)\(COLUMNS\)$|^columns\((?:db|tx)\)$/, "columns_of_file"],
];
const STATEMENT = /^\s*(?:select|insert|update|delete|with)\b/i;
const SUB_SELECT = /^\s*\(\s*select\b/i;

/** The SQL of a file: its template literals that start as a statement does, with each value as `?`. */
function statementsOf(text: string, start = STATEMENT): string[] {
  const plain = withoutComments(text);
  const found: string[] = [];
  for (let at = plain.indexOf("`"); at !== -1; at = plain.indexOf("`", at)) {
    const { end, flat, inner } = literalAt(plain, at);
    if (start.test(flat)) found.push(flat.replace(/\s+/g, " ").trim());
    for (const one of inner) found.push(...statementsOf(one, start));
    at = end;
  }
  return found;
}

function literalAt(text: string, start: number): { end: number; flat: string; inner: string[] } {
  let [flat, at] = ["", start + 1];
  const inner: string[] = [];
  while (at < text.length && text[at] !== "`") {
    if (text[at] === "\\") at += 2;
    else if (text.startsWith("${", at)) {
      const close = endOfValue(text, at + 2);
      inner.push(text.slice(at + 2, close));
      const value = text.slice(at + 2, close);
      flat += KNOWN_VALUES.find(([pattern]) => pattern.test(value))?.[1] ?? "?";
      at = close + 1;
    } else {
      flat += text[at];
      at += 1;
    }
  }
  return { end: at + 1, flat, inner };
}

function endOfValue(text: string, start: number): number {
  let [depth, at] = [0, start];
  for (; at < text.length; at += 1) {
    if (text[at] === "`") at = literalAt(text, at).end - 1;
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}") {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return at;
}

/**
 * Lists of ids that a statement finds: `column = any(array(select …))`, where the column is one of the locked row (ADR 0059). It
 * is compared again after a wait, and `unreturnedFault` sees that it is returned. Gives the statement without them.
 */
function withoutFoundIds(sql: string, instead = "?"): string {
  const start = /\b(?<column>\w+) = any\(array\(\s*select\b/i.exec(sql);
  if (!start) return sql;
  let [depth, at] = [0, start.index];
  for (; at < sql.length; at += 1) {
    if (sql[at] === "(") depth += 1;
    if (sql[at] === ")" && --depth === 0) break;
  }
  const left = instead.replace("$<column>", start.groups!.column!);
  return withoutFoundIds(`${sql.slice(0, start.index)}${left}${sql.slice(at + 1)}`, instead);
}

/** After it waited, PostgreSQL reads only the locked rows again: whatever else a locking statement reads is stale. */
function lockFault(statement: string): string | null {
  const sql = /\bfor no key update\b/i.test(statement) ? withoutFoundIds(statement) : statement;
  if (/\bfor (?:update|share|key share)\b/i.test(statement)) return `for no key update is the only lock: ${sql}`;
  if (!/\bfor no key update\b/i.test(sql)) return null;
  if (!/\border by\b/i.test(sql)) return `a lock without an order: ${sql}`;
  if (
    /\bjoin\b|\bunion\b|\bgroup by\b|\bdistinct\b|\b(?:count|sum|max|min|array_agg)\(/i.test(sql) ||
    sql.split(/\bselect\b/i).length > 2
  )
    return `a lock that reads more than the rows it locks: ${sql}`;
  return null;
}

/** What a locking statement may find its rows by without returning it; `?` is a condition that stands elsewhere. */
const NEVER_CHANGES: Readonly<Record<string, string>> = {
  "keys.kind": "a key is made for servers or for browsers, and stays what it was made for",
  "loyalty_cards.?": "cards are found by their ids or their members, and a card stays with its member",
  "redemptions.?": "redemptions keep their ids, their stacks, and what they redeemed",
  "webhook_deliveries.?": "whom a delivery names is written once, when it is made; it is only deleted",
  "any_table.?": "held-rows.ts only asks which rows are held by others, and changes none of them",
};

/**
 * PostgreSQL compares the column again after it waited, but what a sub-select found is as old as the beginning of the statement.
 * So whoever locks returns the column, and compares it with what is named behind the locks (ADR 0059).
 */
function unreturnedFault(sql: string, file: string, exempt = NEVER_CHANGES): string | null {
  const lock = /^(.*)\bfor no key update\b/i.exec(sql)?.[1];
  const statement =
    lock &&
    withoutFoundIds(lock, "$<column> = any(?)")
      .split(/(?=\bselect\b)/i)
      .at(-1)!;
  const [, list, table, condition] = /^select (.*?) from (\S+)(.*)$/i.exec(statement || "") ?? [];
  if (!list || list === "*") return null;
  const own = /\bconst (?:COLUMNS|columns)\b[^;]*;/.exec(file)?.[0] ?? "";
  const returned: readonly string[] = list.replace("columns_of_file", own).match(/\w+/g) ?? [];
  const by = [...condition!.matchAll(/(\w+) = any\(/g)].map(([, column]) => column!);
  if (/\b(?:where|and|or) \(?\?(?! =)/.test(condition!)) by.push("?");
  const missing = by.find((column) => !returned.includes(column) && !(`${table}.${column}` in exempt));
  return missing ? `a lock that found its rows by ${missing} and does not return it: ${sql}` : null;
}

/** Tables with a project_id, from the migrations; `keys` are looked up by their own id, users by theirs. */
const TENANT_TABLES = all("migrations/*.sql")
  .flatMap(({ text }) => [...text.matchAll(/create table (?:if not exists )?(\w+) \(([\s\S]*?)\n\);/g)])
  .filter(([, name, columns]) => /^\s*project_id\b/m.test(columns!) && !["keys", "user_projects"].includes(name!))
  .map(([, name]) => name!);

function tenantFault(sql: string): string | null {
  const named = [...TENANT_TABLES, "any_table"].find((table) =>
    new RegExp(`\\b(?:from|join|update) ${table}\\b`, "i").test(sql),
  );
  return named && !/\bproject_id\b/.test(sql) ? `${named} without project_id: ${sql}` : null;
}

/**
 * What a database that is spread over machines by project refuses, or does wrongly without a word. A set of parameters is in
 * no place, so a statement that inserts it reads the row of the project as well.
 */
function spreadFault(sql: string): string | null {
  if (/\bas (?:not )?(?:materialized )?\( ?(?:insert|update|delete)\b/i.test(sql)) return `a WITH that writes: ${sql}`;
  const source = /^insert into\b.*?\bselect\b(.*?)(?:\bon conflict\b|\breturning\b|$)/i.exec(sql)?.[1];
  const isSet = source !== undefined && /\b(?:unnest|json\w*_(?:to|populate)_recordset)\(|\brows from\b/i.test(source);
  const isPlaced =
    /\btenant_row\b/.test(sql) || TENANT_TABLES.some((name) => new RegExp(`\\bjoin ${name}\\b`).test(sql));
  if (isSet && !isPlaced) return `an insert of parameters without tenantOf: ${sql}`;
  if (isSet && /^ (?:distinct )?\?,/.test(source)) return `the project of a row is a parameter: ${sql}`;
  const written = /\b(?:returning|set)\b(.*)/i.exec(sql)?.[1] ?? "";
  if (/(?:::timestamptz|_at|\bnow\(\)) [+-] /.test(written)) return `a moment and an interval outside of UTC: ${sql}`;
  if (/^(?:insert|update)\b/i.test(sql) && /\bx\.\w+::(?:date|timestamptz)\b/.test(sql))
    return `cast the list of parameters, not its column: ${sql}`;
  if (/^update\b.*\bconcat(?:_ws)?\(/i.test(sql)) return `concat depends on settings, || does not: ${sql}`;
  if (/^insert into (\w+) \(.*\bfrom \1\b.*\breturning\b/i.test(sql))
    return `an insert that reads its own table needs an alias: ${sql}`;
  if (/\breturning\b.*::(?:text|date|timestamptz)\b/i.test(sql)) return `returns what depends on settings: ${sql}`;
  const set = /^update\b.*?\bset\b(.*?)(?:\( ?select\b|\bfrom\b|\bwhere\b|$)/i.exec(sql)?.[1] ?? "";
  if (/\b(?:to_jsonb?|row_to_json|jsonb?_build_\w+)\(/i.test(set))
    return `JSON of a row depends on settings; make it in a sub-select with offset 0: ${sql}`;
  if (/^(?:update|delete)\b.*\bcase (?!when\b)/i.test(sql))
    return `a CASE with a value in a write; write \`case when\`: ${sql}`;
  if (/\bfrom projects (\w+)\b.*\bexists \(.*\b\1\.id\b/i.test(sql))
    return `exists that looks at the project's row: ${sql}`;
  return null;
}

/** Where projects are spread over machines, a column does not tell that all of a statement is in one place. */
function aroundFault(sql: string): string | null {
  const own = [...sql.matchAll(/\b(?:from|join) (\w+)(?: (?:as )?(\w+))?/gi)].flatMap(([, table, alias]) => [
    table,
    alias,
  ]);
  const around = [...sql.matchAll(/\bproject_id = (\w+)\.project_id\b/g)].find(([, name]) => !own.includes(name));
  return around ? `compares with the project of ${around[1]}: ${sql}` : null;
}

/** Functions and forms that came after PostgreSQL 15. */
const NEWER =
  /\b(?:any_value|array_shuffle|array_sample|random_normal|uuidv7|uuidv4|json_table|json_exists|json_value|json_query|json_scalar|json_serialize|json_array\(|json_object\(|to_bin|to_oct|casefold|crc32c?)\b|\bis json\b|\breturning (?:with|old|new)\b|\b(?:old|new)\.\*|\bmerge into\b.*\breturning\b|\bvirtual\b|\bwithout overlaps\b|\b\d+_\d+\b/i;
const newerFault = (sql: string): string | null => (NEWER.test(sql) ? `newer than PostgreSQL 15: ${sql}` : null);

const files = all("src/**/*.ts", "test/**/*.ts", "scripts/**/*.ts", "bench/**/*.ts");
const texts = all(
  "*.md",
  "docs/**/*.md",
  "migrations/*.sql",
  "dashboard/*.md",
  "dashboard/{src,test}/**/*.{ts,tsx,css}",
);
const product = sources();

for (const [rule, fault] of Object.entries({ ...RULES, ...TEXT_RULES }))
  test(rule, () => {
    for (const file of rule in TEXT_RULES ? [...files, ...texts] : files)
      if (file.path !== "test/house/tidy.test.ts") assert.equal(fault(file), null, file.path);
  });
for (const [rule, fault] of Object.entries(SOURCE_RULES))
  test(rule, () => {
    for (const file of product) assert.equal(fault(file), null, file.path);
  });

test("the rules find a fault that is planted", () => {
  const fault = (rule: string, path: string, text: string) =>
    ({ ...RULES, ...TEXT_RULES, ...SOURCE_RULES })[rule]!({ path, text });
  const finds = (rule: string, path: string, ...texts: string[]) => {
    for (const text of texts) assert.notEqual(fault(rule, path, text), null, `${rule}: ${text}`);
  };
  const allows = (rule: string, path: string, ...texts: string[]) => {
    for (const text of texts) assert.equal(fault(rule, path, text), null, `${rule}: ${text}`);
  };
  finds("a file has at most 400 lines, unless it is a test", "src/a.ts", "\n".repeat(401));
  allows("a file has at most 400 lines, unless it is a test", "src/a.ts", "\n".repeat(400));
  for (const path of ["src/utils/a.ts", "src/db/types.ts", "src/db/test-helpers.ts", "src/order-service.ts"])
    finds("no file or folder has a name that says nothing", path, "");
  finds("a type is named after what it holds", "src/a.ts", "export type Sent = {};", "type Work<T> = T;");
  const vague = ["export type GiftGiven = {};", "type EnrolWork<T> = T;", "interface SkuTold {}", "type CodesFound ="];
  finds("a type is named after what it holds", "src/a.ts", ...vague);
  allows("a type is named after what it holds", "src/a.ts", "type CardAtWork = {};", "type Foundation = {};");
  allows("a type is named after what it holds", "src/a.ts", "type OrderSent = {};", "import type { Sent } from 'x';");
  finds("there is no TODO", "src/a.ts", "// TODO: later");
  const tickets = "nothing names a ticket";
  finds(tickets, "test/a.test.ts", 'test("AB-1: x"', "// (LO-7)", "// AB-1 and AB-2", "// see issue 12", "// Issue #3");
  finds(tickets, "docs/a.md", "a round trip less, as the\nissue asks", "The issue says so.");
  allows(tickets, "test/a.test.ts", "UTF-8, SHA-256: x", '"BARE-1"', "GMT+1", "CVE-2025-12735)", "issue a token");
  const copies = "tests take ok() from test/support/shop.ts";
  const copy = `const ok = async (line: string, body?: unknown) => {
    const reply = await call(line, body);
    assert.equal(reply.status, 200, reply.text);`;
  finds(copies, "test/a.test.ts", copy);
  allows(copies, "test/support/shop.ts", copy);
  const shops = "a test that needs a project and its server takes testShop()";
  finds(shops, "test/a.test.ts", "const { call } = await testEngine(db, await testProject(db));");
  allows(shops, "test/a.test.ts", "await testEngine(open({ max: 2 }), await testProject(db));", "await testShop(db);");
  const time = "time and randomness come from src/sources.ts";
  finds(time, "src/http/a.ts", "Date.now()", "new Date()", "Math.random()", "crypto.randomUUID()");
  allows(time, "src/http/a.ts", "new Date(now)", "// Date.now()");
  allows(time, "src/sources.ts", "Date.now()");
  const named = "what validates is named require…, …Fault or parse…, and a path comes after what is found there";
  finds(
    named,
    "src/core/a.ts",
    "function checkFilter(filter: unknown) {}",
    "const checkFilter = (filter: unknown) => {};",
    "export const verifyA = async (filter: unknown) => {};",
    "type Options = { path: string; checkFormula(text: string): string | null };",
    "type Options = { checkFormula?: (text: string) => string | null };",
    "function parseA<T>(path: string, sent: T) {}",
    "const parseA = <T>(path: string, sent: T) => sent;",
    "export const aFault = (path: string, field: string): string => path;",
    "const requireA = async (at: string, sent: unknown) => {};",
  );
  allows(
    named,
    "src/core/a.ts",
    "function parseA<T>(sent: T, path: string) {}",
    "const aFault = (sent: unknown, path: string) => null;",
    "const operations = { checkEligibility: [] };",
  );
  const opened = "a transaction is opened in src/db and src/catalog only";
  finds(opened, "src/flows/a.ts", "await db.begin(async (tx) => {})");
  allows(opened, "src/db/a.ts", "await db.begin(async (tx) => {})");

  const locks = "rows are locked in the one way that is safe";
  const from = (sql: string) => `await tx\`${sql}\`;`;
  finds(
    locks,
    "src/resources/a/store.ts",
    from("select id from a where id = 1 order by id for update"),
    from("select id from a order by id for share"),
    from("select id from a where id = 1 for no key update"),
    from("select a.id from a join b on b.id = a.b order by a.id for no key update"),
    from("select id, (select 1) from a order by id for no key update"),
    from("select id from a where id in (select id from b) order by id for no key update"),
    from("select id from a where exists (select 1 from b) order by id for no key update"),
    from("select id from a where array(select id from b) @> array[id] order by id for no key update"),
    from("select id from a where id = any(array(select id from b)) for no key update"),
    from("select id, (select 1) from a where id = any(array(select id from b)) order by id for no key update"),
    from(
      "select id from a where id = any(array(select id from b order by id for update)) order by id for no key update",
    ),
    from("select count(*) from a order by id for no key update"),
    `const x = async () => { await tx\`select \${tx\`select id from a order by id for update\`}\`; };`,
  );
  allows(
    locks,
    "src/a.ts",
    from("select * from a where id = any(${ids}) order by id for no key update"),
    from(
      "select id from a where (id = ${id} or b_id = any(array(select b.id from b join c on c.id = b.c))) order by id for no key update",
    ),
    "// for update",
  );

  const returned = "a lock returns the column by which it found its rows";
  finds(
    returned,
    "src/resources/a/store.ts",
    from("select id from a where holder_id = any(array(select id from b)) order by id for no key update"),
    from("select id from a where a.holder_id = any(${ids}) order by id for no key update"),
    from("select id from a where (id = ${id} or holder_id = any(${of.ids} || ${id})) order by id for no key update"),
    from("select id from a where project_id = ${p} and ${named(tx, ids)} order by id for no key update"),
    from("update a set b = 1 where id in (select id from a where b_id = any(${ids}) order by id for no key update)"),
    `const COLUMNS = ["id"];\n${from("select ${tx(COLUMNS)} from a where b_id = any(${ids}) order by id for no key update")}`,
  );
  allows(
    returned,
    "src/resources/a/store.ts",
    from("select * from a where holder_id = any(array(select id from b)) order by id for no key update"),
    from("select id, holder_id from a where holder_id = any(${ids}) order by id for no key update"),
    from("select id from a where name = ${name} order by id for no key update"),
    from("select id from keys where kind = any(${kinds}) and id = any(${ids}) order by id for no key update"),
    `const COLUMNS = ["b_id"];\n${from("select ${tx(COLUMNS)} from a where b_id = any(${ids}) order by id for no key update")}`,
    from("select id from a where holder_id = any(${ids})"),
  );

  const tenant = "a statement on a tenant's table names the tenant";
  assert.ok(TENANT_TABLES.includes("categories") && TENANT_TABLES.includes("idempotency_keys"));
  finds(
    tenant,
    "src/resources/a/store.ts",
    from("select * from categories where id = ${id}"),
    from("update categories set name = ${name} where id = ${id}"),
    from("delete from oauth_tokens where id = ${id}"),
    from("select * from a join categories c on c.id = a.category_id"),
    from("select * from ${db(table)} where id = ${id}"),
  );
  allows(tenant, "src/resources/a/store.ts", from("select * from categories where project_id = ${p} and id = ${id}"));
  allows(tenant, "src/resources/a/store.ts", from("select * from projects where id = ${id}"));

  const spread = "a statement also runs where projects are spread over machines";
  finds(
    spread,
    "src/resources/a/store.ts",
    from("with a as (insert into b select 1 returning id) select id from a"),
    from("with a as materialized (delete from b returning id) insert into c select id from a"),
    from("insert into a (project_id, id) select ${p}, x.id from unnest(${ids}::text[]) as x (id)"),
    from("insert into a select ${p}, x.id from ${tenantOf(tx, p)} cross join unnest(${ids}::text[]) as x (id)"),
    from("insert into a select ${p}, x.* from rows from (${texts}) as x on conflict do nothing"),
    from("insert into a values (${p}) on conflict (project_id) do update set last_at = a.last_at + interval '1 day'"),
    from("update a set b = 1 where project_id = ${p} returning due_at - ${n} * interval '1 day'"),
    from("update a set b = x.d from unnest(${d}::text[]) as x (d) where a.d = x.d::date and project_id = ${p}"),
    from("update a set b = concat_ws(' ', id, created_at) where project_id = ${p}"),
    from("insert into a (project_id, n) select p.project_id, (select max(n) from a) from b p returning n"),
    from("delete from a where project_id = ${p} returning id, day::text"),
    from("update a set b = json_build_object('was', to_json(o)) from o where a.project_id = ${p} and o.id = a.o_id"),
    from("update a set b = 1 where project_id = ${p} and c = case d when '' then 1 else 2 end"),
    from("select id from projects p where exists (select 1 from a where a.project_id = p.id)"),
  );
  allows(
    spread,
    "src/resources/a/store.ts",
    from("insert into a select p.project_id, x.id from ${tenantOf(tx, p)} cross join unnest(${ids}::text[]) as x (id)"),
    from(
      "insert into a select c.project_id, c.id from unnest(${ids}::text[]) as x (id) join categories c on c.id = x.id",
    ),
    from("insert into a values (${p}, ${now}::timestamptz + interval '1 day')"),
    from("update a set b_at = (b_at at time zone 'UTC' + interval '1 day') at time zone 'UTC' where project_id = ${p}"),
    from("with a as (select id from b) update c set d = 1 from a where c.id = a.id"),
    from("insert into a as t (project_id, n) select p.project_id, (select max(n) from a) from b p returning t.n"),
    from(
      "update a set b = o.was from (select to_json(x) as was from o x where project_id = ${p} offset 0) o where a.project_id = ${p}",
    ),
    from("update a set b = case when d = '' then 1 else 2 end where project_id = ${p} returning id"),
  );
  const written = "the one WITH that writes is that of updateEach, which is given an update";
  finds(
    written,
    "src/resources/a/store.ts",
    from("with done as (${update} returning 1) select count(*) from done"),
    from("with a as materialized ( ${rows} ) select id from a"),
    "const update = tx`insert into a select 1`;\nawait updateEach(tx, p, 1, update);",
    "await updateEach(tx, p, 1, tx`update a set b = 1`);",
  );
  allows(
    written,
    "src/resources/a/store.ts",
    "const update = tx`\n  update a set b = 1 where project_id = ${p}`;\nawait updateEach(tx, p, 1, update);",
  );
  allows(written, "src/resources/a/store.ts", from("with a as (select id from b) select id from a where c in (${d})"));
  const around = "a sub-select names its project by its id, not by a column of the rows around it";
  finds(around, "src/a.ts", from("(select k.name from categories k where k.project_id = x.project_id and k.id = a)"));
  allows(around, "src/a.ts", from("(select k.name from categories k where k.project_id = ${p} and k.id = a)"));
  allows(
    around,
    "src/a.ts",
    from("(select a.id from a join b k on k.project_id = a.project_id where a.project_id = ${p})"),
  );
  const newer = "a statement runs on PostgreSQL 15";
  finds(newer, "src/a.ts", from("select any_value(id) from a"), from("update a set b = 1 returning old.b, new.b"));
  finds(newer, "src/a.ts", from("select 1 where b is json"), from("select * from json_table(${a}, '$')"));
  allows(newer, "src/a.ts", from("select json_agg(id), jsonb_build_object('a', 1) from a"));
  const locked = "configuration is locked by the row in tenants";
  finds(locked, "src/steps/a.ts", from("select id from projects where id = ${p} order by id for no key update"));
  allows(locked, "src/steps/a.ts", from("select 1 from tenants where project_id = ${p} order by 1 for no key update"));
  const constraint = "the constraint of an error is read by constraintOf";
  finds(constraint, "src/resources/a/store.ts", 'if (error.constraint_name === "a") return;');
  allows(constraint, "src/db/db.ts", "error.constraint_name");
});

test("each column that a lock need not return is one that some lock does not return", () => {
  for (const name of Object.keys(NEVER_CHANGES)) {
    const { [name]: _, ...others } = NEVER_CHANGES;
    const isNeeded = ({ text }: SourceFile) => statementsOf(text).some((sql) => unreturnedFault(sql, text, others));
    assert.ok(product.some(isNeeded), name);
  }
});

test("every package runs on the Node that the README asks for, so that npm ci prints no engine warning", () => {
  const asked = /You need Node (\d+)\.(\d+) or newer/.exec(readFileSync("README.md", "utf8"))!.slice(1).map(Number);
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.equal(engines.node, `>=${asked.join(".")}`);
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  /** Whether one of the alternatives of a range takes the version: `^16 || ^18 || >=20`. */
  const takes = (range: string) =>
    range.split("||").some((part) => {
      const found = /^\s*(>=|\^)?\s*v?(\d+)(?:\.(\d+|x))?(?:\.(?:\d+|x))?\s*$/.exec(part);
      if (!found) return part.trim() === "*";
      const [major, minor] = [Number(found[2]), Number(found[3]) || 0];
      const isEnough = asked[0]! > major || (asked[0] === major && asked[1]! >= minor);
      return isEnough && (found[1] === ">=" || asked[0] === major);
    });
  const refusing = Object.entries(packages).filter(([, { engines: own }]) => own?.node && !takes(own.node));
  assert.deepEqual(
    refusing.map(([name, { engines: own }]) => `${name} needs Node ${own!.node}`),
    [],
  );
});

test("each path in the table of what stays hand-written is there", () => {
  const rows = readFileSync("docs/adr/0030-what-stays-hand-written.md", "utf8").matchAll(/^\| (`[^|]+) \|/gm);
  const paths = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!));
  assert.ok(paths.length > 15);
  assert.deepEqual(
    paths.filter((path) => !existsSync(path)),
    [],
  );
});
