import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

// Makes a release from a clean checkout, into the folder `release`:
//   laurel-X.Y.Z.tgz         the package; `npx ./laurel-X.Y.Z.tgz serve` starts it
//   laurel-X.Y.Z.sbom.json   every package in it or installed with it, as CycloneDX: also what the dashboard was built from
//   notes.md                 the section of the changelog
//   SHA256SUMS               of the files above; `sha256sum --check SHA256SUMS` compares
// The tag vX.Y.Z holds the notes. With --dry-run nothing is tagged, and the checkout may have changes.
const ROOT = join(import.meta.dirname, "..");
const OUT = join(ROOT, "release");
const USAGE = `npm run release -- [--dry-run]
Packs the version that package.json names, with its changelog section, an SBOM and checksums, and tags it.`;

/** The text below `## version`, up to the next version. Null when there is none; headings alone are none. */
export function changelogSection(changelog: string, version: string): string | null {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => /^[^\s,]+/.exec(section)?.[0] === version) ?? "";
  const text = found.replace(/^.*/, "").trim();
  return /^(?!#)\S/m.test(text) ? text : null;
}

/** Why the changelog is not that of a release of this version; null: it is. */
export function changelogFault(changelog: string, version: string): string | null {
  if (changelogSection(changelog, "Unreleased") !== null)
    return `CHANGELOG.md has text below "## Unreleased": it belongs below "## ${version}".`;
  if (changelogSection(changelog, version) === null) return `CHANGELOG.md has no section "## ${version}" with text.`;
  return null;
}

type Sbom = {
  bomFormat?: string;
  metadata: { component: { "bom-ref": string } };
  components: { "bom-ref": string; name: string; properties?: { name: string }[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
};

/** Of all that is installed here, what a package has or brings: the dashboard's packages are in it, the tools are not. */
export function shippedOf(sbom: Sbom, imported: ReadonlySet<string>): Sbom {
  const isTool = ({ properties = [] }: Sbom["components"][0]) =>
    properties.some(({ name }) => name === "cdx:npm:package:development");
  const uses = new Map(sbom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const root = sbom.metadata.component["bom-ref"];
  const kept = new Set([root, ...sbom.components.filter((one) => !isTool(one)).map((one) => one["bom-ref"])]);
  const keep = (ref: string): void => {
    kept.add(ref);
    for (const one of uses.get(ref) ?? []) if (!kept.has(one)) keep(one);
  };
  for (const ref of uses.get(root) ?? []) if (imported.has(ref.replace(/(?<=.)@.*$/, ""))) keep(ref);
  return {
    ...sbom,
    components: sbom.components.filter((one) => kept.has(one["bom-ref"])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  };
}

const IMPORT = /(?:from|import)\s*\(?\s*["']((?:@[\w.-]+\/)?\w[\w.-]*)[/"']/g;

/** The packages that the sources of the dashboard import. */
export const importedByDashboard = (): Set<string> =>
  new Set(
    fs
      .globSync("dashboard/src/**/*.{ts,tsx,css}", { cwd: ROOT })
      .filter((file) => !file.includes(".test."))
      .flatMap((file) => [...fs.readFileSync(join(ROOT, file), "utf8").matchAll(IMPORT)].map(([, name]) => name!)),
  );

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: ROOT, maxBuffer: 2 ** 26, stdio: ["ignore", "pipe", "inherit"] }).toString();

function faultOf(version: string, changelog: string): string | null {
  if (run("git", "tag", "--list", `v${version}`) !== "") return `The tag v${version} exists. Raise the version.`;
  if (run("git", "status", "--porcelain") !== "") return "The checkout has changes. Commit them first.";
  return changelogFault(changelog, version);
}

function release(isDryRun: boolean): void {
  const { version } = JSON.parse(fs.readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const changelog = fs.readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  const fault = isDryRun ? null : faultOf(version, changelog);
  if (fault !== null) {
    console.error(fault);
    process.exit(1);
  }
  fs.rmSync(OUT, { recursive: true, force: true });
  fs.mkdirSync(OUT);
  console.info("Packing …");
  run("npm", "pack", "--silent", "--pack-destination", OUT);
  const installed = JSON.parse(run("npm", "sbom", "--sbom-format=cyclonedx")) as Sbom;
  const shipped = shippedOf(installed, importedByDashboard());
  fs.writeFileSync(join(OUT, `laurel-${version}.sbom.json`), `${JSON.stringify(shipped, null, 2)}\n`);
  // What is unreleased is what a release of now would tell.
  const notes = changelogSection(changelog, "Unreleased") ?? changelogSection(changelog, version) ?? "";
  fs.writeFileSync(join(OUT, "notes.md"), `${notes}\n`);
  const sumOf = (name: string) =>
    createHash("sha256")
      .update(fs.readFileSync(join(OUT, name)))
      .digest("hex");
  const names = fs.readdirSync(OUT).sort();
  fs.writeFileSync(join(OUT, "SHA256SUMS"), names.map((name) => `${sumOf(name)}  ${name}\n`).join(""));
  for (const name of [...names, "SHA256SUMS"]) console.info(`release/${name}`);
  if (!isDryRun) run("git", "tag", "--annotate", `v${version}`, "--file", join(OUT, "notes.md"), "--cleanup=verbatim");
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) console.info(USAGE);
  else release(values["dry-run"] === true);
}
