import fs from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium } from "../../test/docs/browser.ts";
import { headersIn, serve, tempDir } from "../../test/support/child.ts";
import { testDatabase } from "../../test/support/engine.ts";
import { buildOnce } from "./built.ts";
import { startDouble } from "./double.ts";

// A real server with the demo, a real browser, and people who are signed in.

const file = findChromium();
const MISSING = "no Chromium on this machine: the dashboard was NOT tried in a browser (set CHROMIUM, or install it)";
export const skip = file === null && process.env.REQUIRE_BROWSER !== "1" ? MISSING : false;

export const OWNER = { email: "ann@example.com", password: "a long secret", role: "ADMIN" };
export const CAREFUL = { ...OWNER, email: "bo@example.com", code: "123456" };
export const VIEWER = { ...OWNER, email: "cy@example.com", role: "VIEWER", operations: ["listCampaigns"] };
export type Window = { width?: number; scheme?: "light" | "dark" };

/** All operations of the interface: what an owner may do. */
const operations = () => {
  const { paths } = JSON.parse(fs.readFileSync("openapi.json", "utf8")) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
};

/** Answers that a test means to get are no faults of the page. */
const REFUSED = /^Failed to load resource: (?:the server responded with a status of \d+|net::ERR_)/;

/** Starts the demo shop with a dashboard, and a browser. They end with the file. */
export async function openShop() {
  await buildOnce();
  const { url: DATABASE_URL } = await testDatabase();
  const LAUREL_DATA_DIR = tempDir();
  const server = await serve({ DATABASE_URL, LAUREL_DATA_DIR, LAUREL_DEMO: "on", LAUREL_DASHBOARD: "on" });
  const keys = (kind: string) => headersIn(join(LAUREL_DATA_DIR, "credentials", `${kind}.headers`));
  const projects = await fetch(`${server.url}/management/v1/projects`, { headers: keys("management") });
  const [project] = (
    (await projects.json()) as { data: { id: string; name: string; currency: string; timezone: string }[] }
  ).data;
  const { id, name, currency, timezone } = project!;
  const double = await startDouble({
    ...{ target: server.url, keys: keys("app"), project: { id, name, currency, timezone } },
    ...{ operations: operations(), people: [OWNER, CAREFUL, VIEWER] },
  });
  const browser: Browser = await chromium.launch({
    executablePath: file!,
    args: ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
  });
  after(async () => {
    await browser.close();
    double.close();
  });
  const api = async <T>(path: string): Promise<T> =>
    (await fetch(server.url + path, { headers: keys("app") })).json() as Promise<T>;

  /** A window of a browser in which nobody is signed in. */
  async function open({ width = 1440, scheme = "light" }: Window = {}) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      locale: "en-GB",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      if (message.type() === "error" && !REFUSED.test(message.text())) complaints.push(message.text());
    });
    await page.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        console.error(`policy: ${violatedDirective} ${blockedURI}`),
      ),
    );
    return { page, complaints, close: () => context.close() };
  }
  async function signIn(person: { email: string; password: string } = OWNER, window: Window = {}) {
    const opened = await open(window);
    await opened.page.goto(double.url);
    await fillIn(opened.page, person);
    await opened.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    return opened;
  }
  return { ...double, server, api, open, signIn };
}

export async function fillIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  const field = page.getByLabel("E-mail");
  if (await field.isEditable()) await field.fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** What is wrong with a page as it stands there: accessibility, and what does not fit. */
export async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
    ...(wide > 0 ? [`${wide} px too wide`] : []),
  ];
}
