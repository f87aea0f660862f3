import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import {
  type Config,
  ConfigError,
  flagOf,
  isDemo,
  isLoopback,
  processesFor,
  readConfig,
  SETTINGS,
  type SettingName,
} from "../../src/config.ts";

type Row = { flag: string; default: unknown; good: Record<string, unknown>; bad: string[] };
const text = (flag: string, fallback: string | null): Row => ({
  flag,
  default: fallback,
  good: { "any text": "any text", "7": "7" },
  bad: [],
});
const credential = (flag: string): Row => ({
  flag,
  default: null,
  good: { x: "x", "a b:c=d": "a b:c=d", "8f14e45f-ceea": "8f14e45f-ceea" },
  bad: [" x", "x ", "tëxt", "two\nlines", "tab\there"],
});
const whole = (flag: string, fallback: number, [min, max]: [number, number]): Row => ({
  flag,
  default: fallback,
  good: { [min]: min, [max]: max },
  bad: [...(min > 0 ? [`${min - 1}`] : []), `${max + 1}`, "-1", "1.5", "1e3", "ten", "0x10", " 5"],
});
const choice = (flag: string, fallback: string | null, values: string[]): Row => ({
  flag,
  default: fallback,
  good: Object.fromEntries(values.map((value) => [value, value])),
  bad: ["other", values[0]!.toUpperCase(), ` ${values[0]}`],
});
const RATE: [number, number] = [0, 10_000_000];

const ROWS: Record<SettingName, Row> = {
  HOST: text("--host", "127.0.0.1"),
  PORT: whole("--port", 3000, [0, 65_535]),
  LAUREL_SECRET_KEY: {
    flag: "--secret-key",
    default: null,
    good: { ["0A".repeat(32)]: "0a".repeat(32), ["12".repeat(32)]: "12".repeat(32) },
    bad: ["0a", "0g".repeat(32), "0a".repeat(33)],
  },
  LAUREL_SECRET_KEY_PREVIOUS: {
    flag: "--secret-key-previous",
    default: null,
    good: { ["0A".repeat(32)]: "0a".repeat(32) },
    bad: ["0a", "0g".repeat(32)],
  },
  LAUREL_PUBLIC_URL: {
    flag: "--public-url",
    default: null,
    good: {
      "https://laurel.shop.example/": "https://laurel.shop.example",
      "http://10.0.0.1:3000/base": "http://10.0.0.1:3000/base",
    },
    bad: ["laurel.shop.example", "ftp://shop.example", "https://shop.example/?a=b", "https://"],
  },
  DATABASE_URL: {
    flag: "--database-url",
    default: null,
    good: {
      "postgres://u:p@h:5432/d": "postgres://u:p@h:5432/d",
      "postgresql://u@h/d?sslmode=require": "postgresql://u@h/d?sslmode=require",
      "postgres://u@/d?host=/run/postgresql": "postgres://u@/d?host=/run/postgresql",
      "postgres://u:a,b@h/d?options=-c%20a=b,c": "postgres://u:a,b@h/d?options=-c%20a=b,c",
    },
    bad: [
      ...["mysql://u:p@h/d", "h:5432", "localhost", "http://h"],
      ...["postgres://u:p@h,i/d", "postgres://u:p@h:5432,i:5432/d", "postgres://h,i", "postgres://h,i?sslmode=require"],
    ],
  },
  LAUREL_DATA_DIR: text("--data-dir", "./data"),
  LAUREL_DEMO: choice("--demo", null, ["on", "off"]),
  LAUREL_DEMO_DAYS: whole("--demo-days", 90, [0, 90]),
  LAUREL_PROJECT_ID: text("--project-id", null),
  LAUREL_APP_ID: credential("--app-id"),
  LAUREL_APP_TOKEN: credential("--app-token"),
  LAUREL_CLIENT_ID: credential("--client-id"),
  LAUREL_CLIENT_TOKEN: credential("--client-token"),
  LAUREL_MANAGEMENT_ID: credential("--management-id"),
  LAUREL_MANAGEMENT_TOKEN: credential("--management-token"),
  LAUREL_V2_AUTH: choice("--v2-auth", "all", ["all", "either"]),
  LAUREL_PROCESSES: whole("--processes", processesFor(availableParallelism()), [1, 256]),
  LAUREL_TRUST_PROXY: {
    flag: "--trust-proxy",
    default: "off",
    good: Object.fromEntries(
      ["on", "off", "10.0.0.1", "10.0.0.0/8, ::1", "loopback", "loopback,fd00::/8", "uniquelocal"].map((v) => [v, v]),
    ),
    bad: ["true", "1", "dead", "10.0.0.999", "10.0.0.0/33", "::1/129", "10.0.0.1,,10.0.0.2", "proxy.example"],
  },
  LAUREL_LOG_LEVEL: choice("--log-level", "info", ["fatal", "error", "warn", "info", "debug", "trace", "silent"]),
  LAUREL_METRICS: choice("--metrics", "loopback", ["loopback", "direct", "on", "off"]),
  LAUREL_WEBHOOK_ALLOW: {
    flag: "--webhook-allow",
    default: "none",
    good: { none: "none", "loopback,10.0.0.0/8": "loopback,10.0.0.0/8", "fd00::/8": "fd00::/8" },
    bad: ["all", "10.0.0.0/33", "localhost", "loopback;linklocal"],
  },
  LAUREL_SMTP_URL: {
    flag: "--smtp-url",
    default: null,
    good: {
      "smtp://mail.example": "smtp://mail.example",
      "smtps://u:p@mail.example:465": "smtps://u:p@mail.example:465",
    },
    bad: ["mail.example", "http://mail.example", "smtp://"],
  },
  LAUREL_MAIL_FROM: {
    flag: "--mail-from",
    default: "laurel@localhost",
    good: { "shop@mail.example": "shop@mail.example" },
    bad: ["shop", "@mail.example", "Shop <shop@mail.example>"],
  },
  LAUREL_OIDC_ISSUER: {
    flag: "--oidc-issuer",
    default: null,
    // As it is: the provider compares it character by character.
    good: {
      "https://id.shop.example/": "https://id.shop.example/",
      "https://id.shop.example/realms/shop": "https://id.shop.example/realms/shop",
      "http://127.0.0.1:8080": "http://127.0.0.1:8080",
    },
    bad: [
      "http://id.shop.example",
      "id.shop.example",
      "https://id.shop.example?a=b",
      "https://",
      "ftp://id.shop.example",
    ],
  },
  LAUREL_OIDC_CLIENT_ID: credential("--oidc-client-id"),
  LAUREL_OIDC_CLIENT_SECRET: credential("--oidc-client-secret"),
  LAUREL_OIDC_NAME: text("--oidc-name", null),
  LAUREL_OIDC_DOMAINS: {
    flag: "--oidc-domains",
    default: "none",
    good: { "Shop.example, other.example": "shop.example, other.example", none: "none" },
    bad: ["@shop.example", "*.shop.example", "shop.example,", "a b"],
  },
  LAUREL_OIDC_ROLE: text("--oidc-role", "VIEWER"),
  LAUREL_OIDC_PROJECTS: text("--oidc-projects", "all"),
  LAUREL_DOCS: choice("--docs", "on", ["on", "off"]),
  LAUREL_DASHBOARD: choice("--dashboard", "on", ["on", "off", "dev"]),
  LAUREL_BODY_LIMIT_BYTES: whole("--body-limit-bytes", 1_048_576, [1024, 104_857_600]),
  LAUREL_IMPORT_LIMIT_BYTES: whole("--import-limit-bytes", 2_147_483_648, [1024, 1_099_511_627_776]),
  LAUREL_REQUEST_TIMEOUT_MS: whole("--request-timeout-ms", 15_000, [100, 600_000]),
  LAUREL_DRAIN_S: whole("--drain-s", 5, [0, 600]),
  LAUREL_STATEMENT_TIMEOUT_MS: whole("--statement-timeout-ms", 5_000, [100, 600_000]),
  LAUREL_RATE_LIMIT_APP: whole("--rate-limit-app", 0, RATE),
  LAUREL_RATE_LIMIT_CLIENT: whole("--rate-limit-client", 0, RATE),
  LAUREL_RATE_LIMIT_MANAGEMENT: whole("--rate-limit-management", 0, RATE),
  LAUREL_RATE_LIMIT_USER: whole("--rate-limit-user", 0, RATE),
  LAUREL_RATE_LIMIT_BULK: whole("--rate-limit-bulk", 0, RATE),
  LAUREL_RATE_LIMIT_STRANGERS: whole("--rate-limit-strangers", 60, RATE),
  LAUREL_RATE_LIMIT_SHARED: choice("--rate-limit-shared", "off", ["on", "off"]),
  LAUREL_WRONG_PASSWORDS_MAX: whole("--wrong-passwords-max", 10, [0, 1_000_000]),
  LAUREL_WRONG_CODES_MAX: whole("--wrong-codes-max", 5, [0, 1_000_000]),
  LAUREL_VOUCHERS_COUNT_MAX: whole("--vouchers-count-max", 10_000_000, [1, 1_000_000_000]),
  LAUREL_POOL_GENERAL: whole("--pool-general", 4, [1, 1000]),
  LAUREL_LANES: whole("--lanes", 2, [1, 64]),
  LAUREL_BATCH_MAX: whole("--batch-max", 64, [1, 1024]),
  LAUREL_WAITING_MAX: whole("--waiting-max", 4096, [1, 1_000_000]),
  LAUREL_REQUESTS_MAX: whole("--requests-max", 512, [0, 1_000_000]),
  LAUREL_EVENT_LOOP_DELAY_MAX_MS: whole("--event-loop-delay-max-ms", 1000, [0, 600_000]),
  LAUREL_CATALOG_MB: whole("--catalog-mb", 256, [1, 65_536]),
  LAUREL_FILES_MB: whole("--files-mb", 10_240, [1, 10_000_000]),
  LAUREL_REQUEST_LOG_DAYS: whole("--request-log-days", 7, [0, 365]),
  LAUREL_REQUEST_LOG_RATE: whole("--request-log-rate", 100, [1, 10_000]),
  LAUREL_JOBS: choice("--jobs", "on", ["on", "off"]),
  LAUREL_PREPARE: choice("--prepare", "on", ["on", "off"]),
};
const NAMES = Object.keys(SETTINGS) as SettingName[];
const SECRET = NAMES.filter((name) => (SETTINGS[name] as { secret?: true }).secret);

const refused = (env: Record<string, string>, flags: Partial<Record<SettingName, string>> = {}): string => {
  try {
    readConfig(env, flags);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return assert.fail(`${JSON.stringify([env, flags])} was taken`);
};

test("a server has a process for each core but one, which is the database's", () => {
  assert.deepEqual([1, 2, 3, 8, 500].map(processesFor), [1, 1, 2, 7, 256]);
});

test("every setting has its default when nothing is set, and when it is set to nothing", () => {
  const defaults = Object.fromEntries(NAMES.map((name) => [name, ROWS[name].default]));
  assert.deepEqual({ ...readConfig({}) }, defaults);
  assert.deepEqual({ ...readConfig(Object.fromEntries(NAMES.map((name) => [name, ""]))) }, defaults);
});

for (const name of NAMES) {
  test(`${name} takes its values from the environment and from ${ROWS[name].flag}, which wins`, () => {
    assert.equal(flagOf(name), ROWS[name].flag);
    for (const [given, value] of Object.entries(ROWS[name].good)) {
      assert.equal(readConfig({ [name]: given })[name], value);
      const other = Object.keys(ROWS[name].good).find((one) => one !== given)!;
      assert.equal(readConfig({ [name]: other }, { [name]: given })[name], value);
    }
  });

  test(`${name} set to something else stops with a message that names it`, () => {
    const { takes } = SETTINGS[name].kind;
    for (const given of ROWS[name].bad) {
      const shown = SECRET.includes(name) ? "what it is set to" : JSON.stringify(given);
      assert.equal(refused({ [name]: given }), `${name} must be ${takes}, not ${shown}.`);
      assert.equal(refused({}, { [name]: given }), `${ROWS[name].flag} must be ${takes}, not ${shown}.`);
    }
  });
}

test("no message repeats a secret", () => {
  assert.deepEqual(SECRET.toSorted(), [
    "DATABASE_URL",
    "LAUREL_APP_TOKEN",
    "LAUREL_CLIENT_TOKEN",
    "LAUREL_MANAGEMENT_TOKEN",
    "LAUREL_OIDC_CLIENT_SECRET",
    "LAUREL_SECRET_KEY",
    "LAUREL_SECRET_KEY_PREVIOUS",
    "LAUREL_SMTP_URL",
  ]);
  for (const name of SECRET) {
    const message = refused({ [name]: "mysql://user:hunter2 \n" });
    assert.ok(message.includes(name) && !message.includes("hunter2"));
  }
});

test("an unknown LAUREL_ variable stops with a message that names it; other variables are not looked at", () => {
  assert.match(
    refused({ LAUREL_PORT: "1", LAUREL_DATADIR: "/x" }),
    /^LAUREL_PORT, LAUREL_DATADIR is not a setting of Laurel\./,
  );
  assert.equal(readConfig({ LAURELS: "x", MY_LAUREL_THING: "y", PATH: "/bin" }).PORT, 3000);
});

test("the configuration cannot be changed", () => {
  assert.throws(() => {
    (readConfig({}) as { PORT: number }).PORT = 1;
  }, TypeError);
});

test("the demo is on for the embedded database and off for another, unless it is said", () => {
  const url = { DATABASE_URL: "postgres://h/d" };
  const demo = (env: Record<string, string>) => isDemo(readConfig(env) as Config);
  assert.deepEqual([demo({}), demo(url)], [true, false]);
  assert.deepEqual([demo({ LAUREL_DEMO: "off" }), demo({ ...url, LAUREL_DEMO: "on" })], [false, true]);
});

test("loopback is told from other addresses", () => {
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LOCALHOST", "::ffff:127.0.0.1"])
    assert.ok(isLoopback(host), host);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example", "localhost.example", ""])
    assert.ok(!isLoopback(host), host);
});

test("the reference of the configuration lists every setting as it is", () => {
  const lines = readFileSync(new URL("../../docs/reference/configuration.md", import.meta.url), "utf8").split("\n");
  for (const name of NAMES) {
    const setting = SETTINGS[name] as { default: unknown; shown?: string; means: string; kind: { takes: string } };
    const { default: fallback, shown = `\`${fallback}\``, means, kind } = setting;
    const row = `| \`${name}\` | \`${flagOf(name)}\` | ${shown} | ${kind.takes} | ${means} |`;
    assert.ok(lines.includes(row), `${name}: run \`npm run gen\``);
  }
  assert.equal(lines.filter((line) => line.startsWith("| `")).length, NAMES.length);
});
