import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { SETTINGS } from "../../src/config.ts";

// The examples of a document: found, run in a shell as a reader would, and compared with what the document shows.

export const ROOT = join(import.meta.dirname, "../..");
export const read = (name: string) => fs.readFileSync(join(ROOT, name), "utf8");
const run = promisify(execFile);
const BLOCKS_MS = 600_000; // Only so that a command that hangs is told; two guides load the demo.

export type Block = { language: string; note: string | undefined; text: string; line: number };

/** The fenced blocks of a document, each with the comment right above it. */
export function blocksOf(name: string): Block[] {
  const text = read(name);
  return [...text.matchAll(/(?:<!-- (.*?) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm)].map((found) => ({
    note: found[1],
    language: found[2]!,
    text: found[3]!,
    line: text.slice(0, found.index).split("\n").length,
  }));
}
export const isShell = ({ language }: Block) => language === "sh";
/** The program without which an example cannot be run. */
const needs = ({ note }: Block) => /^needs: (\S+)$/.exec(note ?? "")?.[1];
const isInstalled = (program: string) => spawnSync(program, ["--version"]).status === 0;
export const notRun = ({ note }: Block) => /^not run: (.*)$/.exec(note ?? "")?.[1];

/** Our own surroundings must not change what a reader's shell would do. */
export function readersEnvironment(): NodeJS.ProcessEnv {
  const own = (name: string) => name.startsWith("LAUREL_") || name in SETTINGS || /^(NODE_|npm_)/.test(name);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own(name)));
  // What is compiled already changes nothing but the time that it takes.
  const { NODE_COMPILE_CACHE } = process.env;
  return {
    ...env,
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`,
  };
}

/** Runs blocks one after the other in one shell, as a reader would, and gives the output of each. */
export async function runBlocks(blocks: readonly Block[], { clone, url }: { clone: string; url: string }) {
  const mark = (n: number) => `-- end of block ${n} --`;
  const script = blocks.map(({ text }, n) => `${text}\necho\necho "${mark(n)}"\n`).join("");
  const options = { cwd: clone, env: readersEnvironment(), timeout: BLOCKS_MS, maxBuffer: 2 ** 26 };
  const shell = await run("sh", ["-ec", script.replaceAll("http://127.0.0.1:3000", url)], options).catch(
    (error) => error as { stdout: string; stderr: string; code: number },
  );
  let rest = shell.stdout;
  return blocks.map((block, n) => {
    const [output, ...others] = rest.split(`${mark(n)}\n`);
    assert.ok(others.length > 0, `The command failed:\n${block.text}\n${output}\n${shell.stderr}`);
    rest = others.join(`${mark(n)}\n`);
    return output!.trim();
  });
}

const wildcard = (shown: string) => new RegExp(`^${shown.split("…").map(RegExp.escape).join(".*")}$`);

/** What a document shows of an answer must be in it; the answer may hold more. In a text, `…` stands for any text. */
export function assertShown(shown: unknown, real: unknown, path = "answer"): void {
  if (typeof shown === "string" && shown.includes("…")) {
    assert.match(String(real), wildcard(shown), path);
    return;
  }
  if (typeof shown !== "object" || shown === null) {
    assert.equal(real, shown, path);
    return;
  }
  assert.ok(typeof real === "object" && real !== null, `${path} is ${JSON.stringify(real)}`);
  if (Array.isArray(shown)) assert.equal((real as unknown[]).length, shown.length, `the length of ${path}`);
  for (const [key, value] of Object.entries(shown))
    assertShown(value, (real as Record<string, unknown>)[key], `${path}.${key}`);
}

/** Lines that a document shows of an output must be in it, in that order; `…` stands for any text. */
function assertLines(shown: string, real: string): void {
  const lines = real.split("\n");
  for (const line of shown.trim().split("\n")) {
    const pattern = wildcard(line);
    const at = lines.findIndex((one) => pattern.test(one));
    assert.ok(at >= 0, `The output has no line like ${JSON.stringify(line)}:\n${real}`);
    lines.splice(0, at + 1);
  }
}

/**
 * Runs the commands of a document; after each may stand what it answers, as json or as lines of text. Gives the commands
 * that were left out because this machine lacks a program.
 */
export async function runDocument(name: string, server: { clone: string; url: string }): Promise<string[]> {
  const all = blocksOf(name);
  const runnable = all.filter((block) => isShell(block) && notRun(block) === undefined);
  const lacking = runnable.filter((block) => needs(block) !== undefined && !isInstalled(needs(block)!));
  const commands = runnable.filter((block) => !lacking.includes(block));
  const outputs = await runBlocks(commands, server);
  for (const [n, output] of outputs.entries()) {
    const command = commands[n]!;
    const next = all[all.indexOf(command) + 1];
    const at = `${name}:${command.line}`;
    if (next?.language === "json") assertShown(JSON.parse(next.text), answerIn(output, at), at);
    if (next?.language === "text") assertLines(next.text, output);
  }
  return lacking.map((block) => `${name}:${block.line} was NOT run: no ${needs(block)} on this machine`);
}

function answerIn(output: string, at: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return assert.fail(`${at} is answered no JSON: ${output}`);
  }
}
