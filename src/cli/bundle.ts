import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join, relative } from "node:path";
import { now } from "../sources.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUNDLES = "node_modules/.cache/laurel-bundle";
/** Written by npm when it has installed the packages: what each of them is. */
const PACKAGES = "node_modules/.package-lock.json";
/** Loaded by few. `@opentelemetry/api` is not among them: what counts metrics needs it. */
const TRACES = ["sdk-trace-node", "exporter-trace-otlp-http", "resources"].map((name) => `@opentelemetry/${name}`);
/** The driver, which is corrected as it is loaded, and packages that read files of their own or need not be there. */
const APART = ["postgres", "@scalar/fastify-api-reference", "pg-native", ...TRACES];
const KEPT = 3;
/** A process that makes the bundle for longer than this was killed meanwhile. */
const MAKING_MS = 60_000;

/**
 * The command line as a few files instead of 1,500 modules: to find and read that many costs a start more than anything
 * else. The first start after a change makes it. Null where that cannot be done, or while another process does it: then the
 * sources are run.
 */
export async function bundled(root = ROOT): Promise<string | null> {
  try {
    const folder = join(root, BUNDLES, bundleKey(root));
    const entry = join(folder, "commands.mjs");
    return fs.existsSync(entry) || (await make(root, folder)) ? entry : null;
  } catch {
    return null;
  }
}

/** Names a bundle by the content of all that is in it, so that an old one is never found. */
function bundleKey(root: string): string {
  const src = join(root, "src");
  const isSource = (name: string) => name.endsWith(".ts") && !name.endsWith(".test.ts");
  const key = createHash("sha1").update(fs.readFileSync(join(root, PACKAGES)));
  for (const name of fs.readdirSync(src, { recursive: true, encoding: "utf8" }).filter(isSource).sort())
    key.update(`\0${name}\0`).update(fs.readFileSync(`${src}/${name}`));
  return key.digest("hex");
}

async function make(root: string, folder: string): Promise<boolean> {
  const making = `${folder}.making`;
  fs.mkdirSync(dirname(folder), { recursive: true });
  if (fs.existsSync(making)) {
    if (Date.parse(now()) - fs.statSync(making).mtimeMs < MAKING_MS) return false;
    fs.rmSync(making, { recursive: true });
  }
  fs.mkdirSync(making);
  try {
    await bundle(root, making);
    // Somebody may have changed a source meanwhile.
    if (join(dirname(folder), bundleKey(root)) !== folder) return false;
    fs.renameSync(making, folder);
  } finally {
    fs.rmSync(making, { recursive: true, force: true });
  }
  forgetOld(dirname(folder));
  return true;
}

/** Makes it in a folder of the project. `scripts/prepack.ts` does so for the package. */
export async function bundle(root: string, into: string): Promise<void> {
  const { build, stop } = await import("esbuild");
  const besideIt = (path: string) => `(import.meta.dirname + ${JSON.stringify(`/${relative(into, dirname(path))}`)})`;
  await build({
    entryPoints: [join(root, "src/cli/commands.ts")],
    outdir: into,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "esnext",
    external: APART,
    logLevel: "silent",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    plugins: [
      {
        name: "sources find the files beside them",
        setup: ({ onLoad }) =>
          onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
            loader: "ts",
            contents: fs.readFileSync(path, "utf8").replaceAll("import.meta.dirname", besideIt(path)),
          })),
      },
    ],
  }).finally(stop);
}

/** The last few stay: a server that still runs may load parts of an older one. */
function forgetOld(bundles: string): void {
  const made = (name: string) => fs.statSync(join(bundles, name)).mtimeMs;
  const names = fs.readdirSync(bundles).filter((name) => !name.includes("."));
  for (const name of names.sort((a, b) => made(b) - made(a)).slice(KEPT))
    fs.rmSync(join(bundles, name), { recursive: true, force: true });
}
