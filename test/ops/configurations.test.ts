import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { START_FLAGS } from "../../bench/lab.ts";
import { connectionsMax, readConfig, SETTINGS } from "../../src/config.ts";
import { openDb, planOnce } from "../../src/db/db.ts";
import { tempDir } from "../support/child.ts";
import { howToBuild } from "./lab/citus.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => fs.readFileSync(join(ROOT, path), "utf8");
const secondsOf = (text: string) => Number.parseFloat(text) / (text.endsWith("ms") ? 1000 : 1);
const settingIn = (file: string, name: string) => new RegExp(`^\\s*${name}\\s+(\\S+)$`, "m").exec(file)?.[1] ?? "";

test("HAProxy takes a server out of the balance before it closes its port, and waits as long as Laurel may take", () => {
  const file = read("ops/haproxy/haproxy.cfg");
  const [, inter, fall] = /check inter (\S+) fall (\d+)/.exec(file)!;
  // A check may just have passed when the signal comes, and each may take its time.
  assert.ok(secondsOf(inter!) * (Number(fall) + 1) < SETTINGS.LAUREL_DRAIN_S.default!);
  assert.ok(secondsOf(settingIn(file, "timeout server")) * 1000 > SETTINGS.LAUREL_REQUEST_TIMEOUT_MS.default!);
  assert.match(file, /uri \/health\/ready/);
  assert.doesNotMatch(file, /retry-on (?!conn-failure$)/m, "nothing that reached a server is sent twice");
  assert.match(file, /http-error status 503 .*hdr Retry-After/);
});

test("HAProxy before PostgreSQL closes the connections of a primary that is one no longer", () => {
  assert.match(read("ops/haproxy/postgres.cfg"), /default-server .*on-marked-down shutdown-sessions/);
});

test("Patroni acknowledges nothing that one machine alone has, and gives up the lead before its time is over", () => {
  const { dcs } = parse(read("ops/patroni/patroni.yml")).bootstrap;
  assert.deepEqual([dcs.synchronous_mode, dcs.synchronous_mode_strict], [true, true]);
  assert.ok(dcs.loop_wait + 2 * dcs.retry_timeout <= dcs.ttl);
});

test("no account of a database machine is trusted without a password, but that of PostgreSQL itself", () => {
  const { pg_hba } = parse(read("ops/patroni/patroni.yml")).postgresql as { pg_hba: string[] };
  const methods = pg_hba.map((line) => line.split(/\s+/));
  for (const [kind, , user, ...rest] of methods)
    assert.equal(rest.at(-1), kind === "local" && user === "postgres" ? "peer" : "scram-sha-256");
});

test("PgBouncer lets pass what Laurel asks for when it connects", async () => {
  const pool = openDb("postgres://laurel@127.0.0.1:1/laurel", { max: 1 });
  planOnce(pool);
  const asked = Object.keys(pool.options.connection);
  await pool.end({ timeout: 0 });
  const ignored = /^ignore_startup_parameters = (.*)$/m.exec(read("ops/pgbouncer/pgbouncer.ini"))![1]!.split(",");
  // These it keeps for each client by itself.
  const kept = ["application_name", "TimeZone"];
  assert.deepEqual(asked.filter((name) => !kept.includes(name)).sort(), ignored.toSorted());
  assert.ok(read("docs/guides/operating.md").includes(`ignore_startup_parameters = ${ignored.join(",")}`));
});

test("systemd starts Laurel until its database is there", () => {
  const [, about, service] = read("ops/systemd/laurel.service").split(/^\[(?:Unit|Service|Install)\]$/m);
  assert.match(about!, /^StartLimitIntervalSec=0$/m);
  assert.match(service!, /^Restart=on-failure$/m);
  assert.match(read("docs/guides/deploying.md"), /ops\/systemd\/laurel\.service/, "the page that the unit names");
});

test("npm start, the container and systemd give Node the same room", () => {
  assert.equal(START_FLAGS.length, 2);
  const container: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(read("Dockerfile"))![1]!);
  const service = /^ExecStart=(.*)$/m.exec(read("ops/systemd/laurel.service"))![1]!.split(" ");
  for (const words of [container, service])
    assert.deepEqual(
      words.filter((word) => word.startsWith("--")),
      START_FLAGS,
    );
});

test("a command beside the service runs with the settings, the user and the folders of the service", () => {
  const folder = tempDir();
  fs.writeFileSync(join(folder, "systemd-run"), `#!/bin/sh\nprintf '%s\\n' "$@"`, { mode: 0o755 });
  const { stdout } = spawnSync("/bin/sh", [join(ROOT, "ops/systemd/laurel.sh"), "user", "list"], {
    encoding: "utf8",
    env: { PATH: `${folder}:/usr/bin:/bin` },
  });
  const words = stdout.trimEnd().split("\n");
  const unit = read("ops/systemd/laurel.service");
  const given = words.flatMap((word) => /^--property=(.*)$/.exec(word)?.[1] ?? []);
  assert.ok(given.includes("User=laurel"), stdout);
  for (const line of given) assert.ok(unit.includes(`\n${line}\n`), `the unit has ${line}`);
  const own = /^(?:DynamicUser|User|StateDirectory|EnvironmentFile|WorkingDirectory|Environment=LAUREL_\w+)=.*$/gm;
  assert.deepEqual(
    [...unit.matchAll(own)].map(([line]) => line).filter((line) => !given.includes(line)),
    [],
    "the command has all of it",
  );
  const [program] = /(?<=^ExecStart=)\S+/m.exec(unit)!;
  assert.deepEqual(words.slice(-4), [program, "src/cli/laurel.ts", "user", "list"]);
});

test("every pod of the chart is kept from variables of Services, which Laurel would refuse as unknown settings", () => {
  const templates = fs.globSync("ops/helm/laurel/templates/*.yaml", { cwd: ROOT }).map(read);
  const pods = templates.filter((text) => text.includes("      containers:\n"));
  assert.equal(pods.length, 2);
  for (const pod of pods) assert.match(pod, /^ {6}enableServiceLinks: false$/m);
});

test("the PostgreSQL for the chart writes the Secret that the chart reads, and takes the connections of its pods", () => {
  const cluster = parse(read("ops/cloudnative-pg/cluster.yaml"));
  const values = parse(read("ops/helm/laurel/values.yaml"));
  assert.deepEqual(values.database, { secret: `${cluster.metadata.name}-app`, key: "uri" });
  const { synchronous, parameters } = cluster.spec.postgresql;
  assert.equal(synchronous.dataDurability, "required");
  assert.ok(synchronous.number < cluster.spec.instances);
  const pod = connectionsMax(readConfig({ LAUREL_PROCESSES: `${values.processes}` }));
  const podsMax = values.autoscaling.max + 1; // One more while they are replaced.
  assert.ok(podsMax * pod <= Number(parameters.max_connections) - 10, `${podsMax} pods, ${pod} connections each`);
});

test("compose passes the settings of .env on, and what the container needs wins", () => {
  const { laurel } = parse(read("compose.yaml")).services;
  assert.deepEqual(laurel.env_file, [{ path: ".env", required: false }]);
  const dockerfile = read("Dockerfile");
  for (const name of ["HOST", "PORT", "LAUREL_DATA_DIR"])
    assert.ok(dockerfile.includes(`${name}=${laurel.environment[name]}`), `${name} is that of the image`);
  assert.match(laurel.environment.LAUREL_SECRET_KEY, /^\$\{LAUREL_SECRET_KEY:\?.*openssl rand -hex 32/);
  assert.deepEqual(
    laurel.ports.map((one: string) => one.split(":").at(-1)),
    [laurel.environment.PORT],
  );
});

test("the Citus guide has the settings that the tests run with", () => {
  const guide = read("docs/guides/citus.md");
  const lab = read("test/ops/lab/citus.sh");
  const [, shown] = /```\n(shared_preload_libraries[\s\S]*?)```/.exec(guide)!;
  const settings = shown!.split("\n").flatMap((line) => /^([\w.]+ = \S+)/.exec(line)?.[1] ?? []);
  assert.ok(settings.length >= 8);
  for (const setting of settings) assert.ok(lab.includes(`\n${setting}\n`), setting);
  const cheap =
    /^(?:port|listen_addresses|unix_socket_directories|shared_buffers|fsync|full_page_writes|max_wal_size)$/;
  const needed = [...lab.matchAll(/^([\w.]+) = .*$/gm)].filter(([, name]) => !cheap.test(name!)).map(([line]) => line);
  const apart = ["citus.node_conninfo = 'sslmode=disable'", "citus.enable_statistics_collection = off"];
  assert.deepEqual(needed.filter((line) => !settings.includes(line)).sort(), apart.sort());
});

test("every run of test:ops is listed by --help, and its figures stand on the page", () => {
  const { stdout, status } = spawnSync(process.execPath, [join(ROOT, "scripts/ops.ts"), "--help"], {
    encoding: "utf8",
  });
  assert.equal(status, 0);
  const listed = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
  const files = fs.globSync("test/ops/promises/*.ts", { cwd: ROOT }).map((file) => file.replace(/^.*\/|\.ts$/g, ""));
  assert.deepEqual(listed.toSorted(), files.sort());
  const page = read("docs/reference/reliability.md");
  for (const name of listed) assert.ok(page.includes(`npm run test:ops -- ${name}`), name);
});

test("who has no Citus is told every command that builds it", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/citus.ts")], {
    env: { ...process.env, TEST_NODES: "" },
    encoding: "utf8",
  });
  assert.equal(status, 2, stderr);
  assert.ok(stderr.includes(howToBuild()));
  const parts = [
    /postgresql-server-dev-15/,
    /citus-13\.2\.2\.tar\.gz/,
    /\.\/configure PG_CONFIG=\S+ --without-libcurl/,
  ];
  for (const part of [...parts, /make -j2 with_llvm=no/, /make with_llvm=no install/]) assert.match(stderr, part);
});
