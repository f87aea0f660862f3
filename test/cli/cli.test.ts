import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openDb, type Pool } from "../../src/db/db.ts";
import { VERSION } from "../../src/version.ts";
import { databasePid, type Ended, headersIn, laurel, serve, tempDir } from "../support/child.ts";
import { LAUREL_SECRET_KEY, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db, url } = await testDatabase();
const env = { DATABASE_URL: url };
const run = (line: string, more: Record<string, string> = {}) => laurel(line.split(" "), { ...env, ...more });
const ok = async (line: string, more: Record<string, string> = {}): Promise<string> => {
  const { code, stdout, stderr } = await run(line, more);
  assert.equal(code, 0, stderr);
  return stdout;
};

let databases = 0;
/** A database without any table. */
async function emptyDatabase(): Promise<{ url: string; db: Pool }> {
  const name = `empty_${process.pid}_${++databases}`;
  await db`create database ${db(name)}`;
  const empty = openDb(url.replace(/\w+$/, name), { max: 2 });
  after(() => empty.end({ timeout: 1 }));
  return { url: url.replace(/\w+$/, name), db: empty };
}

/** Runs a few at a time: a process costs more than a core for a moment. */
async function inTurn<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all([lane(), lane(), lane()]);
}

const COMMANDS = [
  "serve",
  "migrate",
  "demo",
  "demo load",
  "demo wipe",
  "project",
  "project create",
  "project list",
  "project feature",
  "project clock",
  "key",
  "key create",
  "key list",
  "key disable",
  "key rotate",
  "user",
  "user create",
  "user password",
  "user list",
  "user delete",
  "user remove-totp",
  "customer",
  "customer export",
  "webhooks",
  "webhooks listen",
  "events",
  "events tail",
  "openapi",
  "doctor",
  "backup",
  "restore",
];

test("every command and subcommand has a help that exits 0 and says what it is for", async () => {
  const top = await ok("--help");
  for (const command of COMMANDS) assert.ok(top.includes(`\n  ${command.split(" ")[0]} `), command);
  await inTurn(COMMANDS, async (command) => {
    const help = await ok(`${command} --help`);
    assert.ok(help.startsWith(`Usage: laurel ${command} `), help);
    assert.match(help, /\n\n[A-Z][^\n]+\./);
    for (const sub of COMMANDS.filter((one) => one.startsWith(`${command} `)))
      assert.ok(help.includes(`\n  ${sub.split(" ")[1]} `), sub);
  });
  assert.equal(await ok("--version"), `${VERSION}\n`);
});

test("the help of serve names every setting with its variable and its default", async () => {
  const help = (await ok("serve --help")).replace(/\s+/g, " ");
  for (const part of ["--port <value>", "Default: 3000. [PORT]", "--data-dir <value>", "[LAUREL_V2_AUTH]"])
    assert.ok(help.includes(part), part);
});

test("wrong use exits 2 and says what is wrong", async () => {
  const { id, app } = await testProject(db, { is_sandbox: false });
  const cases: [string, RegExp, Record<string, string>?][] = [
    ["", /Usage: laurel/],
    ["nonsense", /unknown command 'nonsense'/],
    ["project", /Usage: laurel project/],
    ["project nonsense", /unknown command 'nonsense'/],
    ["serve --nonsense", /unknown option '--nonsense'/],
    ["serve --port", /argument missing/],
    ["serve --port 99999", /^--port must be a whole number from 0 to 65535, not "99999"\.$/m],
    ["serve", /^LAUREL_LANES must be a whole number/m, { LAUREL_LANES: "many" }],
    ["serve", /^LAUREL_DATADIR is not a setting of Laurel\./m, { LAUREL_DATADIR: "/x" }],
    ["migrate now", /too many arguments/],
    ["project create", /required option '--name <name>' not specified/],
    ["project create --name x --timezone Mars", /^--timezone: there is no time zone Mars\.$/m],
    ["project create --name x --currency usd", /^--currency: usd is not an ISO 4217 code\.$/m],
    [`project create --name ${"x".repeat(201)}`, /^--name must have 1 to 200 characters\.$/m],
    ["project create --name=", /^--name must have 1 to 200 characters\.$/m],
    ["project feature", /missing required argument 'id'/],
    [
      `project feature ${id} LOYALTY_V3 on`,
      /^There is no feature LOYALTY_V3\. Features: LOYALTY_V2, SKIPPED_RESULT_DETAILS\.$/m,
    ],
    [`project feature ${id} LOYALTY_V2 maybe`, /^The last argument must be on or off\.$/m],
    ["project feature proj_none LOYALTY_V2 on", /^Cannot find project with id proj_none$/m],
    ["project clock proj_none", /^Cannot find project with id proj_none$/m],
    [`project clock ${id} --advance P1D --to 2099-01-01T00:00:00Z`, /^Use either --to or --advance, not both\.$/m],
    [`project clock ${id} --advance soon`, /^--advance: soon is not a period such as P30D or P1Y\.$/m],
    [`project clock ${id} --advance P3Y`, /^Only a sandbox project has a test clock$/m],
    ["key create", /required option '--kind <kind>' not specified/],
    ["key create --kind admin", /^--kind must be app, client, management\.$/m],
    ["key create --kind app", /^A management key has no --project; the other kinds need one\.$/m],
    [`key create --kind management --project ${id}`, /^A management key has no --project/m],
    ["key create --kind app --project proj_none", /^Cannot find project with id proj_none$/m],
    [`key create --kind app --project ${id} --name=`, /^--name must have 1 to 200 characters\.$/m],
    ["key list --project proj_none", /^Cannot find project with id proj_none$/m],
    ["key disable", /missing required argument 'id'/],
    ["key disable none", /^There is no key none\.$/m],
    ["key rotate none", /^There is no key none\.$/m],
    [`key rotate ${app.id} --overlap-hours soon`, /^--overlap-hours must be from 0 to 8760\.$/m],
    [`key rotate ${app.id} --overlap-hours 9000`, /^--overlap-hours must be from 0 to 8760\.$/m],
    [`key rotate ${app.id} --overlap-hours=`, /^--overlap-hours must be from 0 to 8760\.$/m],
    [`key rotate ${app.id} --kind client`, /^There is no key /m],
    [`demo wipe --project ${id}`, /required option '--yes' not specified/],
    [`demo wipe --yes --project ${id}`, /^Choose a sandbox project with --project\. There are: /m],
    [`demo load --project ${id}`, /^Choose a sandbox project with --project\. There are: /m],
    ["backup", /missing required argument 'file'/],
    ["restore", /missing required argument 'file'/],
    [
      "doctor",
      /^The database cannot be reached: .*Check DATABASE_URL\.$/m,
      { DATABASE_URL: "postgres://u:pw9@127.0.0.1:9/x" },
    ],
  ];
  const before = JSON.stringify(await db`select * from keys order by kind, id`);
  await inTurn(cases, async ([line, says, more]) => {
    const args = line === "" ? [] : line.split(" ");
    const { code, stderr } = await laurel(args, { ...env, ...more });
    assert.equal(code, 2, `${line}: ${stderr}`);
    assert.match(stderr, says, line);
    assert.doesNotMatch(stderr, /\n\s+at |pw9/, "no stack, no password");
  });
  assert.equal(JSON.stringify(await db`select * from keys order by kind, id`), before);
});

test("migrate makes the tables once; before it, commands say that it is missing and doctor exits 1", async () => {
  const { url: DATABASE_URL } = await emptyDatabase();
  const on = (line: string) => run(line, { DATABASE_URL });
  const [early, sick] = await Promise.all([on("project list"), on("doctor")]);
  assert.deepEqual(
    [early.code, early.stderr],
    [2, "The database does not have the tables of this version. Run `laurel migrate` first.\n"],
  );
  assert.equal(sick.code, 1);
  assert.match(sick.stdout, /^BAD {2}migrations: none applied; run `laurel migrate`\n1 of \d+ checks failed\.$/m);
  const first = await on("migrate");
  const names = fs.readdirSync(new URL("../../migrations", import.meta.url)).filter((name) => name.endsWith(".sql"));
  assert.equal(first.code, 0);
  for (const name of names) assert.ok(first.stdout.includes(`applied ${name.replace(/\.sql$/, "")}`), name);
  assert.match(first.stdout, new RegExp(`Applied ${names.length} migrations\\.\n$`));
  const [again, well] = await Promise.all([on("migrate"), on("doctor")]);
  assert.deepEqual([again.code, again.stdout], [0, "The database is up to date.\n"]);
  assert.equal(well.code, 0);
  assert.match(well.stdout, /^ok {3}database: PostgreSQL 1\d.*\nok {3}clocks: [\s\S]*\nAll checks passed\.\n$/);
});

test("doctor exits 1 and names what is broken", async () => {
  const { url: DATABASE_URL, db } = await emptyDatabase();
  await ok("migrate", { DATABASE_URL });
  const { id } = await testProject(db);
  const rules = { exclusive_categories: [], no_effect_skip_categories: ["cat_gone"] };
  await db`insert into stacking_rules ${db({ project_id: id, id: "stk_1", rules: rules as never, created_at: new Date().toISOString() })}`;
  const { code, stdout } = await run("doctor", { DATABASE_URL, LAUREL_SECRET_KEY });
  assert.equal(code, 1);
  const line = stdout.split("\n").find((one) => one.startsWith("BAD"));
  assert.ok(line?.includes("stacking rules") && line.includes(id), stdout);
  assert.match(stdout, /1 of \d+ checks failed\.\n$/);
});

const field = (text: string, name: RegExp): string => new RegExp(`${name.source}\\s+(\\S+)`).exec(text)![1]!;

test("project create prints keys that work, list shows the project, feature switches it", async () => {
  const created = await ok(
    "project create --name Outlet --timezone Europe/Warsaw --currency PLN --sandbox --case-sensitive-codes",
  );
  const id = field(created, /^project/);
  const headers = { "x-app-id": field(created, /X-App-Id:/), "x-app-token": field(created, /X-App-Token:/) };
  const { call } = await testShop(db);
  assert.equal((await call("GET /v1/categories", undefined, headers)).status, 200);
  const client = field(created, /X-Client-Application-Id:/);
  assert.equal((await db`select from keys where kind = 'client' and id = ${client} and project_id = ${id}`).count, 1);
  const { body } = await call(`GET /management/v1/projects/${id}`);
  const { name, timezone, currency, is_sandbox, case_sensitive_codes } = body;
  assert.deepEqual(
    [name, timezone, currency, is_sandbox, case_sensitive_codes],
    ["Outlet", "Europe/Warsaw", "PLN", true, true],
  );

  const row = async () => (await ok("project list")).split("\n").find((line) => line.startsWith(id))!;
  assert.deepEqual((await row()).split(/\s{2,}/), [id, "Outlet", "yes", "Europe/Warsaw", "PLN", "LOYALTY_V2"]);
  assert.equal(await ok(`project feature ${id} LOYALTY_V2 off`), `LOYALTY_V2 is off for ${id}.\n`);
  assert.deepEqual((await row()).split(/\s{2,}/), [id, "Outlet", "yes", "Europe/Warsaw", "PLN"]);
  await ok(`project feature ${id} LOYALTY_V2 on`);
  await ok(`project feature ${id} LOYALTY_V2 on`);
  assert.match(await row(), / LOYALTY_V2$/);

  const shown = await ok(`project clock ${id}`);
  assert.match(shown, /^\d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
  assert.match(
    await ok(`project clock ${id} --advance P30D`),
    new RegExp(`^It is now \\S+Z in ${id}\\. The action aa_\\w+ `),
  );
  const movedDays = (Date.parse((await ok(`project clock ${id}`)).trim()) - Date.parse(shown.trim())) / 86_400_000;
  assert.ok(movedDays > 29.9 && movedDays < 30.1, `${movedDays}`);
  await db`update projects set deleted_at = now() where id = ${id}`;
  assert.ok(!(await ok("project list")).includes(id));
});

test("key create prints a pair that works, list shows it without its secret, disable stops it at once", async () => {
  const { call, project } = await testShop(db);
  const status = async (id: string, secret: string) =>
    (await call("GET /v1/categories", undefined, { "x-app-id": id, "x-app-token": secret })).status;
  const made = await ok(`key create --kind app --project ${project.id} --name checkout`);
  const [id, secret] = [field(made, /^id/), field(made, /secret/)];
  assert.equal(await status(id, secret), 200);
  const manager = await ok("key create --kind management --name ops");
  const management = { "x-management-id": field(manager, /^id/), "x-management-token": field(manager, /secret/) };
  assert.equal((await call("GET /management/v1/projects", undefined, management)).status, 200);

  const [own, all] = await Promise.all([ok(`key list --project ${project.id}`), ok("key list")]);
  const row = own.split("\n").find((line) => line.startsWith(id))!;
  assert.deepEqual(row.split(/\s{2,}/), [id, "app", project.id, "checkout", "active", "never"]);
  assert.ok(!own.includes(field(manager, /^id/)) && all.includes(field(manager, /^id/)));
  for (const text of [own, all]) for (const token of [secret, project.app.secret]) assert.ok(!text.includes(token));

  assert.equal(await ok(`key disable ${id}`), `${id} is disabled.\n`);
  assert.equal(await status(id, secret), 401);
  assert.equal((await run(`key disable ${id}`)).code, 0, "disabling twice is the same");
  assert.match(await ok(`key list --project ${project.id}`), new RegExp(`^${id} .* disabled`, "m"));
  const log = await call(`GET /management/v1/audit-log?object_id=app/${id}`);
  assert.deepEqual(
    log.body.data
      .toSorted((a: any, b: any) => a.version_after - b.version_after)
      .map((entry: any) => [entry.kind, entry.action, entry.operation, entry.actor]),
    [
      ["key", "CREATED", "key create", { type: "cli", id: "laurel", name: null }],
      ["key", "UPDATED", "key disable", { type: "cli", id: "laurel", name: null }],
    ],
    "disabling twice is one change",
  );
  const rotated = await run(`key rotate ${id}`);
  assert.deepEqual([rotated.code, rotated.stderr], [2, `There is no active key ${id}.\n`]);
});

test("key rotate gives a secret that works at once; the old one works until the overlap ends", async () => {
  const project = await testProject(db);
  const { id, secret: old } = project.app;
  const at = async (hours: number) => {
    const now = () => new Date(Date.now() + hours * 3_600_000).toISOString();
    const { call } = await testEngine(db, project, { now });
    return async (secret: string) =>
      (await call("GET /v1/categories", undefined, { "x-app-id": id, "x-app-token": secret })).status;
  };
  const [now, soon, late] = [await at(0), await at(4.9), await at(5.1)];
  const rotated = await ok(`key rotate ${id} --overlap-hours 5`);
  const fresh = field(rotated, /^secret/);
  for (const status of [now, soon, late]) assert.equal(await status(fresh), 200);
  assert.deepEqual([await now(old), await soon(old), await late(old)], [200, 200, 401]);
  const newest = field(await ok(`key rotate ${id} --overlap-hours 0`), /^secret/);
  assert.deepEqual([await now(newest), await now(fresh), await now(old)], [200, 401, 401]);
  const before = Date.now();
  const day = await ok(`key rotate ${id}`);
  const until = Date.parse(/works until (\S+)\. /.exec(day)![1]!) - 24 * 3_600_000;
  assert.ok(before - 1000 <= until && until <= Date.now() + 1000, "a day unless said otherwise");
});

test("keys of several kinds with one id are told apart by --kind", async () => {
  const project = await testProject(db);
  const id = `same ${newId("cat")}`.replace(" ", "-");
  const hash = "0".repeat(64);
  for (const kind of ["app", "client"])
    await db`insert into keys ${db({ kind, id, project_id: project.id, name: "x", secret_hash: hash, created_at: new Date().toISOString() })}`;
  for (const command of ["disable", "rotate"]) {
    const { code, stderr } = await run(`key ${command} ${id}`);
    assert.deepEqual([code, stderr], [2, `There are keys ${id} of the kinds app, client. Choose one with --kind.\n`]);
  }
  await ok(`key disable ${id} --kind client`);
  await ok(`key rotate ${id} --kind app`);
  const rows =
    await db`select kind, disabled_at is null as active, secret_hash = ${hash} as same from keys where id = ${id} order by kind`;
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { kind: "app", active: true, same: false },
      { kind: "client", active: false, same: true },
    ],
  );
});

test("openapi prints the committed document", async () => {
  assert.equal(await ok("openapi"), fs.readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
});

test("demo load fills the sandbox through the interface, wipe empties it and nothing else", async () => {
  const { url: DATABASE_URL, db } = await emptyDatabase();
  await ok("migrate", { DATABASE_URL });
  const none = await run("demo load", { DATABASE_URL });
  assert.deepEqual([none.code, none.stderr], [2, "Choose a sandbox project with --project. There are: none.\n"]);
  const [sandbox, live] = [await testProject(db, { is_sandbox: true }), await testProject(db, { is_sandbox: false })];
  const { call } = await testEngine(db, sandbox);
  const names = async () =>
    (await call("GET /v1/categories?order=hierarchy")).body.data.map((c: { name: string }) => c.name);
  assert.deepEqual(await names(), []);
  const liveEngine = await testEngine(db, live);
  await liveEngine.call("POST /v1/categories", { name: "Live", hierarchy: 1 });
  const keys = (await db`select * from keys order by kind, id`).map((row) => row.id);

  assert.match(
    await ok("demo load", { DATABASE_URL }),
    /^Loaded the demo data with \d+ requests\. Codes to try:\n {2}WELCOME10 +10% off the order\n/,
  );
  const loaded = await names();
  assert.deepEqual(loaded.slice(0, 5), ["Welcome", "Seasonal", "Loyalty members", "Clearance", "Partners"]);
  assert.ok((await call("GET /v1/metadata-schemas")).body.total > 0);
  assert.deepEqual(
    (await db`select * from keys order by kind, id`).map((row) => row.id),
    keys,
    "no key of the load is left",
  );
  const twice = await run("demo load", { DATABASE_URL });
  assert.deepEqual(
    [twice.code, twice.stderr],
    [2, `${sandbox.id} already has demo data. Run \`laurel demo wipe\` first.\n`],
  );
  assert.deepEqual(await names(), loaded);

  assert.match(await ok("demo wipe --yes", { DATABASE_URL }), new RegExp(`^Deleted \\d+ rows of ${sandbox.id}\\.`));
  assert.deepEqual(await names(), [], "the server sees it at once");
  assert.equal((await liveEngine.call("GET /v1/categories")).body.total, 1);
  await ok(`demo load --project ${sandbox.id}`, { DATABASE_URL });
  assert.deepEqual(await names(), loaded, "the same demo again");
});

test("a backup of one database restores into an embedded one, which the commands start and stop themselves", async () => {
  const { url: DATABASE_URL, db } = await emptyDatabase();
  await ok("migrate", { DATABASE_URL });
  const { call, project } = await testShop(db, { name: "Tab\there, \\back\\ and 'quotes' → ✓" });
  await call("POST /v1/categories", { name: "Kept\nsafe", hierarchy: 1 });
  const dir = tempDir();
  const file = join(dir, "laurel.backup");
  const written = await run(`backup ${file}`, { DATABASE_URL });
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout, /^Wrote \d+ rows to .*laurel\.backup\./);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  const again = await run(`backup ${file}`, { DATABASE_URL });
  assert.equal(again.code, 1, "a file that exists is kept");
  const filled = await run(`restore ${file}`, { DATABASE_URL });
  assert.equal(filled.code, 1);
  assert.match(filled.stderr, /The database is not empty/);

  const data = { DATABASE_URL: "", LAUREL_DATA_DIR: join(dir, "data"), LAUREL_SECRET_KEY };
  const restored = await run(`restore ${file}`, data);
  assert.equal(restored.code, 0, restored.stderr);
  const rows = (ended: Ended) => /\d+ rows/.exec(ended.stdout)![0];
  assert.equal(rows(restored), rows(written));
  assert.equal(databasePid(data.LAUREL_DATA_DIR), null, "the database does not outlive the command");
  assert.equal(await ok("project list", data), await ok("project list", { DATABASE_URL }));
  assert.match(await ok("doctor", data), /All checks passed\.\n$/);
  const server = await serve(data);
  assert.match(server.seen.stdout, /^Credentials: {4}not in this data directory; .*key create/m);
  const headers = { "x-app-id": project.app.id, "x-app-token": project.app.secret };
  const listed = (await (await fetch(`${server.url}/v1/categories`, { headers })).json()) as {
    data: { name: string }[];
  };
  assert.deepEqual(
    listed.data.map(({ name }) => name),
    ["Kept\nsafe"],
  );
  assert.equal((await server.stop()).code, 0);
});

test("commands work beside a server on the embedded database, and hold in it at once; a second server is refused", async () => {
  const LAUREL_DATA_DIR = tempDir();
  const data = { DATABASE_URL: "", LAUREL_DATA_DIR };
  const server = await serve({ ...data, LAUREL_DEMO: "off" });
  const pid = databasePid(LAUREL_DATA_DIR);
  const app = headersIn(join(LAUREL_DATA_DIR, "credentials/app.headers"));
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/v1/categories`, { headers })).status;
  const second = await run("serve --port 0", data);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /is in use by process \d+\. Stop it, or set DATABASE_URL to share one\.\n$/);
  const projects = await ok("project list", data);
  const id = projects.split("\n")[1]!.split(" ")[0]!;
  const made = await ok(`key create --kind app --project ${id}`, data);
  const pair = { "X-App-Id": field(made, /^id/), "X-App-Token": field(made, /secret/) };
  assert.equal(await status(pair), 200);
  await ok(`key disable ${pair["X-App-Id"]}`, data);
  assert.deepEqual([await status(pair), await status(app)], [401, 200]);
  await inTurn(
    ["doctor", "migrate", `backup ${join(LAUREL_DATA_DIR, "x.backup")}`],
    async (line) => void (await ok(line, data)),
  );
  assert.equal(databasePid(LAUREL_DATA_DIR), pid, "the commands leave the server's database alone");
  assert.equal(await status(app), 200);
  assert.equal((await server.stop()).code, 0);
});

test("a .env file in the working directory is read, and the environment wins over it", async () => {
  const cwd = tempDir();
  fs.writeFileSync(join(cwd, ".env"), "PORT=99999\nLAUREL_LANES=many\n");
  const { code, stderr } = await laurel(["migrate"], { ...env, PORT: "1" }, { cwd });
  assert.equal(code, 2);
  assert.match(stderr, /^LAUREL_LANES must be/);
});
