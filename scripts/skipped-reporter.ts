import type { TestEvent } from "node:test/reporters";

/** Ends a run with what it skipped and why. Tests that ran are told by the other reporter. */
export default async function* skipped(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const lines = new Set<string>();
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.skip === undefined) continue;
    const why = typeof data.skip === "string" && data.skip !== "" ? data.skip : "no reason given";
    lines.add(`  ${data.name}: ${why}\n`);
  }
  if (lines.size === 0) yield "\nNothing was skipped.\n";
  else yield* [`\nSkipped (${lines.size}):\n`, ...lines];
}
