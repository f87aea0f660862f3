import fs from "node:fs";
import { join } from "node:path";

// Documents show files of the tree: `<!-- file: path -->` before a fence means the whole file. Run without arguments it
// writes the files' text into the documents; `test/docs/docs.test.ts` checks that it would change nothing.
const ROOT = join(import.meta.dirname, "..");
const SHOWN = /(<!-- file: (\S+) -->\n+```\w*\n)([\s\S]*?)(\n```\n)/g;

export const DOCUMENTS_WITH_FILES = ["CONTRIBUTING.md"];

/** The document with the files as they are now. */
export const withFiles = (text: string): string =>
  text.replaceAll(
    SHOWN,
    (_, head, path, _old, end) => `${head}${fs.readFileSync(join(ROOT, path), "utf8").trimEnd()}${end}`,
  );

if (import.meta.main)
  for (const name of DOCUMENTS_WITH_FILES) {
    const text = fs.readFileSync(join(ROOT, name), "utf8");
    fs.writeFileSync(join(ROOT, name), withFiles(text));
  }
