type Line = { figure: string; value: number | string; promised: string; holds: boolean };

/** Figures as columns: what, how much, what is promised, and whether that holds. */
export function printTable(lines: readonly Line[]): void {
  const rows = [
    ["figure", "measured", "promised", ""],
    ...lines.map(({ figure, value, promised, holds }) => [figure, `${value}`, promised, holds ? "ok" : "BROKEN"]),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]!.length)));
  console.log("");
  for (const row of rows)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  console.log("");
}
