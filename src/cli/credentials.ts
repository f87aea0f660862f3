import fs from "node:fs";
import { join, resolve } from "node:path";
import type { Credentials } from "../flows/platform/create-project.ts";

export type AllCredentials = Record<"app" | "client" | "management", Credentials>;

const HEADERS: Record<keyof AllCredentials, readonly [string, string]> = {
  app: ["X-App-Id", "X-App-Token"],
  client: ["X-Client-Application-Id", "X-Client-Token"],
  management: ["X-Management-Id", "X-Management-Token"],
};
const KINDS = Object.keys(HEADERS) as (keyof AllCredentials)[];

/** `curl -H @file` reads such a file, so that no secret is in a command line, a shell history or a log. */
export const credentialsFile = (dataDir: string, kind: keyof AllCredentials): string =>
  join(resolve(dataDir), "credentials", `${kind}.headers`);

/** Writes the key pairs to files that only their owner can read. */
export function writeCredentials(dataDir: string, credentials: AllCredentials): void {
  const dir = join(resolve(dataDir), "credentials");
  fs.mkdirSync(dir, { recursive: true });
  fs.chmodSync(dir, 0o700);
  for (const kind of KINDS) {
    const [id, token] = HEADERS[kind];
    const text = `${id}: ${credentials[kind].id}\n${token}: ${credentials[kind].secret}\n`;
    fs.rmSync(credentialsFile(dataDir, kind), { force: true });
    fs.writeFileSync(credentialsFile(dataDir, kind), text, { mode: 0o600 });
  }
}

/** The key pairs of the files, where they are whole. */
export function readKeys(dataDir: string): AllCredentials | null {
  const headers = readCredentials(dataDir);
  if (!headers) return null;
  const pairs = KINDS.map((kind) => [kind, { id: headers[HEADERS[kind][0]]!, secret: headers[HEADERS[kind][1]]! }]);
  return Object.fromEntries(pairs) as AllCredentials;
}

/** The headers of all key pairs, for the API reference of a demo; null when the files are not there. */
export function readCredentials(dataDir: string): Record<string, string> | null {
  const files = KINDS.map((kind) => credentialsFile(dataDir, kind));
  if (!files.every((file) => fs.existsSync(file))) return null;
  const lines = files.flatMap((file) => fs.readFileSync(file, "utf8").trim().split("\n"));
  return Object.fromEntries(lines.map((line) => /^([^:]+): (.*)$/.exec(line)!.slice(1) as [string, string]));
}
