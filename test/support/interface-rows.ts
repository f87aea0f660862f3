import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import type { TestContext } from "node:test";

/**
 * Holds rows of the interface (`test/house/interface.ts`), each in a subtest that has the id of the row as its name. A whole
 * run looks at its end whether each of them ran.
 */
export async function holdsRows(
  t: TestContext,
  prefix: string,
  rows: Readonly<Record<string, () => unknown>>,
): Promise<void> {
  for (const [name, holds] of Object.entries(rows))
    await t.test(`${prefix}.${name}`, async () => {
      await holds();
      if (process.env.ROWS_FILE) appendFileSync(process.env.ROWS_FILE, `${prefix}.${name}\n`);
    });
}

/** The same for the fields of an object: each has the value that is expected of it. */
export const holdsFields = (
  t: TestContext,
  prefix: string,
  shown: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): Promise<void> =>
  holdsRows(
    t,
    prefix,
    Object.fromEntries(
      Object.keys(expected).map((field) => [field, () => assert.deepEqual(shown[field], expected[field], field)]),
    ),
  );
