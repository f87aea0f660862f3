import fs from "node:fs";
import { join } from "node:path";
import { openApiText } from "../src/cli/openapi.ts";
import { flagOf, SETTINGS, type SettingName } from "../src/config.ts";
import { ERROR_TABLE } from "../src/core/errors.ts";
import { METRICS } from "../src/http/metrics.ts";
import { PERSONAL_PLACES } from "../src/resources/customers/customers/personal-data-store.ts";
import { dashboardOperations } from "./dashboard-operations.ts";
import { layerTable } from "./layers.ts";
import { discountTables, formulasReference, rulesReference } from "./reference.ts";
import { webhooksReference } from "./webhooks-reference.ts";

// Writes the files that are made from tables in the code. `--check` writes nothing and fails when one is not current.
const MADE = "<!-- Made by `npm run gen`. Change the table in the code, not this file. -->";

const errors = () =>
  [
    MADE,
    "# Errors",
    "",
    "Every error has the same body: `code` (the HTTP status), `key`, `message` and `request_id`. Some errors also have",
    "`details`, `resource_id`, `resource_type`, `related_object_ids`, `related_object_type` or `error.message`.",
    "",
    "| Key | Status | Message | What to do |",
    "|---|---|---|---|",
    ...Object.entries(ERROR_TABLE).map(
      ([key, e]) =>
        `| \`${key}\` | ${e.code}${e.or ? ` or ${e.or}` : ""} | ${[e.message, ...(e.also ? [e.also] : [])].join(" / ")} | ${e.help} |`,
    ),
    "",
  ].join("\n");

const configuration = () =>
  [
    MADE,
    "# Configuration",
    "",
    "Set each setting with an environment variable or with a flag of `laurel serve`. The flag wins. Laurel also reads a",
    "file `.env` in the working directory. Laurel does not start with an unknown `LAUREL_*` variable or a bad value, and",
    "the message names it.",
    "",
    "| Variable | Flag | Default | Takes | Meaning |",
    "|---|---|---|---|---|",
    ...Object.entries(SETTINGS).map(([name, s]) => {
      const shown = "shown" in s && s.shown ? s.shown : `\`${s.default}\``;
      return `| \`${name}\` | \`${flagOf(name as SettingName)}\` | ${shown} | ${s.kind.takes} | ${s.means} |`;
    }),
    "",
  ].join("\n");

const personalData = () =>
  [
    MADE,
    "# Personal data",
    "",
    "Every table that can hold something of a customer, how long it does, and what a permanent deletion",
    "(`POST /v1/customers/{customerId}/permanent-deletion`) does to it. `npm run laurel -- customer export --id <id>` prints all of it",
    "for one customer. A test plants a customer in every one of these places, erases it, and searches every column of every",
    "table and every stored file. Backups keep what they had: delete them as your own rules say.",
    "",
    "| Table | Holds | Kept | When the customer is erased |",
    "|---|---|---|---|",
    ...Object.entries(PERSONAL_PLACES).map(([name, p]) => `| \`${name}\` | ${p.holds} | ${p.kept} | ${p.erased} |`),
    "",
    "Nothing else is stored. The log has ids of requests and keys, and paths without codes. It has no addresses of callers, since a",
    "caller with a key of the client side is a shopper; a proxy before Laurel may log them. The shop decides how long it keeps logs.",
    "Metadata of codes, campaigns and products is the shop's own: do not put names there.",
    "",
  ].join("\n");

const metrics = (): string =>
  [
    MADE,
    "# Metrics",
    "",
    "`GET /metrics` answers in the text format of Prometheus, for callers on this machine unless `LAUREL_METRICS` says otherwise. With",
    "several processes the numbers of all are added. Beside these there is what Node tells of itself (`process_…`, `nodejs_…`).",
    "`ops/` has a dashboard for Grafana and alert rules for Prometheus made of them; the [operating guide](../guides/operating.md)",
    "says what to do when one fires.",
    "",
    "| Metric | Kind | Labels | Meaning |",
    "|---|---|---|---|",
    ...Object.entries<{ kind: string; help: string; labels?: readonly string[] }>(METRICS).map(
      ([name, { kind, help, labels = [] }]) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    ),
    "",
  ].join("\n");

/** A page whose part between `<!-- name -->` and `<!-- end of name -->` is made from the code. */
const withPart = (path: string, name: string, part: string): string =>
  fs
    .readFileSync(join(import.meta.dirname, "..", path), "utf8")
    .replace(
      new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end of ${name} -->)`),
      (_, head, end) => `${head}\n${part}\n\n${end}`,
    );

const FILES: Record<string, () => string> = {
  "ARCHITECTURE.md": () => withPart("ARCHITECTURE.md", "layers", layerTable()),
  "openapi.json": openApiText,
  "dashboard/src/api/operations.gen.ts": () => dashboardOperations(JSON.parse(openApiText())),
  "docs/errors.md": errors,
  "docs/reference/configuration.md": configuration,
  "docs/reference/discounts.md": () => withPart("docs/reference/discounts.md", "types", discountTables()),
  "docs/reference/metrics.md": metrics,
  "docs/reference/personal-data.md": personalData,
  "docs/reference/formulas.md": () => formulasReference(MADE),
  "docs/reference/rules.md": () => rulesReference(MADE),
  "docs/reference/webhooks.md": () => webhooksReference(MADE),
};

const check = process.argv.includes("--check");
for (const [name, make] of Object.entries(FILES)) {
  const [path, text] = [join(import.meta.dirname, "..", name), make()];
  const current = fs.existsSync(path) && fs.readFileSync(path, "utf8") === text;
  if (current) continue;
  if (check) {
    console.error(`${name} is not current. Run \`npm run gen\`.`);
    process.exitCode = 1;
  } else {
    fs.mkdirSync(join(path, ".."), { recursive: true });
    fs.writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}
