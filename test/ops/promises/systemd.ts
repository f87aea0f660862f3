import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { type Lab, ROOT } from "../lab/lab.ts";

const UNIT = join(ROOT, "ops/systemd/laurel.service");
/** What systemd calls "OK" is 2.5 to 4.9; "EXPOSED" begins at 7. */
const EXPOSURE_MAX = 2.5;

export async function run(lab: Lab): Promise<void> {
  // It looks for the program that the unit starts.
  const unit = join(lab.dir, "laurel.service");
  fs.writeFileSync(unit, fs.readFileSync(UNIT, "utf8").replaceAll("/opt/laurel", ROOT));
  const verified = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
  const faults = verified.stderr.split("\n").filter((line) => line.includes("laurel.service"));
  for (const fault of faults) lab.say(fault);
  lab.figure("faults that systemd finds in the unit", faults.length, { is: 0 });
  const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", "--no-pager", unit], {
    encoding: "utf8",
  });
  const exposure = Number(/exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1] ?? Number.NaN);
  for (const line of stdout.split("\n").filter((one) => one.startsWith("✗"))) lab.say(line.trim());
  lab.figure("exposure, as systemd counts it (0 to 10)", exposure, { atMost: EXPOSURE_MAX });
}
