import fs from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "../config.ts";
import { createSecretBox, type SecretBox } from "../db/secrets/secret-box.ts";
import type { Credentials } from "../flows/platform/create-project.ts";
import { newSecret, random } from "../sources.ts";

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

type Settings = Pick<Config, "LAUREL_SECRET_KEY" | "LAUREL_SECRET_KEY_PREVIOUS" | "LAUREL_DATA_DIR" | "DATABASE_URL">;

/** Beside the key pairs. It is in no backup: whoever has both could read every secret. */
const keyFile = (dataDir: string): string => join(resolve(dataDir), "credentials", "secret.key");

/** The key of the settings, or of the file; of the embedded database one is made. Null: secrets stay as they are. */
function secretKeyOf({
  LAUREL_SECRET_KEY,
  LAUREL_DATA_DIR,
  DATABASE_URL,
}: Omit<Settings, "LAUREL_SECRET_KEY_PREVIOUS">): string | null {
  if (LAUREL_SECRET_KEY !== null) return LAUREL_SECRET_KEY;
  const file = keyFile(LAUREL_DATA_DIR);
  if (!fs.existsSync(file)) {
    if (DATABASE_URL !== null) return null;
    makeKeyFile(file);
  }
  const key = fs.readFileSync(file, "utf8").trim();
  if (!/^[0-9a-f]{64}$/.test(key)) throw new ConfigError(`${file} must hold 64 hexadecimal digits, and it does not.`);
  return key;
}

/** Appears as a whole, and once: of two processes that make it, one finds that of the other. */
function makeKeyFile(file: string): void {
  const dir = join(file, "..");
  fs.mkdirSync(dir, { recursive: true });
  fs.chmodSync(dir, 0o700);
  const own = `${file}.${process.pid}`;
  fs.writeFileSync(own, `${newSecret()}\n`, { mode: 0o600, flush: true });
  try {
    fs.linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(own, { force: true });
  }
}

export function secretBoxOf(config: Settings): SecretBox {
  const key = secretKeyOf(config);
  if (key === null && config.LAUREL_SECRET_KEY_PREVIOUS !== null)
    throw new ConfigError(
      "LAUREL_SECRET_KEY_PREVIOUS needs LAUREL_SECRET_KEY: new secrets would be stored as they are.",
    );
  return createSecretBox(key, random, config.LAUREL_SECRET_KEY_PREVIOUS);
}
