import { keepDashboard } from "../../src/cli/dashboard.ts";
import { eventually } from "../../test/support/child.ts";

/** The dashboard as its sources are now. Several test files may ask at once: one of them builds. */
export async function buildOnce(): Promise<void> {
  const said: string[] = [];
  await eventually(async () => {
    if (await keepDashboard((line) => said.push(line), { nowMs: Date.now() })) return true;
    if (said.some((line) => line.includes("could not") || line.includes("not installed")))
      throw new Error(said.join("\n"));
    return false;
  }, "the dashboard is built");
}
