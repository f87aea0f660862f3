/**
 * What the interface asks for, one row for each row of its tables, numbered rule, limit and sentence that asks for
 * something. A row names the tests that hold it, as `file › test name`. `interface.test.ts` keeps the table true.
 */
export type Row = {
  id: string;
  says: string;
  tests: readonly string[];
  /** The interface leaves it open: what we chose may be tested, and need not be. */
  open?: true;
};

type RowTests = string | readonly [says: string, ...tests: string[]];
/** Rows whose ids begin alike. Those without tests of their own take `shared`. */
export function rows(prefix: string, given: Record<string, RowTests>, shared: readonly string[] = []): Row[] {
  return Object.entries(given).map(([name, one]) => {
    const [says, ...tests] = typeof one === "string" ? [one] : one;
    return { id: `${prefix}.${name}`, says: says!, tests: tests.length > 0 ? tests : shared };
  });
}
export const open = (given: Row[]): Row[] => given.map((row) => ({ ...row, open: true }));
