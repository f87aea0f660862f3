import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { build } from "vite";
import { type Built, dashboardFolder, dashboardKey, readBuilt } from "../src/cli/dashboard.ts";

// Builds the dashboard into dist.next, puts compressed files beside, and then takes the place of what was there.
//   node dashboard/build.ts [key]      the key is worked out when it is not given; `laurel serve` has taken dist.next then

const NEXT = join(import.meta.dirname, "dist.next");
const OLD = join(import.meta.dirname, "dist.old");
const DIST = dashboardFolder();
const TEXT = /\.(?:js|css|svg|json)$/;
const SMALL_BYTES = 256;
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

async function compress(file: string): Promise<void> {
  const bytes = fs.readFileSync(file);
  if (bytes.length < SMALL_BYTES) return;
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 9, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  fs.writeFileSync(`${file}.br`, await brotli(bytes, { params }));
  fs.writeFileSync(`${file}.gz`, await gzip(bytes, { level: 9 }));
}

/** Tabs that are open since the build before load their parts from here on. */
function keepAssetsOf(before: Built | null): void {
  for (const name of before?.assets ?? [])
    for (const file of [name, `${name}.br`, `${name}.gz`]) {
      const [from, to] = [join(DIST, "assets", file), join(NEXT, "assets", file)];
      if (fs.existsSync(from) && !fs.existsSync(to)) fs.copyFileSync(from, to);
    }
}

const key = process.argv[2] ?? dashboardKey()!;
const before = readBuilt();
// Whoever else starts now sees that somebody is at it.
fs.mkdirSync(NEXT, { recursive: true });
try {
  await build({ configFile: join(import.meta.dirname, "vite.config.ts"), logLevel: "warn" });
  const assets = fs.readdirSync(join(NEXT, "assets"));
  await Promise.all(assets.filter((name) => TEXT.test(name)).map((name) => compress(join(NEXT, "assets", name))));
  keepAssetsOf(before);
  fs.writeFileSync(join(NEXT, "built.json"), JSON.stringify({ key, assets } satisfies Built));
  fs.rmSync(OLD, { recursive: true, force: true });
  if (fs.existsSync(DIST)) fs.renameSync(DIST, OLD);
  fs.renameSync(NEXT, DIST);
  fs.rmSync(OLD, { recursive: true, force: true });
} finally {
  fs.rmSync(NEXT, { recursive: true, force: true });
}
