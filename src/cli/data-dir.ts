import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { type Config, ConfigError } from "../config.ts";

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "no folder can be made there",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "it is a file",
  ENOSPC: "the disk is full",
};

/** One folder after the other: asked for all of them, Node tries for ever where none can be made, as in `/proc`. */
function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && fs.statSync(path).isDirectory()) return;
    if (code !== "ENOENT") throw error;
    makeFolder(dirname(path));
    fs.mkdirSync(path);
  }
}

/** Makes the data directory and refuses one that cannot be written to, before something else fails in other words. */
export function checkDataDir({ LAUREL_DATA_DIR }: Pick<Config, "LAUREL_DATA_DIR">): void {
  try {
    makeFolder(resolve(LAUREL_DATA_DIR));
    fs.accessSync(LAUREL_DATA_DIR, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `Laurel cannot write to ${LAUREL_DATA_DIR} (LAUREL_DATA_DIR): ${REASONS[code] ?? message}. ` +
        "Make it writable, or choose another folder.",
    );
  }
}
