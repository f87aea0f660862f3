import fs from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "../config.ts";
import { createSecretBox, type SecretBox } from "../db/secret-box.ts";
import { newSecret, random } from "../sources.ts";

type Settings = Pick<Config, "LAUREL_SECRET_KEY" | "LAUREL_DATA_DIR" | "DATABASE_URL">;

/** Beside the key pairs. It is in no backup: whoever has both could read every secret. */
const keyFile = (dataDir: string): string => join(resolve(dataDir), "credentials", "secret.key");

/** The key of the settings, or of the file; of the embedded database one is made. Null: secrets stay as they are. */
function secretKeyOf({ LAUREL_SECRET_KEY, LAUREL_DATA_DIR, DATABASE_URL }: Settings): string | null {
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

export const secretBoxOf = (config: Settings): SecretBox => createSecretBox(secretKeyOf(config), random);
