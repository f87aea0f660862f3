/**
 * What the interface asks for, one row for each row of its tables, numbered rule, limit and sentence that asks for
 * something. A row names the tests that hold it, as `file › test name`, or `file › test name › subtest`. `interface.test.ts` keeps the table true.
 */
export type Row = {
  id: string;
  says: string;
  tests: readonly string[];
  /** The interface leaves it open. Its tests hold what we chose; where we chose nothing yet, this says so. */
  open?: true | string;
};

/** A test that holds each row in a subtest of its own, which has the id of the row (`test/support/interface-rows.ts`). */
export const each = (test: string): string => `${test} › ${ID}`;
const ID = "the id of the row";

type RowTests = string | readonly [says: string, ...tests: string[]];
/** Rows whose ids begin alike. Those without tests of their own take `shared`. */
export function rows(prefix: string, given: Record<string, RowTests>, shared: readonly string[] = []): Row[] {
  return Object.entries(given).map(([name, one]) => {
    const [says, ...tests] = typeof one === "string" ? [one] : one;
    const id = `${prefix}.${name}`;
    const named = (tests.length > 0 ? tests : shared).map((test) => test.replace(ID, id));
    return { id, says: says!, tests: named };
  });
}
export const open = (given: Row[], nothingYet?: string): Row[] =>
  given.map((row) => ({ ...row, open: nothingYet ?? true }));
