import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import manifest from "../../package.json" with { type: "json" };
import { cpuOf } from "../cpu.ts";
import { type Line, median } from "../line.ts";

const RUNS = 5;
const FLOOR_S = 1;
const FLAGS = manifest.scripts.start.split(" ").filter((word) => word.startsWith("--"));

/**
 * What a warm start costs until the server is ready: `laurel serve` on a database that is up to date, with the compiled
 * sources of an earlier start. It may take 1 s of CPU, so that a killed process is back within 3 s.
 */
export const start: Line = {
  name: "start",
  floor: 1,
  aim: 0.7,
  better: "lower",
  run: async (lab, { quick }) => {
    const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-bench-start-"));
    const cpu: number[] = [];
    const ready: number[] = [];
    try {
      // The first start fills the cache of compiled sources and is not counted.
      for (let run = 0; run <= (quick ? 1 : RUNS); run += 1) {
        const began = performance.now();
        const child = serve(lab.url, dir);
        const url = await listening(child);
        while (
          !(await fetch(`${url}/health/ready`).then(
            ({ ok }) => ok,
            () => false,
          ))
        )
          await wait(5);
        if (run > 0) {
          ready.push(performance.now() - began);
          cpu.push(cpuOf(child.pid!) ?? Number.NaN);
        }
        child.kill("SIGKILL");
        await new Promise((resolve) => void child.once("close", resolve));
      }
    } finally {
      fs.rmSync(dir, { recursive: true, force: true });
    }
    const seconds = median(cpu);
    return {
      title: `a warm start until /health/ready answers 200, median of ${cpu.length}`,
      unit: "s of CPU",
      baseline: FLOOR_S,
      engine: seconds,
      ratio: seconds / FLOOR_S,
      notes: [`ready after ${Math.round(median(ready))} ms (floor 3,000 after a kill)`],
    };
  },
};

const serve = (databaseUrl: string, dir: string) =>
  spawn(process.execPath, [...FLAGS, join(import.meta.dirname, "../../src/cli/laurel.ts"), "serve"], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      PORT: "0",
      LAUREL_DATA_DIR: dir,
      NODE_COMPILE_CACHE: join(dir, "compiled"),
    },
    stdio: ["ignore", "pipe", "ignore"],
  });

function listening(child: ChildProcess): Promise<string> {
  let seen = "";
  return new Promise((resolve, reject) => {
    child.once("close", () => reject(new Error(`The server ended before it listened: ${seen}`)));
    child.stdout!.on("data", (piece) => {
      seen += piece;
      const url = /listens on (\S+)/.exec(seen)?.[1];
      if (url) resolve(url);
    });
  });
}
