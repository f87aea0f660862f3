import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { type Lab, ROOT, until } from "../lab/lab.ts";
import { statusOf } from "../lab/laurel.ts";
import { logOf, start } from "../lab/processes.ts";

/** What some networks need before anything outside can be reached: a proxy, and whom to trust. */
const wayToRegistry = (): Record<string, string> =>
  Object.fromEntries(
    ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );

/** A release is made, checked, and started in an empty folder, as somebody does who has nothing but Node. */
export async function run(lab: Lab): Promise<void> {
  lab.say("npm run release -- --dry-run");
  execFileSync("npm", ["run", "--silent", "release", "--", "--dry-run"], { cwd: ROOT, stdio: "inherit" });
  const release = join(ROOT, "release");
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release });
  const names = fs.readdirSync(release);
  const tarball = names.find((name) => name.endsWith(".tgz"))!;
  const sbom = JSON.parse(fs.readFileSync(join(release, names.find((name) => name.endsWith(".sbom.json"))!), "utf8"));
  lab.figure("form of the SBOM", sbom.bomFormat, { is: "CycloneDX" });
  const listed: string[] = sbom.components.map(({ name }: { name: string }) => name);
  const [bundled, tools] = [
    ["react", "@mantine/core", "@codemirror/view"],
    ["typescript", "@biomejs/biome", "vite", "rolldown"],
  ];
  lab.figure("packages in it", listed.length, { atLeast: 100, atMost: 400 });
  lab.figure("of the dashboard's packages not in it", bundled!.filter((one) => !listed.includes(one)).length, {
    is: 0,
  });
  lab.figure("tools in it", tools!.filter((one) => listed.includes(one)).length, { is: 0 });
  lab.figure("size of the package, MB", Math.round(fs.statSync(join(release, tarball)).size / 2 ** 20), { atMost: 20 });
  // The folder that somebody has who downloaded the release, and the line that the guide shows them.
  const home = join(lab.dir, "home");
  fs.cpSync(release, home, { recursive: true });
  const [line] = /^npx \.\/laurel-.*$/m.exec(fs.readFileSync(join(ROOT, "docs/guides/deploying.md"), "utf8"))!;
  if (!line.includes(`./${tarball} `)) throw new Error(`The guide starts another package: ${line}`);
  const port = 38_117;
  const began = performance.now();
  lab.say(line);
  const command = [...line.split(" "), "--port", `${port}`, "--demo-days", "0"];
  const env = { HOME: home, PATH: process.env.PATH!, ...wayToRegistry() };
  const server = start(lab, { name: "npx", command, env, cwd: home });
  await until(
    "the package is installed and answers",
    async () => {
      if (server.isGone()) throw new Error(`npx ended:\n${logOf(lab, "npx")}`);
      return (await statusOf(`http://127.0.0.1:${port}/health/ready`)) === 200;
    },
    600_000,
  );
  lab.figure("seconds from nothing to the first answer", Math.round((performance.now() - began) / 1000));
  lab.figure("status of the dashboard", await statusOf(`http://127.0.0.1:${port}/`), { is: 200 });
  await server.stop("SIGTERM");
}
