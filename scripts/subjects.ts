import { execFileSync } from "node:child_process";

// The subject of a commit has at most 70 characters. The gate looks at the commits after this one: older ones are as they are.
const BASE = "c602ad8dc6c2aacd348f5f4f63c21909cbbd8b88";
const LENGTH_MAX = 70;

/** The subjects that are too long, of the commits after `base`; of the last one alone where `base` is not in the clone. */
export function longSubjects(dir: string, base = BASE): string[] {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: dir, stdio: ["ignore", "pipe", "ignore"] }).toString();
  const hasBase = () => {
    try {
      git("merge-base", "--is-ancestor", base, "HEAD");
      return true;
    } catch {
      return false;
    }
  };
  const subjects = git("log", "--no-merges", "--format=%s", ...(hasBase() ? [`${base}..HEAD`] : ["-1"]));
  return subjects.split("\n").filter((subject) => [...subject].length > LENGTH_MAX);
}

/** Where there is no history, as in an unpacked archive, there are no subjects either. */
function hasHistory(): boolean {
  try {
    execFileSync("git", ["log", "-1"], { stdio: "ignore" });
    return true;
  } catch {
    console.log("Subjects of commits are not looked at: git has no history here.");
    return false;
  }
}

if (import.meta.main && hasHistory()) {
  const long = longSubjects(process.cwd());
  for (const subject of long)
    console.error(`The subject of a commit has more than ${LENGTH_MAX} characters: ${subject}`);
  process.exitCode = long.length > 0 ? 1 : 0;
}
