/** Shows how far long work is: one line that moves on a terminal, nothing in a pipe. */
export function showProgress(what: string): (done: number, all: number) => void {
  if (!process.stderr.isTTY) return () => {};
  return (done, all) => {
    process.stderr.write(`\r${what}: ${done} of ${all}${done === all ? "\n" : ""}`);
  };
}
