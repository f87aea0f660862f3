import { spawn } from "node:child_process";

// npm run check: what is known about the code without running it. All at once; each says how long it took, and what it found.
const CHECKS: Record<string, readonly string[]> = {
  "format and lint": ["biome", "check", "."],
  // One checker: several share nothing, and take twice the CPU of one.
  types: ["tsc", "-p", ".", "--singleThreaded"],
  "types of the dashboard": ["tsc", "-p", "dashboard", "--singleThreaded"],
  "unused code": ["knip"],
  "generated files": ["node", "scripts/gen.ts", "--check"],
};

const check = (name: string, [command, ...args]: readonly string[]) =>
  new Promise<boolean>((resolve) => {
    const began = performance.now();
    let text = "";
    const child = spawn(command!, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
    child.on("error", (error) => (text += error.message));
    child.on("close", (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok" : "FAILED"}: ${name} (${seconds} s)`);
      if (code !== 0) console.log(text);
      resolve(code === 0);
    });
  });

const held = await Promise.all(Object.entries(CHECKS).map(([name, command]) => check(name, command)));
if (held.includes(false)) process.exitCode = 1;
