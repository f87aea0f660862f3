import { join } from "node:path";
import { after } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page, Request } from "playwright-core";
import { BUILT_IN_ROLES } from "../../src/core/users/roles.ts";
import { stepAt } from "../../src/core/users/totp.ts";
import { hashToken } from "../../src/http/users/session.ts";
import { codeIn } from "../../src/resources/platform/users/totp-store.ts";
import { findChromium, startChromium } from "../../test/docs/browser.ts";
import { eventually, headersIn, serve, tempDir } from "../../test/support/child.ts";
import { testDatabase } from "../../test/support/engine.ts";
import { startProvider } from "../../test/support/oidc-provider.ts";
import { makeUser, PASSWORD } from "../../test/support/sign-in.ts";
import { buildOnce } from "./built.ts";
import { startFaults } from "./faults.ts";

// A real server with the demo, a real browser, and people who sign in.

const file = findChromium();
const MISSING = "no Chromium on this machine: the dashboard was NOT tried in a browser (set CHROMIUM, or install it)";
export const skip = file === null && process.env.REQUIRE_BROWSER !== "1" ? MISSING : false;

type Person = { email: string; password: string };
export const OWNER: Person = { email: "ann@example.com", password: PASSWORD };
/** Has a second factor. */
export const CAREFUL: Person = { email: "bo@example.com", password: PASSWORD };
/** Alone in a sandbox, whose clock may be moved. */
export const CLOCK: Person = { email: "di@example.com", password: PASSWORD };
/** Sees campaigns and nothing else. */
export const VIEWER: Person = { email: "cy@example.com", password: PASSWORD };
/** Somebody in each built-in role, by its name. */
export const IN_ROLES: Readonly<Record<string, Person>> = Object.fromEntries(
  Object.keys(BUILT_IN_ROLES).map((role) => [role, { email: `${role.toLowerCase()}@example.com`, password: PASSWORD }]),
);
export type Window = { width?: number; scheme?: "light" | "dark"; savesData?: boolean };

/** Answers that a test means to get are no faults of the page. */
const REFUSED = /^Failed to load resource: (?:the server responded with a status of \d+|net::ERR_)/;

type Send = (path: string, body: object, headers?: Record<string, string>) => Promise<{ body: any; headers: Headers }>;

/** Sets up a second factor, and gives what the app of this person shows. */
async function setUpSecondFactor(send: Send, { email, password }: Person): Promise<() => string> {
  const { body: session, headers } = await send("/management/v1/session", { email, password });
  const own = { cookie: headers.get("set-cookie")!.split(";")[0]!, "x-laurel-csrf": session.csrf_token };
  const { body } = await send("/management/v1/session/totp", {}, own);
  // A code works once, and the next one is good already: clocks differ.
  const codeAt = (later: number) => codeIn(body.secret, stepAt(new Date().toISOString()) + later);
  await send("/management/v1/session/totp/confirm", { code: codeAt(0) }, own);
  return () => codeAt(1);
}

/** A provider of single sign-on, and the settings of a server that people reach at this address and sign in to with it. */
async function openProvider(publicUrl: string) {
  const provider = await startProvider([`${publicUrl}/sign-in/callback`]);
  after(provider.close);
  const { issuer, clientId, clientSecret, name } = provider.settings("");
  const settings = {
    ...{ LAUREL_PUBLIC_URL: publicUrl, LAUREL_OIDC_ISSUER: issuer, LAUREL_OIDC_NAME: name },
    ...{ LAUREL_OIDC_CLIENT_ID: clientId, LAUREL_OIDC_CLIENT_SECRET: clientSecret! },
  };
  return { provider, settings };
}

/** After so long without a request nothing more is asked for: one question follows the answer to another within it. */
const QUIET_MS = 100;
/** A page that listens to events never ends that request. */
const isStream = (request: Request) => request.url().includes("/stream");

/** Says when a page has everything that it asked for. */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let last = Date.now();
  const note = (request: Request, isOpen: boolean) => {
    if (isStream(request)) return;
    if (isOpen) open.add(request);
    else open.delete(request);
    last = Date.now();
  };
  page.on("request", (request) => note(request, true));
  page.on("requestfinished", (request) => note(request, false));
  page.on("requestfailed", (request) => note(request, false));
  return () => eventually(() => open.size === 0 && Date.now() - last > QUIET_MS, "the page is quiet");
}

/** Starts the demo shop with a dashboard, and a browser. They end with the file. */
export async function openShop() {
  await buildOnce();
  const { url: DATABASE_URL, db } = await testDatabase();
  const LAUREL_DATA_DIR = tempDir();
  const proxy = await startFaults(() => server.url);
  const { provider, settings } = await openProvider(proxy.url);
  const shown = { LAUREL_DEMO: "on", LAUREL_DEMO_DAYS: "90", LAUREL_DASHBOARD: "on" };
  const server = await serve({ DATABASE_URL, LAUREL_DATA_DIR, ...shown, ...settings });
  const keys = (kind: string) => headersIn(join(LAUREL_DATA_DIR, "credentials", `${kind}.headers`));
  const send: Send = async (path, body, headers = {}) => {
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
    const reply = await fetch(server.url + path, { ...init, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
    return { body: await reply.json(), headers: reply.headers };
  };
  const projects = await fetch(`${server.url}/management/v1/projects`, { headers: keys("management") });
  const [{ id }] = ((await projects.json()) as { data: [{ id: string }] }).data;
  const permissions = ["campaigns.read"];
  const role = await send("/management/v1/roles", { name: "Campaigns only", permissions }, keys("management"));
  await makeUser(db, { [id]: "ADMIN" }, { email: OWNER.email, is_owner: true });
  await makeUser(db, { [id]: "ADMIN" }, { email: CAREFUL.email });
  await makeUser(db, { [id]: role.body.id }, { email: VIEWER.email });
  const sandbox = { name: "Time machine", timezone: "UTC", currency: "EUR", case_sensitive_codes: false };
  const { body: other } = await send("/management/v1/projects", sandbox, keys("management"));
  await db`update projects set is_sandbox = true where id = ${other.id}`;
  await makeUser(db, { [other.id]: "ADMIN" }, { email: CLOCK.email });
  for (const [name, { email }] of Object.entries(IN_ROLES)) await makeUser(db, { [id]: name }, { email });
  const browser = await startChromium(file!);
  after(async () => {
    await browser.close();
    proxy.close();
  });
  /** Signs in as a program does: the cookie, and what the session may do. */
  const sessionOf = async (person: Person) => {
    const { body, headers } = await send("/management/v1/session", person);
    const [cookie] = headers.get("set-cookie")!.split(";") as [string];
    const [name, token] = cookie.split("=") as [string, string];
    const operations = new Set<string>([...body.operations, ...body.projects[0].operations]);
    return { cookie, name, token, operations };
  };
  const { cookie, token } = await sessionOf(OWNER);
  const own = { cookie, "x-laurel-project": id };
  /** Reads as the owner does. */
  const api = async <T>(path: string): Promise<T> =>
    (await fetch(server.url + path.replace("{projectId}", id), { headers: own })).json() as Promise<T>;

  /** A window of a browser in which nobody is signed in. */
  async function open({ width = 1440, scheme = "light", savesData = true }: Window = {}) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      reducedMotion: "reduce",
      locale: "en-GB",
    });
    // To load the code of all pages ahead costs each story more than its own pages do. The story of the first click tries it.
    if (savesData)
      await context.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const complaints: string[] = [];
    const refused: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      if (message.type() === "error" && !REFUSED.test(message.text())) complaints.push(message.text());
    });
    await page.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        console.error(`policy: ${violatedDirective} ${blockedURI}`),
      ),
    );
    page.on("response", (response) => {
      if (response.status() >= 500) refused.push(`${response.status()} ${response.url()}`);
    });
    return { page, complaints, refused, settle: watchRequests(page), close: () => context.close() };
  }
  /** A window in which somebody is signed in, with no page yet. One story types the password; all others have the cookie. */
  async function signIn(person: Person = OWNER, window: Window = {}) {
    const { name, token: value, operations } = await sessionOf(person);
    const opened = await open(window);
    await opened.page.context().addCookies([{ name, value, url: proxy.url }]);
    return { ...opened, operations };
  }
  return {
    ...proxy,
    ...{ server, api, open, signIn, provider },
    /** Writes as a shop does. */
    write: (path: string, body: object) => send(path, body, keys("app")),
    /** Of those who sit at a browser: what reads for a test goes on. */
    endSessions: async () => void (await db`delete from user_sessions where token_hash <> ${hashToken(token)}`),
    secondFactor: () => setUpSecondFactor(send, CAREFUL),
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

export async function fillIn(page: Page, { email, password }: Person): Promise<void> {
  const field = page.getByLabel("E-mail");
  if (await field.isEditable()) await field.fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Follows an address as a link of the page does: nothing is loaded anew. */
export const follow = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, address);

/** What is wrong with a page as it stands there: accessibility, and what does not fit. */
export async function faultsOf(page: Page): Promise<string[]> {
  // No page of ours has frames: the other mode opens a window for each answer. What is right need not be told.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] })
    .analyze();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
    ...(wide > 0 ? [`${wide} px too wide`] : []),
  ];
}
