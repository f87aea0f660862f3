import { existsSync } from "node:fs";
import { Command } from "commander";
import { type Config, ConfigError, flagOf, readConfig, SETTINGS, type SettingName } from "../config.ts";
import { ApiError } from "../core/errors.ts";
import { VERSION } from "../version.ts";

const NAMES = Object.keys(SETTINGS) as SettingName[];
/** What every command needs to find the database. */
const DATABASE: SettingName[] = ["DATABASE_URL", "LAUREL_DATA_DIR"];

const camelCase = (flag: string) => flag.slice(2).replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

function withFlags(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const {
      kind,
      default: fallback,
      means,
      shown,
    } = SETTINGS[name] as { kind: { takes: string }; default: unknown; means: string; shown?: string };
    const note = `${means} ${kind.takes[0]!.toUpperCase()}${kind.takes.slice(1)}. Default: ${shown ?? fallback}. [${name}]`;
    command.option(`${flagOf(name)} <value>`, note.replaceAll("`", ""));
  }
  return command;
}

/** The configuration from the command's flags and the environment. */
function configOf(command: Command): Config {
  const options = command.opts<Record<string, string | undefined>>();
  const given = NAMES.map((name) => [name, options[camelCase(flagOf(name))]]).filter(
    ([, value]) => value !== undefined,
  );
  return readConfig(process.env, Object.fromEntries(given));
}

const program = new Command("laurel")
  .description("Promotions, loyalty and referrals, on your own machine.")
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError("Run with --help to see what it takes.");

withFlags(program.command("serve"), NAMES)
  .description("Start the server, and the embedded PostgreSQL unless you name another.")
  .action(async (_, command: Command) => (await import("./serve.ts")).serve(configOf(command)));

withFlags(program.command("migrate"), DATABASE)
  .description("Update the tables of the database to this version. `serve` does the same when it starts.")
  .option("--distribute", "on the coordinator of a Citus cluster: spread the tables over its machines, by project")
  .action(async (options, command: Command) =>
    (await import("./migrate.ts")).migrateCommand(configOf(command), options.distribute === true),
  );

const demo = program.command("demo").description("Load the demo data, or wipe everything in a sandbox project.");
withFlags(demo.command("load"), DATABASE)
  .description("Load the demo data into a sandbox project.")
  .option("--project <id>", "the project; the only sandbox project when there is one")
  .action(async (options, command: Command) =>
    (await import("./demo.ts")).loadCommand(configOf(command), options.project),
  );
withFlags(demo.command("wipe"), DATABASE)
  .description("Delete everything in a sandbox project but the project and its keys.")
  .option("--project <id>", "the project; the only sandbox project when there is one")
  .requiredOption("--yes", "confirm that everything is to be deleted")
  .action(async (options, command: Command) =>
    (await import("./demo.ts")).wipeCommand(configOf(command), options.project),
  );

const project = program
  .command("project")
  .description("Create and list projects, switch their features, move their test clocks.");
withFlags(project.command("create"), DATABASE)
  .description("Create a project and print its keys.")
  .requiredOption("--name <name>", "its name")
  .option("--timezone <zone>", "its time zone", "UTC")
  .option("--currency <code>", "its currency, ISO 4217", "USD")
  .option("--sandbox", "a project to try things in; it can be wiped, but not deleted")
  .option("--case-sensitive-codes", "treat codes that differ in upper and lower case as different codes")
  .action(async (options, command: Command) =>
    (await import("./project.ts")).createCommand(configOf(command), options),
  );
withFlags(project.command("list"), DATABASE)
  .description("List the projects.")
  .action(async (_, command: Command) => (await import("./project.ts")).listCommand(configOf(command)));
withFlags(project.command("feature <id> <feature> <on|off>"), DATABASE)
  .description("Switch a feature of a project.")
  .action(async (id, feature, state, _, command: Command) =>
    (await import("./project.ts")).featureCommand(configOf(command), { id, feature, state }),
  );
withFlags(project.command("clock <id>"), DATABASE)
  .description("Show the time of a project, or move the test clock of a sandbox forward.")
  .option("--to <time>", "the time to move to, at most two years ahead: 2027-01-01T00:00:00Z")
  .option("--advance <period>", "how far to move, at most two years: P30D")
  .action(async (id, options, command: Command) =>
    (await import("./project.ts")).clockCommand(configOf(command), id, options),
  );

const key = program.command("key").description("Create, list, disable and rotate key pairs.");
withFlags(key.command("create"), DATABASE)
  .description("Create a key pair and print its secret, once.")
  .requiredOption("--kind <kind>", "app, client or management")
  .option("--project <id>", "the project; none for a management key")
  .option("--name <name>", "what it is for", "key")
  .action(async (options, command: Command) => (await import("./key.ts")).createCommand(configOf(command), options));
withFlags(key.command("list"), DATABASE)
  .description("List key pairs, without their secrets.")
  .option("--project <id>", "only those of this project")
  .action(async (options, command: Command) => (await import("./key.ts")).listCommand(configOf(command), options));
withFlags(key.command("disable <id>"), DATABASE)
  .description("Disable a key pair. The key and its tokens stop working at once, in every process.")
  .option("--kind <kind>", "app, client or management, when keys of several kinds have this id")
  .action(async (id, options, command: Command) =>
    (await import("./key.ts")).disableCommand(configOf(command), id, options),
  );
withFlags(key.command("rotate <id>"), DATABASE)
  .description("Give a key pair a new secret and print it, once.")
  .option("--kind <kind>", "app, client or management, when keys of several kinds have this id")
  .option("--overlap-hours <hours>", "how long the old secret keeps working", "24")
  .action(async (id, options, command: Command) =>
    (await import("./key.ts")).rotateCommand(configOf(command), id, options),
  );

const user = program.command("user").description("Create, list and delete users, and set their passwords.");
withFlags(user.command("create"), [...DATABASE, "LAUREL_PUBLIC_URL"])
  .description("Create a user and print the link with which they choose a password, once.")
  .requiredOption("--email <address>", "the e-mail address, which is the login too")
  .option("--owner", "an owner: in every project as ADMIN, also in later ones, and keeper of the team")
  .option("--project <id>", "a project that the user is in")
  .option("--role <role>", "the role in that project: ADMIN, USER, VIEWER, MERCHANT or a custom one", "USER")
  .option("--first-name <name>", "the first name; the beginning of the address when there is none")
  .option("--last-name <name>", "the last name", "")
  .action(async (options, command: Command) => (await import("./user.ts")).createCommand(configOf(command), options));
withFlags(user.command("invite <user>"), [...DATABASE, "LAUREL_PUBLIC_URL"])
  .description("Print a new link for a user who has not accepted the invitation, by id or login. The link before ends.")
  .option("--owner", "create an owner with this e-mail address, when nobody has it")
  .action(async (id, options, command: Command) =>
    (await import("./user.ts")).inviteCommand(configOf(command), id, options),
  );
withFlags(user.command("reset <user>"), [...DATABASE, "LAUREL_PUBLIC_URL"])
  .description("Print a link with which a user chooses another password, by id or login. It works once, for a day.")
  .action(async (id, _, command: Command) => (await import("./user.ts")).resetCommand(configOf(command), id));
withFlags(user.command("remove-totp <user>"), DATABASE)
  .description("Remove the second factor of a user, by id or login.")
  .action(async (id, _, command: Command) => (await import("./user.ts")).removeTotpCommand(configOf(command), id));
withFlags(user.command("password <user>"), DATABASE)
  .description("Set the password of a user, by id or login. It is read from standard input.")
  .action(async (id, _, command: Command) => (await import("./user.ts")).passwordCommand(configOf(command), id));
withFlags(user.command("list"), DATABASE)
  .description("List users, their projects and roles.")
  .action(async (_, command: Command) => (await import("./user.ts")).listCommand(configOf(command)));
withFlags(user.command("delete <user>"), DATABASE)
  .description("Delete a user, by id or login, with everything that is stored of them.")
  .action(async (id, _, command: Command) => (await import("./user.ts")).deleteCommand(configOf(command), id));

const customer = program.command("customer").description("What is stored of a customer.");
withFlags(customer.command("export"), DATABASE)
  .description("Print everything that is stored of a customer, as JSON.")
  .requiredOption("--id <id>", "the id or the source id of the customer")
  .option("--project <id>", "the project; needed when several have such a customer")
  .action(async (options, command: Command) =>
    (await import("./customer.ts")).exportCommand(configOf(command), options),
  );

const webhooks = program.command("webhooks").description("Try webhooks on your own machine.");
withFlags(webhooks.command("listen"), DATABASE)
  .description("Send what happens in a project to an address of yours, until you press Ctrl-C.")
  .requiredOption("--forward <url>", "where to: http://localhost:8080/hooks")
  .option("--project <id>", "the project; the only one when there is one")
  .option("--events <types>", "the types of events, separated by commas; all of them")
  .action(async (options, command: Command) =>
    (await import("./webhooks.ts")).listenCommand(configOf(command), options),
  );

const events = program.command("events").description("See what happens in a project.");
withFlags(events.command("tail"), DATABASE)
  .description("Print each event as a line of JSON, until you press Ctrl-C.")
  .option("--project <id>", "the project; the only one when there is one")
  .option("--kind <prefix>", "only events whose kind begins so: customer.redemption")
  .option("--last <count>", "how many of those before to print first", "10")
  .action(async (options, command: Command) => (await import("./events.ts")).tailCommand(configOf(command), options));

withFlags(program.command("top"), ["HOST", "PORT", ...DATABASE])
  .description("Show requests, latency, lanes, jobs and slow statements of a server, live, until you press Ctrl-C.")
  .option("--url <url>", "the server; the one that HOST and PORT name")
  .option("--interval <seconds>", "how often", "2")
  .option("--once", "print one picture and end")
  .action(async (options, command: Command) => (await import("./top/top.ts")).topCommand(configOf(command), options));

const requests = program.command("requests").description("See what was asked of a project, and answered.");
const OF_INSTALLATION = ["--installation", "calls that name no project: lists of projects, users and roles"] as const;
withFlags(requests.command("list"), DATABASE)
  .description("List the last requests, the newest first.")
  .option("--project <id>", "the project; the only one when there is one")
  .option(...OF_INSTALLATION)
  .option("--request <id>", "only the request with this id, which is in X-Request-Id of its answer")
  .option("--code <code>", "only requests that name this code")
  .option("--customer <id>", "only requests that name this customer, by the id or the source id")
  .option("--status <status>", "only requests with this status: 404, or 4xx")
  .option("--error <key>", "only requests that were refused with this key: not_found")
  .option("--method <method>", "only requests with this method: GET, POST, PUT or DELETE")
  .option("--route <path>", "only requests of this path: /v1/vouchers/{code}")
  .option("--key <id>", "only requests with this key")
  .option("--after <time>", "only requests after a day or a moment: 2026-05-01, 2026-05-01T12:00:00Z")
  .option("--before <time>", "only requests before a day or a moment")
  .option("--last <count>", "how many", "20")
  .action(async (options, command: Command) => (await import("./requests.ts")).listCommand(configOf(command), options));
withFlags(requests.command("show <id>"), DATABASE)
  .description("Print a request with its bodies, as JSON.")
  .option("--project <id>", "the project; the only one when there is one")
  .option(...OF_INSTALLATION)
  .action(async (id, options, command: Command) =>
    (await import("./requests.ts")).showCommand(configOf(command), id, options),
  );

program
  .command("openapi")
  .description("Print the OpenAPI document.")
  .action(async () => (await import("./openapi.ts")).openApiCommand());

withFlags(program.command("doctor"), DATABASE)
  .description("Check the database, its tables, its data and the clocks.")
  .action(async (_, command: Command) => (await import("./doctor.ts")).doctorCommand(configOf(command)));

withFlags(program.command("backup <file>"), DATABASE)
  .description("Write everything to a file. The server can keep running.")
  .action(async (file, _, command: Command) => (await import("./backup.ts")).backupCommand(configOf(command), file));

withFlags(program.command("restore <file>"), DATABASE)
  .description("Fill an empty database from a file that `backup` wrote.")
  .action(async (file, _, command: Command) => (await import("./backup.ts")).restoreCommand(configOf(command), file));

// Exit codes: 0 done, 1 failed, 2 called wrongly.
try {
  if (existsSync(".env")) process.loadEnvFile(".env");
  await program.parseAsync();
} catch (error) {
  const { code, exitCode, message, stack } = error as Error & { code?: string; exitCode?: number };
  if (code?.startsWith("commander.")) process.exit(exitCode === 0 ? 0 : 2);
  // An `ApiError` here is an id on the command line that does not exist.
  const isWrongUse = error instanceof ConfigError || error instanceof ApiError;
  console.error(isWrongUse ? message : process.env.LAUREL_LOG_LEVEL === "debug" ? stack : `laurel: ${message}`);
  process.exit(isWrongUse ? 2 : 1);
}
