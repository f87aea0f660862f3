import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import * as templates from "./templates.ts";

const HELP = `npm run new -- KIND NAME

  resource AREA/NAME   three files, a migration, a test, the prefix of its ids and a line in src/routes.ts
                       npm run new -- resource catalogue/gift-wraps
  rule NAME            a validation rule: its file and its lines in the registry
                       npm run new -- rule order.items.weight
  discount TYPE        a discount type: its file and its line in the registry
                       npm run new -- discount ROUND_DOWN
  event KIND           an event kind: its line in src/events/kinds.ts
                       npm run new -- event customer.gift_wrap.chosen
  flow AREA/NAME       an operation over several resources: its file and a test
                       npm run new -- flow catalogue/merge-gift-wraps

NAME of a resource is a plural. AREA is a folder of src/resources. CONTRIBUTING.md says what is left to do.`;

class UsageError extends Error {}

/** What is written: new files whole, and lines added to files that are there. */
type Change = { files: Record<string, string>; lines: readonly Line[] };
/** A line that becomes the last entry of the list that begins with `list`, and the import that it needs. */
type Line = { file: string; list: string; line: string; imports?: string };

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);
function namesOf(words: readonly string[]): templates.Names {
  const pascal = words.map(capital).join("");
  return { pascal, camel: pascal[0]!.toLowerCase() + pascal.slice(1), words: words.join(" ") };
}

function requireName(name: string, pattern: RegExp, form: string): void {
  if (!pattern.test(name)) throw new UsageError(`${name || "The empty name"} is not a name like ${form}`);
}

function inArea(root: string, name: string, form: string): { area: string; words: string[] } {
  requireName(name, /^[a-z][a-z0-9-]*\/[a-z]+(?:-[a-z]+)*$/, form);
  const [area, last] = name.split("/") as [string, string];
  if (!fs.existsSync(join(root, "src/resources", area))) throw new UsageError(`There is no area src/resources/${area}`);
  return { area, words: last.split("-") };
}

const REGISTRY_OF_RULES = "src/core/rules/registry.ts";
const REGISTRY_OF_DISCOUNTS = "src/core/discounts/registry.ts";

const KINDS: Record<string, (root: string, name: string) => Change> = {
  rule: (_, name) => {
    requireName(name, /^[a-z]+(?:\.[a-z_]+)+$/, "order.items.weight");
    const words = name.split(/[._]/);
    const [names, file] = [namesOf(words), words.join("-")];
    return {
      files: { [`src/core/rules/${file}.ts`]: templates.rule(name, names) },
      lines: [
        {
          file: REGISTRY_OF_RULES,
          list: "export const RULES",
          line: `${names.camel},`,
          imports: `import { ${names.camel} } from "./${file}.ts";`,
        },
        { file: "src/core/rules/registry.test.ts", list: "const NAMES", line: `"${name}",` },
      ],
    };
  },
  discount: (_, type) => {
    requireName(type, /^[A-Z]+(?:_[A-Z]+)*$/, "ROUND_DOWN");
    const words = [...type.toLowerCase().split("_"), "discount"];
    const [names, file] = [namesOf(words), words.join("-")];
    const imports = `import { ${names.camel} } from "./${file}.ts";`;
    return {
      files: { [`src/core/discounts/${file}.ts`]: templates.discount(type, names) },
      lines: [{ file: REGISTRY_OF_DISCOUNTS, list: "export const DISCOUNTS", line: `${names.camel},`, imports }],
    };
  },
  event: (_, kind) => {
    requireName(kind, /^[a-z]+(?:\.[a-z_]+)+$/, "customer.gift_wrap.chosen");
    return {
      files: {},
      lines: [{ file: "src/events/kinds.ts", list: "export const EVENTS", line: `"${kind}": "ACTION",` }],
    };
  },
  flow: (root, name) => {
    const { area, words } = inArea(root, name, "catalogue/merge-gift-wraps");
    const [names, file] = [namesOf(words), `${area}/${words.join("-")}`];
    const files = {
      [`src/flows/${file}.ts`]: templates.flow(names),
      [`test/${file}.test.ts`]: templates.flowTest(names, file),
    };
    return { files, lines: [] };
  },
  resource: (root, name) => {
    const { area, words } = inArea(root, name, "catalogue/gift-wraps");
    const single = [...words.slice(0, -1), singularOf(words.at(-1)!)];
    const path = words.join("-");
    const names = {
      table: words.join("_"),
      object: single.join("_"),
      path,
      prefix: single.join("").slice(0, 8),
      one: namesOf(single),
      many: namesOf(words),
    };
    const folder = `src/resources/${area}/${path}`;
    const imports = `import { ${names.one.camel}Routes } from "./resources/${area}/${path}/routes.ts";`;
    return {
      files: {
        [`migrations/${nextMigration(root)}_${names.table}.sql`]: templates.migration(names),
        [`${folder}/schema.ts`]: templates.schema(names),
        [`${folder}/store.ts`]: templates.store(names),
        [`${folder}/routes.ts`]: templates.routes(names),
        [`test/${area}/${path}.test.ts`]: templates.resourceTest(names),
      },
      lines: [
        { file: "src/request.ts", list: "export const PREFIXES", line: `${names.prefix}: "${names.one.words}",` },
        {
          file: "src/routes.ts",
          list: "export const ALL_ROUTES",
          line: `...${names.one.camel}Routes,`,
          imports,
        },
      ],
    };
  },
};

function singularOf(word: string): string {
  if (!word.endsWith("s")) throw new UsageError(`${word} is not a plural`);
  return word.endsWith("ies") ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}

function nextMigration(root: string): string {
  const last = Math.max(...fs.readdirSync(join(root, "migrations")).map((name) => Number.parseInt(name, 10)));
  return String(last + 1).padStart(4, "0");
}

function withLine(text: string, { file, list, line, imports }: Line): string {
  const begins = text.indexOf(list);
  const ends = text.slice(begins).search(/^[\]}]/m);
  if (begins === -1 || ends === -1) throw new Error(`${file} has no list that begins with ${list}`);
  const [before, after] = [text.slice(0, begins + ends), text.slice(begins + ends)];
  const key = line.split(":")[0]!;
  if (before.slice(begins).includes(`\n  ${key}`)) throw new UsageError(`${file} has ${key.replace(/,$/, "")} already`);
  return `${imports ? `${imports}\n` : ""}${before}  ${line}\n${after}`;
}

/** Writes the files of something new below `root`, and returns the paths of all that it wrote. */
export function makeNew(root: string, kind: string, name: string): string[] {
  const make = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!make) throw new UsageError(`${kind || "Nothing"} is none of ${Object.keys(KINDS).sort().join(", ")}`);
  const { files, lines } = make(root, name);
  const taken = Object.keys(files).find((path) => fs.existsSync(join(root, path)));
  if (taken) throw new UsageError(`${taken} is there already`);
  // All texts before the first is written: what is refused changes nothing.
  const texts = new Map(Object.entries(files));
  for (const line of lines) texts.set(line.file, withLine(fs.readFileSync(join(root, line.file), "utf8"), line));
  for (const [path, text] of texts) {
    fs.mkdirSync(join(root, path, ".."), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  }
  return [...texts.keys()];
}

function main([kind = "", name = ""]: string[]): void {
  if (kind === "--help" || kind === "-h") {
    console.log(HELP);
    return;
  }
  const root = join(import.meta.dirname, "..");
  const paths = makeNew(root, kind, name);
  // Sorts the imports that were added, too.
  const code = paths.filter((path) => path.endsWith(".ts"));
  execFileSync("npx", ["biome", "check", "--write", ...code], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  for (const path of paths) console.log(path);
  console.log("Now see CONTRIBUTING.md, and run `npm run gen`.");
}

if (import.meta.main)
  try {
    main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${HELP}`);
    process.exitCode = 2;
  }
