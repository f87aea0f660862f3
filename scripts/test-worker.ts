import fs from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { endFile } from "../test/support/end-of-file.ts";

// Runs test files one after the other in this process, as long as there are some that no other worker has taken: to load
// the sources and to compile the schemas costs more than most files do. Which files they are is in SHARED_FILES, and what
// is taken has a folder in TAKEN_DIR. Each file ends with a test of its name, which closes what the file has opened.
const files = JSON.parse(process.env.SHARED_FILES ?? "[]") as string[];
for (const file of files) {
  if (!take(file)) continue;
  const failed = await import(pathToFileURL(resolve(file)).href).then(
    () => null,
    (error) => ({ error }),
  );
  await test(file, async () => {
    await endFile();
    if (failed) throw failed.error;
  });
}

function take(file: string): boolean {
  try {
    fs.mkdirSync(join(process.env.TAKEN_DIR!, encodeURIComponent(file)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
