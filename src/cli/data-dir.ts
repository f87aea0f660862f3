import fs from "node:fs";
import { type Config, ConfigError } from "../config.ts";

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "it is a file",
  ENOSPC: "the disk is full",
};

/** Makes the data directory and refuses one that cannot be written to, before something else fails in other words. */
export function checkDataDir({ LAUREL_DATA_DIR }: Pick<Config, "LAUREL_DATA_DIR">): void {
  try {
    fs.mkdirSync(LAUREL_DATA_DIR, { recursive: true });
    fs.accessSync(LAUREL_DATA_DIR, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `Laurel cannot write to ${LAUREL_DATA_DIR} (LAUREL_DATA_DIR): ${REASONS[code] ?? message}. ` +
        "Make it writable, or choose another folder.",
    );
  }
}
