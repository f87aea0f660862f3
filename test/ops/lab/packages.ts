import { spawnSync } from "node:child_process";
import fs from "node:fs";

// biome-ignore lint/suspicious/noTemplateCurlyInString: a format of dpkg.
const STATUS = "-f=${Status}";
const isInstalled = (name: string): boolean =>
  /^install ok installed/.test(spawnSync("dpkg-query", ["-W", STATUS, name], { encoding: "utf8" }).stdout ?? "");

/** Installs the Debian packages that are missing, and says so. None of their services is started. */
export function requirePackages(names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  console.log(`installing Debian packages: ${missing.join(" ")}`);
  const sudo = process.getuid?.() === 0 ? [] : ["sudo"];
  const run = (...command: string[]) => {
    const [first, ...rest] = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", ...command];
    const { status, stdout, stderr } = spawnSync(first!, rest, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${command.join(" ")} failed:\n${stdout}${stderr}`);
  };
  run("apt-get", "update");
  // The tests start what they need, with a configuration of their own.
  const policy = "/usr/sbin/policy-rc.d";
  const isOurs = !fs.existsSync(policy) && sudo.length === 0;
  if (isOurs) fs.writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    run("apt-get", "install", "--yes", "--no-install-recommends", ...missing);
  } finally {
    if (isOurs) fs.rmSync(policy, { force: true });
  }
}
