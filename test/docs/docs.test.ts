import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { DOCUMENTS_WITH_FILES, withFiles } from "../../scripts/shown-files.ts";
import { SETTINGS } from "../../src/config.ts";
import { ERROR_TABLE } from "../../src/core/errors.ts";
import { PATIENT } from "../support/child.ts";
import {
  assertShown,
  blocksOf,
  isShell,
  notRun,
  ROOT,
  read,
  readersEnvironment,
  runBlocks,
  runDocument,
} from "./examples.ts";

const run = promisify(execFile);
const DOCUMENTS = fs
  .globSync("**/*.md", { cwd: ROOT, exclude: ["node_modules", "data", "release"] })
  .filter((name) => !/(^|\/)node_modules\//.test(name))
  .sort();
/**
 * Their commands are run on one server, in the reverse of this order, which is the order of reading: so no page may need
 * what an earlier one left behind, nor stumble over what a later one did.
 */
const RUN = [
  "README.md",
  "docs/guides/dashboard/README.md",
  "docs/guides/quickstart.md",
  "docs/guides/deploying.md",
  "docs/guides/citus.md",
  "docs/guides/checkout-typescript.md",
  "docs/guides/other-languages.md",
  "docs/guides/concepts.md",
  "docs/guides/validating-a-cart.md",
  "docs/guides/webhooks.md",
  "docs/guides/finding-offers.md",
  "docs/guides/sessions.md",
  "docs/guides/redeeming.md",
  "docs/guides/codes.md",
  "docs/guides/import.md",
  "docs/guides/events.md",
  "docs/guides/event-feed.md",
  "docs/guides/export.md",
  "docs/guides/figures.md",
  "docs/guides/request-log.md",
  "docs/guides/signing-in.md",
  "docs/guides/single-sign-on.md",
  "docs/guides/why-did-it-not-work.md",
  "docs/guides/browser.md",
  "docs/guides/moving-from-voucherify.md",
  "docs/guides/loyalty-cards.md",
  "docs/guides/referrals.md",
  "docs/guides/loyalty/design-a-program.md",
  "docs/guides/loyalty/earn-and-spend.md",
  "docs/guides/loyalty/tiers.md",
  "docs/guides/loyalty/expiry-and-pending.md",
  "docs/guides/loyalty/test-a-year-in-a-minute.md",
  "docs/reference/discounts.md",
  "docs/guides/operating.md",
];
/** Run in `recipes.test.ts`, on a server of its own: it moves the clock of the demo project. */
const RUN_ELSEWHERE = ["docs/guides/recipes.md"];
const READY_MS = 600_000; // Only so that a start that never ends is told; on a busy machine one takes minutes.

/** A folder that looks like a fresh clone, with a server that was started there: its address and what it printed. */
async function startServer() {
  const clone = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "laurel-docs-")));
  fs.chmodSync(clone, 0o755); // Started by root, the database runs as a user that must reach it.
  for (const name of ["package.json", "node_modules", "src", "migrations"])
    fs.symlinkSync(join(ROOT, name), join(clone, name));
  const env = { ...readersEnvironment(), ...PATIENT, PORT: "0", LAUREL_LOG_LEVEL: "warn", LAUREL_DASHBOARD: "off" };
  const server = spawn(process.execPath, ["src/cli/laurel.ts", "serve"], { cwd: clone, env });
  let [printed, errors] = ["", ""];
  server.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const stop = async () => {
    const ended = once(server, "close");
    if (server.exitCode === null && server.signalCode === null && server.kill("SIGTERM")) await ended;
    fs.rmSync(clone, { recursive: true, force: true });
  };
  after(stop);
  await new Promise<void>((resolve, reject) => {
    const slow = setTimeout(() => reject(new Error(`The server did not start:\n${errors}`)), READY_MS);
    server.once("close", () => reject(new Error(`The server ended:\n${errors}`)));
    server.stdout.on("data", (chunk) => {
      printed += chunk;
      if (!/^Laurel listens on \S+\n[\s\S]*curl .*\n$/.test(printed)) return;
      clearTimeout(slow);
      resolve();
    });
  });
  return { clone, printed, url: /^Laurel listens on (\S+)$/m.exec(printed)![1]! };
}

test("docs: every command in the README, the guides and the welcome works, and answers what is shown", async (t) => {
  const server = await startServer();

  await t.test("the welcome", async () => {
    const commands = server.printed.split("\n").flatMap((line) => /curl .*$/.exec(line)?.[0] ?? []);
    assert.ok(commands.length > 0);
    const blocks = commands.map((text) => ({ text, language: "sh", note: undefined, line: 0 }));
    for (const answer of await runBlocks(blocks, server)) assertShown({ object: "list" }, JSON.parse(answer));
    // The README shows the very line that the server prints.
    const printed = commands[0]!.replace(`${server.clone}/`, "").replace(server.url, "http://127.0.0.1:3000");
    assert.ok(read("README.md").includes(`\`\`\`sh\n${printed}\n\`\`\``), `the README has: ${printed}`);
    assert.ok(server.printed.includes(`${server.url}/docs\n`));
  });

  for (const name of RUN.toReversed()) {
    let lacking: string[] = [];
    await t.test(name, async () => {
      lacking = await runDocument(name, server);
    });
    for (const skip of lacking) await t.test("an example in another language", { skip });
  }
  const left = fs.readdirSync(server.clone).sort();
  assert.deepEqual(
    left,
    ["data", "migrations", "node_modules", "package.json", "src"],
    "files are written below data/",
  );
});

test("docs: a guide names the address of the server once, in a variable", () => {
  for (const name of RUN.filter((one) => one.startsWith("docs/guides/"))) {
    const named = blocksOf(name).filter((block) => isShell(block) && block.text.includes("127.0.0.1:3000"));
    const lines = named.flatMap(({ text }) => text.split("\n")).filter((line) => line.includes("127.0.0.1:3000"));
    const isFirst = /^(?:export )?LAUREL=http:\/\/127\.0\.0\.1:3000$/;
    for (const line of lines) assert.match(line, isFirst, `${name}: ${line}`);
    // The examples in several languages stand alone: a reader takes one of them.
    if (name !== "docs/guides/other-languages.md") assert.ok(lines.length <= 1, name);
  }
});

test("docs: a command that is not run says why", (t) => {
  const guides = DOCUMENTS.filter((name) => name.startsWith("docs/guides/"));
  const run = [...RUN, ...RUN_ELSEWHERE];
  assert.deepEqual(run.filter((name) => name.startsWith("docs/guides/")).sort(), guides, "every guide is run");
  for (const name of DOCUMENTS)
    for (const block of blocksOf(name)) {
      assert.ok(
        !["bash", "shell", "console", "zsh"].includes(block.language),
        `${name}:${block.line} write \`\`\`sh, so that it is run`,
      );
      const reason = notRun(block);
      if (isShell(block) && !run.includes(name))
        assert.ok(reason !== undefined, `${name}:${block.line} is not run and says no reason`);
      if (reason === undefined) continue;
      assert.ok(reason.length >= 10, `${name}:${block.line} gives a reason`);
      t.diagnostic(`not run: ${name}:${block.line}, because ${reason}`);
    }
});

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (name: string) =>
  [...read(name).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("docs: every relative link leads somewhere", () => {
  for (const name of DOCUMENTS)
    for (const [, target] of read(name).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const [path, anchor] = target!.split("#") as [string, string | undefined];
      const file = path === "" ? name : join(dirname(name), path);
      assert.ok(fs.existsSync(join(ROOT, file)), `${name} links to ${target}, which is not there`);
      if (anchor !== undefined) assert.ok(anchorsOf(file).includes(anchor), `${name} links to a missing ${target}`);
    }
});

test("docs: every page is linked from the index or the README", () => {
  const linked = ["README.md", "docs/README.md"].flatMap((name) =>
    [...read(name).matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) => join(dirname(name), target!)),
  );
  const lonely = DOCUMENTS.filter((name) => name !== "README.md" && !linked.includes(name));
  assert.deepEqual(lonely, []);
});

test("docs: every setting that is named exists", () => {
  const files = [...DOCUMENTS, "Dockerfile", "compose.yaml"];
  for (const name of files)
    for (const [found] of read(name).matchAll(/\bLAUREL_[A-Z0-9]\w*/g))
      assert.ok(found in SETTINGS, `${name} names ${found}, which is not a setting`);
});

/** Everything in a document that is set as code, one piece a line. */
const codeOf = (name: string) => {
  const text = read(name);
  return [
    ...blocksOf(name).flatMap((block) => block.text.replaceAll("\\\n", " ").split("\n")),
    ...[...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!),
  ];
};

const CALLED =
  /(?:^|\bnpm run )laurel (?:-- )?([a-z]+)(?: ([a-z]+)\b)?(.*)$|\blaurel\.ts ([a-z]+)(?: ([a-z]+)\b)?(.*)$/;
type Called = { where: string; first: string; second: string; flags: string[] };

/** Every command of ours that a document names, with its flags. */
const calledIn = (name: string): Called[] =>
  codeOf(name).flatMap((code) => {
    const found = CALLED.exec(code);
    if (!found) return [];
    const [first, second = "", rest = ""] = found[1] === undefined ? found.slice(4) : found.slice(1);
    const flags = [...rest.matchAll(/(?<= )--[a-z][a-z-]+/g)].map(([flag]) => flag);
    return { where: `${name}: ${code}`, first: first!, second, flags };
  });

async function helpOf(path: string): Promise<string> {
  const args = ["src/cli/laurel.ts", ...path.split(" ").filter(Boolean), "--help"];
  return (await run(process.execPath, args, { cwd: ROOT, env: readersEnvironment() })).stdout;
}

test("docs: every command of the command line that is named exists, with its flags", async () => {
  const commandsOf = (help: string) =>
    [...(help.split("\nCommands:\n")[1] ?? "").matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name!);
  const all = commandsOf(await helpOf("")).filter((name) => name !== "help");
  const helps = new Map(await Promise.all(all.map(async (name) => [name, await helpOf(name)] as const)));
  const called = DOCUMENTS.flatMap(calledIn);
  assert.ok(called.length > 20, "the commands were found");
  for (const { where, first, second, flags } of called) {
    const help = helps.get(first);
    assert.ok(help !== undefined, where);
    const inner = commandsOf(help);
    if (inner.length > 0 && second !== "") assert.ok(inner.includes(second), where);
    if (flags.length === 0) continue;
    const own = inner.length > 0 ? await helpOf(`${first} ${second}`) : help;
    for (const flag of flags) assert.ok(new RegExp(`^ +${flag}\\b`, "m").test(own), `${flag} in ${where}`);
  }
  for (const name of all) assert.match(read("README.md"), new RegExp(`\`laurel ${name}\\b`), "the README's table");
});

test("docs: every error key in a table of a guide exists", () => {
  const tables = RUN.flatMap((name) => [...read(name).matchAll(/^\| Key \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm)]);
  const keys = tables.flatMap(([, rows]) =>
    [...rows!.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, key]) => key!)),
  );
  assert.ok(keys.length > 10, "the keys were found");
  for (const key of keys) assert.ok(key in ERROR_TABLE, `${key} is no error key`);
});

test("docs: files that are shown are the files of the tree", () => {
  for (const name of DOCUMENTS_WITH_FILES) {
    const current = withFiles(read(name)) === read(name);
    assert.ok(current, `${name} shows a file that has changed: run \`node scripts/shown-files.ts\``);
  }
  const shown = DOCUMENTS.flatMap((name) => blocksOf(name).map(({ note }) => /^file: (\S+)$/.exec(note ?? "")?.[1]));
  for (const file of ["schema.ts", "store.ts", "routes.ts"])
    assert.ok(shown.includes(`src/resources/catalogue/categories/${file}`), `CONTRIBUTING.md shows ${file}`);
  for (const name of DOCUMENTS)
    for (const { note, text, line } of blocksOf(name)) {
      const file = /^part of: (\S+)$/.exec(note ?? "")?.[1];
      if (file) assert.ok(read(file).includes(text), `${name}:${line} is not in ${file}`);
    }
});

test("docs: the tree in ARCHITECTURE.md is the tree", () => {
  const tree = /## The tree\n+```\n([\s\S]*?)```/.exec(read("ARCHITECTURE.md"))![1]!;
  const named = new Set<string>();
  let folder = "";
  for (const line of tree.trimEnd().split("\n")) {
    const indented = line.startsWith("  ");
    // Names first, then the description: it begins after two spaces and does not look like a path.
    for (const word of line.trim().split(/ {2,}/)) {
      if (!/^[\w./-]+(?:\/|\.\w+)$/.test(word)) break;
      const path = indented ? `${folder}${word}` : word;
      named.add(path.replace(/\/$/, ""));
      if (!indented && word.endsWith("/")) folder = word;
    }
  }
  for (const path of named) assert.ok(fs.existsSync(join(ROOT, path)), `${path} is in ARCHITECTURE.md and not there`);
  const present = fs
    .globSync(["src/**/*.ts", "migrations/*.sql", "test/**/*.ts", "scripts/*.ts"], { cwd: ROOT })
    .filter((file) => !file.endsWith(".test.ts") || !file.startsWith("src/"))
    .map((file) => /^(?:src\/(?:core|db|flows|http|resources|steps)\/[^/]+|src\/[^/]+|[^/]+)/.exec(file)![0]);
  for (const path of new Set(present))
    assert.ok(
      [...named].some((one) => one === path || one.startsWith(`${path}/`)),
      `${path} is missing in the tree of ARCHITECTURE.md`,
    );
});

test("docs: every file of the tree that is named in a text exists", () => {
  for (const name of DOCUMENTS)
    for (const [, path] of read(name).matchAll(/`((?:src|test|scripts|migrations|docs)\/[\w./-]+)`/g))
      assert.ok(fs.existsSync(join(ROOT, path!)), `${name} names ${path}, which is not there`);
});

test("docs: what the container files copy and run is there", () => {
  const dockerfile = read("Dockerfile");
  for (const [, sources] of dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
    for (const source of sources!.split(" ")) {
      assert.ok(fs.existsSync(join(ROOT, source)), `the Dockerfile copies ${source}`);
      assert.ok(read(".dockerignore").includes(`\n!${source}\n`), `.dockerignore lets ${source} pass`);
    }
  const [program, ...given] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)![1]!) as string[];
  assert.ok(fs.existsSync(join(ROOT, program!)));
  const { start } = JSON.parse(read("package.json")).scripts;
  const cache = /^NODE_COMPILE_CACHE=(\S+) (.*)$/.exec(start)!;
  assert.equal(`node ${given.join(" ")} serve`, cache[2], "the container starts it as npm does");
  assert.ok(dockerfile.includes(`\nENV NODE_COMPILE_CACHE=/app/${cache[1]}\n`), "with the same compiled sources");
  assert.match(dockerfile, /^USER 1000$/m);
});
