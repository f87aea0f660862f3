import { globSync, readFileSync } from "node:fs";

export type SourceFile = { path: string; text: string };

/** The files of the product, without their tests. */
export const sources = (pattern = "src/**/*.ts"): SourceFile[] =>
  globSync(pattern)
    .filter((path) => !path.endsWith(".test.ts"))
    .sort()
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));

/** The same text with every comment blank, so that lines keep their numbers. Texts in quotes stay. */
export const withoutComments = (text: string): string =>
  text.replace(/"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (found) =>
    found.startsWith("/") ? found.replace(/[^\n]/g, " ") : found,
  );

/** Everything that a file imports, types too, also what it loads later. */
export const importsOf = (text: string): string[] =>
  [...withoutComments(text).matchAll(/^(?:import|export)\b(?:[^"`;=]*? from)? "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
    ([, target, later]) => target ?? later!,
  );
