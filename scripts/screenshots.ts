import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { SHOTS, type Shot, type ShotIds } from "../dashboard/test/shots.ts";
import { findChromium, startChromium } from "../test/docs/browser.ts";
import { smallPng } from "./small-png.ts";

// Makes the pictures in docs/guides/dashboard: starts a demo shop, signs in, and looks at its pages.
//   npm run screenshots                  all of them
//   npm run screenshots -- designer why  those whose names hold one of these

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "docs/guides/dashboard");
const BYTES_MAX = 120_000;
const [WIDE, NARROW] = [
  { width: 1280, height: 800 },
  { width: 380, height: 760 },
];
const OWNER = { first: "Ann", last: "Hansen", password: "correct horse battery staple" };

/** A demo shop in a folder of its own, which is gone afterwards. */
async function startShop() {
  const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-pictures-"));
  fs.chmodSync(dir, 0o755); // Started by root, the database runs as a user that must reach it.
  const env = { ...process.env, LAUREL_DATA_DIR: dir, PORT: "0", LAUREL_PROCESSES: "1", LAUREL_LOG_LEVEL: "warn" };
  const child = spawn(process.execPath, ["src/cli/laurel.ts", "serve"], { cwd: ROOT, env });
  const stop = async () => {
    const ended = once(child, "close");
    if (child.exitCode === null && child.kill("SIGTERM")) await ended;
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  let said = "";
  child.stderr.pipe(process.stderr);
  await new Promise<void>((resolve, reject) => {
    child.once("close", () => reject(new Error(`The server ended:\n${said}`)));
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (/^Try it: .*/m.test(said)) resolve();
    });
  });
  const find = (pattern: RegExp) => pattern.exec(said)![1]!;
  return { url: find(/^Laurel listens on (\S+)$/m), link: find(/^Sign in once: +(\S+)/m), stop };
}

/** Accepts the link of the owner, and keeps what the browser needs to be signed in. */
async function signIn(browser: Browser, { url, link }: { url: string; link: string }, shoot: (page: Page) => unknown) {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce", locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel("First name").fill(OWNER.first);
  await page.getByLabel("Last name").fill(OWNER.last);
  await page.locator("#password").fill(OWNER.password);
  const email = (await page.locator("#email").textContent())!;
  await page.locator("#form button[type=submit]").click();
  await page.locator("#done").waitFor();
  // The dashboard is built while the server starts; until then its page loads itself again.
  await page.goto(url);
  await page.getByRole("heading", { name: "Sign in to Laurel" }).waitFor({ timeout: 300_000 });
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await shoot(page);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}
type State = Awaited<ReturnType<typeof signIn>>;

/** The ids that the pages are about, read as the owner reads them. */
async function idsOf(page: Page): Promise<ShotIds> {
  const session = await page.request.get("/management/v1/session").then((answer) => answer.json());
  const headers = { "x-laurel-project": session.projects[0].id };
  const get = (path: string) => page.request.get(path, { headers }).then((answer) => answer.json());
  type Row = { id: string; name: string; related_object_type?: string; source_id?: string; customer_id?: string };
  const named = (rows: Row[], name: string) => rows.find((row) => row.name === name)!.id;
  const { redemptions } = await get("/v1/redemptions?limit=100");
  const program = named((await get("/v2/loyalties/programs")).data, "Laurel club");
  const customer = (await get("/v1/customers/alice")).id as string;
  const members: Row[] = (await get(`/v2/loyalties/programs/${program}/members?limit=100`)).data;
  return {
    program,
    customer,
    campaign: named((await get("/v1/campaigns?limit=100")).campaigns, "Newsletter"),
    redemption: (redemptions as Row[]).find((row) => row.related_object_type === "redemption")!.id,
    member: members.find((row) => row.customer_id === customer)!.id,
    rule: named((await get("/v1/validation-rules?limit=100")).data, "Free shipping from 50"),
    shirt: named((await get("/v1/products?limit=100")).products, "T-shirt"),
  };
}

const tooLarge: string[] = [];

function save(name: string, bytes: Buffer): void {
  const small = smallPng(bytes);
  if (small.length > BYTES_MAX) tooLarge.push(`${name} has ${small.length} bytes, more than ${BYTES_MAX}`);
  fs.writeFileSync(join(FOLDER, `${name}.png`), small);
  console.log(`${name}.png ${Math.round(small.length / 1000)} kB`);
}

async function shoot(browser: Browser, url: string, state: State, shot: Shot, ids: ShotIds): Promise<void> {
  const context = await browser.newContext({
    ...{ viewport: shot.isNarrow ? NARROW : WIDE, colorScheme: shot.scheme ?? "light", storageState: state },
    ...{ baseURL: url, reducedMotion: "reduce", locale: "en-GB", deviceScaleFactor: 1 },
  });
  const page = await context.newPage();
  await page.goto(shot.path(ids));
  await page.getByRole("heading", { level: 1 }).waitFor();
  const shown = () => page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
  // A page that is told what happens never stops loading.
  const quiet = async () => {
    if (!shot.isLive) await page.waitForLoadState("networkidle");
    await shown();
  };
  await quiet();
  await shot.act?.(page, ids);
  await quiet();
  save(shot.name, await page.screenshot({ caret: "hide" }));
  await context.close();
}

const words = process.argv.slice(2);
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));
fs.mkdirSync(FOLDER, { recursive: true });
const shop = await startShop();
const browser = await startChromium(findChromium()!);
try {
  const state = await signIn(browser, shop, async (page) => {
    if (isWanted("sign-in")) save("sign-in", await page.screenshot({ caret: "hide" }));
  });
  const context = await browser.newContext({ baseURL: shop.url, storageState: state });
  const ids = await idsOf(await context.newPage());
  await context.close();
  for (const shot of SHOTS.filter(({ name }) => isWanted(name))) await shoot(browser, shop.url, state, shot, ids);
} finally {
  await browser.close();
  await shop.stop();
}
for (const says of tooLarge) console.error(says);
if (tooLarge.length > 0) process.exitCode = 1;
