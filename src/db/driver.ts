import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { CORRECTIONS, type Correction } from "./driver-corrections.ts";

type Driver = typeof import("postgres");
type ToRow = (values: readonly unknown[]) => object;
const makers = new Map<string, ToRow>();

/** Makes rows of such columns. Their names are those of our own statements, never a client's. */
function rowsOf(columns: readonly { name: string }[]): ToRow {
  const names = columns.map(({ name }, n) => `${JSON.stringify(name)}: values[${n}]`).join();
  const known = makers.get(names);
  if (known) return known;
  const made = new Function("values", `return { ${names} };`) as ToRow;
  makers.set(names, made);
  return made;
}
Object.assign(globalThis, { [Symbol.for("laurel.rows")]: rowsOf });

/**
 * The driver with its faults corrected as it is loaded: `npm ci --ignore-scripts` leaves no other place for that. Each
 * correction must fit its file exactly once, so a new version of the driver cannot lose one unseen. Drivers with other
 * corrections have another tag; tests load such ones.
 */
export async function loadDriver(corrections: readonly Correction[], tag: string): Promise<Driver> {
  const files = new Set(corrections.filter(({ edits }) => edits.length > 0).map(({ file }) => file));
  const hooks = registerHooks({
    // The driver's own files are loaded under the tag, too.
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isOwn = specifier.startsWith(".") && context.parentURL?.endsWith(`?${tag}`);
      return isOwn ? { ...resolved, url: `${resolved.url}?${tag}` } : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const file = url.endsWith(`?${tag}`) ? /\/([\w.-]+)\?/.exec(url)![1] : undefined;
      const edits = corrections.filter((one) => one.file === file).flatMap((one) => one.edits);
      if (edits.length === 0) return loaded;
      let source = String(loaded.source);
      for (const [from, to] of edits) {
        assert.equal(source.split(from).length, 2, `${file} has the place of a correction once: ${from}`);
        source = source.replace(from, () => to);
      }
      files.delete(file as Correction["file"]);
      return { ...loaded, source };
    },
  });
  const { default: driver } = await import(`${import.meta.resolve("postgres")}?${tag}`);
  hooks.deregister();
  assert.equal(files.size, 0, "every file with a correction is loaded");
  return driver;
}

export const postgres = await loadDriver(CORRECTIONS, "corrected");
