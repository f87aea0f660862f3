import { isIP } from "node:net";
import { availableParallelism } from "node:os";

/** What a text must be to count as a value. Each says what it takes, for the message and for the docs. */
type Kind<T> = { takes: string; parse(text: string): T | undefined };

const text: Kind<string> = { takes: "text", parse: (value) => value || undefined };
const whole = (min: number, max: number): Kind<number> => ({
  takes: `a whole number from ${min} to ${max}`,
  parse: (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  },
});
const choice = <const V extends readonly string[]>(...values: V): Kind<V[number]> => ({
  takes: values.map((value) => `\`${value}\``).join(" or "),
  parse: (value) => values.find((one) => one === value),
});
const url: Kind<string> = {
  takes: "a `postgres://` URL with one host",
  // `postgres://user@/db?host=/run/postgresql` names a Unix socket and no host. Several hosts are for who knows the primary.
  parse: (value) =>
    /^postgres(?:ql)?:(?!\/\/[^/?]*,[^/?@]*(?:[/?]|$))/.test(value) && URL.canParse(value.replace("@/", "@localhost/"))
      ? value
      : undefined,
};
const webUrl: Kind<string> = {
  takes: "an `http://` or `https://` URL without a query",
  parse: (value) =>
    /^https?:\/\/[^\s?#]+$/.test(value) && URL.canParse(value) ? value.replace(/\/+$/, "") : undefined,
};
const secretKey: Kind<string> = {
  takes: "64 hexadecimal digits, as `openssl rand -hex 32` prints them",
  parse: (value) => (/^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : undefined),
};
// It is sent in a header, where other characters arrive as something else.
const credential: Kind<string> = {
  takes: "text of printable ASCII characters",
  parse: (value) => (/^[!-~](?:[ -~]*[!-~])?$/.test(value) ? value : undefined),
};
const proxy: Kind<string> = {
  takes: "`off`, `on`, or the addresses and networks of the proxies, separated by commas",
  parse: (value) =>
    value === "off" || value === "on" || value.split(",").every((one) => isNetwork(one.trim())) ? value : undefined,
};
// Its answers are trusted, so nobody on the way may change them.
const issuer: Kind<string> = {
  takes: "an `https://` URL without a query, as the provider writes it, or an `http://` one of this machine",
  parse: (value) => {
    if (!/^https?:\/\/[^\s?#]+$/.test(value) || !URL.canParse(value)) return undefined;
    const { protocol, hostname } = new URL(value);
    return protocol === "https:" || isLoopback(hostname) ? value : undefined;
  },
};
const domainNames: Kind<string> = {
  takes: "`none`, or domains such as `shop.example`, separated by commas",
  parse: (value) =>
    value.split(",").every((one) => /^(?:[a-z0-9-]+\.)*[a-z0-9-]+$/i.test(one.trim()))
      ? value.toLowerCase()
      : undefined,
};
const smtp: Kind<string> = {
  takes: "an `smtp://` or `smtps://` URL",
  parse: (value) => (/^smtps?:\/\/[^/]/.test(value) && URL.canParse(value) ? value : undefined),
};
const mailbox: Kind<string> = {
  takes: "an e-mail address",
  parse: (value) => (/^[^\s@<>]+@[^\s@<>]+$/.test(value) ? value : undefined),
};
const networks: Kind<string> = {
  takes: "`none`, or addresses and networks such as `loopback,10.0.0.0/8`, separated by commas",
  parse: (value) => (value === "none" || value.split(",").every((one) => isNetwork(one.trim())) ? value : undefined),
};
const NAMED_NETWORKS = ["loopback", "linklocal", "uniquelocal"];

function isNetwork(text: string): boolean {
  const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (NAMED_NETWORKS.includes(text)) return true;
  return isIP(address) !== 0 && Number(bits ?? 1) >= 1 && Number(bits ?? 1) <= (isIP(address) === 4 ? 32 : 128);
}

type Setting<T> = { kind: Kind<T>; default: T | null; means: string; shown?: string; secret?: true };
const setting = <T>(kind: Kind<T>, fallback: T | null, means: string, more: { shown?: string; secret?: true } = {}) =>
  ({ kind, default: fallback, means, ...more }) as Setting<T>;

/** One core is left to the database, which has as much to do as a process: on 8 cores 7 processes, on 1 and 2 cores one. */
export const processesFor = (cores: number): number => Math.min(256, Math.max(1, cores - 1));

/**
 * Every setting. The environment, the command line's flags and `docs/reference/configuration.md` all come from this
 * table: `LAUREL_DATA_DIR` is the flag `--data-dir`.
 */
export const SETTINGS = {
  HOST: setting(text, "127.0.0.1", "The address that the server listens on."),
  PORT: setting(whole(0, 65_535), 3000, "The port that the server listens on; 0: any free port."),
  LAUREL_PUBLIC_URL: setting(
    webUrl,
    null,
    "The address that people reach this server at; links in invitations and the addresses of exports and reports begin with it.",
    {
      shown: "`http://` with the host and the port",
    },
  ),
  DATABASE_URL: setting(url, null, "A PostgreSQL server, 15 or newer.", {
    shown: "none: the embedded database",
    secret: true,
  }),
  LAUREL_DATA_DIR: setting(text, "./data", "The directory of the embedded database and the credentials files."),
  LAUREL_SECRET_KEY: setting(
    secretKey,
    null,
    "The key that secrets in the database are encrypted with: of webhooks and of second factors.",
    {
      shown: "`credentials/secret.key` of the data directory, generated for the embedded database",
      secret: true,
    },
  ),
  LAUREL_SECRET_KEY_PREVIOUS: setting(
    secretKey,
    null,
    "The key before, while secrets are encrypted anew: the start does that. It opens secrets and encrypts none.",
    { shown: "none", secret: true },
  ),
  LAUREL_DEMO: setting(choice("on", "off"), null, "Whether the first start adds demo data to the project it creates.", {
    shown: "`on` for the embedded database, else `off`",
  }),
  LAUREL_DEMO_DAYS: setting(whole(0, 90), 90, "The days of sales that the demo data brings; 0 loads it fastest."),
  LAUREL_PROJECT_ID: setting(text, null, "The id of the project that the first start creates.", {
    shown: "generated",
  }),
  LAUREL_APP_ID: setting(credential, null, "The id of its server-side key.", { shown: "generated" }),
  LAUREL_APP_TOKEN: setting(credential, null, "The secret of that key.", { shown: "generated", secret: true }),
  LAUREL_CLIENT_ID: setting(credential, null, "The id of its client-side key.", { shown: "generated" }),
  LAUREL_CLIENT_TOKEN: setting(credential, null, "The secret of that key.", { shown: "generated", secret: true }),
  LAUREL_MANAGEMENT_ID: setting(credential, null, "The id of the management key.", { shown: "generated" }),
  LAUREL_MANAGEMENT_TOKEN: setting(credential, null, "The secret of that key.", { shown: "generated", secret: true }),
  LAUREL_V2_AUTH: setting(
    choice("all", "either"),
    "all",
    "What `/v2` requires: the key pair and a bearer token (`all`), or one of the two (`either`).",
  ),
  LAUREL_PROCESSES: setting(whole(1, 256), processesFor(availableParallelism()), "The number of server processes.", {
    shown: "the number of cores minus 1, at least 1",
  }),
  LAUREL_TRUST_PROXY: setting(
    proxy,
    "off",
    "The proxies whose `X-Forwarded-For` header Laurel trusts for the caller's address.",
  ),
  LAUREL_LOG_LEVEL: setting(
    choice("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "info",
    "The lowest level that is logged, as JSON on standard error.",
  ),
  LAUREL_METRICS: setting(
    choice("loopback", "direct", "on", "off"),
    "loopback",
    "Who may read `/metrics`: callers on this machine, callers that no proxy passes on, all, or nobody.",
  ),
  LAUREL_WEBHOOK_ALLOW: setting(
    networks,
    "none",
    "Networks that webhooks may be sent to although they are not on the internet.",
  ),
  LAUREL_SMTP_URL: setting(smtp, null, "The server that e-mail is sent through.", {
    shown: "none: no e-mail is sent",
    secret: true,
  }),
  LAUREL_MAIL_FROM: setting(mailbox, "laurel@localhost", "The address that e-mail comes from."),
  LAUREL_OIDC_ISSUER: setting(
    issuer,
    null,
    "The provider that people can sign in with (OpenID Connect). It sends them back to `/sign-in/callback` below `LAUREL_PUBLIC_URL`.",
    { shown: "none: people sign in with passwords" },
  ),
  LAUREL_OIDC_CLIENT_ID: setting(credential, null, "What the provider calls this server.", { shown: "none" }),
  LAUREL_OIDC_CLIENT_SECRET: setting(credential, null, "The secret that the provider gave it.", {
    shown: "none: a public client",
    secret: true,
  }),
  LAUREL_OIDC_NAME: setting(text, null, "What the provider is called on the sign-in page.", {
    shown: "the host of the issuer",
  }),
  LAUREL_OIDC_DOMAINS: setting(domainNames, "none", "Domains of verified e-mail addresses that need no invitation."),
  LAUREL_OIDC_ROLE: setting(text, "VIEWER", "The role of users who come without an invitation."),
  LAUREL_OIDC_PROJECTS: setting(
    text,
    "all",
    "The ids of the projects that they are given, separated by commas; `all`: every project there is when they come.",
  ),
  LAUREL_DOCS: setting(choice("on", "off"), "on", "Whether the server shows the API reference at `/docs`."),
  LAUREL_DASHBOARD: setting(
    choice("on", "off", "dev"),
    "on",
    "Whether the server shows the dashboard at `/`; `dev` serves it from its sources.",
  ),
  LAUREL_BODY_LIMIT_BYTES: setting(whole(1024, 104_857_600), 1_048_576, "The largest request body, in bytes."),
  LAUREL_IMPORT_LIMIT_BYTES: setting(
    whole(1024, 1_099_511_627_776),
    2_147_483_648,
    "The largest CSV file that can be imported, in bytes.",
  ),
  LAUREL_REQUEST_TIMEOUT_MS: setting(whole(100, 600_000), 15_000, "The time that a request may take, in milliseconds."),
  LAUREL_DRAIN_S: setting(
    whole(0, 600),
    5,
    "How many seconds the port stays open after SIGTERM; meanwhile `/health/ready` answers 503. Ctrl-C does not wait.",
  ),
  LAUREL_STATEMENT_TIMEOUT_MS: setting(
    whole(100, 600_000),
    5_000,
    "The time that a database statement may take, in milliseconds.",
  ),
  LAUREL_RATE_LIMIT_APP: setting(whole(0, 10_000_000), 0, "Requests per minute for each server-side key; 0: no limit."),
  LAUREL_RATE_LIMIT_CLIENT: setting(
    whole(0, 10_000_000),
    0,
    "Requests per minute for each client-side key; 0: no limit.",
  ),
  LAUREL_RATE_LIMIT_MANAGEMENT: setting(
    whole(0, 10_000_000),
    0,
    "Requests per minute for each management key; 0: no limit.",
  ),
  LAUREL_RATE_LIMIT_USER: setting(
    whole(0, 10_000_000),
    0,
    "Requests per minute for each user who is signed in; 0: no limit.",
  ),
  LAUREL_RATE_LIMIT_BULK: setting(
    whole(0, 10_000_000),
    0,
    "Imports and updates in bulk (`…/import`, `…/importCSV`, `…/async`) per minute for each key, counted apart from its other requests; 0: they count with them.",
  ),
  LAUREL_RATE_LIMIT_STRANGERS: setting(
    whole(0, 10_000_000),
    60,
    "Requests per minute that an address may send without keys, to sign in and to accept invitations; 0: no limit.",
  ),
  LAUREL_RATE_LIMIT_SHARED: setting(
    choice("on", "off"),
    "off",
    "Whether all machines count limits together, in the database: requests, wrong codes, wrong passwords. Otherwise each process has its share of them.",
  ),
  LAUREL_WRONG_PASSWORDS_MAX: setting(
    whole(0, 1_000_000),
    10,
    "How many wrong passwords an address may try for one login in 15 minutes, and five times as many for all logins; 0: no limit.",
  ),
  LAUREL_WRONG_CODES_MAX: setting(
    whole(0, 1_000_000),
    5,
    "How many wrong codes an address may try in 5 seconds with client-side keys; 0: no limit.",
  ),
  LAUREL_VOUCHERS_COUNT_MAX: setting(
    whole(1, 1_000_000_000),
    10_000_000,
    "How many codes one request may generate. For more codes in a campaign, send more requests.",
  ),
  LAUREL_POOL_GENERAL: setting(
    whole(1, 1000),
    4,
    "Database connections of a process for plain operations. One project uses at most all but one.",
  ),
  LAUREL_LANES: setting(
    whole(1, 64),
    2,
    "How many batches a process runs at once. Each lane has a connection, and so does one more lane in reserve.",
  ),
  LAUREL_BATCH_MAX: setting(whole(1, 1024), 64, "The largest number of commands in a batch."),
  LAUREL_WAITING_MAX: setting(whole(1, 1_000_000), 4096, "How many commands may wait. Above that the answer is 503."),
  LAUREL_REQUESTS_MAX: setting(
    whole(0, 1_000_000),
    512,
    "How many calls with a JSON body a process works on at once. Above that the answer is 503, before anything is read; 0: no limit. A caller with few calls has an eighth of that on top, up to twice the number in all. While the process is busy, a queue that stands for more than a second gets a quarter of the number.",
  ),
  LAUREL_EVENT_LOOP_DELAY_MAX_MS: setting(
    whole(0, 600_000),
    1000,
    "When the event loop is late by more than this, the answer is 503; 0: never.",
  ),
  LAUREL_CATALOG_MB: setting(
    whole(1, 65_536),
    256,
    "Memory for the configuration of the projects in use, in megabytes.",
  ),
  LAUREL_FILES_MB: setting(
    whole(1, 10_000_000),
    10_240,
    "What the uploads, reports and exports of one project may have together, in megabytes.",
  ),
  LAUREL_REQUEST_LOG_DAYS: setting(whole(0, 365), 7, "How many days the request log is kept; 0: no request is logged."),
  LAUREL_REQUEST_LOG_RATE: setting(
    whole(1, 10_000),
    100,
    "How many requests a process logs in a second at most. More of them are counted and left out.",
  ),
  LAUREL_JOBS: setting(choice("on", "off"), "on", "Whether this process runs background jobs."),
  LAUREL_PREPARE: setting(
    choice("on", "off"),
    "on",
    "Whether Laurel uses prepared statements; set `off` behind a transaction pooler.",
  ),
} as const satisfies Record<string, Setting<never> | Setting<string> | Setting<number>>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
type Value<S> = S extends Setting<infer T> ? T : never;
// A setting whose default is null may be absent; all others always have a value.
type Absent =
  | "DATABASE_URL"
  | "LAUREL_PUBLIC_URL"
  | "LAUREL_SECRET_KEY"
  | "LAUREL_SECRET_KEY_PREVIOUS"
  | "LAUREL_DEMO"
  | "LAUREL_SMTP_URL"
  | `LAUREL_OIDC_${"ISSUER" | "CLIENT_ID" | "CLIENT_SECRET" | "NAME"}`
  | "LAUREL_PROJECT_ID"
  | `LAUREL_${"APP" | "CLIENT" | "MANAGEMENT"}_${"ID" | "TOKEN"}`;
export type Config = Readonly<{
  [N in SettingName]: N extends Absent ? Value<Settings[N]> | null : Value<Settings[N]>;
}>;

export class ConfigError extends Error {}

/** `LAUREL_DATA_DIR` on the command line is `--data-dir`. */
export const flagOf = (name: SettingName): string =>
  `--${name
    .replace(/^LAUREL_/, "")
    .toLowerCase()
    .replaceAll("_", "-")}`;

/** Flags win over the environment. An unknown `LAUREL_*` variable or a bad value is an error that names it. */
export function readConfig(
  env: Record<string, string | undefined>,
  flags: Partial<Record<SettingName, string>> = {},
): Config {
  const unknown = Object.keys(env).filter((name) => name.startsWith("LAUREL_") && !(name in SETTINGS));
  if (unknown.length > 0)
    throw new ConfigError(`${unknown.join(", ")} is not a setting of Laurel. Run \`npm run laurel -- serve --help\`.`);
  const values = Object.entries(SETTINGS).map(([name, { kind, default: fallback, ...rest }]) => {
    const flag = flags[name as SettingName];
    const given = flag ?? env[name];
    if (given === undefined || given === "") return [name, fallback];
    const value = kind.parse(given);
    if (value !== undefined) return [name, value];
    const where = flag === undefined ? name : flagOf(name as SettingName);
    const shown = "secret" in rest ? "what it is set to" : JSON.stringify(given);
    throw new ConfigError(`${where} must be ${kind.takes}, not ${shown}.`);
  });
  return Object.freeze(Object.fromEntries(values)) as Config;
}

export const isDemo = ({ LAUREL_DEMO, DATABASE_URL }: Config): boolean =>
  (LAUREL_DEMO ?? (DATABASE_URL === null ? "on" : "off")) === "on";

/** Where links lead to. Nobody can go to the address that stands for all of a machine. */
export const publicUrlOf = ({ LAUREL_PUBLIC_URL, HOST, PORT }: Config): string =>
  LAUREL_PUBLIC_URL ??
  `http://${/^(?:0\.0\.0\.0|::)$/.test(HOST) ? "localhost" : HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`;

export const isLoopback = (host: string): boolean =>
  /^(?:127\.\d+\.\d+\.\d+|::1|\[::1\]|::ffff:127\.\d+\.\d+\.\d+|localhost)$/i.test(host);

/** The connections of a process beside those of its settings. */
export const CONNECTIONS = { besideLanes: 2, reserve: 1, directory: 2, requestLog: 1, jobs: 5, jobQueue: 2 } as const;

/** How many connections the processes of this machine open at most. */
export function connectionsMax(config: Config): number {
  const { besideLanes, reserve, directory, requestLog, jobs, jobQueue } = CONNECTIONS;
  const own = config.LAUREL_POOL_GENERAL + config.LAUREL_LANES + besideLanes + reserve + directory + requestLog;
  return config.LAUREL_PROCESSES * (own + (config.LAUREL_JOBS === "on" ? jobs + jobQueue : 0));
}
